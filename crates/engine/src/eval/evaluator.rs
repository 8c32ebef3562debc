//! Evaluator of a variant: the classical terms, the NNUE correction where the search uses it, and the fifty-move fade.

use super::{PawnTable, classical, variants, weight_overrides::WeightOverrides};
use crate::{
    draw::fifty_move_count,
    nnue::{Accumulators, Halves},
    node::Node,
};
use sparring_chess::{Position, Variant};

/// The evaluation of one variant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evaluator<'w> {
    variant: Variant,
    weights: Option<&'w WeightOverrides>,
}

impl<'w> Evaluator<'w> {
    /// The evaluation for a variant.
    pub fn for_variant(variant: Variant) -> Self {
        Self {
            variant,
            weights: None,
        }
    }

    /// The same with overridden weights, if any are given.
    pub fn with_weights(self, own: Option<&'w WeightOverrides>) -> Self {
        Self { weights: own, ..self }
    }

    /// The evaluation of a position for the side to move, in centipawns, scaled down towards the fifty-move rule.
    pub fn evaluate(self, node: &Node, pawns: &mut PawnTable) -> i32 {
        fifty_move_scaled(self.evaluate_unfaded(node, pawns, None), &node.pos)
    }

    /// The same with the NNUE correction.
    pub fn evaluate_with_net(self, node: &Node, pawns: &mut PawnTable) -> i32 {
        let seen = Accumulators::fresh(node.board());
        fifty_move_scaled(
            self.evaluate_unfaded(node, pawns, Some(seen.halves(node.turn))),
            &node.pos,
        )
    }

    /// The evaluation without fifty-move scaling, as the transposition table stores it: an entry serves positions of any
    /// halfmove clock. `seen` holds the accumulators, where the net is used.
    pub fn evaluate_unfaded(self, node: &Node, pawns: &mut PawnTable, seen: Option<Halves<'_>>) -> i32 {
        variants::evaluate(self.variant, node, pawns, self.weights, seen)
    }
}

/// The classical evaluation for White, and how much of the net's correction counts beside it, in sixty-fourths.
pub(crate) fn classical_with_share(node: &Node, pawns: &mut PawnTable) -> (i32, i32) {
    let terms = classical::evaluate_terms(node, pawns);
    (terms.score(()), terms.net_share())
}

/// A score scaled down by the halfmove clock: in full at 0, by half at 100.
pub(crate) fn fifty_move_scaled(score: i32, pos: &Position) -> i32 {
    let quiet = i32::try_from(fifty_move_count(pos).min(100)).unwrap_or(100);
    score * (200 - quiet) / 200
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Board;

    use super::{
        super::{pawns, score_pair},
        *,
    };
    use sparring_chess::{Color, Position, Role, Rules as _, Square, parse_fen, write_fen};

    fn value(variant: Variant, pos: &Position) -> i32 {
        value_with(&mut PawnTable::new(), variant, pos)
    }

    /// A table that is used again saves a test of many positions the making of many tables.
    fn value_with(table: &mut PawnTable, variant: Variant, pos: &Position) -> i32 {
        let node = Node::new(pos, variant.traits());
        Evaluator::for_variant(variant).evaluate_with_net(&node, table)
    }

    /// The same position with colors exchanged, by its FEN.
    fn mirrored(fen: &str) -> String {
        let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
        let swap_case = |c: char| {
            if c.is_ascii_uppercase() {
                c.to_ascii_lowercase()
            } else {
                c.to_ascii_uppercase()
            }
        };
        let ranks: Vec<String> = fields[0]
            .split('/')
            .rev()
            .map(|rank| rank.chars().map(swap_case).collect())
            .collect();
        fields[0] = ranks.join("/");
        fields[1] = if fields[1] == "w" { "b".into() } else { "w".into() };
        fields[2] = fields[2].chars().map(swap_case).collect();
        fields[3] = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
        fields.join(" ")
    }

    #[test]
    fn colors_do_not_matter_where_the_halves_have_no_leader_in_common() {
        for fen in [
            "8/3p4/1p1K4/2r5/k2p4/1R6/8/N7 b - - 0 1",
            "8/q7/1R4r1/k7/p1p1Q1p1/5K2/8/1B6 w - - 0 1",
            "2RR4/2K1p3/4Q3/p2p4/q2r4/8/k2r4/5N2 w - - 0 1",
        ] {
            let [pos, other] =
                [fen.to_owned(), mirrored(fen)].map(|fen| parse_fen(Variant::Standard, &fen).unwrap());
            let node = Node::new(&pos, Variant::Standard.traits());
            let structure = pawns::evaluate_pawns::<score_pair::ScorePair>(node.board(), ());
            let lead = classical::Terms::of(&node, &structure, ()).total(());
            assert!(lead.mg().signum() != lead.eg().signum(), "{fen} does not ask it");
            assert_eq!(
                value(Variant::Standard, &pos),
                value(Variant::Standard, &other),
                "{fen}"
            );
        }
    }

    proptest! {
        #[test]
        fn colors_do_not_matter(choices in prop::collection::vec(any::<usize>(), 1..160)) {
            let mut pos = Variant::Standard.start();
            let mut table = PawnTable::new();
            for choice in choices {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos.play_unchecked(moves[choice % moves.len()]);
                let other = parse_fen(Variant::Standard, &mirrored(&write_fen(&pos))).unwrap();
                let mut value = |pos| value_with(&mut table, Variant::Standard, pos);
                prop_assert_eq!(value(&pos), value(&other), "{}", write_fen(&pos));
            }
        }

        #[test]
        fn the_pawn_table_changes_nothing(choices in prop::collection::vec(any::<usize>(), 1..100)) {
            let mut pos = Variant::Standard.start();
            let mut table = PawnTable::new();
            for choice in choices {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos.play_unchecked(moves[choice % moves.len()]);
                let kept = value_with(&mut table, Variant::Standard, &pos);
                prop_assert_eq!(kept, value(Variant::Standard, &pos));
            }
        }
    }

    #[test]
    fn more_is_worth_more() {
        let standard = |fen| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        let start = standard("startpos");
        assert!((0..60).contains(&start), "{start}");
        assert!(standard("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 800);
        assert!(standard("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1") > 50);
    }

    #[test]
    fn pieces_that_cannot_win_are_worth_nothing() {
        let standard = |fen| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        for fen in [
            "4k3/8/8/8/8/8/8/3NK3 w - - 0 1",
            "8/8/4k3/8/8/3NKN2/8/8 w - - 0 1",
            "8/8/4k3/8/8/3BKB2/8/8 w - - 0 1",
        ] {
            assert_eq!(standard(fen), 0, "{fen}");
        }
        assert!(standard("8/8/4k3/8/8/3BKN2/8/8 w - - 0 1") > 200);
    }

    #[test]
    fn the_net_adds_nothing_in_dead_draws() {
        let standard = |fen: &str| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        // In the first the terms of the endgame are level by chance.
        for fen in [
            "3B4/8/8/K7/3n4/8/6k1/8 w - - 0 1",
            "3B4/8/8/1K6/3n4/8/6k1/8 w - - 0 1",
        ] {
            assert_eq!(standard(fen), 0, "{fen}");
        }
    }

    #[test]
    fn a_lone_bishop_is_never_ahead() {
        let standard = |fen: &str| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        for king in ["2BKp3/8", "2B1K3/8", "2B2K2/8", "2B5/4K3", "2B5/3K4"] {
            for pawns in ["8/7p/4p3", "8/8/p3p2p", "7p/8/4p3", "8/3pp3/8"] {
                let fen = format!("7k/8/8/{pawns}/{king} w - - 0 1");
                assert!(standard(&fen) <= 0, "{fen}: {}", standard(&fen));
            }
        }
    }

    #[test]
    fn what_hardly_ever_wins_is_worth_half_a_pawn_at_most() {
        let standard = |fen| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        for fen in [
            "3rk3/8/8/8/8/8/8/2BRK3 w - - 0 1",
            "4k3/3r4/8/8/8/2R1N3/8/4K3 w - - 0 1",
            "8/3k4/8/3r4/2B5/3R4/3K4/8 w - - 0 1",
            "4k3/3q4/8/8/8/2Q1N3/8/4K3 w - - 0 1",
            "4k3/3q4/8/8/8/2Q1B3/8/4K3 w - - 0 1",
            "3rk3/3r4/8/8/8/2RRN3/8/4K3 w - - 0 1",
            "4k3/3n4/8/8/8/2R5/8/4K3 w - - 0 1",
            "4k3/3b4/8/8/8/2R5/8/4K3 w - - 0 1",
            "4k3/3b4/8/8/8/2B1N3/8/4K3 w - - 0 1",
            "4k3/4p3/8/8/8/8/8/3NKN2 w - - 0 1",
            "k7/8/8/8/P7/8/1B6/4K3 w - - 0 1",
            "k7/8/8/P7/P7/8/8/4K1B1 b - - 0 1",
        ] {
            let node = Node::new(
                &parse_fen(Variant::Standard, fen).unwrap(),
                Variant::Standard.traits(),
            );
            let evaluator = Evaluator::for_variant(Variant::Standard);
            let classical = evaluator.evaluate(&node, &mut PawnTable::new());
            assert!(classical.abs() <= 50, "{fen}: {classical}");
            // The net adds nothing.
            assert_eq!(standard(fen), classical, "{fen}");
        }
        assert!(standard("4k3/3r4/8/8/8/2R1N3/4P3/4K3 w - - 0 1") > 200);
    }

    #[test]
    fn a_pawn_that_cannot_win_is_worth_nothing_and_one_that_wins_much() {
        let standard = |fen| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        assert_eq!(standard("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1"), 0);
        assert!(standard("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1") < -300);
    }

    #[test]
    fn a_bare_king_is_worse_off_in_the_corner() {
        let standard = |fen| value(Variant::Standard, &parse_fen(Variant::Standard, fen).unwrap());
        let corner = standard("k7/8/2K5/8/8/8/8/4R3 w - - 0 1");
        let middle = standard("8/8/2K5/4k3/8/8/8/R7 w - - 0 1");
        assert!(corner > middle, "{corner} {middle}");
        let right = standard("7k/8/5K2/8/8/4B3/8/4N3 w - - 0 1");
        let wrong = standard("k7/8/2K5/8/8/4B3/8/4N3 w - - 0 1");
        assert!(right > wrong + 50, "{right} {wrong}");
    }

    #[test]
    fn a_last_pawn_is_worth_more_than_driving_a_bare_king() {
        let evaluator = |others: &[Role], bare: Square, pawn: Option<Square>| {
            let mut board = Board::empty();
            board.set_piece_at(Square::D2, Role::King.of(Color::White));
            board.set_piece_at(bare, Role::King.of(Color::Black));
            for (role, square) in others.iter().zip([Square::B1, Square::F1]) {
                board.set_piece_at(square, role.of(Color::White));
            }
            if let Some(pawn) = pawn {
                board.set_piece_at(pawn, Role::Pawn.of(Color::White));
            }
            let pos = parse_fen(Variant::Standard, &format!("{board} w - - 0 1")).ok()?;
            Some(value(Variant::Standard, &pos))
        };
        let mut compared = 0;
        for others in [&[Role::Rook][..], &[Role::Queen], &[Role::Bishop, Role::Rook]] {
            for bare in Square::ALL {
                // A pawn that the king may take is for the search to save.
                for pawn in [Square::A3, Square::E4, Square::H5].map(Some) {
                    let is_out_of_reach = pawn.is_some_and(|pawn| pawn.distance(bare) > 1);
                    let both = (evaluator(others, bare, pawn), evaluator(others, bare, None));
                    if let (true, (Some(kept), Some(lost))) = (is_out_of_reach, both) {
                        assert!(kept > lost, "{others:?} {bare} {pawn:?}: {kept}, {lost}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 300, "{compared}");
    }

    #[test]
    fn every_variant_can_be_evaluated() {
        for variant in Variant::ALL {
            assert!(value(variant, &variant.start()).abs() < 1000, "{variant}");
        }
        let ahead = parse_fen(Variant::KingOfTheHill, "4k3/8/8/8/8/4K3/8/8 w - - 0 1").unwrap();
        assert!(value(Variant::KingOfTheHill, &ahead) > 100);
    }
}

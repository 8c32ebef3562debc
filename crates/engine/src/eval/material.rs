//! Material: the piece values of both sides with their squares, bishop pair and imbalances.

use shakmaty::{Bitboard, Board, File};

use super::{
    accumulator::EvalAccumulator,
    weights::{BISHOP_PAIR, KNIGHT_BY_PAWNS, MATERIAL, ROOK_BY_PAWNS},
};
use sparring_chess::{ByColor, Color, Role, Square};

/// Material and piece squares of both sides, with imbalances.
pub(super) fn material<T: EvalAccumulator>(board: &Board, weights: T::Weights) -> ByColor<T> {
    let is_king_side = |square: Square| square.file() >= File::E;
    let wings = ByColor::new_with(|color| board.king_of(color).map(is_king_side));
    ByColor::new_with(|color: Color| {
        let mut sum = T::empty(weights);
        let ours = board.by_color(color);
        let kings = [false, true].map(|wing| {
            let is_there = |color| usize::from(*wings.get(color) == Some(wing));
            is_there(!color) + 2 * is_there(color)
        });
        for role in Role::ALL {
            for square in ours & board.by_role(role) {
                let kings = kings[usize::from(is_king_side(square))];
                let square = color.fold_wb(square, square.flip_vertical());
                sum.add_piece(role, square, kings);
            }
        }
        imbalance(board, ours, &mut sum);
        sum
    })
}

/// Material of both sides without piece squares, with imbalances.
pub(super) fn bare_material<T: EvalAccumulator>(board: &Board, weights: T::Weights) -> ByColor<T> {
    ByColor::new_with(|color| {
        let mut sum = T::empty(weights);
        let ours = board.by_color(color);
        for role in &Role::ALL[..5] {
            let count = (ours & board.by_role(*role)).count() as i32;
            sum.add(MATERIAL.at(*role as usize - 1), count);
        }
        imbalance(board, ours, &mut sum);
        sum
    })
}

/// Imbalances: the bishop pair; knights with many pawns, rooks with few (Kaufman's rules).
fn imbalance(board: &Board, ours: Bitboard, sum: &mut impl EvalAccumulator) {
    if (ours & board.bishops()).more_than_one() {
        sum.add(BISHOP_PAIR, 1);
    }
    let pawns = (ours & board.pawns()).count();
    sum.add(KNIGHT_BY_PAWNS.at(pawns), (ours & board.knights()).count() as i32);
    sum.add(ROOK_BY_PAWNS.at(pawns), (ours & board.rooks()).count() as i32);
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            score_pair::ScorePair,
            squares::{mirrored, piece_score},
            weights::{KING_BESIDE_KING, TABLE_VALUES},
        },
        *,
    };
    use sparring_chess::{Rules as _, Variant, parse_fen};

    /// White's lead in material and piece squares.
    fn lead(fen: &str) -> ScorePair {
        let pos = parse_fen(Variant::FromPosition, fen).unwrap();
        let both = material::<ScorePair>(pos.board(), ());
        both.white - both.black
    }

    #[test]
    fn both_sides_begin_alike_and_mirrored_boards_are_worth_the_same() {
        let start = material::<ScorePair>(Variant::Standard.start().board(), ());
        assert_eq!(start.white, start.black);
        assert_eq!(
            lead("1k3r2/5ppp/8/3N4/8/1P6/P5Q1/6K1 w - - 0 1"),
            lead("2r3k1/ppp5/8/4N3/8/6P1/1Q5P/1K6 w - - 0 1")
        );
    }

    #[test]
    fn a_king_is_scored_by_the_other_king_on_its_wing() {
        let beside = |square: Square| {
            let place = KING_BESIDE_KING.at(mirrored(square as usize));
            TABLE_VALUES[place.index()]
        };
        let worth_of = |square, kings| piece_score(Role::King, square, kings);
        let there = lead("7k/8/8/8/8/8/6K1/8 w - - 0 1");
        let expected =
            worth_of(Square::G2, 2) + beside(Square::G2) - worth_of(Square::H1, 2) - beside(Square::H1);
        assert_eq!(there, expected);
        let apart = lead("k7/8/8/8/8/8/6K1/8 w - - 0 1");
        assert_eq!(apart, worth_of(Square::G2, 2) - worth_of(Square::A1, 2));
        assert_ne!(there, apart);
    }

    #[test]
    fn kings_count_on_the_wing_where_they_stand() {
        for (fen, kings) in [
            ("1k6/8/8/6P1/8/8/8/1K6 w - - 0 1", 0),
            ("6k1/8/8/6P1/8/8/8/1K6 w - - 0 1", 1),
            ("1k6/8/8/6P1/8/8/8/6K1 w - - 0 1", 2),
            ("6k1/8/8/6P1/8/8/8/6K1 w - - 0 1", 3),
        ] {
            let without = lead(&fen.replace("6P1", "8"));
            let pawn = piece_score(Role::Pawn, Square::G5, kings);
            assert_eq!(lead(fen) - without, pawn, "{fen}");
        }
    }
}

//! Search node: a position copied and played on; nothing is unmade.

use shakmaty::{Bitboard, Board};

use super::{
    dirty_piece::{DirtyPieces, dirty_pieces},
    zobrist::Keys,
};
use sparring_chess::{Color, GameHistory, Move, Position, Rules as _, VariantTraits};

/// A position with what the search needs of it again and again.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The position.
    pub pos: Position,
    /// Its keys.
    pub keys: Keys,
    /// The pieces that give check.
    pub checkers: Bitboard,
    /// Whose turn it is.
    pub turn: Color,
    /// How many plies back a repetition can lie: none beyond a capture, a pawn move or a null move.
    pub reversible: u32,
    /// What the rules let the search assume.
    pub traits: VariantTraits,
}

/// A move from a node, with its effects on keys and board before it is played.
#[derive(Debug)]
pub(super) struct Step {
    /// The move.
    pub mv: Move,
    /// What it changes on the board, by orthodox rules.
    pub changes: DirtyPieces,
    /// The keys it leads to, but for rights that are lost or come up.
    pub keys: Keys,
}

impl Node {
    /// The end of a game's line.
    pub fn root(line: &GameHistory) -> Self {
        let plies = u32::try_from(line.ply()).unwrap_or(u32::MAX);
        Self {
            reversible: line.position().halfmoves().min(plies),
            ..Self::new(line.position(), line.variant().traits())
        }
    }

    /// A position without history.
    pub fn new(pos: &Position, traits: VariantTraits) -> Self {
        Self {
            keys: Keys::fresh(pos),
            checkers: pos.checkers(),
            turn: pos.turn(),
            pos: pos.clone(),
            reversible: 0,
            traits,
        }
    }

    /// What a legal move changes.
    pub fn step(&self, mv: Move) -> Step {
        let changes = dirty_pieces(self.turn, mv);
        Step {
            keys: self.keys.moved(&changes),
            changes,
            mv,
        }
    }

    /// The position after a prepared move.
    pub fn after_step(&self, step: &Step) -> Self {
        let mv = step.mv;
        let mut pos = self.pos.clone();
        pos.play_unchecked(mv);
        let turn = !self.turn;
        let (keys, checkers) = if self.traits.plain_moves {
            let board = pos.board();
            let king = board.king_of(turn).filter(|_| self.traits.checks);
            let checkers = king.map_or(Bitboard::EMPTY, |king| {
                board.attacks_to(king, self.turn, board.occupied())
            });
            (step.keys.with_rights(mv, &self.pos, &pos), checkers)
        } else {
            // Explosions, pockets and check counts change more than the move shows.
            (Keys::fresh(&pos), pos.checkers())
        };
        Self {
            pos,
            keys,
            checkers,
            turn,
            reversible: if mv.is_zeroing() { 0 } else { self.reversible + 1 },
            traits: self.traits,
        }
    }

    /// The position after passing, where that is possible: never in check.
    pub fn after_null(&self) -> Option<Self> {
        if self.in_check() {
            return None;
        }
        let pos = match self.pos.clone().swap_turn() {
            Ok(pos) => pos,
            Err(error) => error.ignore_too_much_material().ok()?,
        };
        let mut keys = self.keys;
        keys.pass_turn();
        Some(Self {
            pos,
            keys,
            checkers: Bitboard::EMPTY,
            turn: !self.turn,
            reversible: 0,
            traits: self.traits,
        })
    }

    /// The pieces.
    pub fn board(&self) -> &Board {
        self.pos.board()
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Whether the side to move has more than king and pawns, on the board or in hand; a horde of pawns is as good.
    pub fn has_pieces(&self) -> bool {
        let board = self.board();
        let pockets = self.pos.pockets();
        let in_hand = pockets.is_some_and(|pockets| pockets.get(self.turn).iter().any(|held| *held > 0));
        self.traits.uneven_sides
            || in_hand
            || (board.by_color(self.turn) & !(board.pawns() | board.kings())).any()
    }

    /// Whether the side to move has more than one minor piece besides king and pawns, so that having to move is
    /// hardly ever a burden.
    pub fn can_afford_to_pass(&self) -> bool {
        let board = self.board();
        let ours = board.by_color(self.turn);
        (ours & board.rooks_and_queens()).any()
            || (ours & (board.knights() | board.bishops())).more_than_one()
    }

    /// Whether neither side can ever mate: at most one minor piece besides the kings.
    pub fn is_dead(&self) -> bool {
        if !self.traits.orthodox_rules {
            return false;
        }
        let board = self.board();
        board.occupied().count() <= 3 && (board.pawns() | board.rooks_and_queens()).is_empty()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use sparring_chess::{Variant, key, parse_fen};

    impl Node {
        /// The position after a legal move.
        pub fn after(&self, mv: Move) -> Self {
            self.after_step(&self.step(mv))
        }
    }

    /// Where games by chance begin: by orthodox rules first.
    const STARTS: [(Variant, &str); 9] = [
        (Variant::Standard, "startpos"),
        // Castling in which the king stays where it is, in which both change places, and in which only one of them moves.
        (
            Variant::Chess960,
            "1r4k1/pppppppp/8/8/8/8/PPPPPPPP/1R4KR w HBb - 0 1",
        ),
        (
            Variant::Chess960,
            "2kr4/pppppppp/8/8/8/8/PPPPPPPP/2RK3R w HCd - 0 1",
        ),
        (
            Variant::Chess960,
            "4krr1/pppppppp/8/8/8/8/PPPPPPPP/R4KR1 w GAg - 0 1",
        ),
        (
            Variant::Standard,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ),
        (
            Variant::Chess960,
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ),
        (Variant::FromPosition, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
        (Variant::Atomic, "startpos"),
        (Variant::Crazyhouse, "startpos"),
    ];

    /// How many of them are orthodox.
    pub const ORTHODOX_STARTS: usize = 7;

    /// One of them.
    pub fn start(which: usize) -> Node {
        let (variant, fen) = STARTS[which];
        Node::new(&parse_fen(variant, fen).unwrap(), variant.traits())
    }

    proptest! {
        #[test]
        fn keys_kept_up_equal_keys_from_scratch(which in 0..STARTS.len(), choices in prop::collection::vec(any::<usize>(), 1..120)) {
            let mut node = start(which);
            for choice in choices {
                let moves = node.pos.legal_moves();
                if moves.is_empty() || node.pos.is_variant_end() {
                    break;
                }
                node = node.after(moves[choice % moves.len()]);
                prop_assert_eq!(node.keys, Keys::fresh(&node.pos));
                prop_assert_eq!(node.keys.full, key(&node.pos));
                prop_assert_eq!(node.checkers, node.pos.checkers());
                if let Some(passed) = node.after_null() {
                    prop_assert_eq!(passed.keys, Keys::fresh(&passed.pos));
                }
            }
        }
    }

    #[test]
    fn bare_kings_and_a_single_minor_are_dead() {
        for (fen, dead) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/3NK3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/3RK3 w - - 0 1", false),
            ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", false),
            ("3bk3/8/8/8/8/8/8/3NK3 w - - 0 1", false),
        ] {
            let pos = parse_fen(Variant::Standard, fen).unwrap();
            assert_eq!(
                Node::new(&pos, Variant::Standard.traits()).is_dead(),
                dead,
                "{fen}"
            );
        }
    }
}

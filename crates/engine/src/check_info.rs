//! Check squares: which moves give check, before they are played.

use shakmaty::{Bitboard, Board, attacks};

use super::{movegen::pinned, node::Node};
use sparring_chess::{Color, Move, Role, Square};

/// The squares that the side to move gives check from, and its pieces whose leaving uncovers a check.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CheckInfo {
    king: Option<Square>,
    /// By role, pawn to king.
    squares: [Bitboard; 6],
    discoverers: Bitboard,
}

impl CheckInfo {
    /// The checks that a node offers.
    pub fn of(node: &Node) -> Self {
        let board = node.board();
        let us = node.turn;
        let Some(king) = board.king_of(!us) else {
            return Self::default();
        };
        let diagonal = attacks::bishop_attacks(king, board.occupied());
        let straight = attacks::rook_attacks(king, board.occupied());
        Self {
            king: Some(king),
            squares: [
                attacks::pawn_attacks(!us, king),
                attacks::knight_attacks(king),
                diagonal,
                straight,
                diagonal | straight,
                Bitboard::EMPTY,
            ],
            discoverers: discoverers(board, us, king),
        }
    }

    /// Whether a legal move gives check, by itself or by uncovering one. Castling and en passant count only for what
    /// the moved piece attacks.
    pub fn gives(&self, mv: Move) -> bool {
        match (self.king, mv) {
            (
                Some(king),
                Move::Normal {
                    from,
                    to,
                    role,
                    promotion,
                    ..
                },
            ) => {
                self.squares[promotion.unwrap_or(role) as usize - 1].contains(to)
                    || self.discoverers.contains(from) && !attacks::aligned(from, to, king)
            }
            (Some(_), Move::Put { role, to }) => self.squares[role as usize - 1].contains(to),
            _ => false,
        }
    }

    /// Hands every legal quiet move of a piece that attacks the king itself to `push`, when the side to move is not in
    /// check.
    pub fn quiet(&self, node: &Node, push: &mut impl FnMut(Move)) {
        let board = node.board();
        let us = node.turn;
        let pinned = board
            .king_of(us)
            .map_or(Bitboard::EMPTY, |king| pinned(board, us, king));
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let squares = self.squares[role as usize - 1] & !board.occupied();
            if squares.is_empty() {
                continue;
            }
            // A pinned piece that could give check along its pin is rare enough to be left out.
            for from in board.by_color(us) & board.by_role(role) & !pinned {
                for to in attacks::attacks(from, role.of(us), board.occupied()) & squares {
                    push(Move::Normal {
                        role,
                        from,
                        capture: None,
                        to,
                        promotion: None,
                    });
                }
            }
        }
    }
}

/// Our pieces that alone block one of our sliders from the enemy king.
fn discoverers(board: &Board, us: Color, king: Square) -> Bitboard {
    let ours = board.by_color(us);
    let snipers = ours
        & ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
    let mut found = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            found |= between & ours;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use sparring_chess::{Rules as _, Variant};

    proptest! {
        #[test]
        fn checks_are_foreseen(choices in prop::collection::vec(any::<usize>(), 1..150)) {
            let mut node = Node::new(&Variant::Standard.start(), Variant::Standard.traits());
            for choice in choices {
                let moves = node.pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let checks = CheckInfo::of(&node);
                for mv in moves.iter().filter(|mv| matches!(mv, Move::Normal { promotion: None, .. })) {
                    prop_assert_eq!(checks.gives(*mv), node.after(*mv).in_check(), "{}", mv);
                }
                node = node.after(moves[choice % moves.len()]);
            }
        }
    }
}

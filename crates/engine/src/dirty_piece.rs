//! Dirty pieces: what a move changes on the board, for incremental keys and NNUE accumulators.

use arrayvec::ArrayVec;
use shakmaty::{CastlingSide, Piece};

use sparring_chess::{Color, Move, Square};

/// A piece that appears on a square or goes from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DirtyPiece {
    pub square: Square,
    pub piece: Piece,
    pub appears: bool,
}

/// Castling moves two pieces; nothing changes more.
pub(super) type DirtyPieces = ArrayVec<DirtyPiece, 4>;

/// What a move of a side changes.
pub(super) fn dirty_pieces(us: Color, mv: Move) -> DirtyPieces {
    let mut changes = DirtyPieces::new();
    let mut change = |square, piece, appears| {
        changes.push(DirtyPiece {
            square,
            piece,
            appears,
        });
    };
    match mv {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => {
            change(from, role.of(us), false);
            if let Some(victim) = capture {
                change(to, victim.of(!us), false);
            }
            change(to, promotion.unwrap_or(role).of(us), true);
        }
        Move::EnPassant { from, to } => {
            change(from, us.pawn(), false);
            change(Square::from_coords(to.file(), from.rank()), (!us).pawn(), false);
            change(to, us.pawn(), true);
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            change(king, us.king(), false);
            change(rook, us.rook(), false);
            change(side.king_to(us), us.king(), true);
            change(side.rook_to(us), us.rook(), true);
        }
        Move::Put { role, to } => change(to, role.of(us), true),
    }
    changes
}

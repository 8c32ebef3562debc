//! Zobrist keys, updated move by move.

use shakmaty::{
    CastlingSide, Piece,
    zobrist::{Zobrist64, ZobristValue as _},
};

use super::dirty_piece::DirtyPiece;
use sparring_chess::{Color, File, Move, Position, Role, Rules as _, Square, key};

/// The whole position's key, and the keys of parts of it for evaluation and correction tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// Equal to [`sparring_chess::key`].
    pub full: u64,
    /// Pawns of both sides.
    pub pawns: u64,
    /// Knights, bishops and kings of both sides.
    pub minors: u64,
    /// Everything but pawns, by color: white first.
    pub pieces: [u64; 2],
    /// The file whose en passant capture is counted in `full`: only where it is legal.
    pub en_passant: Option<File>,
}

impl Keys {
    /// All keys from scratch.
    pub fn fresh(pos: &Position) -> Self {
        let mut keys = Self::default();
        for (square, piece) in pos.board().iter() {
            keys.toggle(square, piece);
        }
        keys.full = key(pos);
        keys.en_passant = pos.legal_ep_square().map(Square::file);
        keys
    }

    /// The keys after the piece changes of an orthodox move, before castling and en passant rights are updated.
    pub fn moved(mut self, changes: &[DirtyPiece]) -> Self {
        self.pass_turn();
        for change in changes {
            self.toggle(change.square, change.piece);
        }
        self
    }

    /// The keys of [`Keys::moved`] with castling and en passant rights updated, given the positions before and after the
    /// move.
    pub fn with_rights(mut self, mv: Move, before: &Position, after: &Position) -> Self {
        if let Move::Normal {
            role: Role::Pawn,
            from,
            to,
            ..
        } = mv
            && (from as i32 - to as i32).abs() == 16
        {
            self.set_en_passant(after.legal_ep_square().map(Square::file));
        }
        if matches!(mv.role(), Role::King | Role::Rook) || mv.capture() == Some(Role::Rook) {
            self.toggle_lost_rights(before, after);
        }
        self
    }

    /// Passes the turn; an en passant right is lost.
    pub fn pass_turn(&mut self) {
        self.full ^= Zobrist64::zobrist_for_white_turn().0;
        self.set_en_passant(None);
    }

    fn set_en_passant(&mut self, file: Option<File>) {
        for file in [self.en_passant, file].into_iter().flatten() {
            self.full ^= Zobrist64::zobrist_for_en_passant_file(file).0;
        }
        self.en_passant = file;
    }

    fn toggle(&mut self, square: Square, piece: Piece) {
        let bits = Zobrist64::zobrist_for_piece(square, piece).0;
        self.full ^= bits;
        match piece.role {
            Role::Pawn => self.pawns ^= bits,
            role => {
                self.pieces[piece.color as usize] ^= bits;
                if matches!(role, Role::Knight | Role::Bishop | Role::King) {
                    self.minors ^= bits;
                }
            }
        }
    }

    fn toggle_lost_rights(&mut self, before: &Position, after: &Position) {
        let (before, after) = (before.castles(), after.castles());
        if before.castling_rights() == after.castling_rights() {
            return;
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                if before.has(color, side) != after.has(color, side) {
                    self.full ^= Zobrist64::zobrist_for_castling_right(color, side).0;
                }
            }
        }
    }
}

//! A move in sixteen bits, as the transposition table keeps it.
//!
//! Bits 0-5 hold the origin, 6-11 the target, 12-15 the kind. What a piece is and what it captures is read from the
//! board again, so a packed move means something only together with a position.

use shakmaty::Board;

use sparring_chess::{Move, Role, Square};

/// A move that has lost its context, or none at all (all zero: from a1 to a1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Move16(pub u16);

const EN_PASSANT: u16 = 7;
const CASTLE: u16 = 8;
const PUT: u16 = 9;

impl Move16 {
    /// Whether no move is kept.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Gives a move its context back. The result may still be illegal: another position may share the slot.
    pub fn unpack(self, board: &Board) -> Option<Move> {
        if self.is_none() {
            return None;
        }
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from(self.0 >> 6 & 63));
        Some(match self.0 >> 12 {
            EN_PASSANT => Move::EnPassant { from, to },
            CASTLE => Move::Castle { king: from, rook: to },
            PUT => Move::Put {
                role: Role::try_from(self.0 & 63).ok()?,
                to,
            },
            kind => Move::Normal {
                role: board.role_at(from)?,
                from,
                capture: board.role_at(to),
                to,
                promotion: Role::try_from(kind).ok(),
            },
        })
    }
}

impl From<Move> for Move16 {
    fn from(mv: Move) -> Self {
        let (from, kind) = match mv {
            Move::Normal { from, promotion, .. } => (from as u16, promotion.map_or(0, u16::from)),
            Move::EnPassant { from, .. } => (from as u16, EN_PASSANT),
            Move::Castle { king, .. } => (king as u16, CASTLE),
            Move::Put { role, .. } => (u16::from(role), PUT),
        };
        Self(from | (mv.to() as u16) << 6 | kind << 12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen};

    #[test]
    fn every_kind_of_move_comes_back() {
        for (variant, fen) in [
            (
                Variant::Standard,
                "r3k2r/pPp2ppp/8/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 1",
            ),
            (Variant::Chess960, "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"),
            (
                Variant::Crazyhouse,
                "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R/QNp w KQkq - 0 1",
            ),
            (Variant::Antichess, "8/P7/8/8/8/8/8/k7 w - - 0 1"),
        ] {
            let pos = parse_fen(variant, fen).unwrap();
            for mv in pos.legal_moves() {
                assert_eq!(Move16::from(mv).unpack(pos.board()), Some(mv), "{fen}");
            }
        }
    }

    #[test]
    fn nothing_packs_to_nothing() {
        let pos = Variant::Standard.start();
        assert_eq!(Move16::default().unpack(pos.board()), None);
    }
}

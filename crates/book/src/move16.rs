//! Moves packed into 24 bits, complete without the position, for [`Occurrence`](super::index::Occurrence).

use sparring_chess::{Move, Role, Square};

/// A move as a number of 24 bits: 3 its kind, then 3 role, 6 from, 6 to, 3 capture, 3 promotion; roles count from 1, 0 is none.
pub(super) fn pack(mv: Move) -> u32 {
    let role = |role: Option<Role>| role.map_or(0, u32::from);
    let fields = |kind: u32, piece: Option<Role>, from: Square, to: Square, capture, promotion| {
        let squares = u32::from(from) << 6 | u32::from(to) << 12;
        kind | role(piece) << 3 | squares | role(capture) << 18 | role(promotion) << 21
    };
    match mv {
        Move::Normal {
            role: piece,
            from,
            capture,
            to,
            promotion,
        } => fields(1, Some(piece), from, to, capture, promotion),
        Move::EnPassant { from, to } => fields(2, None, from, to, None, None),
        Move::Castle { king, rook } => fields(3, None, king, rook, None, None),
        Move::Put { role: piece, to } => fields(4, Some(piece), Square::A1, to, None, None),
    }
}

/// The move of a number, if it is one.
pub(super) fn unpack(bits: u32) -> Option<Move> {
    let role = |shift: u32| Role::try_from(bits >> shift & 7).ok();
    let square = |shift: u32| Square::try_from(bits >> shift & 63).ok();
    let (from, to) = (square(6)?, square(12)?);
    Some(match bits & 7 {
        1 => Move::Normal {
            role: role(3)?,
            from,
            capture: role(18),
            to,
            promotion: role(21),
        },
        2 => Move::EnPassant { from, to },
        3 => Move::Castle { king: from, rook: to },
        4 => Move::Put { role: role(3)?, to },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen};

    #[test]
    fn every_kind_of_move_comes_back() {
        let mut count = 0;
        for (variant, fen) in [
            (
                Variant::Standard,
                "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            ),
            (Variant::Standard, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
            (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[QNp] w - - 0 1"),
        ] {
            for mv in parse_fen(variant, fen).unwrap().legal_moves() {
                assert_eq!(unpack(pack(mv)), Some(mv));
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
        assert_eq!(unpack(0), None);
    }
}

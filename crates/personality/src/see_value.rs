//! Static exchange evaluation (SEE) with an exact value: each side captures with its least valuable piece, or stops.
//!
//! The engine's SEE only tests a threshold.

use shakmaty::{Bitboard, Board};

use sparring_chess::{Color, Role, Square};

/// What a piece counts, in tenths of a pawn. The king's worth only makes walking into captures pointless.
pub(crate) const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 10,
        Role::Knight | Role::Bishop => 31,
        Role::Rook => 50,
        Role::Queen => 93,
        Role::King => 400,
    }
}

/// The least of some pieces.
pub(crate) fn least(board: &Board, among: Bitboard) -> Option<(Role, Square)> {
    if among.is_empty() {
        return None;
    }
    Role::ALL
        .into_iter()
        .find_map(|role| (among & board.by_role(role)).first().map(|square| (role, square)))
}

/// What `side` wins, at least 0, by starting to capture a piece of the role `standing` on a square.
pub(crate) fn winnings(board: &Board, on: Square, occupied: Bitboard, side: Color, standing: Role) -> i32 {
    let attackers = board.attacks_to(on, side, occupied) & occupied;
    let Some((role, from)) = least(board, attackers) else {
        return 0;
    };
    let reply = winnings(board, on, occupied.without(from), !side, role);
    (worth(standing) - reply).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen};

    fn won(fen: &str, on: Square) -> i32 {
        let pos = parse_fen(Variant::Standard, fen).unwrap();
        let board = pos.board();
        winnings(
            board,
            on,
            board.occupied(),
            pos.turn(),
            board.role_at(on).unwrap(),
        )
    }

    #[test]
    fn exchanges_are_counted_to_the_end() {
        assert_eq!(won("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", Square::D5), 10);
        assert_eq!(won("4k3/8/2p5/3n4/4P3/8/8/4K3 w - - 0 1", Square::D5), 21);
        assert_eq!(won("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1", Square::D5), 0);
        assert_eq!(
            won("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", Square::D5),
            10,
            "the rook behind joins in"
        );
        assert_eq!(won("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", Square::D5), 0);
        assert_eq!(
            won("8/8/4k3/3p4/8/4K3/8/3R4 w - - 0 1", Square::D5),
            0,
            "the king guards it"
        );
    }
}

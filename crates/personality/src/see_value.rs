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

/// The most that `side` wins by starting to capture some piece of the other side, kings aside.
pub(crate) fn best_winnings(board: &Board, side: Color) -> i32 {
    let occupied = board.occupied();
    let mut best = 0;
    // The most valuable first: what is worth less than the best so far need not be looked at.
    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
        if worth(role) <= best {
            break;
        }
        for square in board.by_role(role) & board.by_color(!side) {
            best = best.max(winnings(board, square, occupied, side, role));
        }
    }
    best
}

/// Winnings in six classes: none, a pawn, less than a piece, a piece, a rook, more.
pub(crate) fn class(winnings: i32) -> usize {
    match winnings {
        ..=4 => 0,
        5..=12 => 1,
        13..=25 => 2,
        26..=40 => 3,
        41..=60 => 4,
        61.. => 5,
    }
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

    #[test]
    fn the_best_capture_on_the_board_is_found() {
        let pos = parse_fen(Variant::Standard, "4k3/8/2p5/r2n4/1P2P3/8/8/4K3 w - - 0 1").unwrap();
        assert_eq!(best_winnings(pos.board(), Color::White), 50);
        assert_eq!(
            best_winnings(pos.board(), Color::Black),
            10,
            "the knight takes b4"
        );
    }
}

//! What captures on a square win: static exchange evaluation with x-rays, without pins, and how much hangs.

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square, attacks};

/// What a piece counts in an exchange, in centipawns.
pub(super) const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 10_000,
    }
}

/// Losses from 1 to 4 steps, in centipawns.
const STEPS: [i32; 4] = [100, 300, 500, 900];

/// How many steps a loss is, 0 to 4.
pub(super) fn steps(loss: i32) -> usize {
    STEPS.iter().take_while(|step| loss >= **step).count()
}

/// What the owner of the piece on `first` wins by capturing something worth `victim` on `square`. Both sides recapture with their
/// least valuable piece, and stop when a recapture would lose. A king captures only what is undefended.
pub(super) fn exchange(
    board: &Board,
    first: Piece,
    from: Square,
    square: Square,
    victim: i32,
    occupied: Bitboard,
) -> i32 {
    victim
        - reply(
            board,
            !first.color,
            square,
            value(first.role),
            occupied.without(from),
        )
}

/// What `side` wins at least by taking a piece worth `victim` on `square`; 0 if it better does not.
fn reply(board: &Board, side: Color, square: Square, victim: i32, occupied: Bitboard) -> i32 {
    let attackers = attackers(board, side, square, occupied);
    let Some((role, from)) = least(board, attackers) else {
        return 0;
    };
    if role == Role::King && self::attackers(board, !side, square, occupied).any() {
        return 0;
    }
    // Even if all is lost that takes, this much is won: no need to look on.
    (victim - reply(board, !side, square, value(role), occupied.without(from))).max(0)
}

/// What the other side wins by an exchange on the piece at `square`, begun with its least valuable attacker; 0 if nothing.
pub(super) fn hanging(board: &Board, piece: Piece, square: Square, occupied: Bitboard) -> i32 {
    reply(board, !piece.color, square, value(piece.role), occupied)
}

/// How many steps the most a side can lose is, its king left out.
pub(super) fn worst_steps(board: &Board, side: Color) -> usize {
    let occupied = board.occupied();
    let attacked = attacked_by(board, !side);
    let mut worst = 0;
    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
        // What is attacked loses its own value at most.
        if steps(value(role)) <= worst {
            break;
        }
        let piece = role.of(side);
        for square in board.by_piece(piece) & attacked {
            worst = worst.max(steps(hanging(board, piece, square, occupied)));
        }
    }
    worst
}

/// Pieces of `side` among `occupied` that attack a square, what stands on it left out.
fn attackers(board: &Board, side: Color, square: Square, occupied: Bitboard) -> Bitboard {
    (board.attacks_to(square, side, occupied) & occupied).without(square)
}

/// The least valuable of some pieces, the one on the lowest square among equals.
fn least(board: &Board, pieces: Bitboard) -> Option<(Role, Square)> {
    Role::ALL
        .into_iter()
        .find_map(|role| Some((role, (board.by_role(role) & pieces).first()?)))
}

/// Every square that a side attacks.
fn attacked_by(board: &Board, side: Color) -> Bitboard {
    let occupied = board.occupied();
    let pawns = board.by_piece(Role::Pawn.of(side));
    let ahead = if side.is_white() {
        pawns.shift(8)
    } else {
        pawns.shift(-8)
    };
    let west = Bitboard::from_file(shakmaty::File::A);
    let east = Bitboard::from_file(shakmaty::File::H);
    let mut attacked = (ahead & !west).shift(-1) | (ahead & !east).shift(1);
    for square in board.by_piece(Role::Knight.of(side)) {
        attacked |= attacks::knight_attacks(square);
    }
    for square in board.by_color(side) & board.bishops_and_queens() {
        attacked |= attacks::bishop_attacks(square, occupied);
    }
    for square in board.by_color(side) & board.rooks_and_queens() {
        attacked |= attacks::rook_attacks(square, occupied);
    }
    for square in board.by_piece(Role::King.of(side)) {
        attacked |= attacks::king_attacks(square);
    }
    attacked
}

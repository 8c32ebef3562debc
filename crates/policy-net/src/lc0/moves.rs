//! Where a move stands in a convolutional policy: 80 planes of 64 squares, from the mover's side.

use sparring_chess::{Color, Move, Role};

/// Planes of the policy: 56 for straight moves, 8 for knights, 9 for promotions, the rest unused.
pub(super) const PLANES: usize = 80;
/// Steps of file and rank; each takes seven planes, for 1 to 7 squares.
const STRAIGHT: [(i32, i32); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
/// The planes after those.
const KNIGHT: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// The index into `[plane][square]`, the start square with ranks mirrored if Black moves; `None` for what no such move can be.
///
/// Castling is the king's capture of its own rook. A promotion to a knight is the plain move; the others have planes of their own.
pub(super) fn index(mv: Move, turn: Color) -> Option<usize> {
    let (mut from, mut to) = (mv.from()?, mv.to());
    if turn.is_black() {
        (from, to) = (from.flip_vertical(), to.flip_vertical());
    }
    let files = i32::from(to.file()) - i32::from(from.file());
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    let promotion = match mv.promotion() {
        Some(Role::Rook) => Some(0),
        Some(Role::Bishop) => Some(1),
        Some(Role::Queen) => Some(2),
        _ => None,
    };
    let plane = if let Some(role) = promotion {
        64 + usize::try_from(files + 1).ok()? * 3 + role
    } else if let Some(knight) = KNIGHT.iter().position(|step| *step == (files, ranks)) {
        56 + knight
    } else {
        let steps = files.abs().max(ranks.abs());
        let step = (files.signum(), ranks.signum());
        let direction = STRAIGHT.iter().position(|straight| *straight == step)?;
        direction * 7 + usize::try_from(steps - 1).ok()?
    };
    Some(plane * 64 + usize::from(from))
}

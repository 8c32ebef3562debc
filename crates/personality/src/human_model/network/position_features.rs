//! Features of the position, as rows of the net's first layer.

use shakmaty::CastlingSide;

use super::{feature_layout::position as rows, move_context::View};
use crate::{
    human_model::time_pressure::TimePressure,
    see_value::{best_winnings, class, worth},
};
use sparring_chess::{Color, Role, Rules as _};

/// The position's rows, and the two rating rows with their shares.
pub(super) fn position(
    view: &View<'_>,
    time_pressure: TimePressure,
    into: &mut Vec<u16>,
) -> PositionFeatures {
    let pos = view.context.position;
    for (square, piece) in view.board.iter() {
        let side = usize::from(piece.color.is_black());
        into.push(rows::PIECE.row((side * 6 + role(piece.role)) * 64 + square.to_usize()));
    }
    for (index, (color, side)) in [
        (view.mover, CastlingSide::KingSide),
        (view.mover, CastlingSide::QueenSide),
        (!view.mover, CastlingSide::KingSide),
        (!view.mover, CastlingSide::QueenSide),
    ]
    .into_iter()
    .enumerate()
    {
        if pos.castles().has(color, side) {
            into.push(rows::CASTLING.row(index));
        }
    }
    if pos.is_check() {
        into.push(rows::IN_CHECK.row(0));
    }
    if let Some(last) = view.last {
        into.push(rows::LAST_TO.row(last.to.to_usize()));
        into.push(rows::LAST_ROLE.row(role(last.role)));
        if last.captured.is_some() {
            into.push(rows::LAST_CAPTURED.row(0));
        }
    }
    if let Some(own) = view.own {
        into.push(rows::OWN_TO.row(own.to.to_usize()));
        into.push(rows::OWN_ROLE.row(role(own.role)));
    }
    let features = PositionFeatures::of(view);
    let pieces = view.board.occupied() & !view.board.pawns() & !view.board.kings();
    into.push(rows::PLY.row(view.context.moves.len() / 4));
    into.push(rows::BALANCE.row(features.balance_class(11)));
    into.push(rows::PIECES.row(pieces.count()));
    into.push(rows::DANGER.row(class(features.danger)));
    into.push(rows::CHANCE.row(class(features.chance)));
    into.push(rows::LEGAL.row(view.legal.len() / 5));
    if let Some(key) = view.context.keys.last() {
        let before = view.context.occurred(*key).saturating_sub(1);
        if before > 0 {
            into.push(rows::REPEATED.row(before - 1));
        }
    }
    into.push(rows::TIME_PRESSURE.row(time_pressure as usize));
    features
}

/// The two rows of a rating and the share of the second.
pub(super) fn rating(rating: f32) -> ([u16; 2], f32) {
    const FIRST: f32 = 600.0;
    const STEP: f32 = 300.0;
    const LAST: f32 = 7.0;
    let place = ((rating - FIRST) / STEP).clamp(0.0, LAST);
    let low = place.floor().min(LAST - 1.0);
    let rows = [low as usize, low as usize + 1].map(|index| rows::RATING.row(index));
    (rows, place - low)
}

/// Numbers about the position that its moves are compared with. Worths in tenths of a pawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct PositionFeatures {
    /// Own material less theirs.
    pub balance: i32,
    /// The most the opponent could win by an exchange if we passed.
    pub danger: i32,
    /// The most we could win by an exchange if the opponent passed.
    pub chance: i32,
}

impl PositionFeatures {
    fn of(view: &View<'_>) -> Self {
        let material = |color: Color| -> i32 {
            [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
                .into_iter()
                .map(|role| {
                    worth(role) * (view.board.by_color(color) & view.board.by_role(role)).count() as i32
                })
                .sum()
        };
        Self {
            balance: material(Color::White) - material(Color::Black),
            danger: best_winnings(&view.board, Color::Black),
            chance: best_winnings(&view.board, Color::White),
        }
    }

    /// The balance in so many classes of a pawn and a half, the middle one around even.
    pub(super) fn balance_class(self, classes: i32) -> usize {
        ((self.balance + 7).div_euclid(15) + classes / 2).clamp(0, classes - 1) as usize
    }
}

/// Roles counted from 0.
pub(super) fn role(role: Role) -> usize {
    usize::from(u8::from(role)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_between_two_rows_are_mixed() {
        let (rows, share) = rating(750.0);
        assert_eq!(rows[1], rows[0] + 1);
        assert!((share - 0.5).abs() < 1e-6);
        assert_eq!(rating(100.0), rating(600.0));
        let (top, share) = rating(2900.0);
        assert_eq!((top[1], share), (rows::RATING.row(7), 1.0));
    }
}

//! Evaluation under other rules: material with the variant's own values, and what its goal rewards.

use super::{classical, pawns::PawnTable, weight_overrides::WeightOverrides};
use crate::{nnue::Halves, node::Node};
use sparring_chess::{Color, Role, Rules as _, Square, Variant};

/// Value of a piece in antichess, where having few is the goal: pawn to king.
const ANTICHESS: [i32; 6] = [-60, -120, -90, -130, -160, -110];
/// In atomic chess, where pieces explode and only the king matters.
const ATOMIC: [i32; 6] = [110, 220, 200, 380, 780, 0];
/// In crazyhouse, where captured pieces come back.
const CRAZYHOUSE: [i32; 6] = [110, 260, 250, 360, 620, 0];
/// In horde, for the side of pawns and the side of pieces alike.
const HORDE: [i32; 6] = [70, 300, 310, 480, 950, 0];
const ORTHODOX: [i32; 6] = [100, 320, 330, 500, 950, 0];

/// The evaluation of a position for the side to move, in centipawns. `seen` holds the accumulators, where the net is
/// used: in orthodox chess alone.
pub(super) fn evaluate(
    variant: Variant,
    node: &Node,
    pawns: &mut PawnTable,
    own: Option<&WeightOverrides>,
    seen: Option<Halves<'_>>,
) -> i32 {
    let sum = |values: &[i32; 6]| material(node, values, Color::White) - material(node, values, Color::Black);
    let difference = |score: fn(&Node, Color) -> i32| score(node, Color::White) - score(node, Color::Black);
    let white = match variant {
        Variant::KingOfTheHill => classical::evaluate(node, pawns, own, None) + difference(hill),
        Variant::ThreeCheck => classical::evaluate(node, pawns, own, None) + difference(checks_given),
        Variant::Antichess => sum(&ANTICHESS),
        Variant::Atomic => sum(&ATOMIC) + difference(placement),
        Variant::Horde => sum(&HORDE) + difference(advance),
        Variant::RacingKings => sum(&ORTHODOX) + difference(race),
        Variant::Crazyhouse => sum(&CRAZYHOUSE) + difference(placement),
        Variant::Standard | Variant::Chess960 | Variant::FromPosition => {
            classical::evaluate(node, pawns, own, seen)
        }
    };
    if node.turn.is_white() { white } else { -white }
}

/// Pieces on the board and in the pocket.
fn material(node: &Node, values: &[i32; 6], us: Color) -> i32 {
    let board = node.board();
    Role::ALL
        .into_iter()
        .map(|role| {
            let held = node
                .pos
                .pockets()
                .map_or(0, |pockets| i32::from(pockets.get(us)[role]));
            let count = (board.by_color(us) & board.by_role(role)).count() as i32;
            values[role as usize - 1] * (count + held)
        })
        .sum()
}

/// A king near the middle is about to win.
fn hill(node: &Node, us: Color) -> i32 {
    node.board().king_of(us).map_or(0, |king| {
        let steps = [Square::D4, Square::E4, Square::D5, Square::E5]
            .into_iter()
            .map(|center| king.distance(center) as i32)
            .min()
            .unwrap_or(0);
        [0, 180, 70, 10].get(steps as usize).copied().unwrap_or(0)
    })
}

/// Each check given counts more than the one before.
fn checks_given(node: &Node, us: Color) -> i32 {
    let left = node
        .pos
        .remaining_checks()
        .map_or(3, |checks| u32::from(*checks.get(us)));
    [1000, 350, 100, 0].get(left as usize).copied().unwrap_or(0)
}

/// Minor pieces and pawns towards the middle.
fn placement(node: &Node, us: Color) -> i32 {
    let board = node.board();
    (board.by_color(us) & !board.kings())
        .into_iter()
        .map(|square| {
            let file = (square.file() as i32).min(7 - square.file() as i32);
            let rank = (square.rank() as i32).min(7 - square.rank() as i32);
            2 * (file + rank)
        })
        .sum()
}

/// Pawns towards promotion.
fn advance(node: &Node, us: Color) -> i32 {
    let board = node.board();
    (board.by_color(us) & board.pawns())
        .into_iter()
        .map(|square| 4 * us.fold_wb(square.rank() as i32, 7 - square.rank() as i32))
        .sum()
}

/// The king towards the goal.
fn race(node: &Node, us: Color) -> i32 {
    node.board()
        .king_of(us)
        .map_or(0, |king| 130 * king.rank() as i32)
}

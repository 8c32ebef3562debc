//! Evaluation under other rules: a weighted sum of features, of which each variant has its own weights.
//!
//! King of the hill and three-check add theirs to the classical evaluation, as all but their goals is chess; the other
//! variants have nothing but them.

mod codegen;
mod features;
mod rows;
mod sample;
mod weights;

use super::{classical, pawns::PawnTable, score_pair::ScorePair, weight_overrides::WeightOverrides};
use crate::{nnue::Halves, node::Node};
use sparring_chess::{Rules as _, Variant};

pub use codegen::variant_weights_source;
pub use rows::variant_weight_rows;
pub use sample::{VariantSample, variant_weights_in_use};

/// The phase with all pieces on the board.
const FULL_PHASE: i32 = 24;

/// The evaluation of a position for the side to move, in centipawns. `seen` holds the accumulators, where the net is
/// used: in orthodox chess alone.
pub(super) fn evaluate(
    variant: Variant,
    node: &Node,
    pawns: &mut PawnTable,
    own: Option<&WeightOverrides>,
    seen: Option<Halves<'_>>,
) -> i32 {
    let white = match weights::table(variant) {
        None => classical::evaluate(node, pawns, own, seen),
        Some(table) => {
            let base = match variant.traits().classical_terms {
                true => classical::evaluate(node, pawns, own, None),
                false => 0,
            };
            let mut sum = ScorePair::ZERO;
            features::count(variant, node, &mut |color, weight, times| {
                let place = features::place(variant, color, weight);
                sum += table[place] * color.fold_wb(times, -times);
            });
            base + sum.blend(phase(variant, node), FULL_PHASE, [64, 64])
        }
    };
    if node.turn.is_white() { white } else { -white }
}

/// How much of the middle game is left, from 0 to [`FULL_PHASE`]: minor pieces count one, rooks two, queens four, in hand
/// as on the board; where losing all is the goal, every man counts.
fn phase(variant: Variant, node: &Node) -> i32 {
    let board = node.board();
    if variant.traits().forced_captures {
        return (board.occupied().count() as i32 * FULL_PHASE / 32).min(FULL_PHASE);
    }
    let held = node.pos.pockets().map_or(0, |pockets| {
        pockets
            .iter()
            .map(|pocket| pocket.knight + pocket.bishop + 2 * pocket.rook + 4 * pocket.queen)
            .sum()
    });
    let minors = (board.knights() | board.bishops()).count() as i32;
    let majors = 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32;
    (minors + majors + i32::from(held)).min(FULL_PHASE)
}

#[cfg(test)]
mod tests;

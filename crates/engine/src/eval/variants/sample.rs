//! A position of a variant as a function of that variant's weights, for tuning.

use super::{
    super::{Evaluator, PawnTable, WeightPair},
    FULL_PHASE, features, phase, weights,
};
use crate::{draw::fifty_move_count, node::Node};
use sparring_chess::{Position, Rules as _, Variant};

/// The evaluation of one position as a function of its variant's weights: linear, tapered by the phase.
#[derive(Debug, Clone)]
pub struct VariantSample {
    /// Place in the table, and how often the weight counts for White.
    counts: Box<[(u16, i16)]>,
    /// The part that no weight covers, in centipawns.
    fixed: f32,
    /// The factors of the middle game and endgame scores.
    shares: WeightPair,
}

/// The weights of a variant in use, in the order of its table; none for orthodox chess, which has other ones.
#[must_use]
pub fn variant_weights_in_use(variant: Variant) -> Option<Vec<WeightPair>> {
    let table = weights::table(variant)?;
    Some(
        table
            .iter()
            .map(|pair| [pair.mg() as f32, pair.eg() as f32])
            .collect(),
    )
}

impl VariantSample {
    /// Takes a position of a variant apart.
    #[must_use]
    pub fn of(variant: Variant, pos: &Position) -> Self {
        let node = Node::new(pos, variant.traits());
        let mut sums = std::collections::BTreeMap::<u16, i16>::new();
        features::count(variant, &node, &mut |color, weight, times| {
            let place = features::place(variant, color, weight) as u16;
            *sums.entry(place).or_default() += color.fold_wb(times, -times) as i16;
        });
        let fifty = (200 - fifty_move_count(pos).min(100)) as f32 / 200.0;
        let middle = phase(variant, &node) as f32 / FULL_PHASE as f32;
        let fixed = match variant.traits().classical_terms {
            true => {
                let value = Evaluator::for_variant(Variant::Standard).evaluate(&node, &mut PawnTable::new());
                pos.turn().fold_wb(value, -value) as f32
            }
            false => 0.0,
        };
        Self {
            counts: sums.into_iter().filter(|(_, count)| *count != 0).collect(),
            fixed,
            shares: [middle * fifty, (1.0 - middle) * fifty],
        }
    }

    /// The evaluation with these weights, in centipawns from White's view.
    #[must_use]
    pub fn evaluate(&self, weights: &[WeightPair]) -> f32 {
        self.counts.iter().fold(self.fixed, |sum, (place, count)| {
            let [mg, eg] = weights[usize::from(*place)];
            sum + f32::from(*count) * (mg * self.shares[0] + eg * self.shares[1])
        })
    }

    /// Adds `slope` times the gradient of the evaluation to `gradient`.
    pub fn add_gradient(&self, slope: f32, gradient: &mut [WeightPair]) {
        for (place, count) in &self.counts {
            let slot = &mut gradient[usize::from(*place)];
            slot[0] += slope * self.shares[0] * f32::from(*count);
            slot[1] += slope * self.shares[1] * f32::from(*count);
        }
    }
}

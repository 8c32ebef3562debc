//! Speed model: distribution of human think times, fitted for each lichess speed.
//!
//! There are two kinds of moves. **Instant moves** take 0 or 1 s on the clock: one logistic regression gives the chance that
//! a move is instant, another which of the two it shows. For all others,
//! `ln(t + 0.5) = features . weights + spread * residual`, t in seconds, the residual drawn from the fitted residuals.

use super::features::{FEATURES, RATINGS, shares};
use crate::math::dot;

/// Points of the distribution of residuals, evenly spread from the lowest to the highest share.
pub const QUANTILES: usize = 33;
/// Distribution of think times at one speed, for all ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedModel {
    /// What each of the [features](super::features::features) adds to the log-odds of a move made at once.
    pub at_once: [f32; FEATURES],
    /// The same of one that takes less than half a second, among those.
    pub in_no_time: [f32; FEATURES],
    /// What each adds to `ln(t + 0.5)` of a move that is thought about.
    pub weights: [f32; FEATURES],
    /// The spread at each of [`RATINGS`].
    pub spread: [f32; RATINGS.len()],
    /// Quantiles of the residuals in spreads, ascending: shares 1/66, 3/66, ... 65/66 lie below.
    pub residuals: [f32; QUANTILES],
}

/// A move that takes less, in seconds, is made at once.
pub const AT_ONCE: f32 = 1.5;
/// A move that takes less is made in no time.
pub const NO_TIME: f32 = 0.5;

impl SpeedModel {
    /// All zeros: half a second, where a fit starts.
    pub const NONE: Self = Self {
        at_once: [0.0; FEATURES],
        in_no_time: [0.0; FEATURES],
        weights: [0.0; FEATURES],
        spread: [0.0; RATINGS.len()],
        residuals: [0.0; QUANTILES],
    };

    /// The chances of a move to be made at once, and of such a move to be made in no time.
    #[must_use]
    pub fn quickness(&self, features: &[f32; FEATURES]) -> [f32; 2] {
        [&self.at_once, &self.in_no_time].map(|weights| logistic(dot(weights, features)))
    }

    /// The expected `ln(t + 0.5)` of a move that is thought about.
    #[must_use]
    pub fn thought(&self, features: &[f32; FEATURES]) -> f32 {
        dot(&self.weights, features)
    }

    /// The expected `ln(t + 0.5)` of a move, t as clocks show it for those made at once: no second or one.
    #[must_use]
    pub fn expected(&self, features: &[f32; FEATURES]) -> f32 {
        let [at_once, in_no_time] = self.quickness(features);
        let quick = in_no_time * 0.5_f32.ln() + (1.0 - in_no_time) * 1.5_f32.ln();
        at_once * quick + (1.0 - at_once) * self.thought(features)
    }

    /// The spread of `ln(t + 0.5)` at a level, of moves that are thought about.
    #[must_use]
    pub fn spread(&self, level: f32) -> f32 {
        dot(&self.spread, &shares(level)).max(0.2)
    }

    /// The residual below which this share (0 to 1) of the fitted ones lies.
    #[must_use]
    pub fn residual(&self, share: f32) -> f32 {
        let place = (share * QUANTILES as f32 - 0.5).clamp(0.0, (QUANTILES - 1) as f32);
        let low = (place as usize).min(QUANTILES - 2);
        let between = place - low as f32;
        self.residuals[low] * (1.0 - between) + self.residuals[low + 1] * between
    }

    /// Seconds of thought. `luck` (0 to 1) is the quantile.
    #[must_use]
    pub fn seconds(&self, features: &[f32; FEATURES], level: f32, luck: f32) -> f32 {
        let [at_once, in_no_time] = self.quickness(features);
        if luck >= at_once {
            let share = (luck - at_once) / (1.0 - at_once).max(1e-6);
            let drawn = self.thought(features) + self.spread(level) * self.residual(share);
            return (drawn.exp() - 0.5).max(AT_ONCE);
        }
        let share = luck / at_once;
        if share < in_no_time {
            NO_TIME * share / in_no_time
        } else {
            NO_TIME + (AT_ONCE - NO_TIME) * (share - in_no_time) / (1.0 - in_no_time).max(1e-6)
        }
    }
}

fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_interpolated_between_quantiles() {
        let mut model = SpeedModel::NONE;
        model.residuals = std::array::from_fn(|index| index as f32 - 16.0);
        assert_eq!(model.residual(0.5), 0.0);
        assert_eq!((model.residual(0.0), model.residual(1.0)), (-16.0, 16.0));
        assert!((model.residual(0.75) - 8.25).abs() < 1e-4);
    }

    #[test]
    fn luck_says_how_long_and_where_thinking_begins() {
        let mut model = SpeedModel::NONE;
        // An odds of 1 to 3 for a move at once, and even odds for one in no time among those.
        model.at_once[0] = -(3.0_f32.ln());
        model.weights[0] = 2.0;
        let mut features = [0.0; FEATURES];
        features[0] = 1.0;
        let times = [0.0, 0.0625, 0.1875].map(|luck| model.seconds(&features, 1500.0, luck));
        for (time, expected) in times.into_iter().zip([0.0, 0.25, 1.0]) {
            assert!((time - expected).abs() < 1e-4, "{times:?}");
        }
        assert!(model.seconds(&features, 1500.0, 0.99) >= AT_ONCE);
        assert!((model.seconds(&features, 1500.0, 0.25) - (2.0_f32.exp() - 0.5)).abs() < 1e-3);
    }
}

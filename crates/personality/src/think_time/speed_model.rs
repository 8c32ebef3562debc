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
    /// What each of the [features](super::features::features) adds to the log-odds of an instant move.
    pub instant: [f32; FEATURES],
    /// The same for 0 s among the instant moves.
    pub zero_seconds: [f32; FEATURES],
    /// What each adds to `ln(t + 0.5)` of other moves.
    pub weights: [f32; FEATURES],
    /// The spread at each of [`RATINGS`].
    pub spread: [f32; RATINGS.len()],
    /// Quantiles of the residuals in spreads, ascending: shares 1/66, 3/66, ... 65/66 lie below.
    pub residuals: [f32; QUANTILES],
}

/// Moves below this, in seconds, are instant.
pub const INSTANT_LIMIT: f32 = 1.5;
/// Instant moves below this, in seconds, show 0 s.
pub const ZERO_SECONDS_LIMIT: f32 = 0.5;

impl SpeedModel {
    /// All zeros: half a second, where a fit starts.
    pub const NONE: Self = Self {
        instant: [0.0; FEATURES],
        zero_seconds: [0.0; FEATURES],
        weights: [0.0; FEATURES],
        spread: [0.0; RATINGS.len()],
        residuals: [0.0; QUANTILES],
    };

    /// Chances that a move is instant, and that an instant move shows 0 s.
    #[must_use]
    pub fn instant_chances(&self, features: &[f32; FEATURES]) -> [f32; 2] {
        [&self.instant, &self.zero_seconds].map(|weights| logistic(dot(weights, features)))
    }

    /// The expected `ln(t + 0.5)` of a move that is not instant.
    #[must_use]
    pub fn expected_log_time(&self, features: &[f32; FEATURES]) -> f32 {
        dot(&self.weights, features)
    }

    /// The expected `ln(t + 0.5)` of a move; t of instant moves is 0 or 1 s.
    #[must_use]
    pub fn expected(&self, features: &[f32; FEATURES]) -> f32 {
        let [at_once, in_no_time] = self.instant_chances(features);
        let quick = in_no_time * libm::logf(0.5) + (1.0 - in_no_time) * libm::logf(1.5);
        at_once * quick + (1.0 - at_once) * self.expected_log_time(features)
    }

    /// The spread of `ln(t + 0.5)` of moves that are not instant.
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

    /// Think time in seconds. `luck` (0 to 1) is the quantile.
    #[must_use]
    pub fn seconds(&self, features: &[f32; FEATURES], level: f32, luck: f32) -> f32 {
        let [at_once, in_no_time] = self.instant_chances(features);
        if luck >= at_once {
            let share = (luck - at_once) / (1.0 - at_once).max(1e-6);
            let drawn = self.expected_log_time(features) + self.spread(level) * self.residual(share);
            return (libm::expf(drawn) - 0.5).max(INSTANT_LIMIT);
        }
        let share = luck / at_once;
        if share < in_no_time {
            ZERO_SECONDS_LIMIT * share / in_no_time
        } else {
            ZERO_SECONDS_LIMIT
                + (INSTANT_LIMIT - ZERO_SECONDS_LIMIT) * (share - in_no_time) / (1.0 - in_no_time).max(1e-6)
        }
    }
}

fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-odds))
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
    fn luck_is_the_quantile_of_the_think_time() {
        let mut model = SpeedModel::NONE;
        // Odds of 1 to 3 for an instant move, and even odds for 0 s among those.
        model.instant[0] = -libm::logf(3.0);
        model.weights[0] = 2.0;
        let mut features = [0.0; FEATURES];
        features[0] = 1.0;
        let times = [0.0, 0.0625, 0.1875].map(|luck| model.seconds(&features, 1500.0, luck));
        for (time, expected) in times.into_iter().zip([0.0, 0.25, 1.0]) {
            assert!((time - expected).abs() < 1e-4, "{times:?}");
        }
        assert!(model.seconds(&features, 1500.0, 0.99) >= INSTANT_LIMIT);
        assert!((model.seconds(&features, 1500.0, 0.25) - (libm::expf(2.0) - 0.5)).abs() < 1e-3);
    }
}

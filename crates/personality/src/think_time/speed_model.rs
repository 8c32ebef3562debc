//! Speed model: distribution of human think times, fitted for each lichess speed.
//!
//! There are two kinds of moves. **Instant moves** take 0 or 1 s on the clock: one logistic regression gives the chance that
//! a move is instant, another which of the two it shows. For all others,
//! `ln(t + 0.5) = features . weights + spread * residual`, t in seconds, the residual drawn from the fitted residuals.

use super::{Clock, ThinkTimeContext};
use crate::dot;
use sparring_chess::units::Millis;

/// How many things count.
pub const FEATURES: usize = 17 + RATINGS.len() - 1;
/// Ratings between which habits change evenly.
pub const RATINGS: [f32; 5] = [1000.0, 1400.0, 1800.0, 2200.0, 2600.0];
/// Points of the distribution of residuals, evenly spread from the lowest to the highest share.
pub const QUANTILES: usize = 33;
/// Speeds in lichess' order: bullet, blitz, rapid, classical.
pub const SPEEDS: usize = 4;

/// How people of all levels use their time at one speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedModel {
    /// What each of [`features`] adds to the log-odds of a move made at once.
    pub at_once: [f32; FEATURES],
    /// The same of one that takes less than half a second, among those.
    pub in_no_time: [f32; FEATURES],
    /// What each adds to `ln(t + 0.5)` of a move that is thought about.
    pub weights: [f32; FEATURES],
    /// The spread at each of [`RATINGS`].
    pub spread: [f32; RATINGS.len()],
    /// What people's times were off by, in spreads, in rising order: shares 1/66, 3/66, ... 65/66 of them are below.
    pub residuals: [f32; QUANTILES],
}

/// A move that takes less, in seconds, is made at once.
pub const AT_ONCE: f32 = 1.5;
/// A move that takes less is made in no time.
pub const NO_TIME: f32 = 0.5;

impl SpeedModel {
    /// Nothing but half a second: what a fit starts from.
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

    /// The residual below which this share of people's lie, `share` from 0 to 1.
    #[must_use]
    pub fn residual(&self, share: f32) -> f32 {
        let place = (share * QUANTILES as f32 - 0.5).clamp(0.0, (QUANTILES - 1) as f32);
        let low = (place as usize).min(QUANTILES - 2);
        let between = place - low as f32;
        self.residuals[low] * (1.0 - between) + self.residuals[low + 1] * between
    }

    /// Seconds of thought. `luck` says how long for such a scene, as a share from 0 to 1: the more, the longer.
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

/// Which habit a game has, by its length, at lichess' own borders between speeds.
#[must_use]
pub fn speed(budget: Millis) -> usize {
    match budget.0 / 1000 {
        0..180 => 0,
        180..480 => 1,
        480..1500 => 2,
        1500.. => 3,
    }
}

/// What people look at, as numbers.
#[must_use]
pub fn features(scene: &ThinkTimeContext, clock: Clock, level: f32) -> [f32; FEATURES] {
    let when = |condition: bool| f32::from(u8::from(condition));
    // Before anybody has thought, the last times are taken as two seconds, the median of blitz.
    let thought = |last: Option<Millis>| (last.map_or(2.0, Millis::as_secs_f64) as f32 + 0.5).ln();
    let remaining = clock.remaining.as_secs_f64() as f32;
    let budget = clock.budget().as_secs_f64().max(1.0) as f32;
    let [_, novice, club, expert, master] = shares(level);
    [
        1.0,
        (remaining + 1.0).ln(),
        budget.ln(),
        when(scene.is_recapture),
        when(scene.in_check),
        (scene.legal_moves.max(1) as f32).ln(),
        when(scene.is_capture),
        when(scene.ply < 10),
        when((10..20).contains(&scene.ply)),
        when(scene.is_endgame),
        thought(scene.opponent_last),
        thought(scene.own_last),
        novice,
        club,
        expert,
        master,
        when(scene.legal_moves == 1),
        ahead(scene, clock),
        scene.obviousness.chance.max(1e-4).ln(),
        scene.obviousness.choices.max(1.0).ln(),
        when(remaining < 0.1 * budget),
    ]
}

/// How much each of [`RATINGS`] counts for a level: the two around it share it, beyond the ends the end counts.
#[must_use]
pub fn shares(level: f32) -> [f32; RATINGS.len()] {
    let step = RATINGS[1] - RATINGS[0];
    let level = level.clamp(RATINGS[0], RATINGS[RATINGS.len() - 1]);
    RATINGS.map(|rating| (1.0 - (level - rating).abs() / step).max(0.0))
}

/// Above 0 with more time left than people have at this point of a game, below 0 with less.
fn ahead(scene: &ThinkTimeContext, clock: Clock) -> f32 {
    let moves = scene.ply as f32 / 2.0;
    let budget = clock.budget().as_secs_f64() as f32;
    let spent = budget * (1.0 - left_after(moves));
    let given = clock.initial.as_secs_f64() as f32 + moves * clock.increment.as_secs_f64() as f32;
    let target = (given - spent).max(budget * 0.05).max(1.0);
    (clock.remaining.as_secs_f64() as f32 / target)
        .max(0.1)
        .ln()
        .clamp(-1.5, 1.5)
}

fn left_after(moves: f32) -> f32 {
    let pair = CLOCK_LEFT.windows(2).find(|pair| moves < pair[1].0);
    pair.map_or(CLOCK_LEFT[CLOCK_LEFT.len() - 1].1, |pair| {
        let share = (moves - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    })
}

/// Share of a 40-move game's time that people have left after so many moves; rapid differs by 3 points at most.
const CLOCK_LEFT: [(f32, f32); 6] = [
    (0.0, 1.0),
    (10.0, 0.83),
    (20.0, 0.55),
    (30.0, 0.34),
    (40.0, 0.24),
    (60.0, 0.16),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_drawn_as_people_had_them() {
        let mut habit = SpeedModel::NONE;
        habit.residuals = std::array::from_fn(|index| index as f32 - 16.0);
        assert_eq!(habit.residual(0.5), 0.0);
        assert_eq!((habit.residual(0.0), habit.residual(1.0)), (-16.0, 16.0));
        assert!((habit.residual(0.75) - 8.25).abs() < 1e-4);
    }

    #[test]
    fn luck_says_how_long_and_where_thinking_begins() {
        let mut habit = SpeedModel::NONE;
        // An odds of 1 to 3 for a move at once, and even odds for one in no time among those.
        habit.at_once[0] = -(3.0_f32.ln());
        habit.weights[0] = 2.0;
        let mut features = [0.0; FEATURES];
        features[0] = 1.0;
        let times = [0.0, 0.0625, 0.1875].map(|luck| habit.seconds(&features, 1500.0, luck));
        for (time, expected) in times.into_iter().zip([0.0, 0.25, 1.0]) {
            assert!((time - expected).abs() < 1e-4, "{times:?}");
        }
        assert!(habit.seconds(&features, 1500.0, 0.99) >= AT_ONCE);
        assert!((habit.seconds(&features, 1500.0, 0.25) - (2.0_f32.exp() - 0.5)).abs() < 1e-3);
    }

    #[test]
    fn a_level_is_between_two_ratings() {
        assert_eq!(shares(600.0), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(shares(1500.0), [0.0, 0.75, 0.25, 0.0, 0.0]);
        assert_eq!(shares(2800.0), [0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn speeds_change_at_the_borders_of_lichess() {
        let speeds = [179, 180, 479, 480, 1499, 1500].map(|secs| speed(Millis::from_secs(secs)));
        assert_eq!(speeds, [0, 1, 1, 2, 2, 3]);
    }
}

//! How long people think: what they look at, and how widely they vary around it. Fitted, one habit for each speed.
//!
//! `ln(t + 0.5) = features . weights + spread * residual`, t in seconds, the residual drawn from those that people
//! had. What people know of each other's last times matters most, then how obvious the move was.

use super::{Clock, Scene};
use crate::units::Millis;

/// How many things count.
pub const FEATURES: usize = 18;
/// Points of the distribution of residuals, evenly spread from the lowest to the highest share.
pub const QUANTILES: usize = 33;
/// Speeds in lichess' order: bullet, blitz, rapid, classical.
pub const SPEEDS: usize = 4;

/// How people of all levels use their time at one speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Habit {
    /// What each of [`features`] adds to `ln(t + 0.5)`.
    pub weights: [f32; FEATURES],
    /// The spread at level 1000, and what 400 more add.
    pub spread: [f32; 2],
    /// What people's times were off by, in spreads, in rising order: shares 1/66, 3/66, ... 65/66 of them are below.
    pub residuals: [f32; QUANTILES],
}

impl Habit {
    /// Nothing but half a second: what a fit starts from.
    pub const NONE: Self = Self {
        weights: [0.0; FEATURES],
        spread: [0.0; 2],
        residuals: [0.0; QUANTILES],
    };

    /// The expected `ln(t + 0.5)` of a scene.
    #[must_use]
    pub fn expected(&self, features: &[f32; FEATURES]) -> f32 {
        self.weights
            .iter()
            .zip(features)
            .map(|(weight, feature)| weight * feature)
            .sum()
    }

    /// The spread of `ln(t + 0.5)` at a level.
    #[must_use]
    pub fn spread(&self, level: f32) -> f32 {
        (self.spread[0] + self.spread[1] * steps(level)).max(0.3)
    }

    /// The residual below which this share of people's lie, `share` from 0 to 1.
    #[must_use]
    pub fn residual(&self, share: f32) -> f32 {
        let place = (share * QUANTILES as f32 - 0.5).clamp(0.0, (QUANTILES - 1) as f32);
        let low = (place as usize).min(QUANTILES - 2);
        let between = place - low as f32;
        self.residuals[low] * (1.0 - between) + self.residuals[low + 1] * between
    }

    /// Seconds of thought: the expectation with luck, a share from 0 to 1 that says how long for such a scene.
    #[must_use]
    pub fn seconds(&self, features: &[f32; FEATURES], level: f32, luck: f32) -> f32 {
        let drawn = self.expected(features) + self.spread(level) * self.residual(luck);
        (drawn.exp() - 0.5).max(0.0)
    }
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
pub fn features(scene: &Scene, clock: Clock, level: f32) -> [f32; FEATURES] {
    let when = |condition: bool| f32::from(u8::from(condition));
    // Before anybody has thought, the last times are taken as two seconds, the median of blitz.
    let thought = |last: Option<Millis>| (last.map_or(2.0, Millis::as_secs_f64) as f32 + 0.5).ln();
    let remaining = clock.remaining.as_secs_f64() as f32;
    let budget = clock.budget().as_secs_f64().max(1.0) as f32;
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
        steps(level),
        when(scene.legal_moves == 1),
        ahead(scene, clock),
        scene.obviousness.chance.max(1e-4).ln(),
        scene.obviousness.choices.max(1.0).ln(),
        when(remaining < 0.1 * budget),
    ]
}

fn steps(level: f32) -> f32 {
    (level - 1000.0) / 400.0
}

/// Above 0 with more time left than people have at this point of a game, below 0 with less.
fn ahead(scene: &Scene, clock: Clock) -> f32 {
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
        let mut habit = Habit::NONE;
        habit.residuals = std::array::from_fn(|index| index as f32 - 16.0);
        assert_eq!(habit.residual(0.5), 0.0);
        assert_eq!((habit.residual(0.0), habit.residual(1.0)), (-16.0, 16.0));
        assert!((habit.residual(0.75) - 8.25).abs() < 1e-4);
    }

    #[test]
    fn speeds_change_at_the_borders_of_lichess() {
        let speeds = [179, 180, 479, 480, 1499, 1500].map(|secs| speed(Millis::from_secs(secs)));
        assert_eq!(speeds, [0, 1, 1, 2, 2, 3]);
    }
}

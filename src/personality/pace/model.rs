//! Think times of people on lichess, fitted as `ln(t + 0.5) = sum of features + sd * normal`, t in seconds.
//!
//! Blitz: rank correlation with the real times 0.57, cross-validated by game. What people know of each other's last
//! times matters most.

use rand::{RngExt as _, rngs::ChaCha8Rng};
use rand_distr::{Distribution as _, StandardNormal};

use super::{Clock, Scene};
use crate::{personality::Profile, units::Millis};

/// The whole think time of a person in this scene.
pub(super) fn human(profile: &Profile, scene: &Scene, rng: &mut ChaCha8Rng) -> Millis {
    // A game without a clock is thought about like a quarter of an hour.
    let clock = scene.clock.unwrap_or(Clock {
        initial: Millis::from_secs(900),
        increment: Millis::ZERO,
        remaining: Millis::from_secs(900),
    });
    let weights = Weights::of(clock.budget());
    let level = scene
        .level
        .or(profile.level)
        .map_or(2400.0, |level| f64::from(level.0));
    // Drawn whether or not they are used, so that one answer does not shift the next.
    let (luck, instant): (f64, f64) = (StandardNormal.sample(rng), rng.random());
    let at_once = Millis(rng.random_range(100..=600));
    let chance = if scene.is_recapture {
        weights.instant[0]
    } else if scene.ply < 10 && scene.from_book {
        weights.instant[1]
    } else if scene.legal_moves == 1 {
        0.08
    } else {
        0.0
    };
    if instant < chance {
        return at_once;
    }
    let spread = (weights.spread[0] + weights.spread[1] * (level - 1000.0) / 400.0).max(0.3);
    let seconds = (expected(weights, scene, clock, level) + spread * luck).exp() - 0.5;
    let factor = profile.tempo * thrift(scene, clock);
    Millis::from_secs(1).scaled(seconds * factor)
}

/// The expected `ln(t + 0.5)`.
fn expected(weights: &Weights, scene: &Scene, clock: Clock, level: f64) -> f64 {
    let when = |condition: bool, weight: f64| if condition { weight } else { 0.0 };
    // Before anybody has thought, the last times are taken as two seconds, the median of blitz.
    let thought = |last: Option<Millis>| (last.map_or(2.0, Millis::as_secs_f64) + 0.5).ln();
    weights.constant
        + weights.remaining * (clock.remaining.as_secs_f64() + 1.0).ln()
        + weights.budget * clock.budget().as_secs_f64().max(1.0).ln()
        + weights.choice * (scene.legal_moves.max(1) as f64).ln()
        + weights.last[0] * thought(scene.opponent_last)
        + weights.last[1] * thought(scene.own_last)
        + weights.level * (level - 1600.0) / 400.0
        + when(scene.is_recapture, weights.recapture)
        + when(scene.in_check, weights.in_check)
        + when(scene.is_capture, weights.capture)
        + when(scene.ply < 10, weights.opening[0])
        + when((10..20).contains(&scene.ply), weights.opening[1])
        + when(scene.is_endgame, weights.endgame)
        + when(scene.legal_moves == 1, weights.only_move)
}

/// Above 1 with more time left than people have at this point of a game, below 1 with less.
fn thrift(scene: &Scene, clock: Clock) -> f64 {
    let moves = scene.ply as f64 / 2.0;
    let budget = clock.budget().as_secs_f64();
    let spent = budget * (1.0 - left_after(moves));
    let target = clock.initial.as_secs_f64() + moves * clock.increment.as_secs_f64() - spent;
    let target = target.max(budget * 0.05);
    if target <= 0.0 {
        return 1.0;
    }
    (clock.remaining.as_secs_f64() / target).sqrt().clamp(0.5, 2.0)
}

fn left_after(moves: f64) -> f64 {
    let pair = CLOCK_LEFT.windows(2).find(|pair| moves < pair[1].0);
    pair.map_or(CLOCK_LEFT[CLOCK_LEFT.len() - 1].1, |pair| {
        let share = (moves - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    })
}

/// The weights of one speed: what each feature adds to `ln(t + 0.5)`, t in seconds.
struct Weights {
    constant: f64,
    /// Times `ln(remaining + 1)`.
    remaining: f64,
    /// Times `ln(budget)`.
    budget: f64,
    recapture: f64,
    in_check: f64,
    /// Times `ln(legal moves)`.
    choice: f64,
    capture: f64,
    /// Before ply 10, and from ply 10 to 19.
    opening: [f64; 2],
    endgame: f64,
    /// Times `ln(t + 0.5)` of the opponent's last move, and of our own.
    last: [f64; 2],
    /// Times `(level - 1600) / 400`.
    level: f64,
    only_move: f64,
    /// The spread at level 1000, and what 400 more add.
    spread: [f64; 2],
    /// Chance of an instant answer: a recapture, and a move of the first ten plies.
    instant: [f64; 2],
}

/// Fitted on lichess games of people rated 600 to 2600.
const BULLET: Weights = Weights {
    constant: -2.04,
    remaining: 0.16,
    budget: 0.30,
    recapture: -0.54,
    in_check: 0.48,
    choice: 0.26,
    capture: -0.02,
    opening: [-0.63, -0.39],
    endgame: -0.09,
    last: [0.12, 0.12],
    level: -0.10,
    only_move: 0.36,
    spread: [0.67, 0.0],
    instant: [0.37, 0.37],
};
const BLITZ: Weights = Weights {
    constant: -2.63,
    remaining: 0.13,
    budget: 0.40,
    recapture: -0.61,
    in_check: 0.37,
    choice: 0.28,
    capture: -0.17,
    opening: [-0.63, -0.35],
    endgame: -0.15,
    last: [0.15, 0.18],
    level: -0.06,
    only_move: 0.19,
    spread: [0.72, 0.04],
    instant: [0.20, 0.12],
};
const RAPID: Weights = Weights {
    constant: -4.37,
    remaining: 0.15,
    budget: 0.59,
    recapture: -0.83,
    in_check: 0.29,
    choice: 0.33,
    capture: -0.19,
    opening: [-0.57, -0.28],
    endgame: -0.18,
    last: [0.19, 0.20],
    level: 0.0,
    only_move: 0.19,
    spread: [0.80, 0.12],
    instant: [0.20, 0.12],
};
const CLASSICAL: Weights = Weights {
    constant: -6.01,
    remaining: 0.19,
    budget: 0.70,
    recapture: -1.33,
    in_check: 0.22,
    choice: 0.40,
    capture: -0.21,
    opening: [-0.92, -0.48],
    endgame: -0.05,
    last: [0.24, 0.18],
    level: -0.02,
    only_move: -0.05,
    spread: [1.12, 0.0],
    instant: [0.20, 0.12],
};

impl Weights {
    /// By the length of the game, at lichess' own borders between speeds.
    fn of(budget: Millis) -> &'static Self {
        match budget.0 / 1000 {
            0..180 => &BULLET,
            180..480 => &BLITZ,
            480..1500 => &RAPID,
            1500.. => &CLASSICAL,
        }
    }
}

/// Share of a 40-move game's time that people have left after so many moves; rapid differs by 3 points at most.
const CLOCK_LEFT: [(f64, f64); 6] = [
    (0.0, 1.0),
    (10.0, 0.83),
    (20.0, 0.55),
    (30.0, 0.34),
    (40.0, 0.24),
    (60.0, 0.16),
];

//! Draws a human think time from the fitted speed model.

use rand::{RngExt as _, rngs::ChaCha8Rng};

use super::{
    Clock, ThinkTimeContext,
    speed_model::{features, speed},
};
use crate::{Personality, human_model::Model};
use sparring_chess::units::Millis;

/// Draws the total think time of a human in this context.
pub(super) fn human(profile: &Personality, scene: &ThinkTimeContext, rng: &mut ChaCha8Rng) -> Millis {
    // Without a clock: as in a game of 15 minutes.
    let clock = scene.clock.unwrap_or(Clock {
        initial: Millis::from_secs(900),
        increment: Millis::ZERO,
        remaining: Millis::from_secs(900),
    });
    let level = scene
        .level
        .or(profile.level)
        .map_or(2400.0, |level| level.0 as f32);
    // Drawn whether or not they are used, so that one answer does not shift the next.
    let luck: f32 = rng.random();
    let at_once = Millis(rng.random_range(100..=600));
    let habit = &Model::shipped().speed_models[speed(clock.budget())];
    let seconds = habit.seconds(&features(scene, clock, level), level, luck);
    // People's clocks count whole seconds: nothing on them still is a hand moving a piece.
    Millis::from_secs(1)
        .scaled(f64::from(seconds) * profile.tempo)
        .max(at_once)
}

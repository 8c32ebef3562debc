//! Draws a human think time from the fitted speed model.

use rand::{RngExt as _, rngs::ChaCha8Rng};

use super::{
    context::{Clock, ThinkTimeContext},
    features::{features, speed},
    parameters::SpeedModels,
};
use crate::Personality;
use sparring_chess::units::Millis;

/// Draws the total think time of a human in this context.
pub(super) fn draw(profile: &Personality, context: &ThinkTimeContext, rng: &mut ChaCha8Rng) -> Millis {
    // Without a clock: as in a game of 15 minutes.
    let clock = context.clock.unwrap_or(Clock {
        initial: Millis::from_secs(900),
        increment: Millis::ZERO,
        remaining: Millis::from_secs(900),
    });
    let level = context
        .level
        .or(profile.level)
        .map_or(2400.0, |level| level.0 as f32);
    // Both are always drawn, so that one does not shift the other.
    let luck: f32 = rng.random();
    let shortest = Millis(rng.random_range(100..=600));
    let model = SpeedModels::shipped().get(speed(clock.budget()));
    let seconds = model.seconds(&features(context, clock, level), level, luck);
    // The games show whole seconds: a time of zero there still is a few tenths.
    Millis::from_secs(1)
        .scaled(f64::from(seconds) * profile.tempo)
        .max(shortest)
}

//! Think time: how long a move is delayed to look human, without losing on time.
//!
//! The engine searches first; the delay covers the rest. "human" draws from a model fitted on lichess games.
//! All randomness follows from the game's seed and the ply.

mod context;
pub mod features;
mod human_delay;
mod parameters;
pub mod speed_model;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

pub use context::{Clock, Obviousness, ThinkTimeContext};
pub use parameters::SpeedModels;

use super::{Delay, Personality, math::mix};
use sparring_chess::units::Millis;

/// How much longer to wait before the move goes out. `seed` names the game.
///
/// At most [`max_pause`].
#[must_use]
pub fn pause(profile: &Personality, context: &ThinkTimeContext, seed: u64) -> Millis {
    let mut rng = ChaCha8Rng::seed_from_u64(mix(&[seed, context.ply as u64]));
    let whole = match profile.delay {
        Delay::Off => Millis::ZERO,
        Delay::Fixed(span) => span,
        Delay::Between(from, to) => Millis(rng.random_range(from.0..=to.0)),
        Delay::Human => human_delay::draw(profile, context, &mut rng),
    };
    (whole - context.elapsed).min(max_pause(context))
}

/// The longest pause from now that keeps the clock safe: zero in time trouble, at most 5 s for the first move of each side.
///
/// The whole move takes at most a quarter of the clock, leaves a second and what lag alone will cost in the moves
/// to come, and once under a tenth of the game's time takes no more than one and a half increments and a
/// twenty-fifth of what is left.
#[must_use]
pub fn max_pause(context: &ThinkTimeContext) -> Millis {
    // Opponents abort a game in which no first move comes.
    const FIRST_MOVE: Millis = Millis::from_secs(5);
    const WITHOUT_CLOCK: Millis = Millis::from_secs(60);
    let most = context
        .clock
        .map_or(WITHOUT_CLOCK, |clock| affordable(context, clock));
    let most = if context.ply < 2 {
        most.min(FIRST_MOVE)
    } else {
        most
    };
    most - context.elapsed
}

/// What the clock can spare for the whole move.
fn affordable(context: &ThinkTimeContext, clock: Clock) -> Millis {
    const TROUBLE: Millis = Millis::from_secs(3);
    if clock.remaining < TROUBLE {
        return Millis::ZERO;
    }
    let most = clock
        .remaining
        .scaled(0.25)
        .min(clock.remaining - reserve(context, clock));
    if clock.remaining < clock.budget().scaled(0.1) {
        most.min(clock.increment.scaled(1.5) + clock.remaining.scaled(1.0 / 25.0))
    } else {
        most
    }
}

/// What must stay on the clock: a second, eight round trips, and the lag of a game of eighty moves that no
/// increment pays for. lichess gives part of the lag back, but only up to a quota.
fn reserve(context: &ThinkTimeContext, clock: Clock) -> Millis {
    let to_go = 80_usize.saturating_sub(context.ply / 2).max(25) as f64;
    Millis::from_secs(1) + context.lag.scaled(8.0) + (context.lag - clock.increment).scaled(to_go)
}

#[cfg(test)]
mod tests;

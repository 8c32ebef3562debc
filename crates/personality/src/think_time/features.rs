//! Features of the think-time model.

use super::context::{Clock, ThinkTimeContext};
use sparring_chess::units::Millis;

/// Number of features.
pub const FEATURES: usize = 17 + RATINGS.len() - 1;
/// Ratings between which weights are interpolated.
pub const RATINGS: [f32; 5] = [1000.0, 1400.0, 1800.0, 2200.0, 2600.0];
/// Speeds in lichess' order: bullet, blitz, rapid, classical.
pub const SPEEDS: usize = 4;

/// The index of a game's speed by its [budget](Clock::budget), at lichess' borders.
#[must_use]
pub fn speed(budget: Millis) -> usize {
    match budget.0 / 1000 {
        0..180 => 0,
        180..480 => 1,
        480..1500 => 2,
        1500.. => 3,
    }
}

/// The features of a move.
#[must_use]
pub fn features(context: &ThinkTimeContext, clock: Clock, level: f32) -> [f32; FEATURES] {
    let when = |condition: bool| f32::from(u8::from(condition));
    // Missing last times count as two seconds, the median of blitz.
    let thought = |last: Option<Millis>| libm::logf(last.map_or(2.0, Millis::as_secs_f64) as f32 + 0.5);
    let remaining = clock.remaining.as_secs_f64() as f32;
    let budget = clock.budget().as_secs_f64().max(1.0) as f32;
    let [_, novice, club, expert, master] = shares(level);
    [
        1.0,
        libm::logf(remaining + 1.0),
        libm::logf(budget),
        when(context.is_recapture),
        when(context.in_check),
        libm::logf(context.legal_moves.max(1) as f32),
        when(context.is_capture),
        when(context.ply < 10),
        when((10..20).contains(&context.ply)),
        when(context.is_endgame),
        thought(context.opponent_last),
        thought(context.own_last),
        novice,
        club,
        expert,
        master,
        when(context.legal_moves == 1),
        ahead(context, clock),
        libm::logf(context.obviousness.chance.max(1e-4)),
        libm::logf(context.obviousness.choices.max(1.0)),
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
fn ahead(context: &ThinkTimeContext, clock: Clock) -> f32 {
    let moves = context.ply as f32 / 2.0;
    let budget = clock.budget().as_secs_f64() as f32;
    let spent = budget * (1.0 - left_after(moves));
    let given = clock.initial.as_secs_f64() as f32 + moves * clock.increment.as_secs_f64() as f32;
    let target = (given - spent).max(budget * 0.05).max(1.0);
    let share = clock.remaining.as_secs_f64() as f32 / target;
    libm::logf(share.max(0.1)).clamp(-1.5, 1.5)
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

//! What our network knows beside the board: ratings, clocks and counters as 40 numbers, and the pace as 4.

use shakmaty::Position as _;
use sparring_chess::units::{Elo, Millis};

use super::board::View;

/// How many numbers the context is.
pub const CONTEXT: usize = 40;
/// How many numbers the pace is.
pub const PACE: usize = 4;

/// The network knows ratings in this range; others count as the nearest end.
const RATINGS: (f32, f32) = (600.0, 2800.0);

/// The players and clocks of a lichess game, from the mover's side.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Context {
    /// The mover's rating on lichess.
    pub rating: u16,
    /// The opponent's rating; one like the mover's if `None`.
    pub opponent_rating: Option<u16>,
    /// How fast the game is.
    pub speed: Option<Speed>,
    /// The time control and what is left of it.
    pub clock: Option<Clock>,
    /// How long the mover took for the last move, the increment not taken off.
    pub last_think: Option<Millis>,
    /// How long the opponent took for the last move.
    pub opponent_last_think: Option<Millis>,
}

/// Clocks in whole milliseconds; seconds that have begun do not count, as in the games that the network learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// What each player starts with.
    pub initial: Millis,
    /// What each move adds.
    pub increment: Millis,
    /// What the mover has left, if known.
    pub left: Option<Millis>,
    /// What the opponent has left, if known.
    pub opponent_left: Option<Millis>,
}

/// A speed that the network distinguishes. Ultra-bullet and correspondence were not learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// Less than 3 minutes as lichess estimates games (40 moves).
    Bullet,
    /// Less than 8 minutes.
    Blitz,
    /// Less than 25 minutes.
    Rapid,
    /// 25 minutes or more.
    Classical,
}

impl Speed {
    /// The speed of a time control, by lichess' estimate of a game: the initial time and 40 increments.
    #[must_use]
    pub fn of(initial: Millis, increment: Millis) -> Self {
        match initial.0.saturating_add(increment.0.saturating_mul(40)) / 1000 {
            0..180 => Self::Bullet,
            180..480 => Self::Blitz,
            480..1500 => Self::Rapid,
            1500.. => Self::Classical,
        }
    }
}

impl Context {
    /// A player of this rating in a blitz game, against one like themselves.
    #[must_use]
    pub fn rated(rating: Elo) -> Self {
        Self {
            rating: u16::try_from(rating.0).unwrap_or(u16::MAX),
            speed: Some(Speed::Blitz),
            ..Self::default()
        }
    }

    /// The 40 numbers; `known_moves` counts legal moves.
    pub(super) fn numbers(&self, view: &View<'_>, known_moves: usize, in_check: bool) -> [f32; CONTEXT] {
        let mut numbers = [0.0; CONTEXT];
        let rating = f32::from(self.rating);
        let within = rating.clamp(RATINGS.0, RATINGS.1);
        for (n, number) in numbers[..12].iter_mut().enumerate() {
            *number = (1.0 - (within - (600.0 + 200.0 * n as f32)).abs() / 200.0).max(0.0);
        }
        numbers[12] = (within - 1600.0) / 500.0;
        let opponent = self.opponent_rating.map_or(rating, f32::from);
        numbers[13] = ((opponent - rating) / 300.0).clamp(-2.0, 2.0);
        numbers[14 + self.speed.map_or(4, |speed| speed as usize)] = 1.0;
        numbers[19] = 1.0; // lichess

        let position = view.position();
        let plies = 2.0 * (position.fullmoves().get() - 1) as f32 + flag(position.turn().is_black());
        numbers[25] = flag(view.history.repetitions() > 1);
        numbers[26] = (position.halfmoves() as f32 / 50.0).min(2.0);
        numbers[27] = (plies / 80.0).min(2.0);
        numbers[28] = flag(position.turn().is_black());
        numbers[29] = flag(in_check);
        numbers[30] = view.board.occupied().count() as f32 / 32.0;
        numbers[31] = known_moves as f32 / 40.0;

        if let Some(clock) = self.clock {
            let initial = seconds(clock.initial);
            if let Some(left) = clock.left.map(seconds) {
                numbers[32] = 1.0;
                numbers[33] = log2(left) / 10.0;
                numbers[34] = if initial > 0.0 {
                    (left / initial).min(1.5)
                } else {
                    0.0
                };
            }
            numbers[35] = 1.0;
            numbers[36] = log2(initial) / 12.0;
            numbers[37] = seconds(clock.increment).min(30.0) / 10.0;
            numbers[38] = log2(clock.opponent_left.map_or(0.0, seconds)) / 10.0;
        }
        numbers
    }

    /// For the mover and the opponent: 1 if the last think time is known, and log2 of 1 + its seconds, a sixth of it.
    pub(super) fn pace(&self) -> [f32; PACE] {
        let think = |think: Option<Millis>| (flag(think.is_some()), log2(think.map_or(0.0, seconds)) / 6.0);
        let (own, their) = (think(self.last_think), think(self.opponent_last_think));
        [own.0, own.1, their.0, their.1]
    }
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

/// Whole seconds, rounded down.
fn seconds(span: Millis) -> f32 {
    (span.0 / 1000) as f32
}

/// Logarithm of 1 + x, the same on every machine.
fn log2(x: f32) -> f32 {
    libm::log2f(1.0 + x)
}

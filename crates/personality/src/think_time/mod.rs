//! Think time: how long a move is delayed to look human, without losing on time.
//!
//! The engine searches first; the delay covers the rest. "human" draws from a model fitted on lichess games.
//! All randomness follows from the game's seed and the ply.

mod model;
pub mod speed_model;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    Delay, Personality,
    human_model::{Model, TimePressure},
    mix,
};
use sparring_chess::{
    GameHistory, Move, Role, Rules as _,
    units::{Elo, Millis},
};

/// Inputs of the think-time model. [`ThinkTimeContext::of`] fills in what depends on the position.
#[derive(Debug, Clone, PartialEq)]
pub struct ThinkTimeContext {
    /// Half moves played before this one.
    pub ply: usize,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// The move takes back on the square of the opponent's last capture.
    pub is_recapture: bool,
    /// The move captures.
    pub is_capture: bool,
    /// The move answers a check.
    pub in_check: bool,
    /// Few pieces are left: at most six besides kings and pawns.
    pub is_endgame: bool,
    /// How obvious the move is.
    pub obviousness: Obviousness,
    /// The move comes from a book.
    pub from_book: bool,
    /// The clock; none in correspondence and unlimited games.
    pub clock: Option<Clock>,
    /// How long the opponent took for their last move.
    pub opponent_last: Option<Millis>,
    /// How long we took for our last move.
    pub own_last: Option<Millis>,
    /// Time since our turn came: the search has had this much already.
    pub elapsed: Millis,
    /// Network lag per move.
    pub lag: Millis,
    /// The level asked for in this game, instead of the profile's.
    pub level: Option<Elo>,
}

/// How obvious a move is to a person who does not calculate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obviousness {
    /// The chance from 0 to 1 that they play it.
    pub chance: f32,
    /// How many moves they waver between: the perplexity of the choice, from 1.
    pub choices: f32,
}

impl Obviousness {
    /// The average, for chess variants: the model has no data on them.
    const USUAL: Self = Self {
        chance: 0.25,
        choices: 8.0,
    };

    /// How obvious a legal move is in the line's last position.
    #[must_use]
    pub fn of(model: &Model, line: &GameHistory, mv: Move) -> Self {
        // How obvious a move is hardly depends on who plays it: one level serves all.
        const LEVEL: Elo = Elo(1600);
        if !line.variant().is_orthodox() {
            return Self::USUAL;
        }
        let candidates = model.prior(line, LEVEL, TimePressure::Calm);
        let Some(played) = candidates.iter().find(|candidate| candidate.mv == mv) else {
            return Self::USUAL;
        };
        let entropy: f32 = candidates
            .iter()
            .map(|each| -each.prior * each.prior.max(1e-9).ln())
            .sum();
        Self {
            chance: played.prior,
            choices: entropy.exp(),
        }
    }
}

/// Our chess clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// What each side started with.
    pub initial: Millis,
    /// What each move adds.
    pub increment: Millis,
    /// What ours showed when our turn came.
    pub remaining: Millis,
}

impl Clock {
    /// What a game of 40 moves lasts, as lichess estimates it.
    #[must_use]
    pub fn budget(self) -> Millis {
        Millis(self.initial.0.saturating_add(self.increment.0.saturating_mul(40)))
    }
}

impl ThinkTimeContext {
    /// The context of a position and move, without clock, book or elapsed time.
    #[must_use]
    pub fn of(line: &GameHistory, mv: Move) -> Self {
        Self::with_obviousness(line, mv, Obviousness::of(Model::shipped(), line, mv))
    }

    /// The same for a move that is as obvious as this.
    #[must_use]
    pub fn with_obviousness(line: &GameHistory, mv: Move, obviousness: Obviousness) -> Self {
        let pos = line.position();
        let board = pos.board();
        let pieces = board.occupied() & !board.by_role(Role::Pawn) & !board.by_role(Role::King);
        Self {
            ply: line.ply(),
            legal_moves: pos.legal_moves().len(),
            is_recapture: line.is_recapture(mv),
            is_capture: mv.is_capture(),
            in_check: pos.is_check(),
            is_endgame: pieces.count() <= 6,
            obviousness,
            from_book: false,
            clock: None,
            opponent_last: None,
            own_last: None,
            elapsed: Millis::ZERO,
            lag: Millis::ZERO,
            level: None,
        }
    }
}

/// How much longer to wait before the move goes out. `seed` names the game.
///
/// Never exceeds [`max_pause`].
#[must_use]
pub fn pause(profile: &Personality, scene: &ThinkTimeContext, seed: u64) -> Millis {
    let mut rng = ChaCha8Rng::seed_from_u64(mix(&[seed, scene.ply as u64]));
    let whole = match profile.delay {
        Delay::Off => Millis::ZERO,
        Delay::Fixed(span) => span,
        Delay::Between(from, to) => Millis(rng.random_range(from.0..=to.0)),
        Delay::Human => model::human(profile, scene, &mut rng),
    };
    (whole - scene.elapsed).min(max_pause(scene))
}

/// The longest pause from now that keeps the clock safe: zero in time trouble, at most 5 s for the first move of each side.
///
/// The whole move takes at most a quarter of the clock, leaves a second and what lag alone will cost in the moves
/// to come, and once under a tenth of the game's time takes no more than one and a half increments and a
/// twenty-fifth of what is left.
#[must_use]
pub fn max_pause(scene: &ThinkTimeContext) -> Millis {
    // Opponents abort a game in which no first move comes.
    const FIRST_MOVE: Millis = Millis::from_secs(5);
    const WITHOUT_CLOCK: Millis = Millis::from_secs(60);
    let most = scene
        .clock
        .map_or(WITHOUT_CLOCK, |clock| affordable(scene, clock));
    let most = if scene.ply < 2 { most.min(FIRST_MOVE) } else { most };
    most - scene.elapsed
}

/// What the clock can spare for the whole move.
fn affordable(scene: &ThinkTimeContext, clock: Clock) -> Millis {
    const TROUBLE: Millis = Millis::from_secs(3);
    if clock.remaining < TROUBLE {
        return Millis::ZERO;
    }
    let most = clock
        .remaining
        .scaled(0.25)
        .min(clock.remaining - reserve(scene, clock));
    if clock.remaining < clock.budget().scaled(0.1) {
        most.min(clock.increment.scaled(1.5) + clock.remaining.scaled(1.0 / 25.0))
    } else {
        most
    }
}

/// What must stay on the clock: a second, eight round trips, and the lag of a game of eighty moves that no
/// increment pays for. lichess gives part of the lag back, but only up to a quota.
fn reserve(scene: &ThinkTimeContext, clock: Clock) -> Millis {
    let to_go = 80_usize.saturating_sub(scene.ply / 2).max(25) as f64;
    Millis::from_secs(1) + scene.lag.scaled(8.0) + (scene.lag - clock.increment).scaled(to_go)
}

#[cfg(test)]
mod tests;

//! Inputs of the think-time model: position, move, clocks, and how obvious the move is.

use crate::human_model::{Context, Model};
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
    /// The move recaptures.
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
    /// Time since our turn began.
    pub elapsed: Millis,
    /// Network lag per move.
    pub lag: Millis,
    /// The requested level, instead of the profile's.
    pub level: Option<Elo>,
}

/// How obvious a move is without calculation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obviousness {
    /// Its prior chance (0 to 1).
    pub chance: f32,
    /// Perplexity of the prior, from 1: the effective number of choices.
    pub choices: f32,
}

impl Obviousness {
    /// The average, for chess variants: the model has no data on them.
    const USUAL: Self = Self {
        chance: 0.25,
        choices: 8.0,
    };

    /// How obvious a legal move is in the game's last position.
    #[must_use]
    pub fn of(model: &Model, line: &GameHistory, mv: Move) -> Self {
        // It hardly depends on the rating.
        const LEVEL: Elo = Elo(1600);
        if !line.variant().traits().human_model {
            return Self::USUAL;
        }
        let candidates = model.prior(line, &Context::rated(LEVEL));
        let Some(played) = candidates.iter().find(|candidate| candidate.mv == mv) else {
            return Self::USUAL;
        };
        let entropy: f32 = candidates
            .iter()
            .map(|each| -each.prior * libm::logf(each.prior.max(1e-9)))
            .sum();
        Self {
            chance: played.prior,
            choices: libm::expf(entropy),
        }
    }
}

/// Our chess clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Initial time.
    pub initial: Millis,
    /// Increment per move.
    pub increment: Millis,
    /// Our remaining time when our turn began.
    pub remaining: Millis,
}

impl Clock {
    /// Time for 40 moves, lichess' estimate of a game.
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

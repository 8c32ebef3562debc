//! Inputs of the think-time model: position, move, clocks, and how obvious the move is.

use crate::human_model::{Model, TimePressure};
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

    /// How obvious a legal move is in the game's last position.
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
            is_recapture: line.takes_back(mv),
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

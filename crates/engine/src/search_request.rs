//! Search request: the game, limits and settings of one search.

use std::sync::Arc;

use super::{handicap::Handicap, overrides::EngineOverrides, style_bonus::StyleBonus, syzygy::Tablebase};
use sparring_chess::{
    GameHistory, Move,
    units::{Depth, Millis, Nodes},
};

/// What to search, how far, and with which handicaps. Equal values give equal moves, of an engine of one thread that is
/// new or cleared, and unless time is a limit.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The game so far: its last position is searched, its history counts for repetitions.
    pub line: GameHistory,
    /// When to stop. Without any limit the search runs until it is stopped.
    pub limits: Limits,
    /// How many of the best lines to report, from 1; more than there are legal moves means all.
    pub multi_pv: usize,
    /// Only these root moves, if any are named; all legal moves otherwise. At least one of them has to be legal.
    pub search_moves: Vec<Move>,
    /// Evaluation noise and blindness, for play below full strength.
    pub handicap: Handicap,
    /// Style bonuses of the side to move.
    pub style_bonus: StyleBonus,
    /// Search parameters and evaluation weights; none for the engine's own.
    pub overrides: Option<Arc<EngineOverrides>>,
    /// Evaluates by the classical terms alone, without the NNUE correction: levels below full strength were measured so.
    pub classical_only: bool,
    /// Tablebases to probe. A search with a handicap probes none.
    pub tablebase: Option<Arc<Tablebase>>,
}

impl SearchRequest {
    /// A search of the game's last position at full strength.
    #[must_use]
    pub fn new(line: GameHistory, limits: Limits) -> Self {
        Self {
            line,
            limits,
            multi_pv: 1,
            search_moves: Vec::new(),
            handicap: Handicap::default(),
            style_bonus: StyleBonus::default(),
            overrides: None,
            classical_only: false,
            tablebase: None,
        }
    }
}

/// When a search ends: at whichever of these comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// No iteration deeper than this is begun; with several threads one may have been finished by then.
    pub depth: Option<Depth>,
    /// No more than this many nodes. With one thread the count is exact, and the same limit gives the same tree; several
    /// overstep it by a little.
    pub nodes: Option<Nodes>,
    /// Stop when a mate in this many moves or fewer is found.
    pub mate: Option<u32>,
    /// Start no iteration that would likely not finish before this much time has passed.
    pub soft: Option<Millis>,
    /// Abort the current iteration when this much time has passed.
    pub hard: Option<Millis>,
}

impl Limits {
    /// The limits left after this much time has passed; of time a millisecond at least.
    #[must_use]
    pub fn after(self, spent: Millis) -> Self {
        let left = |limit: Millis| (limit - spent).max(Millis(1));
        Self {
            soft: self.soft.map(left),
            hard: self.hard.map(left),
            ..self
        }
    }
}

//! Search and evaluation of a chess engine: synchronous, without IO or a clock of its own.
//!
//! [`Engine::search`] is the entry point. The engine knows neither personalities nor lichess: the caller turns a level
//! such as "1400" into [`Limits`] and a [`Handicap`].

mod best_thread;
mod bounds;
mod check_info;
mod delay_window;
mod dirty_piece;
mod draw;
mod engine;
mod eval;
mod extensions;
mod fortress;
mod handicap;
mod history;
mod huge_pages;
mod iterative_deepening;
mod move16;
mod movegen;
mod movepick;
mod node;
mod node_context;
mod overrides;
mod params;
mod prefetch;
mod pruning;
mod qsearch;
mod reductions;
#[cfg(test)]
mod reference_search;
mod root_moves;
mod root_search;
mod score;
mod search;
mod search_limits;
mod see;
mod soft_limit;
mod style_bonus;
mod syzygy;
mod syzygy_probe;
mod thread_data;
mod threads;
mod tt;
mod zobrist;

pub mod bench;
pub mod nnue;
pub mod perft;
pub mod timeman;

pub use delay_window::DelayWindow;
pub use engine::Engine;
pub use eval::{
    Amount, AmountError, Balance, Judged, Pair, Sample, Share, Trace, WeightOverrides, WeightRow, prepare,
    term_names, trace, weigh, weight_rows, weights_in_use, weights_source,
};
pub use fortress::cannot_win;
pub use overrides::EngineOverrides;
pub use params::{Param, ParamError, Params};
pub use score::Score;
pub use style_bonus::StyleBonus;
#[cfg(any(test, feature = "test-fixtures"))]
pub use syzygy::shared_tables;
pub use syzygy::{Tablebase, TablebaseError};
pub use threads::MAX_THREADS;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use sparring_chess::{
    GameHistory, Move,
    units::{Centipawns, Depth, Millis, Nodes, TimeSource},
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

/// Play below full strength: Rodent's idea of weak levels, made repeatable.
///
/// Everything random follows from the seed and the position, so a position met again in the same game gets the same
/// error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Handicap {
    /// Standard deviation of what is added to each leaf's evaluation, in centipawns; 0 for none.
    pub noise: Centipawns,
    /// Chance from 0 to 1 that a kind of move (piece, from, to, captured) stays unseen during a search.
    ///
    /// Recaptures, captures by pawns, evasions of check and captures of undefended pieces are always seen, and so is the
    /// only legal move.
    pub blindness: f32,
    /// The seed of the game: another seed, other errors.
    pub seed: u64,
}

impl Handicap {
    /// Whether it weakens the search at all.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.noise != Centipawns(0) || self.blindness > 0.0
    }
}

/// A stop flag of a running search. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on [`is_set`](Self::is_set): the search ends within a few thousand nodes.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Clears the flag, before the next search.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a search is controlled by: the stop flag and the clock.
pub struct SearchControl<'a> {
    /// Ends the search early; the best line so far is returned.
    pub stop: &'a Stop,
    /// Read for [`Limits::soft`] and [`Limits::hard`], which count from the call of the search, and to set how often
    /// `stop` is polled.
    pub clock: &'a dyn TimeSource,
}

/// The result of a search, complete after each iteration and at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The last finished iteration; 0 before the first. A better move found since, or a bound, comes from the next one:
    /// see [`Line::depth`].
    pub depth: Depth,
    /// The deepest ply visited, quiescence included.
    pub seldepth: Depth,
    /// Nodes visited.
    pub nodes: Nodes,
    /// Time since the search was called.
    pub elapsed: Millis,
    /// The longest time between two reads of the clock. Measured only with a hard time limit, and long only when other
    /// programs keep the processor busy.
    pub stall: Millis,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u16,
    /// Tablebase hits.
    pub table_hits: u64,
    /// The best lines, best first: as many as requested and legal. Empty only when there is no legal move.
    pub lines: Vec<Line>,
    /// The score of the best move after each finished iteration, from depth 1 on, never a bound. With several threads a
    /// skipped depth gets the score of the next one.
    pub scores_by_depth: Vec<Score>,
}

impl SearchResult {
    /// The move to play: none only when there is no legal move.
    #[must_use]
    pub fn best(&self) -> Option<Move> {
        self.lines.first().and_then(|line| line.pv.first().copied())
    }

    /// The scores of the best moves of this search and another of the same position, at the deepest iteration that both
    /// have finished. None when one has finished none.
    ///
    /// The scores of [`lines`](Self::lines) cannot be compared: they may be bounds, and of different depths.
    #[must_use]
    pub fn common_depth_scores(&self, other: &Self) -> Option<(Score, Score)> {
        let mut both = self.scores_by_depth.iter().zip(&other.scores_by_depth);
        both.next_back().map(|(one, other)| (*one, *other))
    }
}

/// What a search reports while it runs.
#[derive(Debug)]
pub enum SearchEvent<'a> {
    /// An iteration is finished.
    Iteration(&'a SearchResult),
    /// The current iteration has found a bound of the best line's score, not yet the exact score.
    Bound(&'a SearchResult),
    /// The root move being searched. Reported from a second on.
    Move {
        /// The move.
        mv: Move,
        /// Its number among the root moves, from 1.
        number: usize,
        /// The iteration's depth.
        depth: Depth,
    },
}

/// Whether a score is exact or a bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BoundKind {
    /// The exact score.
    #[default]
    Exact,
    /// A lower bound: the search was cut short before the exact score was found.
    AtLeast,
    /// An upper bound.
    AtMost,
}

/// A principal variation and its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The iteration that found its score; 0 before any did.
    pub depth: Depth,
    /// The score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: BoundKind,
    /// The moves, at least one.
    pub pv: Vec<Move>,
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

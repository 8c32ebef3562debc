//! Search result: lines with scores, and the events of a running search.

use super::score::Score;
use sparring_chess::{
    Move,
    units::{Depth, Millis, Nodes},
};

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

//! The engine: transposition table and threads that last from search to search.

use std::sync::Arc;

use super::{
    best_thread::{ThreadResult, elect},
    history::{PieceSquare, piece_square},
    iterative_deepening::fill,
    lazy_smp::SearchContext,
    node::Node,
    overrides::EngineOverrides,
    params::Params,
    reductions::Reductions,
    root_moves::RootMove,
    score::Score,
    search_control::SearchControl,
    search_limits::SearchLimiter,
    search_request::SearchRequest,
    search_result::{SearchEvent, SearchResult},
    syzygy::reported_score,
    thread_data::ThreadMemory,
    threads::ThreadPool,
    tt::TranspositionTable,
};
use sparring_chess::{
    GameHistory, Move,
    units::{Depth, Nodes},
};

/// An engine with its hash table, kept from move to move.
#[derive(Debug)]
pub struct Engine {
    params: Params,
    /// The overrides of the last search, where it had any.
    overrides: Option<Arc<EngineOverrides>>,
    /// Whether the last search used the net.
    used_net: bool,
    /// The reduction table for the parameters of the last search.
    reductions: Reductions,
    table: TranspositionTable,
    pool: ThreadPool,
    /// One for each thread, the leader's first.
    memories: Vec<ThreadMemory>,
}

impl Engine {
    /// An engine of one thread with a transposition table of this many mebibytes, at least 1. The system allocates the
    /// table's pages when searches first touch them.
    #[must_use]
    pub fn new(hash_mib: usize) -> Self {
        Self::with(TranspositionTable::new(hash_mib))
    }

    /// The same, with the whole table in memory when this returns. That takes a while for a large one, but no search
    /// waits for it.
    #[must_use]
    pub fn ready(hash_mib: usize) -> Self {
        Self::with(TranspositionTable::ready(hash_mib))
    }

    fn with(table: TranspositionTable) -> Self {
        let params = Params::default();
        Self {
            reductions: Reductions::new(&params),
            params,
            overrides: None,
            used_net: true,
            table,
            pool: ThreadPool::new(1),
            memories: vec![ThreadMemory::new()],
        }
    }

    /// Clears the transposition table and all histories, as before a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memories.iter_mut().for_each(ThreadMemory::clear);
    }

    /// Gives the transposition table another size in mebibytes; what it held is lost. It is in memory when this
    /// returns, as that of [`ready`](Self::ready).
    pub fn resize(&mut self, hash_mib: usize) {
        // The old table goes first, so that both need not fit into memory.
        self.table = TranspositionTable::new(1);
        self.table = TranspositionTable::ready(hash_mib);
    }

    /// The size of the transposition table in mebibytes; less than requested when memory lacks.
    #[must_use]
    pub fn hash_mib(&self) -> usize {
        self.table.mib()
    }

    /// Sets the number of search threads: at least one, at most [`MAX_THREADS`](super::MAX_THREADS).
    ///
    /// Only a single thread repeats a search exactly: the order in which several write to the table varies.
    pub fn set_threads(&mut self, threads: usize) {
        self.pool = ThreadPool::new(threads);
        self.memories.resize_with(self.pool.threads(), ThreadMemory::new);
    }

    /// The number of search threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// The search parameters.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Sets the search parameters.
    pub fn set_params(&mut self, params: Params) {
        self.params = params;
        self.rebuild_reductions();
    }

    /// Applies the parameters and the evaluation mode of a search.
    fn apply_overrides(&mut self, search: &SearchRequest) {
        let is_in_force = match (&self.overrides, &search.overrides) {
            (Some(before), Some(now)) => Arc::ptr_eq(before, now),
            (before, now) => before.is_none() && now.is_none(),
        };
        let uses_net = search.uses_net(&self.params);
        if !is_in_force {
            self.overrides.clone_from(&search.overrides);
            self.rebuild_reductions();
        }
        if !is_in_force || uses_net != self.used_net {
            self.used_net = uses_net;
            // The pawn table and the correction histories belong to the previous evaluation.
            self.memories.iter_mut().for_each(ThreadMemory::clear_evaluations);
        }
    }

    fn rebuild_reductions(&mut self) {
        let params = self
            .overrides
            .as_deref()
            .map_or(&self.params, EngineOverrides::params);
        self.reductions = Reductions::new(params);
    }

    /// Searches, calls `on_event` after each finished iteration, and returns the last result.
    ///
    /// An engine of one thread that is new or [cleared](Self::clear) finds the same again, with the same number of nodes,
    /// unless time or a stop ends the search.
    pub fn search(
        &mut self,
        search: &SearchRequest,
        control: &SearchControl<'_>,
        on_event: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        let mut report = SearchResult::default();
        let mut on_event = |event: SearchEvent<'_>| {
            if let SearchEvent::Iteration(report) = event {
                on_event(report);
            }
        };
        self.search_into(search, control, &mut on_event, &mut report);
        report
    }

    /// Searches as [`search`](Self::search) does, reports all events, and leaves the last result in `report`.
    ///
    /// Allocates nothing with one thread, a `report` that is reused for as many lines, and no tablebases.
    pub fn search_into(
        &mut self,
        search: &SearchRequest,
        control: &SearchControl<'_>,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
        report: &mut SearchResult,
    ) {
        self.apply_overrides(search);
        self.table.new_search();
        self.pool.begin();
        let node = Node::root(&search.line);
        let last = last_move(&search.line);
        for memory in &mut self.memories {
            memory.begin(search.line.keys(), last);
        }
        let limiter = SearchLimiter::lead(&search.limits, control, &self.pool);
        let tablebase = search
            .tablebase
            .as_deref()
            .filter(|_| !search.handicap.is_active());
        let root_ranks = tablebase.and_then(|tables| tables.root_ranks(&search.line));
        if let Some(root_ranks) = &root_ranks {
            let count = u64::try_from(root_ranks.moves.len()).unwrap_or(0);
            self.pool.add_table_hits(count);
        }
        let shared = SearchContext {
            params: self
                .overrides
                .as_deref()
                .map_or(&self.params, EngineOverrides::params),
            reductions: &self.reductions,
            table: &self.table,
            pool: &self.pool,
            node: &node,
            search,
            uses_net: self.used_net,
            // Among root moves of the same exact result the evaluation chooses better than probes below.
            tablebase: tablebase.filter(|_| !root_ranks.as_ref().is_some_and(|known| known.is_exact)),
            root_ranks: root_ranks.as_ref().map_or(&[], |known| &known.moves),
        };
        let Some((leader, helpers)) = self.memories.split_first_mut() else {
            unreachable!("there is always one thread");
        };
        let run_leader = || {
            let iteration = shared.iteration(leader, limiter);
            iteration.lead(search, on_event, report)
        };
        if helpers.is_empty() {
            run_leader();
            return;
        }
        let found = shared.search_together(helpers, run_leader);
        report.nodes = Nodes(self.pool.nodes_of_others(usize::MAX));
        // With a depth limit or several lines the leader's result is the one that was requested.
        if search.limits.depth.is_none() && search.multi_pv <= 1 {
            let elected = elect(&found);
            if let (Some(found), Some(memory)) = (found.get(elected), self.memories.get(elected))
                && elected > 0
            {
                report_helper(report, found, &memory.roots);
            }
        }
    }
}

/// Replaces the leader's line in the report by a helper's.
fn report_helper(report: &mut SearchResult, found: &ThreadResult<Option<Move>>, roots: &[RootMove]) {
    fill(report, roots, 1, found.depth);
    let seldepth = u32::try_from(found.seldepth).unwrap_or(0);
    report.seldepth = report.seldepth.max(Depth(seldepth));
    let depths = usize::try_from(found.depth).unwrap_or(0);
    let finished = reported_score(found.finished, roots.first().and_then(|best| best.wdl_rank));
    report.scores_by_depth.truncate(depths.saturating_sub(1));
    report.scores_by_depth.resize(depths, Score::from_value(finished));
}

/// The last move of a game, with the piece and square it moved to.
fn last_move(line: &GameHistory) -> Option<(Move, PieceSquare)> {
    let mv = *line.moves().last()?;
    Some((mv, piece_square(!line.turn(), mv)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Stop};
    use sparring_chess::{Rules as _, Variant, units::Stopwatch};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn searches_with_and_without_the_net_share_no_table_entries() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3 b8c6").unwrap();
        let limits = Limits {
            nodes: Some(Nodes(3000)),
            ..Limits::default()
        };
        let with_net = SearchRequest::new(line, limits);
        let classical_only = SearchRequest {
            classical_only: true,
            ..with_net.clone()
        };
        let (stop, clock) = (Stop::new(), Stopwatch::start());
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let find =
            |engine: &mut Engine, search: &SearchRequest| engine.search(search, &control, &mut |_| ()).lines;
        for (one, other) in [(&with_net, &classical_only), (&classical_only, &with_net)] {
            let mut engine = Engine::new(16);
            let first = find(&mut engine, one);
            let alone = find(&mut Engine::new(16), other);
            assert_eq!(find(&mut engine, other), alone);
            assert_ne!(first, alone);
        }
        // The parameter `net` switches the net off too.
        let mut engine = Engine::new(16);
        find(&mut engine, &with_net);
        engine.set_params(Params {
            net: 0,
            ..Params::default()
        });
        assert_eq!(
            find(&mut engine, &with_net),
            find(&mut Engine::new(16), &classical_only)
        );
    }

    #[test]
    fn a_leader_that_panics_takes_its_helpers_along() {
        let mut engine = Engine::new(1);
        engine.set_threads(2);
        let (stop, clock) = (Stop::new(), Stopwatch::start());
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let search = SearchRequest::new(GameHistory::new(Variant::Standard), Limits::default());
        let fall = AssertUnwindSafe(|| engine.search(&search, &control, &mut |_| panic!("in the callback")));
        assert!(catch_unwind(fall).is_err());
    }

    #[test]
    fn an_elected_helper_answers_for_as_many_depths_as_it_finished() {
        let moves = Variant::Standard.start().legal_moves();
        let roots = [RootMove::new(moves[3], 0)];
        for leader in [4, 9] {
            let mut report = SearchResult {
                scores_by_depth: vec![Score::from_value(20); leader],
                ..SearchResult::default()
            };
            let found = ThreadResult {
                depth: 7,
                score: 70,
                finished: 50,
                mv: Some(moves[3]),
                seldepth: 31,
            };
            report_helper(&mut report, &found, &roots);
            assert_eq!((report.depth, report.best()), (Depth(7), Some(moves[3])));
            assert_eq!(report.seldepth, Depth(31));
            assert_eq!(report.scores_by_depth.len(), 7, "the leader finished {leader}");
            assert_eq!(report.scores_by_depth.last(), Some(&Score::from_value(50)));
            assert_eq!(report.scores_by_depth[0], Score::from_value(20));
        }
    }
}

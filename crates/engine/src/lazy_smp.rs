//! Lazy SMP: a leader and its helpers, each deepening the root on a thread of its own.

use std::{ops::ControlFlow, thread};

use super::{
    best_thread::ThreadResult,
    eval::Evaluator,
    fortress,
    handicap::PreparedHandicap,
    iterative_deepening::Iteration,
    nnue,
    node::Node,
    overrides::EngineOverrides,
    params::Params,
    reductions::Reductions,
    search_limits::SearchLimiter,
    search_request::SearchRequest,
    style_bonus::PreparedStyleBonus,
    syzygy::{SALT, Tablebase, WdlRank},
    thread_data::{Searcher, ThreadMemory},
    threads::ThreadPool,
    tt::TranspositionTable,
};
use sparring_chess::Move;

/// Ends the search of all threads when dropped, even by a panic: helpers would run for ever, and the scope would wait for
/// them.
struct FinishOnDrop<'a>(&'a ThreadPool);

impl Drop for FinishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// What all threads of a search share.
#[derive(Clone, Copy)]
pub(super) struct SearchContext<'a> {
    pub params: &'a Params,
    pub reductions: &'a Reductions,
    pub table: &'a TranspositionTable,
    pub pool: &'a ThreadPool,
    pub node: &'a Node,
    pub search: &'a SearchRequest,
    pub uses_net: bool,
    /// Tablebases to probe below the root, and the WDL ranks of the root moves.
    pub tablebase: Option<&'a Tablebase>,
    pub root_ranks: &'a [(Move, WdlRank)],
}

impl<'a> SearchContext<'a> {
    pub fn iteration(self, memory: &'a mut ThreadMemory, limiter: SearchLimiter<'a>) -> Iteration<'a> {
        let searcher = self.searcher(memory, limiter);
        Iteration::new(searcher, self.node, self.search, self.root_ranks)
    }

    fn searcher(self, memory: &'a mut ThreadMemory, limiter: SearchLimiter<'a>) -> Searcher<'a> {
        let variant = self.search.line.variant();
        let handicap = PreparedHandicap::new(&self.search.handicap, self.node.keys.full);
        let style = PreparedStyleBonus::new(&self.search.style_bonus, self.node.turn);
        let overrides = self.search.overrides.as_deref();
        Searcher {
            params: self.params,
            reductions: self.reductions,
            table: self.table,
            pool: self.pool,
            memory,
            limiter,
            evaluator: Evaluator::for_variant(variant)
                .with_weights(overrides.and_then(EngineOverrides::weights)),
            uses_net: self.uses_net,
            traits: variant.traits(),
            handicap,
            style,
            detects_fortresses: fortress::are_detected(self.node, &handicap),
            tablebase: self.tablebase,
            salt: handicap.salt()
                ^ style.salt()
                ^ fortress::salt(self.node)
                ^ overrides.map_or(0, EngineOverrides::salt)
                ^ nnue::salt(self.uses_net)
                ^ self.tablebase.map_or(0, |_| SALT),
            seldepth: 0,
            iteration: 0,
            null_from: 0,
        }
    }

    /// Searches with helpers beside the leader, who decides when the search ends. Returns the results in the order of
    /// threads.
    pub fn search_together(
        self,
        helpers: &mut [ThreadMemory],
        run_leader: impl FnOnce() -> ThreadResult<Option<Move>>,
    ) -> Vec<ThreadResult<Option<Move>>> {
        thread::scope(|scope| {
            let mut started = Vec::with_capacity(helpers.len());
            let refused = helpers.iter_mut().enumerate().try_for_each(|(index, memory)| {
                let help = move || {
                    let limiter = SearchLimiter::follow(&self.search.limits, self.pool, index + 1);
                    self.iteration(memory, limiter).help()
                };
                // Where the system refuses more threads, fewer search.
                match thread::Builder::new().spawn_scoped(scope, help) {
                    Ok(handle) => {
                        started.push(handle);
                        ControlFlow::Continue(())
                    }
                    Err(_) => ControlFlow::Break(()),
                }
            });
            let _ = refused; // the search goes on all the same
            let first = {
                let _end = FinishOnDrop(self.pool);
                run_leader()
            };
            let rest = started.into_iter().map(|helper| match helper.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            std::iter::once(first).chain(rest).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{root_moves::RootMove, search_request::Limits};
    use sparring_chess::{
        GameHistory, Rules as _, Variant,
        units::{Depth, Nodes},
    };

    /// What a helper of two threads finds from the start position within `limits`, after `before` has run on the pool.
    fn help(limits: Limits, before: impl FnOnce(&ThreadPool)) -> ThreadResult<Option<Move>> {
        with_helper(limits, |iteration, pool| {
            before(pool);
            iteration.help()
        })
    }

    /// Runs `work` on the iteration of one of two threads, from the start position.
    fn with_helper<R>(limits: Limits, work: impl FnOnce(Iteration<'_>, &ThreadPool) -> R) -> R {
        let search = SearchRequest::new(GameHistory::new(Variant::Standard), limits);
        let (params, pool) = (Params::default(), ThreadPool::new(2));
        let (node, mut memory) = (Node::root(&search.line), ThreadMemory::new());
        memory.begin(search.line.keys(), None);
        let shared = SearchContext {
            params: &params,
            reductions: &Reductions::new(&params),
            table: &TranspositionTable::new(1),
            pool: &pool,
            node: &node,
            search: &search,
            uses_net: true,
            tablebase: None,
            root_ranks: &[],
        };
        // Its own node limit ends it here, not a leader.
        let limiter = SearchLimiter::follow(&search.limits, &pool, 1);
        work(shared.iteration(&mut memory, limiter), &pool)
    }

    /// The moves from the start position, the last first.
    fn reversed() -> Vec<RootMove> {
        let moves = Variant::Standard.start().legal_moves();
        moves.iter().rev().map(|mv| RootMove::new(*mv, 0)).collect()
    }

    #[test]
    fn a_helper_goes_on_beyond_the_depth_that_ends_the_leader() {
        let limits = Limits {
            depth: Some(Depth(2)),
            nodes: Some(Nodes(20_000)),
            ..Limits::default()
        };
        let found = help(limits, |_| ());
        assert!(found.depth > 4, "{found:?}");
    }

    #[test]
    fn a_thread_that_is_overtaken_goes_on_from_what_the_other_found() {
        let limits = Limits {
            nodes: Some(Nodes(2000)),
            ..Limits::default()
        };
        let alone = help(limits, |_| ());
        assert!(alone.depth < 40, "{alone:?}");
        let best = reversed().first().map(|root| root.mv);
        let found = help(limits, |pool| pool.publish_iteration(40, 50, &reversed()));
        assert_eq!((found.depth, found.mv), (40, best));
        assert_ne!(alone.mv, best);
    }

    #[test]
    fn an_iteration_too_short_to_look_up_does_not_hide_what_the_other_found() {
        with_helper(Limits::default(), |mut iteration, pool| {
            assert!(iteration.deepen(100, None));
            pool.publish_iteration(40, 50, &reversed());
            assert!(iteration.deepen(100, None));
            pool.finish();
            assert_eq!(iteration.help().depth, 40);
        });
    }
}

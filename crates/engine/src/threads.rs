//! Shared state of the threads of one search (lazy SMP), beside the transposition table.
//!
//! Each thread deepens the root on its own. The pool holds the stop flag, the node counts, how many threads have begun
//! which depth, and the result of the deepest finished iteration: a thread still busy with one no deeper leaves it and
//! goes on from there.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use super::{root_moves::RootMove, score::DEEPEST};

/// The most threads that a search may have.
pub const MAX_THREADS: usize = 256;

/// The node count of one thread, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Lane(AtomicU64);

/// What the threads of a search share beside the table.
#[derive(Debug)]
pub(super) struct ThreadPool {
    over: AtomicBool,
    lanes: Vec<Lane>,
    /// By depth: how many threads have begun that iteration.
    begun: Vec<AtomicUsize>,
    /// The depth of `finished`, read without a lock; 0 before there is one.
    deepest: AtomicI32,
    finished: Mutex<Finished>,
    /// Tablebase hits.
    table_hits: AtomicU64,
}

/// The deepest iteration that any thread has finished.
#[derive(Debug, Default)]
struct Finished {
    seldepth: usize,
    moves: Vec<RootMove>,
}

impl ThreadPool {
    /// A pool of `threads` threads, from 1 to [`MAX_THREADS`].
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MAX_THREADS);
        Self {
            over: AtomicBool::new(false),
            lanes: (0..threads).map(|_| Lane::default()).collect(),
            begun: (0..=DEEPEST).map(|_| AtomicUsize::new(0)).collect(),
            deepest: AtomicI32::new(0),
            finished: Mutex::default(),
            table_hits: AtomicU64::new(0),
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.lanes.len()
    }

    /// Resets the pool for a search.
    pub fn begin(&self) {
        self.over.store(false, Relaxed);
        self.lanes.iter().for_each(|lane| lane.0.store(0, Relaxed));
        self.begun.iter().for_each(|count| count.store(0, Relaxed));
        self.deepest.store(0, Relaxed);
        self.table_hits.store(0, Relaxed);
    }

    /// Ends the search of all threads.
    pub fn finish(&self) {
        self.over.store(true, Relaxed);
    }

    /// Whether the search is over.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Publishes how many nodes a thread has visited.
    pub fn publish(&self, lane: usize, nodes: u64) {
        if let Some(lane) = self.lanes.get(lane) {
            lane.0.store(nodes, Relaxed);
        }
    }

    /// The nodes that all other threads have published.
    pub fn nodes_of_others(&self, lane: usize) -> u64 {
        let others = self.lanes.iter().enumerate().filter(|(index, _)| *index != lane);
        others.map(|(_, lane)| lane.0.load(Relaxed)).sum()
    }

    /// Counts tablebase hits.
    pub fn add_table_hits(&self, count: u64) {
        self.table_hits.fetch_add(count, Relaxed);
    }

    /// Tablebase hits of this search.
    pub fn table_hits(&self) -> u64 {
        self.table_hits.load(Relaxed)
    }

    /// Claims the iteration that a thread searches next, from `depth` to `last` plies deep: the first that is not
    /// crowded.
    pub fn claim_depth(&self, depth: i32, last: i32) -> i32 {
        let is_free = |depth: &i32| !is_crowded(self.threads(), self.begun(*depth).load(Relaxed));
        let depth = (depth..last).find(is_free).unwrap_or(last);
        self.begun(depth).fetch_add(1, Relaxed);
        depth
    }

    fn begun(&self, depth: i32) -> &AtomicUsize {
        &self.begun[depth.clamp(0, DEEPEST) as usize]
    }

    /// The depth of the deepest iteration that any thread has finished; 0 before there is one.
    pub fn deepest(&self) -> i32 {
        self.deepest.load(Relaxed)
    }

    /// Publishes a finished iteration to the other threads, unless one as deep was.
    pub fn publish_iteration(&self, depth: i32, seldepth: usize, moves: &[RootMove]) {
        if self.threads() == 1 {
            return;
        }
        let mut finished = self.finished();
        if depth > self.deepest() {
            finished.seldepth = seldepth;
            finished.moves.clear();
            finished.moves.extend_from_slice(moves);
            self.deepest.store(depth, Relaxed);
        }
    }

    /// Copies the deepest finished iteration and returns its depth. Only the node counts stay those of the calling
    /// thread.
    pub fn copy_iteration(&self, seldepth: &mut usize, moves: &mut Vec<RootMove>) -> i32 {
        let finished = self.finished();
        *seldepth = finished.seldepth.max(*seldepth);
        let own = std::mem::replace(moves, finished.moves.clone());
        for root in moves {
            let same = own.iter().find(|other| other.mv == root.mv);
            root.nodes = same.map_or(0, |other| other.nodes);
        }
        self.deepest()
    }

    fn finished(&self) -> MutexGuard<'_, Finished> {
        // Nothing that is done under this lock can panic half way.
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a thread should leave an iteration to others: joining, it would make more than two thirds of all threads
/// search the same depth. Wasp's rule, but counting the newcomer and meant for the leader too, so that of two threads
/// each has a depth of its own.
pub(super) fn is_crowded(threads: usize, begun: usize) -> bool {
    begun > 0 && 3 * (begun + 1) > 2 * threads
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Move, Rules as _, Variant};

    #[test]
    fn threads_skip_depths_that_two_thirds_search_already() {
        for (threads, begun, crowded) in [
            (2, 0, false),
            (2, 1, true),
            (3, 1, false),
            (3, 2, true),
            (4, 1, false),
            (4, 2, true),
            (8, 4, false),
            (8, 5, true),
            (64, 41, false),
            (64, 42, true),
        ] {
            assert_eq!(is_crowded(threads, begun), crowded, "{begun} of {threads}");
        }
    }

    #[test]
    fn a_thread_takes_the_next_depth_that_is_not_crowded() {
        let pool = ThreadPool::new(2);
        assert_eq!([1, 1, 1].map(|depth| pool.claim_depth(depth, 100)), [1, 2, 3]);
        // The last depth is claimed however many search it.
        assert_eq!(pool.claim_depth(3, 3), 3);
        pool.begin();
        assert_eq!(pool.claim_depth(1, 100), 1);
        let alone = ThreadPool::new(1);
        assert_eq!([1, 2, 3].map(|depth| alone.claim_depth(depth, 100)), [1, 2, 3]);
        assert_eq!(alone.claim_depth(DEEPEST, DEEPEST), DEEPEST);
    }

    #[test]
    fn three_threads_may_share_a_depth_by_two() {
        let pool = ThreadPool::new(3);
        assert_eq!(
            [1; 6].map(|depth| pool.claim_depth(depth, 100)),
            [1, 1, 2, 2, 3, 3]
        );
    }

    fn roots(nodes: u64) -> Vec<RootMove> {
        let moves = Variant::Standard.start().legal_moves();
        let root = |mv: &Move| RootMove {
            nodes,
            ..RootMove::new(*mv, 0)
        };
        moves.iter().map(root).collect()
    }

    #[test]
    fn the_deepest_finished_iteration_is_shared() {
        let pool = ThreadPool::new(2);
        let (mut mine, mut theirs) = (roots(7), roots(11));
        theirs.reverse();
        let best = theirs[0].mv;
        theirs[0].score = 30;
        pool.publish_iteration(5, 9, &theirs);
        // No deeper, so not published.
        pool.publish_iteration(5, 20, &mine);
        assert_eq!(pool.deepest(), 5);
        let mut seldepth = 4;
        assert_eq!((pool.copy_iteration(&mut seldepth, &mut mine), seldepth), (5, 9));
        assert_eq!((mine[0].mv, mine[0].score), (best, 30));
        assert!(mine.iter().all(|root| root.nodes == 7));
        pool.begin();
        assert_eq!(pool.deepest(), 0);
    }

    #[test]
    fn nodes_are_counted_by_thread() {
        let pool = ThreadPool::new(3);
        pool.publish(0, 5);
        pool.publish(1, 7);
        pool.publish(2, 11);
        assert_eq!(pool.nodes_of_others(1), 16);
        pool.begin();
        assert_eq!(pool.nodes_of_others(0), 0);
    }
}

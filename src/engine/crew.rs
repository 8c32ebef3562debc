//! The threads of one search (lazy SMP): each deepens the root on its own, and they meet in the shared table alone.
//!
//! What they tell each other beside it is kept here: that the search is over, how many nodes each has visited, and
//! how many have reached which depth.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::score::{MATE_BOUND, MAX_PLY};

/// The most threads that a search may have.
pub const MAX_THREADS: usize = 256;

/// The nodes of one thread, on a cache line of its own so that counting disturbs nobody.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Lane(AtomicU64);

/// What the threads of a search share beside the table.
#[derive(Debug)]
pub(super) struct Crew {
    over: AtomicBool,
    lanes: Vec<Lane>,
    /// By depth: how many threads have begun that iteration.
    begun: Vec<AtomicUsize>,
}

impl Crew {
    /// A crew of so many threads, from 1 to [`MAX_THREADS`].
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MAX_THREADS);
        Self {
            over: AtomicBool::new(false),
            lanes: (0..threads).map(|_| Lane::default()).collect(),
            begun: (0..MAX_PLY).map(|_| AtomicUsize::new(0)).collect(),
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.lanes.len()
    }

    /// Makes ready for a search.
    pub fn begin(&self) {
        self.over.store(false, Relaxed);
        self.lanes.iter().for_each(|lane| lane.0.store(0, Relaxed));
        self.begun.iter().for_each(|count| count.store(0, Relaxed));
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

    /// The first iteration from `depth` on that a helper should search, and notes that it does.
    pub fn take_depth(&self, depth: i32) -> i32 {
        let mut index = usize::try_from(depth).unwrap_or(0).min(MAX_PLY - 1);
        while index + 1 < self.begun.len() && is_crowded(self.threads(), self.begun[index].load(Relaxed)) {
            index += 1;
        }
        self.note_depth(index as i32);
        index as i32
    }

    /// Notes that a thread begins an iteration.
    pub fn note_depth(&self, depth: i32) {
        let count = usize::try_from(depth)
            .ok()
            .and_then(|depth| self.begun.get(depth));
        if let Some(count) = count {
            count.fetch_add(1, Relaxed);
        }
    }
}

/// Whether a helper should leave an iteration out: joining, it would make more than two thirds of all threads search
/// the same depth. Wasp's rule, but counting the newcomer, so that the second of two threads runs a ply ahead.
pub(super) fn is_crowded(threads: usize, begun: usize) -> bool {
    begun > 0 && 3 * (begun + 1) > 2 * threads
}

/// What one thread has to say at the end: its last finished depth, and the worth of its first move there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<M> {
    pub mv: M,
    pub depth: i32,
    pub worth: i32,
}

/// The thread whose line is played. Each thread votes for its move, with a weight that grows with its depth and score;
/// the surest of those for the winner speaks for it. A mate needs no votes: the shortest wins.
pub(super) fn elect<M: PartialEq>(found: &[Found<M>]) -> usize {
    let lowest = found.iter().map(|one| one.worth).min().unwrap_or(0);
    let weight = |one: &Found<M>| i64::from(one.worth - lowest + 14) * i64::from(one.depth);
    let votes = |one: &Found<M>| -> i64 { found.iter().filter(|other| other.mv == one.mv).map(weight).sum() };
    let mut elected = 0;
    for (index, one) in found.iter().enumerate().skip(1) {
        let best = &found[elected];
        let wins = if one.depth == 0 {
            false
        } else if best.worth.abs() >= MATE_BOUND || one.worth >= MATE_BOUND {
            one.worth > best.worth
        } else {
            (votes(one), weight(one)) > (votes(best), weight(best))
        };
        if wins {
            elected = index;
        }
    }
    elected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_leave_out_what_two_thirds_search_already() {
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
    fn a_helper_takes_the_next_depth_that_is_not_crowded() {
        let crew = Crew::new(2);
        crew.note_depth(1);
        assert_eq!(crew.take_depth(1), 2);
        assert_eq!(crew.take_depth(3), 3);
        crew.begin();
        assert_eq!(crew.take_depth(1), 1);
        assert_eq!(crew.take_depth(500), MAX_PLY as i32 - 1);
    }

    #[test]
    fn nodes_are_counted_by_thread() {
        let crew = Crew::new(3);
        crew.publish(0, 5);
        crew.publish(1, 7);
        crew.publish(2, 11);
        assert_eq!(crew.nodes_of_others(1), 16);
        crew.begin();
        assert_eq!(crew.nodes_of_others(0), 0);
    }

    fn found(mv: char, depth: i32, worth: i32) -> Found<char> {
        Found { mv, depth, worth }
    }

    #[test]
    fn the_thread_that_speaks_is_elected() {
        // Alone against none; more votes; deeper among equals; a thread that finished nothing has no say.
        assert_eq!(elect(&[found('a', 9, 10)]), 0);
        assert_eq!(
            elect(&[found('a', 9, 10), found('b', 9, 12), found('b', 9, 11)]),
            1
        );
        assert_eq!(elect(&[found('a', 9, 10), found('a', 11, 10)]), 1);
        assert_eq!(elect(&[found('a', 9, 10), found('b', 0, 500)]), 0);
        // The shorter mate wins whatever the votes, and a way out of mate wins over being mated.
        let (mate, shorter) = (MATE_BOUND + 10, MATE_BOUND + 12);
        assert_eq!(
            elect(&[found('a', 20, mate), found('a', 20, mate), found('b', 4, shorter)]),
            2
        );
        assert_eq!(elect(&[found('a', 20, -shorter), found('b', 18, -30)]), 1);
    }
}

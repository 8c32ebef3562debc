//! Counts nodes and knows when a search is over: node limit, clock and the wish to stop.

use super::{Limits, Stop, Surroundings};
use crate::units::{Clock, Millis, Nodes};

/// The stop flag and the clock are looked at once in so many nodes.
const POLL: u64 = 1024;

/// The limits of a running search.
pub(super) struct Watch<'a> {
    nodes: u64,
    /// The count at which something has to be looked at.
    checkpoint: u64,
    limit: u64,
    hard: Option<Millis>,
    stop: &'a Stop,
    clock: &'a dyn Clock,
    started: Millis,
    stopped: bool,
}

impl<'a> Watch<'a> {
    /// Starts counting nodes and time.
    pub fn start(limits: &Limits, around: &Surroundings<'a>) -> Self {
        Self {
            nodes: 0,
            checkpoint: 0,
            limit: limits.nodes.map_or(u64::MAX, |Nodes(nodes)| nodes),
            hard: limits.hard,
            stop: around.stop,
            clock: around.clock,
            started: around.clock.elapsed(),
            stopped: false,
        }
    }

    /// Counts a node that is about to be searched. False when it must not be: the search is over.
    #[inline]
    pub fn visit(&mut self) -> bool {
        if self.nodes >= self.checkpoint && self.is_over() {
            return false;
        }
        self.nodes += 1;
        true
    }

    #[cold]
    fn is_over(&mut self) -> bool {
        self.stopped = self.stopped
            || self.nodes >= self.limit
            || self.stop.is_set()
            || self.hard.is_some_and(|hard| self.elapsed() >= hard);
        self.checkpoint = self.limit.min(self.nodes + POLL);
        self.stopped
    }

    /// Whether the search was cut short, so that results from now on mean nothing.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Nodes so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Millis {
        self.clock.elapsed() - self.started
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    struct Hands(Cell<u64>);

    impl Clock for Hands {
        fn elapsed(&self) -> Millis {
            Millis(self.0.get())
        }
    }

    #[test]
    fn a_node_limit_is_exact() {
        let (stop, clock) = (Stop::new(), Hands(Cell::new(0)));
        for limit in [0, 1, 1023, 1024, 1025, 5000] {
            let limits = Limits {
                nodes: Some(Nodes(limit)),
                ..Limits::default()
            };
            let around = Surroundings {
                stop: &stop,
                clock: &clock,
            };
            let mut watch = Watch::start(&limits, &around);
            while watch.visit() {}
            assert_eq!(watch.nodes(), limit);
            assert!(watch.stopped());
        }
    }

    #[test]
    fn the_hard_limit_counts_from_the_start_of_the_search() {
        let (stop, clock) = (Stop::new(), Hands(Cell::new(5000)));
        let limits = Limits {
            hard: Some(Millis(100)),
            ..Limits::default()
        };
        let around = Surroundings {
            stop: &stop,
            clock: &clock,
        };
        let mut watch = Watch::start(&limits, &around);
        assert!((0..10_000).all(|_| watch.visit()));
        clock.0.set(5100);
        assert!((0..=POLL).any(|_| !watch.visit()));
    }

    #[test]
    fn a_search_stopped_before_it_starts_visits_nothing() {
        let (stop, clock) = (Stop::new(), Hands(Cell::new(0)));
        stop.set();
        let around = Surroundings {
            stop: &stop,
            clock: &clock,
        };
        assert!(!Watch::start(&Limits::default(), &around).visit());
    }
}

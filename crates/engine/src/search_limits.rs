//! Search limits: nodes, clock and stop.

use super::{
    search_control::{SearchControl, Stop},
    search_request::Limits,
    threads::ThreadPool,
};
use sparring_chess::units::{Millis, Nodes, TimeSource};

/// Nodes between two polls of the stop flag and the clock. The first polls come sooner, for clocks with hardly any time
/// left: after [`FIRST_POLL`] nodes, then each time after as many nodes as came before.
const POLL: u64 = 1024;
const FIRST_POLL: u64 = 16;

/// When two polls are this far apart, the interval halves: on a busy machine a thousand nodes can outlast a clock.
const SLOW: Millis = Millis(8);

/// Searched however late it is: so few nodes distinguish good moves from bad ones, and take hardly any time.
const FIRST_NODES: u64 = 256;
/// Unless they take this long.
const FIRST_NODES_TIME: Millis = Millis(50);

/// Nodes between two polls of a helper, which follows its leader.
const FOLLOW: u64 = 256;

/// The limits of a running search, as one of its threads keeps them.
pub(super) struct SearchLimiter<'a> {
    nodes: u64,
    /// The node count of the next poll.
    checkpoint: u64,
    limit: u64,
    pool: &'a ThreadPool,
    /// The index of this thread.
    lane: usize,
    /// Stop flag and clock, polled by the leader; helpers only follow it.
    lead: Option<Leader<'a>>,
    state: State,
    /// The depth of the iteration under way, where one as deep that another thread finishes makes it needless.
    iteration: Option<i32>,
}

/// Whether a search goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// Another thread has finished an iteration as deep as this one, which is left.
    Overtaken,
    Over,
}

struct Leader<'a> {
    hard: Option<Millis>,
    stop: &'a Stop,
    clock: &'a dyn TimeSource,
    started: Millis,
    /// When the clock was last read, and the longest time between two reads.
    polled: Millis,
    stall: Millis,
    /// The nodes until the next poll.
    interval: u64,
}

impl Leader<'_> {
    fn is_stopped(&mut self, nodes: u64) -> bool {
        let now = self.clock.elapsed() - self.started;
        let took = now - self.polled;
        self.polled = now;
        let interval = if took < SLOW {
            self.interval * 2
        } else {
            self.interval / 2
        };
        // An interval of at most the nodes so far delays a stop by at most the time so far.
        self.interval = interval.clamp(1, nodes.clamp(FIRST_POLL, POLL));
        if nodes < FIRST_NODES {
            self.interval = self.interval.min(FIRST_NODES - nodes);
        }
        let has_glanced = nodes >= FIRST_NODES || (nodes > 0 && now >= FIRST_NODES_TIME);
        if self.stop.is_set() {
            return has_glanced;
        }
        let Some(hard) = self.hard else {
            return false;
        };
        self.stall = self.stall.max(took);
        has_glanced && now >= hard
    }
}

impl<'a> SearchLimiter<'a> {
    /// Starts counting nodes and time for the thread that leads a search.
    pub fn lead(limits: &Limits, control: &SearchControl<'a>, pool: &'a ThreadPool) -> Self {
        let lead = Leader {
            hard: limits.hard,
            stop: control.stop,
            clock: control.clock,
            started: control.clock.elapsed(),
            polled: Millis::ZERO,
            stall: Millis::ZERO,
            interval: FIRST_POLL,
        };
        Self {
            lead: Some(lead),
            ..Self::follow(limits, pool, 0)
        }
    }

    /// Starts counting nodes for a helper, which stops with its leader.
    pub fn follow(limits: &Limits, pool: &'a ThreadPool, lane: usize) -> Self {
        Self {
            nodes: 0,
            checkpoint: 0,
            limit: limits.nodes.map_or(u64::MAX, |Nodes(nodes)| nodes),
            pool,
            lane,
            lead: None,
            state: State::Running,
            iteration: None,
        }
    }

    /// Begins an iteration, which is left early when another thread finishes one as deep first.
    pub fn begin_iteration(&mut self, depth: i32) {
        self.iteration = Some(depth);
    }

    /// Ends the iteration; true when it was overtaken.
    pub fn end(&mut self) -> bool {
        self.iteration = None;
        let overtaken = self.state == State::Overtaken;
        if overtaken {
            self.state = State::Running;
        }
        overtaken
    }

    /// Counts a node that is about to be searched. False when it must not be: the search or its iteration is over.
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
        let left = self.limit.saturating_sub(self.all_nodes());
        if self.state == State::Running {
            self.state = self.next_state(left);
        }
        // With several threads the limit is shared out, so that together they hardly overstep it.
        let interval = self.lead.as_ref().map_or(FOLLOW, |lead| lead.interval);
        let share = (left / self.pool.threads() as u64).clamp(1, interval);
        self.checkpoint = self.nodes + if self.stopped() { 0 } else { share };
        self.stopped()
    }

    fn next_state(&mut self, left: u64) -> State {
        if left == 0 || self.is_called_off() {
            State::Over
        } else if self.iteration.is_some_and(|depth| self.pool.deepest() >= depth) {
            State::Overtaken
        } else {
            State::Running
        }
    }

    fn is_called_off(&mut self) -> bool {
        match &mut self.lead {
            Some(lead) => lead.is_stopped(self.nodes),
            None => self.pool.is_over(),
        }
    }

    /// The longest time between two reads of the clock: a few milliseconds, or more on a busy machine. Measured only with
    /// a hard time limit.
    pub fn stall(&self) -> Millis {
        self.lead.as_ref().map_or(Millis::ZERO, |lead| lead.stall)
    }

    /// Whether the search or its iteration was cut short, so that scores are invalid from now on.
    pub fn stopped(&self) -> bool {
        self.state != State::Running
    }

    /// Nodes of this thread so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes of all threads so far: exact for this one, of the others as last published.
    pub fn all_nodes(&self) -> u64 {
        self.publish();
        if self.pool.threads() == 1 {
            self.nodes
        } else {
            self.nodes + self.pool.nodes_of_others(self.lane)
        }
    }

    /// Publishes the node count of this thread to the others.
    pub fn publish(&self) {
        self.pool.publish(self.lane, self.nodes);
    }

    /// Time since the start; none passes for helpers.
    pub fn elapsed(&self) -> Millis {
        self.lead
            .as_ref()
            .map_or(Millis::ZERO, |lead| lead.clock.elapsed() - lead.started)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    struct Hands(Cell<u64>);

    impl TimeSource for Hands {
        fn elapsed(&self) -> Millis {
            Millis(self.0.get())
        }
    }

    #[test]
    fn a_node_limit_is_exact() {
        let pool = ThreadPool::new(1);
        let (stop, clock) = (Stop::new(), Hands(Cell::new(0)));
        for limit in [0, 1, 1023, 1024, 1025, 5000] {
            let limits = Limits {
                nodes: Some(Nodes(limit)),
                ..Limits::default()
            };
            let control = SearchControl {
                stop: &stop,
                clock: &clock,
            };
            let mut limiter = SearchLimiter::lead(&limits, &control, &pool);
            while limiter.visit() {}
            assert_eq!(limiter.nodes(), limit);
            assert!(limiter.stopped());
        }
    }

    #[test]
    fn the_hard_limit_counts_from_the_start_of_the_search() {
        let pool = ThreadPool::new(1);
        let (stop, clock) = (Stop::new(), Hands(Cell::new(5000)));
        let limits = Limits {
            hard: Some(Millis(100)),
            ..Limits::default()
        };
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let mut limiter = SearchLimiter::lead(&limits, &control, &pool);
        assert!((0..10_000).all(|_| limiter.visit()));
        clock.0.set(5100);
        assert!((0..=POLL).any(|_| !limiter.visit()));
    }

    #[test]
    fn a_search_stopped_before_it_starts_searches_the_first_nodes() {
        let pool = ThreadPool::new(1);
        let (stop, clock) = (Stop::new(), Hands(Cell::new(0)));
        stop.set();
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let mut limiter = SearchLimiter::lead(&Limits::default(), &control, &pool);
        while limiter.visit() {}
        assert_eq!(limiter.nodes(), FIRST_NODES);
    }

    #[test]
    fn where_nodes_take_long_the_clock_is_looked_at_more_often() {
        let pool = ThreadPool::new(1);
        let (stop, clock) = (Stop::new(), Hands(Cell::new(0)));
        let ended = |hard: u64, of_node: u64| {
            let limits = Limits {
                hard: Some(Millis(hard)),
                ..Limits::default()
            };
            let control = SearchControl {
                stop: &stop,
                clock: &clock,
            };
            clock.0.set(0);
            let mut limiter = SearchLimiter::lead(&limits, &control, &pool);
            while limiter.visit() {
                clock.0.set(clock.0.get() + of_node);
            }
            clock.0.get()
        };
        // So slow that looks a thousand nodes apart would be a second and more apart.
        for of_node in 1..=5 {
            for hard in [60, 300, 3000] {
                let over = ended(hard, of_node) - hard;
                assert!(over <= 20, "{over} ms after {hard}, {of_node} a node");
            }
        }
        stop.set();
        assert!(ended(3000, 2) <= 60, "the first nodes take no longer");
    }

    /// A clock that counts its reads, and jumps ahead at one of them.
    struct Counting(Cell<u64>);

    impl TimeSource for Counting {
        fn elapsed(&self) -> Millis {
            self.0.set(self.0.get() + 1);
            Millis(if self.0.get() < 20 { 0 } else { 500 })
        }
    }

    #[test]
    fn after_a_pause_the_clock_is_looked_at_as_rarely_as_before() {
        let pool = ThreadPool::new(1);
        let (stop, clock) = (Stop::new(), Counting(Cell::new(0)));
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let mut limiter = SearchLimiter::lead(&Limits::default(), &control, &pool);
        assert!((0..100 * POLL).all(|_| limiter.visit()));
        assert!((100..112).contains(&clock.0.get()), "{}", clock.0.get());
    }

    #[test]
    fn several_threads_share_a_node_limit_and_follow_their_leader() {
        let pool = ThreadPool::new(2);
        let (stop, clock) = (Stop::new(), Hands(Cell::new(0)));
        let limits = Limits {
            nodes: Some(Nodes(5000)),
            ..Limits::default()
        };
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let mut first = SearchLimiter::lead(&limits, &control, &pool);
        let mut second = SearchLimiter::follow(&limits, &pool, 1);
        while first.visit() && second.visit() {}
        // What the other has not published yet may come on top.
        let all = first.all_nodes();
        assert!((5000..5000 + POLL).contains(&all), "{all}");
        pool.begin();
        let mut helper = SearchLimiter::follow(&Limits::default(), &pool, 1);
        assert!((0..9000).all(|_| helper.visit()));
        pool.finish();
        assert!((0..=POLL).any(|_| !helper.visit()));
    }

    #[test]
    fn an_iteration_is_left_when_another_thread_has_finished_one_as_deep() {
        let pool = ThreadPool::new(2);
        let mut limiter = SearchLimiter::follow(&Limits::default(), &pool, 1);
        limiter.begin_iteration(5);
        pool.publish_iteration(4, 0, &[]);
        assert!((0..10 * POLL).all(|_| limiter.visit()));
        pool.publish_iteration(5, 0, &[]);
        assert!((0..=POLL).any(|_| !limiter.visit()) && limiter.stopped());
        assert!(limiter.end() && !limiter.stopped());
        // What is searched between two iterations cannot be overtaken, nor can a deeper one.
        assert!((0..10 * POLL).all(|_| limiter.visit()));
        limiter.begin_iteration(6);
        assert!((0..10 * POLL).all(|_| limiter.visit()));
        pool.finish();
        assert!((0..=POLL).any(|_| !limiter.visit()));
        assert!(!limiter.end() && limiter.stopped());
    }
}

//! Synchronises `stop`, `ponderhit` and `bestmove` of searches.
//!
//! The front submits searches and the worker runs them one after the other. A search submitted before the last one has
//! answered, as after `stop`, is queued.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use sparring_chess::units::{Millis, Stopwatch, TimeSource};
use sparring_engine::Stop;

/// Shared by the front, which submits and releases searches, and the worker, which runs them.
#[derive(Debug)]
pub(super) struct SearchSync {
    /// Stops the running search.
    pub stop: Stop,
    state: Mutex<State>,
    changed: Condvar,
    watch: Stopwatch,
    /// Milliseconds on `watch` at which the search's own clock began to run.
    started: AtomicU64,
    /// Milliseconds on the search's own clock at which it is stopped.
    cap: AtomicU64,
    /// Milliseconds by which the search's own clock jumped ahead at a ponder hit.
    jump: AtomicU64,
    /// The longest recent time, in milliseconds, between two reads of the clock by a search.
    stall: AtomicU64,
}

/// Stalls as short as this are normal.
const NO_STALL: Millis = Millis(10);

#[derive(Debug, Default)]
struct State {
    /// The number of searches submitted, and finished.
    submitted: u64,
    finished: u64,
    /// The number of the last search that was stopped; all before it were too.
    stopped: u64,
    /// Searches that only a command could end, and after which another was submitted before they began.
    superseded: Vec<u64>,
    /// When the last search finished.
    finished_at: Millis,
    /// The `bestmove` of the last submitted search is held until a stop or a ponder hit. Earlier ones are not held.
    held: Option<Hold>,
    /// When the last submitted search began to ponder.
    pondered: Option<Millis>,
    /// When its clock began to run.
    started: u64,
    /// When it is stopped, by its clock.
    cap: u64,
    /// By how much its clock jumped ahead at the ponder hit.
    jump: u64,
    /// The number of the latest search that neither time, nodes nor depth ends.
    endless: u64,
}

/// A submitted search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchId {
    /// Its number, from 1.
    number: u64,
    /// Milliseconds on the watch at which it was submitted.
    submitted_at: u64,
}

/// Why a `bestmove` is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Until `stop`.
    Infinite,
    /// Until `ponderhit` or `stop`; until then no time passes for the search.
    Ponder {
        /// The soft limit of the move, once it is the engine's turn.
        soft: Option<Millis>,
        /// No limit was given: the ponder hit begins an infinite search.
        unlimited: bool,
    },
}

/// The clock of a pondering search stands at zero.
const NOT_STARTED: u64 = u64::MAX;
/// Only its own limits stop the search.
const NO_CAP: u64 = u64::MAX;

impl SearchSync {
    /// Without a search.
    pub fn new() -> Self {
        Self {
            stop: Stop::new(),
            state: Mutex::default(),
            changed: Condvar::new(),
            watch: Stopwatch::start(),
            started: AtomicU64::new(0),
            cap: AtomicU64::new(NO_CAP),
            jump: AtomicU64::new(0),
            stall: AtomicU64::new(0),
        }
    }

    /// Whether a search runs, is queued, or its answer is held.
    pub fn is_searching(&self) -> bool {
        let state = self.lock();
        state.finished < state.submitted
    }

    /// Whether only a command can release the answer, so that anything queued would wait for ever.
    pub fn is_held(&self) -> bool {
        self.lock().held.is_some()
    }

    /// Submits a search, whose clock runs from now on. `endless` means that neither time, nodes nor depth ends it. A held
    /// search before it is stopped: this one would wait for it for ever.
    pub fn submit(&self, held: Option<Hold>, endless: bool) -> SearchId {
        let mut state = self.lock();
        let now = self.watch.elapsed();
        if state.held.is_some() {
            let last = state.submitted;
            state.superseded.push(last);
            if state.finished + 1 == last {
                self.stop.set();
            }
            self.changed.notify_all();
        }
        state.submitted += 1;
        state.held = held;
        if endless {
            state.endless = state.submitted;
        }
        state.cap = NO_CAP;
        state.jump = 0;
        let ponders = matches!(held, Some(Hold::Ponder { .. }));
        state.pondered = ponders.then_some(now);
        state.started = if ponders { NOT_STARTED } else { now.0 };
        SearchId {
            number: state.submitted,
            submitted_at: now.0,
        }
    }

    /// Begins a submitted search.
    pub fn begin(&self, search_id: SearchId) {
        let mut state = self.lock();
        if search_id.number <= state.stopped || state.superseded.contains(&search_id.number) {
            self.stop.set();
        } else {
            self.stop.clear();
        }
        state.superseded.retain(|number| *number > search_id.number);
        let is_last = search_id.number == state.submitted;
        let (started, cap, jump) = if is_last {
            (state.started, state.cap, state.jump)
        } else {
            (search_id.submitted_at, NO_CAP, 0)
        };
        self.set_clock(started, cap, jump);
    }

    /// Sets the clock of the running search: when it started, when it stops the search, and by how much it jumped ahead.
    fn set_clock(&self, started: u64, cap: u64, jump: u64) {
        self.cap.store(cap, Relaxed);
        self.jump.store(jump, Relaxed);
        self.started.store(started, Relaxed);
    }

    /// Stops the running search and all queued ones, and releases their answers.
    pub fn stop(&self) {
        let mut state = self.lock();
        if state.finished < state.submitted {
            state.stopped = state.submitted;
            self.stop.set();
            state.held = None;
            self.changed.notify_all();
        }
    }

    /// The expected move was played: the clock runs from now on, with some time counted as spent. The soft limit then
    /// becomes the hard one: the current iteration is deeper than any that would have begun on the clock.
    pub fn ponder_hit(&self) {
        let mut state = self.lock();
        if let Some(Hold::Ponder { soft, unlimited }) = state.held {
            let now = self.watch.elapsed();
            let pondered = now - state.pondered.unwrap_or(now);
            let credit = credit(pondered, soft.unwrap_or_default());
            state.started = (now - credit).0;
            state.jump = credit.0;
            state.cap = soft.map_or(NO_CAP, |soft| soft.0);
            // Before it begins, the clock belongs to another search.
            if state.finished + 1 == state.submitted {
                self.set_clock(state.started, state.cap, state.jump);
            }
            state.held = unlimited.then_some(Hold::Infinite);
            self.changed.notify_all();
        }
    }

    /// Records the longest time between two clock reads of the search that has just run. Old stalls fade. A jump of the
    /// clock at a ponder hit is no stall, and hides any that was shorter.
    pub fn record_stall(&self, stall: Millis) {
        let stall = stall - Millis(self.jump.load(Relaxed));
        let faded = self.stall.load(Relaxed) * 15 / 16;
        let new = if stall > NO_STALL { stall.0 } else { 0 };
        self.stall.store(faded.max(new), Relaxed);
    }

    /// The time to keep on the clock, so that the next such stall does not cost the game.
    pub fn stall_reserve(&self) -> Millis {
        Millis(self.stall.load(Relaxed))
    }

    /// The input has ended: searches that only a command could end are stopped, others run to their limits.
    pub fn input_closed(&self) {
        let state = self.lock();
        let for_ever = state.held.is_some() || state.finished < state.endless;
        drop(state);
        if for_ever {
            self.stop();
        }
    }

    /// Waits until the `bestmove` of a search may be given.
    pub fn wait_for_release(&self, search_id: SearchId) {
        let mut state = self.lock();
        while search_id.number == state.submitted && state.held.is_some() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the search's clock shows `until`, or the search is stopped.
    pub fn wait_until(&self, until: Millis) {
        let mut state = self.lock();
        while !self.stop.is_set() && self.elapsed() < until {
            let left = until - self.elapsed();
            let waited = self.changed.wait_timeout(state, left.into());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The search is finished, and its answer about to be given.
    pub fn finish(&self) {
        let mut state = self.lock();
        state.finished += 1;
        state.finished_at = self.watch.elapsed();
    }

    /// The time of the last search, from its submission to its answer; none while it runs, or where it pondered, as then
    /// the opponent's clock ran.
    pub fn last_duration(&self) -> Option<Millis> {
        let state = self.lock();
        let is_over = state.finished == state.submitted && state.submitted > 0 && state.pondered.is_none();
        is_over.then(|| state.finished_at - Millis(state.started))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can panic half way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of the time for a move counts as spent at a ponder hit: half of the time pondered, and at most half of the
/// soft limit.
fn credit(pondered: Millis, soft: Millis) -> Millis {
    pondered.scaled(0.5).min(soft.scaled(0.5))
}

impl TimeSource for SearchSync {
    fn elapsed(&self) -> Millis {
        match self.started.load(Relaxed) {
            NOT_STARTED => Millis::ZERO,
            started => {
                let elapsed = self.watch.elapsed() - Millis(started);
                // Searches read the clock all the time, so that no other thread has to watch the cap.
                if elapsed.0 >= self.cap.load(Relaxed) {
                    self.stop.set();
                }
                elapsed
            }
        }
    }
}

#[cfg(test)]
mod tests;

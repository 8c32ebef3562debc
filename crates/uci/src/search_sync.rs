//! Synchronises stop, ponderhit and bestmove of a search.
//!
//! Searches are asked for by the front and begun by the worker, one after the other. Whoever sends the next before the
//! answer to the last is there, as after `stop`, finds it done in its turn.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use sparring_chess::units::{Millis, Stopwatch, TimeSource};
use sparring_engine::Stop;

/// Shared by the front, which opens it, and the worker, which waits at it.
#[derive(Debug)]
pub(super) struct SearchSync {
    /// Ends the search under way.
    pub stop: Stop,
    state: Mutex<State>,
    changed: Condvar,
    watch: Stopwatch,
    /// Milliseconds of `watch` at which the search's own clock began to run.
    started: AtomicU64,
    /// Milliseconds of the search's own clock at which it is told to stop.
    cap: AtomicU64,
    /// Milliseconds by which the search's own clock jumped ahead at a ponder hit.
    jump: AtomicU64,
    /// For how many milliseconds searches have lately been kept from looking at the clock.
    stall: AtomicU64,
}

/// Pauses as short as this are the search's own.
const NO_STALL: Millis = Millis(10);

#[derive(Debug, Default)]
struct State {
    /// How many searches were asked for, and how many have ended.
    asked: u64,
    ended: u64,
    /// So many of them, counted from the first, were told to stop.
    stopped: u64,
    /// Searches that only a command could end, and after which another was asked for before they began.
    superseded: Vec<u64>,
    /// When one has ended last.
    ended_at: Millis,
    /// The answer to the one asked for last must wait, for a stop or a ponder hit. Earlier ones wait for nothing.
    held: Option<Hold>,
    /// Since when the last one ponders.
    pondered: Option<Millis>,
    /// When its clock began to run.
    started: u64,
    /// When it is told to stop, by its clock.
    cap: u64,
    /// By how much its clock jumped ahead at the ponder hit.
    jump: u64,
    /// The number of the latest search that nothing that passes, neither time nor nodes nor depth, ends.
    endless: u64,
}

/// A search that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchId {
    /// Its number, from 1.
    number: u64,
    /// Milliseconds of the watch at which it was asked for.
    asked: u64,
}

/// Why an answer must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Until `stop`.
    Infinite,
    /// Until `ponderhit` or `stop`; until then no time passes for the search.
    Ponder {
        /// What the move should take, once it is the engine's turn.
        soft: Option<Millis>,
        /// The hit begins a search until `stop`, as no limit was given.
        unlimited: bool,
    },
}

/// The search's clock stands still at zero while pondering.
const NOT_STARTED: u64 = u64::MAX;
/// Nothing but its own limits tells the search to stop.
const NO_CAP: u64 = u64::MAX;

impl SearchSync {
    /// A gate with no search.
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

    /// Whether a search runs, waits for its turn, or its answer is being held.
    pub fn is_searching(&self) -> bool {
        let state = self.lock();
        state.ended < state.asked
    }

    /// Whether only a command can bring about an answer, so that whatever comes next would wait for ever.
    pub fn is_held(&self) -> bool {
        self.lock().held.is_some()
    }

    /// Asks for a search. `endless` says that nothing that passes will end it. Its clock runs from now on. One that only a
    /// command could end makes room: behind it this one would wait for ever.
    pub fn submit(&self, held: Option<Hold>, endless: bool) -> SearchId {
        let mut state = self.lock();
        let now = self.watch.elapsed();
        if state.held.is_some() {
            let last = state.asked;
            state.superseded.push(last);
            if state.ended + 1 == last {
                self.stop.set();
            }
            self.changed.notify_all();
        }
        state.asked += 1;
        state.held = held;
        if endless {
            state.endless = state.asked;
        }
        state.cap = NO_CAP;
        state.jump = 0;
        let ponders = matches!(held, Some(Hold::Ponder { .. }));
        state.pondered = ponders.then_some(now);
        state.started = if ponders { NOT_STARTED } else { now.0 };
        SearchId {
            number: state.asked,
            asked: now.0,
        }
    }

    /// The turn of a search has come: it begins.
    pub fn begin(&self, search_id: SearchId) {
        let mut state = self.lock();
        if search_id.number <= state.stopped || state.superseded.contains(&search_id.number) {
            self.stop.set();
        } else {
            self.stop.clear();
        }
        state.superseded.retain(|number| *number > search_id.number);
        let is_last = search_id.number == state.asked;
        let (started, cap, jump) = if is_last {
            (state.started, state.cap, state.jump)
        } else {
            (search_id.asked, NO_CAP, 0)
        };
        self.set_clock(started, cap, jump);
    }

    /// The clock of the search under way runs since `started`, with so much of that given at once, and stops it at `cap`.
    fn set_clock(&self, started: u64, cap: u64, jump: u64) {
        self.cap.store(cap, Relaxed);
        self.jump.store(jump, Relaxed);
        self.started.store(started, Relaxed);
    }

    /// The search ends now, and nothing holds its answer; so do those that wait for their turn.
    pub fn stop(&self) {
        let mut state = self.lock();
        if state.ended < state.asked {
            state.stopped = state.asked;
            self.stop.set();
            state.held = None;
            self.changed.notify_all();
        }
    }

    /// The move pondered on was played: time passes from now on, as if some of it had passed already. What the move should
    /// take is then the most: the iteration under way is deeper than any that would have been begun on the clock.
    pub fn ponder_hit(&self) {
        let mut state = self.lock();
        if let Some(Hold::Ponder { soft, unlimited }) = state.held {
            let now = self.watch.elapsed();
            let pondered = now - state.pondered.unwrap_or(now);
            let credit = credit(pondered, soft.unwrap_or_default());
            state.started = (now - credit).0;
            state.jump = credit.0;
            state.cap = soft.map_or(NO_CAP, |soft| soft.0);
            // Before its turn has come the clock is that of another.
            if state.ended + 1 == state.asked {
                self.set_clock(state.started, state.cap, state.jump);
            }
            state.held = unlimited.then_some(Hold::Infinite);
            self.changed.notify_all();
        }
    }

    /// Notes for how long the search that has just run was kept from looking at the clock. Old pauses fade. What its clock
    /// jumped ahead at a ponder hit was no pause, and hides any that was shorter.
    pub fn record_stall(&self, stall: Millis) {
        let stall = stall - Millis(self.jump.load(Relaxed));
        let faded = self.stall.load(Relaxed) * 15 / 16;
        let new = if stall > NO_STALL { stall.0 } else { 0 };
        self.stall.store(faded.max(new), Relaxed);
    }

    /// How much of a clock to keep, so that the next such pause does not cost the game.
    pub fn stall_reserve(&self) -> Millis {
        Millis(self.stall.load(Relaxed))
    }

    /// No more commands will come: searches that only a command could end for certain are stopped, others run to their
    /// limits.
    pub fn input_closed(&self) {
        let state = self.lock();
        let for_ever = state.held.is_some() || state.ended < state.endless;
        drop(state);
        if for_ever {
            self.stop();
        }
    }

    /// Waits until the answer to a search may be given.
    pub fn wait_for_release(&self, search_id: SearchId) {
        let mut state = self.lock();
        while search_id.number == state.asked && state.held.is_some() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until so much time has passed for the search, or until it is told to stop.
    pub fn wait_until(&self, until: Millis) {
        let mut state = self.lock();
        while !self.stop.is_set() && self.elapsed() < until {
            let left = until - self.elapsed();
            let waited = self.changed.wait_timeout(state, left.into());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The search is over, and its answer about to be given.
    pub fn finish(&self) {
        let mut state = self.lock();
        state.ended += 1;
        state.ended_at = self.watch.elapsed();
    }

    /// How long the last search took, from being asked for to its answer; none while it runs, or where it pondered, as then the
    /// clock was another's.
    pub fn last_duration(&self) -> Option<Millis> {
        let state = self.lock();
        let is_over = state.ended == state.asked && state.asked > 0 && state.pondered.is_none();
        is_over.then(|| state.ended_at - Millis(state.started))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can panic half way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of the time for a move counts as spent when the move pondered on is played: half of what it was pondered on, and
/// no more than half of what it should take. The other half is for what the clock and the depth reached still ask for.
fn credit(pondered: Millis, soft: Millis) -> Millis {
    pondered.scaled(0.5).min(soft.scaled(0.5))
}

impl TimeSource for SearchSync {
    fn elapsed(&self) -> Millis {
        match self.started.load(Relaxed) {
            NOT_STARTED => Millis::ZERO,
            started => {
                let elapsed = self.watch.elapsed() - Millis(started);
                // Searches look at the clock all the time, so that nobody else has to watch it.
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

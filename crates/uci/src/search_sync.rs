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
mod tests {
    use super::*;

    fn ponder(soft: Option<Millis>) -> Option<Hold> {
        let unlimited = false;
        Some(Hold::Ponder { soft, unlimited })
    }

    fn begun(sync: &SearchSync, held: Option<Hold>) -> SearchId {
        let search_id = sync.submit(held, false);
        sync.begin(search_id);
        search_id
    }

    #[test]
    fn a_stop_reaches_all_that_were_asked_for_and_nothing_after() {
        let sync = SearchSync::new();
        let first = begun(&sync, None);
        let second = sync.submit(ponder(None), false);
        assert!(sync.is_held());
        // The first waits for nothing: only the last may be held.
        sync.wait_for_release(first);
        sync.stop();
        assert!(!sync.is_held());
        let third = sync.submit(None, false);
        sync.finish();
        sync.begin(second);
        assert!(sync.stop.is_set());
        sync.wait_for_release(second);
        sync.finish();
        sync.begin(third);
        assert!(!sync.stop.is_set() && sync.is_searching());
        sync.finish();
        assert!(!sync.is_searching());
    }

    #[test]
    fn what_only_a_command_could_end_makes_room_for_the_next() {
        let sync = SearchSync::new();
        let first = begun(&sync, Some(Hold::Infinite));
        let second = sync.submit(None, false);
        assert!(sync.stop.is_set() && !sync.is_held());
        sync.wait_for_release(first);
        sync.finish();
        sync.begin(second);
        assert!(!sync.stop.is_set(), "it has limits of its own");
        // One that waits for its turn takes nothing from the one under way.
        let third = sync.submit(ponder(None), false);
        let fourth = sync.submit(Some(Hold::Infinite), false);
        let fifth = sync.submit(None, false);
        assert!(!sync.stop.is_set());
        for (search_id, is_cut) in [(third, true), (fourth, true), (fifth, false)] {
            sync.finish();
            sync.begin(search_id);
            sync.wait_for_release(search_id);
            assert_eq!(sync.stop.is_set(), is_cut, "{search_id:?}");
        }
        sync.finish();
        assert!(!sync.is_searching() && sync.lock().superseded.is_empty());
    }

    #[test]
    fn a_search_that_the_ponder_hit_let_go_is_not_cut_by_the_next() {
        let sync = SearchSync::new();
        begun(&sync, None);
        let pondered = sync.submit(ponder(Some(Millis::from_secs(7200))), false);
        sync.ponder_hit();
        sync.submit(None, false);
        sync.finish();
        sync.begin(pondered);
        assert!(!sync.stop.is_set());
    }

    #[test]
    fn a_ponder_hit_before_its_turn_leaves_the_clock_of_another_alone() {
        let sync = SearchSync::new();
        begun(&sync, None);
        let clock = sync.started.load(Relaxed);
        let search_id = sync.submit(ponder(None), false);
        sync.ponder_hit();
        assert_eq!(sync.started.load(Relaxed), clock);
        sync.finish();
        sync.begin(search_id);
        assert_ne!(sync.started.load(Relaxed), NOT_STARTED);
        sync.wait_for_release(search_id);
    }

    #[test]
    fn no_time_passes_until_the_ponder_hit() {
        let sync = SearchSync::new();
        let search_id = begun(&sync, ponder(None));
        assert_eq!(sync.started.load(Relaxed), NOT_STARTED);
        assert_eq!(sync.elapsed(), Millis::ZERO);
        sync.ponder_hit();
        assert_ne!(sync.started.load(Relaxed), NOT_STARTED);
        sync.wait_for_release(search_id);
        assert!(!sync.stop.is_set());
    }

    #[test]
    fn pondering_is_half_of_thinking_up_to_half_a_move() {
        assert_eq!(credit(Millis(600), Millis(1000)), Millis(300));
        assert_eq!(credit(Millis(60_000), Millis(1000)), Millis(500));
        assert_eq!(credit(Millis(60_000), Millis::ZERO), Millis::ZERO);
        let sync = SearchSync::new();
        begun(&sync, ponder(Some(Millis::from_secs(7200))));
        while sync.watch.elapsed() < Millis(20) {
            std::thread::yield_now();
        }
        sync.ponder_hit();
        let elapsed = sync.elapsed();
        assert!(
            elapsed >= Millis(9) && elapsed < Millis::from_secs(3600),
            "{elapsed}"
        );
    }

    #[test]
    fn what_was_pondered_on_for_long_takes_no_more_than_it_should() {
        let sync = SearchSync::new();
        let soft = Millis(20);
        begun(&sync, ponder(Some(soft)));
        while sync.watch.elapsed() < Millis(50) {
            std::thread::yield_now();
        }
        assert!(!sync.stop.is_set(), "no time passes yet");
        sync.ponder_hit();
        while sync.elapsed() < soft {
            std::thread::yield_now();
        }
        assert!(sync.stop.is_set());
        sync.finish();
        begun(&sync, None);
        while sync.elapsed() < soft {
            std::thread::yield_now();
        }
        assert!(!sync.stop.is_set(), "the next has its own limits");
    }

    #[test]
    fn a_ponder_hit_without_limits_begins_a_search_until_it_is_stopped() {
        let sync = SearchSync::new();
        let held = Hold::Ponder {
            soft: None,
            unlimited: true,
        };
        let search_id = begun(&sync, Some(held));
        sync.ponder_hit();
        assert!(sync.is_held() && !sync.stop.is_set());
        sync.input_closed();
        sync.wait_for_release(search_id);
        assert!(sync.stop.is_set());
    }

    #[test]
    fn the_end_of_input_ends_what_may_never_end_and_nothing_else() {
        let sync = SearchSync::new();
        begun(&sync, None);
        sync.input_closed();
        assert!(!sync.stop.is_set());
        sync.finish();
        sync.begin(sync.submit(None, true));
        // One with an end of its own waits for its turn, but the other is still under way.
        let next = sync.submit(None, false);
        sync.input_closed();
        assert!(sync.stop.is_set());
        sync.finish();
        sync.begin(next);
        sync.finish();
        begun(&sync, None);
        sync.input_closed();
        assert!(!sync.stop.is_set());
    }

    #[test]
    fn a_ponder_hit_does_not_release_an_infinite_search() {
        let sync = SearchSync::new();
        let search_id = begun(&sync, Some(Hold::Infinite));
        sync.ponder_hit();
        assert_eq!(sync.lock().held, Some(Hold::Infinite));
        sync.stop();
        sync.wait_for_release(search_id);
        assert!(sync.stop.is_set());
    }

    #[test]
    fn long_pauses_are_remembered_for_a_while_and_short_ones_never() {
        let sync = SearchSync::new();
        sync.record_stall(Millis(8));
        assert_eq!(sync.stall_reserve(), Millis::ZERO);
        sync.record_stall(Millis(160));
        assert_eq!(sync.stall_reserve(), Millis(160));
        sync.record_stall(Millis(3));
        assert_eq!(sync.stall_reserve(), Millis(150));
        for _ in 0..100 {
            sync.record_stall(Millis::ZERO);
        }
        assert_eq!(sync.stall_reserve(), Millis::ZERO);
    }

    #[test]
    fn a_clock_that_jumps_at_a_ponder_hit_is_no_pause() {
        let sync = SearchSync::new();
        begun(&sync, ponder(Some(Millis::from_secs(7200))));
        while sync.watch.elapsed() < Millis(100) {
            std::thread::yield_now();
        }
        sync.ponder_hit();
        // Half of what was pondered on was given at once.
        let jump = Millis(sync.jump.load(Relaxed));
        assert!(jump >= Millis(49));
        sync.record_stall(jump + Millis(3));
        assert_eq!(sync.stall_reserve(), Millis::ZERO);
        sync.record_stall(jump + Millis(160));
        assert_eq!(sync.stall_reserve(), Millis(160));
        sync.finish();
        begun(&sync, None);
        sync.record_stall(Millis(200));
        assert_eq!(sync.stall_reserve(), Millis(200));
    }

    #[test]
    fn lingering_takes_the_time_it_should_and_ends_with_a_stop() {
        let sync = SearchSync::new();
        begun(&sync, None);
        sync.wait_until(Millis(3));
        assert!(sync.elapsed() >= Millis(3));
        begun(&sync, None);
        std::thread::scope(|scope| {
            scope.spawn(|| sync.stop());
            sync.wait_until(Millis::from_secs(3600));
        });
        assert!(sync.elapsed() < Millis::from_secs(600));
    }

    #[test]
    fn the_time_a_search_took_is_known_when_it_is_over_and_was_on_the_own_clock() {
        let sync = SearchSync::new();
        assert_eq!(sync.last_duration(), None);
        begun(&sync, None);
        assert_eq!(sync.last_duration(), None);
        sync.wait_until(Millis(3));
        sync.finish();
        assert!(sync.last_duration().is_some_and(|took| took >= Millis(3)));
        begun(&sync, ponder(None));
        sync.ponder_hit();
        sync.finish();
        assert_eq!(sync.last_duration(), None);
    }

    #[test]
    fn a_stop_without_a_search_does_not_stop_the_next() {
        let sync = SearchSync::new();
        sync.stop();
        begun(&sync, None);
        assert!(!sync.stop.is_set());
    }
}

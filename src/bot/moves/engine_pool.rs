//! Where the engine thinks: a few OS threads below normal priority, so that thinking never delays the network.
//!
//! A search waits for a seat by deadline, runs with its game's warm table, gives way to a more urgent one, and stops
//! when the future that awaits it is dropped. An engine that panics costs its table, not the game; one that hangs costs
//! its thread too, which is replaced.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};
use tracing::{debug, error, warn};

use crate::bot::moves::search_scheduler::{Priority, SearchScheduler};
use sparring_chess::units::{Millis, Nodes, Stopwatch};
use sparring_engine::{Engine, Limits, SearchControl, SearchEvent, SearchRequest, SearchResult, Stop};
use sparring_personality::strength::{StrengthRequest, StrengthResult, think};

/// A search must get something done, however long it waited for its seat.
const LEAST_TIME: Millis = Millis(5);
/// A search that has not come back so long after its limit hangs, or never got a seat; what it has found until then is
/// used.
const GRACE: Duration = Duration::from_millis(500);
/// A search that was told to stop and goes on for so long will not stop any more.
const HANGS_AFTER: Duration = Duration::from_secs(2);
/// Whoever waits for a search looks so often whether another one hangs in its seat.
const LOOK: Duration = Duration::from_secs(1);
/// When nothing at all was found in time: a look of a few milliseconds, which is far better than any move.
const GLANCE: Limits = Limits {
    depth: None,
    nodes: Some(Nodes(2000)),
    mate: None,
    soft: None,
    hard: None,
};

/// The engine's threads. Clones share them; they end with the last clone.
#[derive(Debug, Clone)]
pub struct EnginePool(Arc<Closing>);

/// One game's engine with what it has learned so far. Clones share it.
#[derive(Clone)]
pub struct EngineSlot {
    /// The engine of this moment: one that hangs keeps its own for ever, and another takes its place.
    current: Arc<Mutex<Arc<Mutex<Engine>>>>,
    hash_mib: usize,
}

impl std::fmt::Debug for EngineSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("hash_mib", &self.hash_mib)
            .finish_non_exhaustive()
    }
}

impl EngineSlot {
    /// An engine that has learned nothing, with a table of so many mebibytes.
    #[must_use]
    pub fn new(hash_mib: usize) -> Self {
        let engine = Arc::new(Mutex::new(Engine::new(hash_mib)));
        Self {
            current: Arc::new(Mutex::new(engine)),
            hash_mib,
        }
    }

    fn engine(&self) -> Arc<Mutex<Engine>> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Leaves the engine to whoever hangs in it.
    fn renew(&self) {
        let fresh = Arc::new(Mutex::new(Engine::new(self.hash_mib)));
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }
}

impl EnginePool {
    /// Starts so many threads, at least one.
    ///
    /// # Errors
    /// The operating system's, when it gives no thread.
    pub fn new(seats: usize) -> std::io::Result<Self> {
        let seats = seats.max(1);
        let room = Arc::new(FreeSlot {
            state: Mutex::new(SlotState {
                slots: SearchScheduler::new(seats),
                running: (0..seats).map(|_| None).collect(),
                generations: vec![0; seats],
                without_worker: Vec::new(),
                is_closing: false,
            }),
            called: Condvar::new(),
            opened: Instant::now(),
        });
        for seat in 0..seats {
            match room.spawn_worker(seat, 0) {
                Ok(()) => {}
                Err(why) if seat == 0 => return Err(why),
                Err(why) => {
                    warn!(
                        "{seat} searches run at the same time and not {seats}: the system gives no more threads: {why}"
                    );
                    room.lock().slots.limit(seat);
                    break;
                }
            }
        }
        Ok(Self(Arc::new(Closing(room))))
    }

    /// Searches in a seat, with the limits of time counted from now: waiting for a seat uses them up. `deadline` is
    /// when the move must be out, which decides who goes first. `None` only when the engine fails altogether.
    /// Dropping the future stops the search.
    pub async fn search(
        &self,
        table: &EngineSlot,
        search: SearchRequest,
        deadline: Instant,
    ) -> Option<SearchResult> {
        let thought = self.think(table, search.into(), deadline).await?;
        Some(thought.report)
    }

    /// Carries out a personality's order, as [`search`](Self::search) does a search.
    pub async fn think(
        &self,
        table: &EngineSlot,
        order: StrengthRequest,
        deadline: Instant,
    ) -> Option<StrengthResult> {
        let (reply, thought) = oneshot::channel();
        let best = Arc::new(Mutex::new(None));
        let search = &order.search;
        let patience = search.limits.hard.map(|hard| Duration::from(hard) + GRACE);
        let stop = StopOnDrop(Stop::new());
        let room = &self.0.0;
        let urgency = Priority {
            deadline: Millis::from(deadline.saturating_duration_since(room.opened)).0,
            // A count of nodes or plies promises the same move whatever else runs here.
            can_pause: search.limits.nodes.is_none() && search.limits.depth.is_none(),
        };
        let fallback = search.clone();
        room.ask(
            urgency,
            SearchJob {
                table: table.clone(),
                order,
                stop: stop.0.clone(),
                asked: std::time::Instant::now(),
                best: Arc::clone(&best),
                reply,
            },
        );
        let thought = self.wait(thought);
        let answer = match patience {
            Some(patience) => tokio::time::timeout(patience, thought).await.ok(),
            None => Some(thought.await),
        };
        if let Some(Ok(thought)) = answer {
            return Some(thought);
        }
        let found: Option<SearchResult> = best.lock().unwrap_or_else(PoisonError::into_inner).take();
        let report = match found.filter(|report| report.best().is_some()) {
            Some(found) => found,
            None => fallback_search(fallback).await?,
        };
        Some(StrengthResult { report, chosen: None })
    }

    /// Waits for a thought, and sees to it meanwhile that nothing hangs in the seats.
    async fn wait(
        &self,
        mut thought: oneshot::Receiver<StrengthResult>,
    ) -> Result<StrengthResult, oneshot::error::RecvError> {
        loop {
            tokio::select! {
                thought = &mut thought => return thought,
                () = tokio::time::sleep(LOOK) => self.0.0.replace_hung(),
            }
        }
    }
}

/// A short look outside the seats, for a move that must be out now.
async fn fallback_search(search: SearchRequest) -> Option<SearchResult> {
    let search = SearchRequest {
        limits: GLANCE,
        // What kept the search may have been the disk they lie on.
        tablebase: None,
        ..search
    };
    let look = move || {
        let around = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        Engine::new(1).search(&search, &around, &mut |_| {})
    };
    tokio::task::spawn_blocking(look).await.ok()
}

/// Ends the threads when the last handle goes.
#[derive(Debug)]
struct Closing(Arc<FreeSlot>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.lock().is_closing = true;
        self.0.called.notify_all();
    }
}

struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

#[derive(Debug)]
struct FreeSlot {
    state: Mutex<SlotState>,
    called: Condvar,
    opened: Instant,
}

#[derive(Debug)]
struct SlotState {
    slots: SearchScheduler<SearchJob>,
    /// By seat: the search there.
    running: Vec<Option<RunningSearch>>,
    /// By seat: how many threads had it before the one that has it now.
    generations: Vec<u32>,
    /// Seats for which no thread could be had, with their tenures: it is tried again.
    without_worker: Vec<(usize, u32)>,
    is_closing: bool,
}

/// A search in its seat.
#[derive(Debug)]
struct RunningSearch {
    stop: Stop,
    table: EngineSlot,
    /// Since when it is known that it was told to stop.
    told: Option<std::time::Instant>,
}

struct SearchJob {
    table: EngineSlot,
    order: StrengthRequest,
    stop: Stop,
    asked: std::time::Instant,
    best: Arc<Mutex<Option<SearchResult>>>,
    reply: oneshot::Sender<StrengthResult>,
}

impl std::fmt::Debug for SearchJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("limits", &self.order.search.limits)
            .finish_non_exhaustive()
    }
}

impl FreeSlot {
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a search wait, and frees a seat for it if it is urgent.
    fn ask(self: &Arc<Self>, urgency: Priority, job: SearchJob) {
        self.replace_hung();
        let mut state = self.lock();
        if let Some(seat) = state.slots.push(urgency, job)
            && let Some(Some(running)) = state.running.get(seat)
        {
            running.stop.set();
        }
        drop(state);
        self.called.notify_one();
    }

    /// Puts a thread into a seat.
    fn spawn_worker(self: &Arc<Self>, seat: usize, tenure: u32) -> std::io::Result<()> {
        let room = Arc::clone(self);
        thread::Builder::new()
            .name(format!("engine-{seat}"))
            .spawn(move || room.serve(seat, tenure))?;
        Ok(())
    }

    /// Puts a thread into a seat, or lets the seat wait for one.
    fn spawn_or_wait(self: &Arc<Self>, seat: usize, tenure: u32) -> std::io::Result<()> {
        self.spawn_worker(seat, tenure)
            .inspect_err(|_| self.lock().without_worker.push((seat, tenure)))
    }

    /// Replaces threads whose search was told to stop and does not. They keep their engines and end should they ever
    /// come back.
    fn replace_hung(self: &Arc<Self>) {
        let mut state = self.lock();
        let now = std::time::Instant::now();
        let waiting = std::mem::take(&mut state.without_worker);
        let mut left = Vec::new();
        let SlotState {
            running,
            generations: tenures,
            ..
        } = &mut *state;
        for (seat, (place, tenure)) in running.iter_mut().zip(tenures).enumerate() {
            let Some(search) = place.as_mut().filter(|search| search.stop.is_set()) else {
                continue;
            };
            if now - *search.told.get_or_insert(now) >= HANGS_AFTER {
                search.table.renew();
                *place = None;
                *tenure += 1;
                left.push((seat, *tenure));
            }
        }
        for (seat, _) in &left {
            state.slots.leave(*seat);
        }
        drop(state);
        for (seat, tenure) in left {
            match self.spawn_or_wait(seat, tenure) {
                Ok(()) => warn!("a search hangs in seat {seat}: another thread takes it over"),
                Err(why) => error!(
                    "a search hangs in seat {seat}, and the system gives no other thread: {why}; it is asked again"
                ),
            }
        }
        // That they wait was said when they began to.
        for (seat, tenure) in waiting {
            match self.spawn_or_wait(seat, tenure) {
                Ok(()) => warn!("seat {seat} has a thread again"),
                Err(why) => debug!("still no thread for seat {seat}: {why}"),
            }
        }
    }

    /// The life of one thread: takes the most urgent search, again and again, until somebody else has its seat.
    fn serve(&self, seat: usize, tenure: u32) {
        step_back();
        let mut state = self.lock();
        while !state.is_closing && state.generations.get(seat) == Some(&tenure) {
            let share = state.slots.share();
            let Some((urgency, job)) = state.slots.take(seat) else {
                state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let running = RunningSearch {
                stop: job.stop.clone(),
                table: job.table.clone(),
                told: None,
            };
            self.note(&mut state, seat, Some(running));
            drop(state);
            let found = job.run(share);
            state = self.lock();
            if state.generations.get(seat) != Some(&tenure) {
                return;
            }
            self.note(&mut state, seat, None);
            let gave_way = state.slots.leave(seat);
            match found {
                // Its table is warm: what it knows by now is found again at once.
                Some(_) if gave_way && !job.is_over() => {
                    job.stop.clear();
                    state.slots.push(urgency, job);
                }
                Some(thought) => {
                    let _ = job.reply.send(thought); // the game may have gone on without it
                }
                None => {}
            }
        }
    }

    fn note(&self, state: &mut SlotState, seat: usize, running: Option<RunningSearch>) {
        if let Some(place) = state.running.get_mut(seat) {
            *place = running;
        }
    }
}

impl SearchJob {
    /// Whether nobody waits for it any more, or its time is up.
    fn is_over(&self) -> bool {
        let is_late = |hard| Millis::from(self.asked.elapsed()) >= hard;
        self.reply.is_closed() || self.order.search.limits.hard.is_some_and(is_late)
    }

    /// Searches within what is left of the time. `None` when nobody waits any more or the engine fell over.
    fn run(&self, share: f64) -> Option<StrengthResult> {
        if self.reply.is_closed() {
            return None;
        }
        let waited = Millis::from(self.asked.elapsed());
        let mut order = self.order.clone();
        for limits in [Some(&mut order.search.limits), order.check.as_mut()]
            .into_iter()
            .flatten()
        {
            limits.soft = limits
                .soft
                .map(|soft| (soft.scaled(share) - waited).max(LEAST_TIME));
            limits.hard = limits.hard.map(|hard| (hard - waited).max(LEAST_TIME));
        }
        let engine = self.table.engine();
        let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
        let around = SearchControl {
            stop: &self.stop,
            clock: &Stopwatch::start(),
        };
        let tell = &mut |news: SearchEvent<'_>| {
            if let SearchEvent::Iteration(report) = news {
                *self.best.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
            }
        };
        let thought = catch_unwind(AssertUnwindSafe(|| think(&mut engine, &order, &around, tell)));
        if thought.is_err() {
            // Whatever the table holds now, nobody should build on it.
            *engine = Engine::new(self.table.hash_mib);
        }
        thought.ok()
    }
}

/// Lowers the priority of this thread below that of the threads beside it, whatever theirs is: measured on two busy
/// cores, the slowest moves then leave five times sooner. A system that refuses, as some sandboxes do, is tolerated.
fn step_back() {
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "no safe crate at hand sets the priority of one thread")]
    // SAFETY: a plain call without pointers. On Linux it is about the calling thread alone.
    unsafe {
        libc::nice(10);
    }
}

#[cfg(test)]
mod tests;

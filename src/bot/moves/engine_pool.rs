//! Engine pool: a few OS threads that run searches, earliest deadline first, below the priority of the network.
//!
//! The pool runs any work on any game's engine and knows nothing of personalities. Work that can be resumed gives way to
//! more urgent work. Dropping the future that awaits a search stops it. A search that panics costs its transposition table;
//! one that hangs costs its thread, which is replaced.

mod pondering;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};
use tracing::{debug, error, warn};

use super::{
    engine_slot::EngineSlot,
    search_scheduler::{Priority, SearchScheduler},
};
use crate::platform::give_way;
use sparring_chess::units::{Millis, Nodes, Stopwatch};
use sparring_engine::{Engine, Limits, SearchControl, SearchEvent, SearchRequest, SearchResult, Stop};

/// A search gets at least this long, however long it waited for a thread.
const LEAST_TIME: Millis = Millis(5);
/// A search that is not back so long after its hard limit hangs, or never got a thread: its best result so far counts.
const GRACE: Duration = Duration::from_millis(500);
/// A search that goes on for so long after it was stopped hangs.
const HANGS_AFTER: Duration = Duration::from_secs(2);
/// While anybody waits for a search, hung threads are looked for so often.
const HANG_CHECK: Duration = Duration::from_secs(1);
/// The search of last resort, when nothing was found in time: a few milliseconds.
const FALLBACK: Limits = Limits {
    depth: None,
    nodes: Some(Nodes(2000)),
    mate: None,
    soft: None,
    hard: None,
};

/// The engine threads. Clones share them; they end with the last clone.
#[derive(Debug, Clone)]
pub struct EnginePool(Arc<Owner>);

/// What came of a piece of work.
#[derive(Debug)]
pub enum Finished<T> {
    /// It ended in time.
    Done(T),
    /// It did not: the result of its last iteration, or of a search of last resort.
    Fallback(SearchResult),
}

/// What is left of the time that was asked for when a search starts.
#[derive(Debug, Clone, Copy)]
pub struct TimeLeft {
    share: f64,
    waited: Millis,
}

impl TimeLeft {
    /// Limits of time less what went by in the queue; the soft limit shrinks to a fair share when more searches are asked
    /// for than there are threads.
    pub fn apply(self, limits: &mut Limits) {
        limits.soft = limits
            .soft
            .map(|soft| (soft.scaled(self.share) - self.waited).max(LEAST_TIME));
        limits.hard = limits.hard.map(|hard| (hard - self.waited).max(LEAST_TIME));
    }
}

/// How work reports the iterations of its search.
pub type Report<'a> = &'a mut dyn FnMut(SearchEvent<'_>);

impl EnginePool {
    /// Starts so many threads, at least one. Each game's engine gets a transposition table of so many mebibytes.
    ///
    /// # Errors
    /// The operating system's, when it gives no thread at all.
    pub fn new(threads: usize, hash_mib: usize) -> std::io::Result<Self> {
        let threads = threads.max(1);
        let pool = Arc::new(Pool {
            state: Mutex::new(PoolState {
                scheduler: SearchScheduler::new(threads),
                running: (0..threads).map(|_| None).collect(),
                generations: vec![0; threads],
                without_worker: Vec::new(),
                is_closing: false,
            }),
            called: Condvar::new(),
            hash_mib,
            started: Instant::now(),
        });
        for index in 0..threads {
            match pool.spawn_worker(index, 0) {
                Ok(()) => {}
                Err(why) if index == 0 => return Err(why),
                Err(why) => {
                    warn!(
                        "{index} searches run at the same time and not {threads}: the system gives no more threads: {why}"
                    );
                    pool.lock().scheduler.limit(index);
                    break;
                }
            }
        }
        Ok(Self(Arc::new(Owner(pool))))
    }

    /// Searches with a game's engine. Limits of time count from now, time in the queue included. `deadline` is when the
    /// move must be sent: it decides who goes first. `None` only when the engine fails altogether.
    pub async fn search(
        &self,
        slot: &EngineSlot,
        request: SearchRequest,
        deadline: Instant,
    ) -> Option<SearchResult> {
        let again = request.clone();
        let work =
            move |engine: &mut Engine, control: &SearchControl<'_>, left: TimeLeft, report: Report<'_>| {
                let mut request = again.clone();
                left.apply(&mut request.limits);
                engine.search(&request, control, &mut |result| {
                    report(SearchEvent::Iteration(result))
                })
            };
        match self.run(slot, &request, deadline, work).await? {
            Finished::Done(result) | Finished::Fallback(result) => Some(result),
        }
    }

    /// Runs work on a game's engine, as [`search`](Self::search) runs a search. The request says which limits the work
    /// keeps, and what to search where it gives no result in time. Work without a limit of nodes or depth may be stopped
    /// and called again.
    pub async fn run<T: Send + 'static>(
        &self,
        slot: &EngineSlot,
        request: &SearchRequest,
        deadline: Instant,
        work: impl FnMut(&mut Engine, &SearchControl<'_>, TimeLeft, Report<'_>) -> T + Send + 'static,
    ) -> Option<Finished<T>> {
        let (reply, result) = oneshot::channel();
        let best = Arc::new(Mutex::new(None));
        let limits = &request.limits;
        let stop = StopOnDrop(Stop::new());
        let pool = &self.0.0;
        let priority = Priority {
            deadline: Millis::from(deadline.saturating_duration_since(pool.started)).0,
            // A limit of nodes or depth promises the same move whatever else runs here.
            can_pause: limits.nodes.is_none() && limits.depth.is_none(),
        };
        let job = PoolJob {
            slot: slot.clone(),
            stop: stop.0.clone(),
            asked_at: std::time::Instant::now(),
            hard: limits.hard,
            best: Arc::clone(&best),
            work: Box::new(Work {
                work,
                result: None,
                reply: Some(reply),
            }),
        };
        pool.submit(priority, job);
        let result = self.wait(result);
        let answer = match limits.hard {
            Some(hard) => tokio::time::timeout(Duration::from(hard) + GRACE, result)
                .await
                .ok(),
            None => Some(result.await),
        };
        if let Some(Ok(done)) = answer {
            return Some(Finished::Done(done));
        }
        let found: Option<SearchResult> = best.lock().unwrap_or_else(PoisonError::into_inner).take();
        match found.filter(|result| result.best().is_some()) {
            Some(found) => Some(Finished::Fallback(found)),
            None => fallback_search(request.clone()).await.map(Finished::Fallback),
        }
    }

    /// Waits for a result, and replaces hung threads meanwhile.
    async fn wait<T>(&self, mut result: oneshot::Receiver<T>) -> Result<T, oneshot::error::RecvError> {
        loop {
            tokio::select! {
                result = &mut result => return result,
                () = tokio::time::sleep(HANG_CHECK) => self.0.0.replace_hung(),
            }
        }
    }
}

/// A short search outside the pool, for a move that must be sent now.
async fn fallback_search(request: SearchRequest) -> Option<SearchResult> {
    let request = SearchRequest {
        limits: FALLBACK,
        // The disk with the tables may be what kept the search.
        tablebase: None,
        ..request
    };
    let search = move || {
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        Engine::new(1).search(&request, &control, &mut |_| {})
    };
    tokio::task::spawn_blocking(search).await.ok()
}

/// Ends the threads when the last handle goes.
#[derive(Debug)]
struct Owner(Arc<Pool>);

impl Drop for Owner {
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
struct Pool {
    state: Mutex<PoolState>,
    called: Condvar,
    hash_mib: usize,
    started: Instant,
}

#[derive(Debug)]
struct PoolState {
    scheduler: SearchScheduler<PoolJob>,
    /// By worker: its search.
    running: Vec<Option<RunningSearch>>,
    /// By worker: how many threads were replaced before the one that runs now.
    generations: Vec<u32>,
    /// Workers for which no thread could be had, with their generations: it is tried again.
    without_worker: Vec<(usize, u32)>,
    is_closing: bool,
}

/// A search on a thread.
#[derive(Debug)]
struct RunningSearch {
    stop: Stop,
    slot: EngineSlot,
    /// When it was first seen to go on after it was stopped.
    stopped_at: Option<std::time::Instant>,
}

/// A piece of work in the queue or on a thread.
struct PoolJob {
    slot: EngineSlot,
    stop: Stop,
    asked_at: std::time::Instant,
    hard: Option<Millis>,
    best: Arc<Mutex<Option<SearchResult>>>,
    work: Box<dyn AnyWork>,
}

impl std::fmt::Debug for PoolJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PoolJob")
            .field("hard", &self.hard)
            .finish_non_exhaustive()
    }
}

/// Work whatever its result is.
trait AnyWork: Send {
    /// Whether nobody waits for the result any more.
    fn is_abandoned(&self) -> bool;
    fn run(&mut self, engine: &mut Engine, control: &SearchControl<'_>, left: TimeLeft, report: Report<'_>);
    /// Sends the result to whoever waits for it.
    fn deliver(&mut self);
}

struct Work<T, F> {
    work: F,
    result: Option<T>,
    reply: Option<oneshot::Sender<T>>,
}

impl<T: Send, F> AnyWork for Work<T, F>
where
    F: FnMut(&mut Engine, &SearchControl<'_>, TimeLeft, Report<'_>) -> T + Send,
{
    fn is_abandoned(&self) -> bool {
        self.reply.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    fn run(&mut self, engine: &mut Engine, control: &SearchControl<'_>, left: TimeLeft, report: Report<'_>) {
        self.result = Some((self.work)(engine, control, left, report));
    }

    fn deliver(&mut self) {
        if let Some((reply, result)) = self.reply.take().zip(self.result.take()) {
            let _ = reply.send(result); // the game may have gone on without it
        }
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job, and stops the most patient search if this one needs its thread.
    fn submit(self: &Arc<Self>, priority: Priority, job: PoolJob) {
        self.replace_hung();
        let mut state = self.lock();
        if let Some(worker) = state.scheduler.push(priority, job)
            && let Some(Some(running)) = state.running.get(worker)
        {
            running.stop.set();
        }
        drop(state);
        self.called.notify_one();
    }

    fn spawn_worker(self: &Arc<Self>, worker: usize, generation: u32) -> std::io::Result<()> {
        let pool = Arc::clone(self);
        thread::Builder::new()
            .name(format!("engine-{worker}"))
            .spawn(move || pool.serve(worker, generation))?;
        Ok(())
    }

    /// Starts a worker's thread, or notes that it is still without one.
    fn spawn_or_wait(self: &Arc<Self>, worker: usize, generation: u32) -> std::io::Result<()> {
        self.spawn_worker(worker, generation)
            .inspect_err(|_| self.lock().without_worker.push((worker, generation)))
    }

    /// Replaces threads whose search was stopped and goes on. They keep their engines, and end should they ever return.
    fn replace_hung(self: &Arc<Self>) {
        let mut state = self.lock();
        let now = std::time::Instant::now();
        let waiting = std::mem::take(&mut state.without_worker);
        let mut replaced = Vec::new();
        let PoolState {
            running, generations, ..
        } = &mut *state;
        for (worker, (place, generation)) in running.iter_mut().zip(generations).enumerate() {
            let Some(search) = place.as_mut().filter(|search| search.stop.is_set()) else {
                continue;
            };
            if now - *search.stopped_at.get_or_insert(now) >= HANGS_AFTER {
                search.slot.replace();
                *place = None;
                *generation += 1;
                replaced.push((worker, *generation));
            }
        }
        for (worker, _) in &replaced {
            state.scheduler.leave(*worker);
        }
        drop(state);
        for (worker, generation) in replaced {
            match self.spawn_or_wait(worker, generation) {
                Ok(()) => warn!("engine thread {worker} hangs in a search: a new thread replaces it"),
                Err(why) => error!(
                    "engine thread {worker} hangs in a search, and the system gives no new thread: {why}; it is asked again"
                ),
            }
        }
        // The first failure of these is in the log already.
        for (worker, generation) in waiting {
            match self.spawn_or_wait(worker, generation) {
                Ok(()) => warn!("engine thread {worker} runs again"),
                Err(why) => debug!("still no thread for engine thread {worker}: {why}"),
            }
        }
    }

    /// A worker's thread: runs the most urgent job, again and again, until it is replaced or the pool closes.
    fn serve(&self, worker: usize, generation: u32) {
        // Measured on two busy cores, the slowest moves leave five times sooner then.
        give_way();
        let mut state = self.lock();
        while !state.is_closing && state.generations.get(worker) == Some(&generation) {
            let share = state.scheduler.share();
            let Some((priority, mut job)) = state.scheduler.take(worker) else {
                state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let running = RunningSearch {
                stop: job.stop.clone(),
                slot: job.slot.clone(),
                stopped_at: None,
            };
            set_running(&mut state, worker, Some(running));
            drop(state);
            let has_result = job.run(share, self.hash_mib);
            state = self.lock();
            if state.generations.get(worker) != Some(&generation) {
                return;
            }
            set_running(&mut state, worker, None);
            let gave_way = state.scheduler.leave(worker);
            if !has_result {
                continue;
            }
            if gave_way && !job.is_over() {
                // Its table is warm: what it found so far comes back at once.
                job.stop.clear();
                state.scheduler.push(priority, job);
            } else {
                job.work.deliver();
            }
        }
    }
}

fn set_running(state: &mut PoolState, worker: usize, running: Option<RunningSearch>) {
    if let Some(place) = state.running.get_mut(worker) {
        *place = running;
    }
}

impl PoolJob {
    /// Whether nobody waits for it any more, or its time is up.
    fn is_over(&self) -> bool {
        let is_late = |hard| Millis::from(self.asked_at.elapsed()) >= hard;
        self.work.is_abandoned() || self.hard.is_some_and(is_late)
    }

    /// Runs the work with what is left of its time. False when nobody waits any more or the engine panicked.
    fn run(&mut self, share: f64, hash_mib: usize) -> bool {
        if self.work.is_abandoned() {
            return false;
        }
        let left = TimeLeft {
            share,
            waited: Millis::from(self.asked_at.elapsed()),
        };
        let mut loan = self.slot.lend(hash_mib);
        let control = SearchControl {
            stop: &self.stop,
            clock: &Stopwatch::start(),
        };
        let best = Arc::clone(&self.best);
        let report = &mut |event: SearchEvent<'_>| {
            if let SearchEvent::Iteration(result) = event {
                *best.lock().unwrap_or_else(PoisonError::into_inner) = Some(result.clone());
            }
        };
        let work = &mut self.work;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            work.run(&mut loan.engine, &control, left, report);
        }));
        if ran.is_ok() {
            self.slot.give_back(loan);
        } else {
            // Nothing may build on what this engine's table holds now.
            self.slot.replace();
        }
        ran.is_ok()
    }
}

#[cfg(test)]
mod tests;

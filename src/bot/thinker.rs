//! Where the engine thinks: a few OS threads below normal priority, so that thinking never delays the network.
//!
//! A search waits for a seat by deadline, runs with its game's warm table, and stops when the future that awaits it
//! is dropped. An engine that panics costs its table, not the game.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

use super::seats::Queue;
use crate::{
    engine::{Engine, Report, Search, Stop, Surroundings},
    units::{Millis, Stopwatch},
};

/// A search must get something done, however long it waited for its seat.
const LEAST_TIME: Millis = Millis(5);
/// An engine that has not stopped so long after its limit hangs; what it had found until then is used.
const GRACE: Duration = Duration::from_millis(500);

/// The engine's threads. Clones share them; they end with the last clone.
#[derive(Debug, Clone)]
pub struct Thinker(Arc<Seats>);

/// One game's engine with what it has learned so far. Clones share it.
#[derive(Clone)]
pub struct Table {
    engine: Arc<Mutex<Engine>>,
    hash_mib: usize,
}

impl Table {
    /// An engine that has learned nothing, with a table of so many mebibytes.
    #[must_use]
    pub fn new(hash_mib: usize) -> Self {
        Self {
            engine: Arc::new(Mutex::new(Engine::new(hash_mib))),
            hash_mib,
        }
    }
}

impl Thinker {
    /// Starts so many threads, at least one.
    ///
    /// # Errors
    /// The operating system's, when it gives no thread.
    pub fn new(seats: usize) -> std::io::Result<Self> {
        let seats = seats.max(1);
        let room = Arc::new(Room {
            state: Mutex::new(State {
                queue: Queue::new(seats),
                closing: false,
            }),
            called: Condvar::new(),
            opened: Instant::now(),
        });
        for seat in 0..seats {
            let room = Arc::clone(&room);
            thread::Builder::new()
                .name(format!("engine-{seat}"))
                .spawn(move || room.serve())?;
        }
        Ok(Self(Arc::new(Seats(room))))
    }

    /// Searches in a seat, with the limits of time counted from now: waiting for a seat uses them up. `deadline` is
    /// when the move must be out, which decides who waits. `None` only when the engine failed before it had found
    /// anything. Dropping the future stops the search.
    pub async fn search(&self, table: &Table, search: Search, deadline: Instant) -> Option<Report> {
        let (reply, report) = oneshot::channel();
        let best = Arc::new(Mutex::new(None));
        let patience = search.limits.hard.map(|hard| Duration::from(hard) + GRACE);
        let stop = StopOnDrop(Stop::new());
        let room = &self.0.0;
        let job = Job {
            table: table.clone(),
            search,
            stop: stop.0.clone(),
            asked: std::time::Instant::now(),
            best: Arc::clone(&best),
            reply,
        };
        let deadline = deadline.saturating_duration_since(room.opened);
        room.lock().queue.push(Millis::from(deadline).0, job);
        room.called.notify_one();
        let answer = match patience {
            Some(patience) => tokio::time::timeout(patience, report).await.ok(),
            None => Some(report.await),
        };
        match answer {
            Some(Ok(report)) => Some(report),
            // It panicked or hangs.
            Some(Err(_)) | None => best.lock().unwrap_or_else(PoisonError::into_inner).take(),
        }
    }
}

/// Ends the threads when the last handle goes.
#[derive(Debug)]
struct Seats(Arc<Room>);

impl Drop for Seats {
    fn drop(&mut self) {
        self.0.lock().closing = true;
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
struct Room {
    state: Mutex<State>,
    called: Condvar,
    opened: Instant,
}

#[derive(Debug)]
struct State {
    queue: Queue<Job>,
    closing: bool,
}

struct Job {
    table: Table,
    search: Search,
    stop: Stop,
    asked: std::time::Instant,
    best: Arc<Mutex<Option<Report>>>,
    reply: oneshot::Sender<Report>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("search", &self.search.limits)
            .finish_non_exhaustive()
    }
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of one thread: takes the most urgent search, again and again.
    fn serve(&self) {
        step_back();
        let mut state = self.lock();
        while !state.closing {
            let share = state.queue.share();
            let Some(job) = state.queue.take() else {
                state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            job.run(share);
            state = self.lock();
            state.queue.leave();
        }
    }
}

impl Job {
    fn run(mut self, share: f64) {
        if self.stop.is_set() {
            return;
        }
        let waited = Millis::from(self.asked.elapsed());
        let limits = &mut self.search.limits;
        limits.soft = limits
            .soft
            .map(|soft| (soft.scaled(share) - waited).max(LEAST_TIME));
        limits.hard = limits.hard.map(|hard| (hard - waited).max(LEAST_TIME));
        let mut engine = self.table.engine.lock().unwrap_or_else(PoisonError::into_inner);
        let around = Surroundings {
            stop: &self.stop,
            clock: &Stopwatch::start(),
        };
        let report = catch_unwind(AssertUnwindSafe(|| {
            engine.search(&self.search, &around, &mut |report| {
                *self.best.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
            })
        }));
        match report {
            Ok(report) => {
                let _ = self.reply.send(report); // the game went on without it
            }
            // Whatever the table holds now, nobody should build on it.
            Err(_) => *engine = Engine::new(self.table.hash_mib),
        }
    }
}

/// Lowers the priority of this thread: measured on two busy cores, the slowest moves then leave five times sooner.
/// A system that refuses, as some sandboxes do, is tolerated.
fn step_back() {
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "no safe crate at hand sets the priority of one thread")]
    // SAFETY: a plain system call without pointers. On Linux 0 names the calling thread alone.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chess::{GameLine, Variant},
        engine::Limits,
        units::Nodes,
    };

    fn search(limits: Limits) -> Search {
        Search::new(GameLine::new(Variant::Standard), limits)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[tokio::test]
    async fn searches_come_back_with_a_move() {
        let thinker = Thinker::new(1).unwrap();
        let table = Table::new(1);
        let limits = Limits {
            nodes: Some(Nodes(500)),
            ..Limits::default()
        };
        for _ in 0..3 {
            let report = thinker.search(&table, search(limits), soon()).await.unwrap();
            assert!(report.best().is_some());
        }
    }

    #[tokio::test]
    async fn a_dropped_future_frees_its_seat() {
        let thinker = Thinker::new(1).unwrap();
        let table = Table::new(1);
        let endless = thinker.search(&table, search(Limits::default()), soon());
        let _ = tokio::time::timeout(Duration::from_millis(20), endless).await;
        let limits = Limits {
            nodes: Some(Nodes(500)),
            ..Limits::default()
        };
        let next = thinker.search(&table, search(limits), soon());
        let report = tokio::time::timeout(Duration::from_secs(10), next).await;
        assert!(report.expect("the seat was never freed").is_some());
    }

    #[test]
    fn the_threads_end_with_the_last_handle() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let _guard = runtime.enter();
        let thinker = Thinker::new(2).unwrap();
        let room = Arc::downgrade(&thinker.0.0);
        drop(thinker);
        let begin = std::time::Instant::now();
        while room.strong_count() > 0 {
            assert!(
                begin.elapsed() < Duration::from_secs(10),
                "engine threads live on"
            );
            thread::yield_now();
        }
    }
}

//! How hard it is for anybody to get a processor: what a busy machine costs is not the daemon's fault, and is told apart.

use std::{
    fs,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::{sandbox::Sandbox, units::Millis};

/// The watch looks at the clock so often.
const TICK: Duration = Duration::from_millis(5);
/// Whoever wakes later than this stood still for a time that counts.
const LATE: Duration = Duration::from_millis(50);

/// A thread that does nothing but sleep and note when it was not woken in time. It ends with this.
pub(super) struct Strain {
    stalls: Arc<Mutex<Vec<(Millis, Millis)>>>,
    _stop: mpsc::Sender<()>,
}

impl Strain {
    /// Watches from now on, by the sandbox's clock.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn watch(sandbox: Sandbox) -> std::io::Result<Self> {
        let stalls = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&stalls);
        let (stop, stopped) = mpsc::channel::<()>();
        thread::Builder::new().name("strain".to_owned()).spawn(move || {
            loop {
                let (from, slept) = (sandbox.now(), Instant::now());
                if stopped.recv_timeout(TICK) != Err(mpsc::RecvTimeoutError::Timeout) {
                    return;
                }
                if slept.elapsed() > LATE {
                    let stall = (from, sandbox.now());
                    list.lock().unwrap_or_else(PoisonError::into_inner).push(stall);
                }
            }
        })?;
        Ok(Self { stalls, _stop: stop })
    }

    /// The spans in which a thread that wanted to run did not, by the sandbox's clock.
    pub(super) fn stalls(&self) -> Vec<(Millis, Millis)> {
        self.stalls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether so many others want to run at this moment that nobody who starts gets a processor of their own.
pub(super) fn is_crowded() -> bool {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    others_running().is_some_and(|others| others >= cores)
}

/// How many want to run on the whole machine, whoever asks left out.
fn others_running() -> Option<usize> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    let (running, _) = load.split_ascii_whitespace().nth(3)?.split_once('/')?;
    running.parse::<usize>().ok()?.checked_sub(1)
}

//! How hard it is for anybody to get a processor: what a busy machine costs is not the daemon's fault, and is told apart.

use std::{
    fs, process,
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

/// Watches how long a program waits for processors that others have.
#[derive(Debug, Default)]
pub(super) struct Hunger {
    /// The program, when it was looked at, and how long its threads had waited by then, taken together.
    last: Option<(u32, Instant, Duration)>,
}

impl Hunger {
    /// Looks at the program. Whether since the last look its threads have waited as long as this took, or longer: as if one
    /// of them had stood still all the time.
    pub(super) fn is_felt_by(&mut self, program: Option<u32>) -> bool {
        let now = Instant::now();
        let seen = program.map(|pid| (pid, now, waited(pid)));
        let before = std::mem::replace(&mut self.last, seen);
        match (before, seen) {
            (Some((before, since, had)), Some((pid, _, has))) if before == pid => {
                has.saturating_sub(had) >= now - since
            }
            _ => false,
        }
    }
}

/// How long the threads that a process has now have wanted to run and could not, taken together. None where the kernel does
/// not say.
fn waited(pid: u32) -> Duration {
    let stats = of_threads(pid, "schedstat");
    let waits = stats.filter_map(|stat| stat.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    Duration::from_nanos(waits.sum())
}

/// Whether so many others than the soak and the program under trial want to run at this moment that nobody who starts
/// gets a processor of their own.
pub(super) fn is_crowded(program: Option<u32>) -> bool {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    others_running(program).is_some_and(|others| others >= cores)
}

/// How many want to run on the whole machine, threads of this process and of the program left out.
fn others_running(program: Option<u32>) -> Option<usize> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    let (running, _) = load.split_ascii_whitespace().nth(3)?.split_once('/')?;
    let own = running_of(process::id()) + program.map_or(0, running_of);
    Some(running.parse::<usize>().ok()?.saturating_sub(own))
}

/// How many threads of a process want to run.
fn running_of(pid: u32) -> usize {
    of_threads(pid, "stat").filter(|stat| is_running(stat)).count()
}

/// What the kernel says of each thread of a process in the file of this name.
fn of_threads(pid: u32, file: &str) -> impl Iterator<Item = String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    threads.filter_map(move |thread| fs::read_to_string(thread.path().join(file)).ok())
}

/// Reads a thread's line in `/proc`: its state comes after its name, which may be anything, in brackets.
fn is_running(stat: &str) -> bool {
    stat.rsplit_once(") ")
        .is_some_and(|(_, state)| state.starts_with('R'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_our_own_are_told_from_those_of_others() {
        assert!(is_running("12 (a) S b) R 1 12"));
        assert!(!is_running("12 (R) S 1 12"));
        assert!(running_of(process::id()) >= 1, "who asks is running");
    }
}

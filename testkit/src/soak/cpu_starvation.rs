//! CPU starvation: separates delays of a busy machine from those of the daemon.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, process,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use sparring_chess::units::Millis;
use sparring_sandbox::Sandbox;

/// Interval of the stall detector.
const TICK: Duration = Duration::from_millis(5);
/// A wake-up later than this counts as a stall.
const LATE: Duration = Duration::from_millis(50);

/// A thread that does nothing but sleep and note when it was not woken in time. It ends with this.
pub(super) struct CpuStarvation {
    stalls: Arc<Mutex<Vec<(Millis, Millis)>>>,
    _stop: mpsc::Sender<()>,
}

impl CpuStarvation {
    /// Watches from now on, by the sandbox's clock.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn watch(sandbox: Sandbox) -> std::io::Result<Self> {
        let stalls = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&stalls);
        let (stop, stopped) = mpsc::channel::<()>();
        thread::Builder::new()
            .name("starvation".to_owned())
            .spawn(move || {
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

/// Detects that other processes use the CPUs that the bot needs.
#[derive(Debug, Default)]
pub(super) struct Starvation {
    /// Run-queue wait of each thread at the last sample.
    delays: BTreeMap<OsString, Duration>,
}

impl Starvation {
    /// Samples the bot's threads after `elapsed`. Returns the longest run-queue wait since the last sample, if it is most of
    /// that time and other processes are runnable.
    pub(super) fn since_last_look(&mut self, program: Option<u32>, elapsed: Duration) -> Option<Duration> {
        let longest = self.longest_wait(run_delays(program?))?;
        let others = others_running(program).is_some_and(|others| others > 0);
        (others && longest * 2 >= elapsed).then_some(longest)
    }

    /// Longest wait of a thread since the last sample; `None` without earlier threads.
    fn longest_wait(&mut self, delays: BTreeMap<OsString, Duration>) -> Option<Duration> {
        let before = std::mem::replace(&mut self.delays, delays);
        let threads = self.delays.iter();
        let grown = threads.filter_map(|(thread, delay)| Some(delay.saturating_sub(*before.get(thread)?)));
        grown.max()
    }
}

/// Run-queue wait of each thread of a process; empty if the kernel does not report it.
fn run_delays(pid: u32) -> BTreeMap<OsString, Duration> {
    let stats = of_threads(pid, "schedstat");
    stats
        .filter_map(|(thread, stat)| Some((thread, run_delay(&stat)?)))
        .collect()
}

/// Reads a thread's scheduler statistics: its second number are the nanoseconds that it waited for a processor.
fn run_delay(schedstat: &str) -> Option<Duration> {
    let nanos = schedstat.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// Whether so many others than the soak and the program under trial want to run at this moment that nobody who starts
/// gets a processor of their own.
pub(super) fn is_crowded(program: Option<u32>) -> bool {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    others_running(program).is_some_and(|others| others >= cores)
}

/// Runnable threads on the machine, without those of this process and the bot.
fn others_running(program: Option<u32>) -> Option<usize> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    let (running, _) = load.split_ascii_whitespace().nth(3)?.split_once('/')?;
    let own = running_of(process::id()) + program.map_or(0, running_of);
    Some(running.parse::<usize>().ok()?.saturating_sub(own))
}

/// Runnable threads of a process.
fn running_of(pid: u32) -> usize {
    of_threads(pid, "stat")
        .filter(|(_, stat)| is_running(stat))
        .count()
}

/// The threads of a process by their numbers, with what the kernel says of each in the file of this name.
fn of_threads(pid: u32, file: &str) -> impl Iterator<Item = (OsString, String)> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    threads.filter_map(move |thread| {
        let text = fs::read_to_string(thread.path().join(file)).ok()?;
        Some((thread.file_name(), text))
    })
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

    #[test]
    fn what_a_thread_waited_is_the_second_of_three_numbers() {
        assert_eq!(run_delay("7 3000000000 12\n"), Some(Duration::from_secs(3)));
        assert_eq!(run_delay("7"), None);
    }

    #[test]
    fn what_was_waited_before_a_thread_was_first_looked_at_does_not_count() {
        let mut starvation = Starvation::default();
        let mut look = |delays: &[(&str, u64)]| {
            let delays = delays.iter();
            starvation.longest_wait(
                delays
                    .map(|(thread, secs)| ((*thread).into(), Duration::from_secs(*secs)))
                    .collect(),
            )
        };
        assert_eq!(look(&[("7", 50), ("8", 10)]), None);
        assert_eq!(
            look(&[("7", 51), ("8", 13), ("9", 70)]),
            Some(Duration::from_secs(3))
        );
        assert_eq!(look(&[("9", 70)]), Some(Duration::ZERO));
        assert_eq!(look(&[("10", 70)]), None, "another life");
    }
}

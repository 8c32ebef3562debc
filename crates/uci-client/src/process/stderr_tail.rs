//! The end of what an engine prints to stderr, which mostly says why it ended.

use std::{
    io::Read as _,
    process::ChildStderr,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

/// The most that is kept, in bytes.
const MOST: usize = 400;
/// At most so many of its last lines are kept.
const LINES: usize = 3;
/// How long the end of the output may take after the engine has ended. A child of its own may keep it open.
const PATIENCE: Duration = Duration::from_millis(500);

/// Reads all of it, so that the engine need not wait, and keeps the end.
#[derive(Debug)]
pub(super) struct StderrTail {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Closed after the last byte.
    end: Receiver<()>,
}

impl StderrTail {
    pub fn of(mut output: ChildStderr) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (open, end) = channel();
        let tail = Arc::clone(&kept);
        thread::spawn(move || {
            let mut read = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut read) {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend_from_slice(&read[..count]);
                let excess = tail.len().saturating_sub(MOST);
                tail.drain(..excess);
            }
            drop(open);
        });
        Self { kept, end }
    }

    /// The last lines as the end of a sentence about an engine that has ended; empty if there are none.
    pub fn told(&self) -> String {
        // Nothing is ever sent.
        let _ = self.end.recv_timeout(PATIENCE);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        match &lines[lines.len().saturating_sub(LINES)..] {
            [] => String::new(),
            last => format!("; it said {:?}", last.join("; ")),
        }
    }
}

//! Non-blocking writer to stderr on a thread of its own. Lines that do not fit its buffer are dropped, and a line in their place
//! counts them.

use std::{
    io::{self, Write, stderr},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Capacity of the buffer in bytes: several thousand lines.
const CAPACITY: usize = 1024 * 1024;
/// Longest wait for pending lines at the end of the program.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// A handle to the buffer. Clones share it.
#[derive(Clone)]
pub(super) struct StderrWriter(Arc<LineBuffer>);

#[derive(Default)]
struct LineBuffer {
    pending: Mutex<PendingLines>,
    changed: Condvar,
}

#[derive(Default)]
struct PendingLines {
    bytes: Vec<u8>,
    /// How many lines were dropped after `bytes`.
    lost: usize,
    /// Whether the thread is writing lines that it has taken.
    is_writing: bool,
}

impl PendingLines {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.lost == 0
    }
}

impl StderrWriter {
    /// Starts the thread that writes to stderr.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn to_stderr() -> io::Result<Self> {
        Self::to(stderr())
    }

    fn to(mut output: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(LineBuffer::default());
        let writer = Self(Arc::clone(&shared));
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                let (bytes, lost) = shared.take();
                // A log that cannot be written must not end the program.
                let _ = output.write_all(&bytes);
                if lost > 0 {
                    let _ = writeln!(
                        output,
                        "{lost} log lines are missing here: stderr was not read in time"
                    );
                }
            }
        })?;
        Ok(writer)
    }

    /// Waits until all pending lines are written, at most [`DRAIN_TIMEOUT`].
    pub(super) fn drain(&self) {
        let busy = |pending: &mut PendingLines| pending.is_writing || !pending.is_empty();
        let _ = self
            .0
            .changed
            .wait_timeout_while(self.0.lock(), DRAIN_TIMEOUT, busy);
    }
}

impl Write for StderrWriter {
    /// Buffers a line, or drops it. Never blocks on the output.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut pending = self.0.lock();
        // After a gap, lines are dropped until its count is written: else the count would stand in the wrong place.
        if pending.lost > 0 || pending.bytes.len() + line.len() > CAPACITY {
            pending.lost += 1;
        } else {
            pending.bytes.extend_from_slice(line);
        }
        self.0.changed.notify_all();
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LineBuffer {
    fn lock(&self) -> MutexGuard<'_, PendingLines> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for pending lines and takes them, with the number of lines dropped after them.
    fn take(&self) -> (Vec<u8>, usize) {
        let mut pending = self.lock();
        pending.is_writing = false;
        self.changed.notify_all();
        let mut pending = self
            .changed
            .wait_while(pending, |pending| pending.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        pending.is_writing = true;
        (mem::take(&mut pending.bytes), mem::take(&mut pending.lost))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, pipe};

    use super::*;

    #[test]
    fn f52_whoever_says_something_waits_for_no_reader_and_a_gap_is_told() {
        let (unread, end) = pipe().unwrap();
        let mut writer = StderrWriter::to(end).unwrap();
        let written = 5 * CAPACITY / 100;
        for number in 0..written {
            writer.write_all(format!("{number:99}\n").as_bytes()).unwrap();
        }
        let mut lines = BufReader::new(unread).lines().map(Result::unwrap);
        // The thread may have taken lines in the middle, and then there are two gaps.
        let (mut next, mut lost) = (0, 0);
        while next < written {
            let line = lines.next().unwrap();
            if line.contains("log lines are missing") {
                let missing: usize = line.split(' ').next().unwrap().parse().unwrap();
                (next, lost) = (next + missing, lost + missing);
            } else {
                assert_eq!(line.trim(), next.to_string());
                next += 1;
            }
        }
        assert_eq!(next, written);
        assert!(lost > 0);
        writer.drain();
        writer.write_all(b"the end\n").unwrap();
        assert_eq!(lines.next().unwrap(), "the end");
    }

    #[test]
    fn drain_waits_until_the_last_line_is_written() {
        let (read, end) = pipe().unwrap();
        let mut writer = StderrWriter::to(end).unwrap();
        writer.write_all(b"the last word\n").unwrap();
        writer.drain();
        let pending = writer.0.lock();
        assert!(pending.is_empty() && !pending.is_writing);
        assert_eq!(
            BufReader::new(read).lines().next().unwrap().unwrap(),
            "the last word"
        );
    }
}

//! Non-blocking writer to stderr on a thread of its own. What does not fit its buffer is dropped and
//! counted.

use std::{
    io::{self, Write, stderr},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// So many bytes wait: some thousand lines.
const ROOM: usize = 1024 * 1024;
/// At the end of the program what still waits has this long.
const FAREWELL: Duration = Duration::from_secs(1);

/// Lines that wait to be written. Clones share them.
#[derive(Clone)]
pub(super) struct StderrWriter(Arc<LineBuffer>);

#[derive(Default)]
struct LineBuffer {
    waiting: Mutex<PendingLines>,
    changed: Condvar,
}

#[derive(Default)]
struct PendingLines {
    bytes: Vec<u8>,
    /// Lines for which there was no room behind these.
    lost: usize,
    /// Some were taken and are not all written yet.
    is_writing: bool,
}

impl PendingLines {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.lost == 0
    }
}

impl StderrWriter {
    /// Lines that go to stderr.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn to_stderr() -> io::Result<Self> {
        Self::to(stderr())
    }

    fn to(mut end: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(LineBuffer::default());
        let writer = Self(Arc::clone(&shared));
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                let (bytes, lost) = shared.take();
                // A log that cannot be written is no reason to end.
                let _ = end.write_all(&bytes);
                if lost > 0 {
                    let _ = writeln!(end, "here {lost} lines are missing: nobody read the log");
                }
            }
        })?;
        Ok(writer)
    }

    /// Waits until everything is written, though not for ever.
    pub(super) fn empty(&self) {
        let busy = |waiting: &mut PendingLines| waiting.is_writing || !waiting.is_empty();
        // Whoever does not read in time has lost the rest.
        let _ = self.0.changed.wait_timeout_while(self.0.lock(), FAREWELL, busy);
    }
}

impl Write for StderrWriter {
    /// Takes a line, or drops it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        // What comes after a gap waits until the gap is told, else nobody knew where it was.
        if waiting.lost > 0 || waiting.bytes.len() + line.len() > ROOM {
            waiting.lost += 1;
        } else {
            waiting.bytes.extend_from_slice(line);
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
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that waits, once there is something, and how many lines are missing behind it.
    fn take(&self) -> (Vec<u8>, usize) {
        let mut waiting = self.lock();
        waiting.is_writing = false;
        self.changed.notify_all();
        let mut waiting = self
            .changed
            .wait_while(waiting, |waiting| waiting.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        waiting.is_writing = true;
        (mem::take(&mut waiting.bytes), mem::take(&mut waiting.lost))
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
        let said = 5 * ROOM / 100;
        for number in 0..said {
            writer.write_all(format!("{number:99}\n").as_bytes()).unwrap();
        }
        let mut lines = BufReader::new(unread).lines().map(Result::unwrap);
        // Whoever writes may have emptied the writer in the middle, and then there are two gaps.
        let (mut next, mut lost) = (0, 0);
        while next < said {
            let line = lines.next().unwrap();
            if let Some(missing) = line.strip_prefix("here ") {
                let missing: usize = missing.split(' ').next().unwrap().parse().unwrap();
                (next, lost) = (next + missing, lost + missing);
            } else {
                assert_eq!(line.trim(), next.to_string());
                next += 1;
            }
        }
        assert_eq!(next, said);
        assert!(lost > 0);
        writer.empty();
        writer.write_all(b"the end\n").unwrap();
        assert_eq!(lines.next().unwrap(), "the end");
    }

    #[test]
    fn what_was_said_last_is_written_before_the_end() {
        let (read, end) = pipe().unwrap();
        let mut writer = StderrWriter::to(end).unwrap();
        writer.write_all(b"the last word\n").unwrap();
        writer.empty();
        let waiting = writer.0.lock();
        assert!(waiting.is_empty() && !waiting.is_writing);
        assert_eq!(
            BufReader::new(read).lines().next().unwrap().unwrap(),
            "the last word"
        );
    }
}

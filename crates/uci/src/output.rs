//! Writer of UCI lines, with a debug log of both directions.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use sparring_chess::units::{Stopwatch, TimeSource as _};

/// The most characters of an `info string`.
const LONGEST: usize = 500;

/// The output, shared by both threads.
pub(super) struct UciWriter<W> {
    writer: Mutex<W>,
    /// A write has failed: the GUI is gone.
    closed: AtomicBool,
    log: Mutex<Option<File>>,
    /// Runs from the start of the session: the log's time.
    watch: Stopwatch,
}

impl<W: Write> UciWriter<W> {
    /// A writer that writes to this, without a log.
    pub fn new(writer: W) -> Self {
        Self {
            writer: Mutex::new(writer),
            closed: AtomicBool::new(false),
            log: Mutex::default(),
            watch: Stopwatch::start(),
        }
    }

    /// Writes a line and flushes it.
    pub fn write_line(&self, line: impl fmt::Display) {
        if let Ok(mut writer) = self.writer.lock() {
            // Logged first: the reader of the line may close the log at once.
            self.log_line('>', &line);
            if writeln!(writer, "{line}").and_then(|()| writer.flush()).is_err() {
                self.closed.store(true, Relaxed);
            }
        }
    }

    /// Whether a write has failed: the GUI is gone.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// Writes an `info string`, cut to [`LONGEST`] characters.
    pub fn info_string(&self, text: impl fmt::Display) {
        let mut text = text.to_string();
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text += "...";
        }
        self.write_line(format_args!("info string {text}"));
    }

    /// Logs a line of input.
    pub fn log_input(&self, line: &str) {
        self.log_line('<', &line.trim_end());
    }

    /// Opens a log: all lines from now on are appended to this file.
    ///
    /// # Errors The system's, when the file cannot be opened; the log then stays as it was.
    pub fn open_log(&self, path: &Path) -> io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    /// Ends the log.
    pub fn close_log(&self) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn log_line(&self, way: char, line: &dyn fmt::Display) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &mut *log {
            // A full disk must not end the game that is being logged.
            let _ = writeln!(file, "{:>9} {way} {line}", self.watch.elapsed().0);
        }
    }
}

//! Logging: to stderr, or as fields to systemd's journal.

use std::{
    ffi::OsStr,
    fs,
    io::{IsTerminal, Write as _, stderr},
    os::unix::fs::MetadataExt as _,
};

use tracing_subscriber::{
    EnvFilter,
    fmt::{self, MakeWriter as _, writer::BoxMakeWriter},
    prelude::*,
};

use crate::{cli::stderr_writer::StderrWriter, web::log_buffer::Warnings};

/// Before the names of our own fields in the journal: `SPARRING_ID` is the id of the game that a line is about.
const PREFIX: &str = "SPARRING";

/// How much to say: the number of `-v` on the command line.
pub type Verbosity = u8;

/// The way to stderr. What is on it when this goes gets there.
pub struct Log {
    /// None where not even a thread can be started: then whoever speaks waits until it is heard.
    writer: Option<StderrWriter>,
}

impl Log {
    pub(super) fn new() -> Self {
        Self {
            writer: StderrWriter::to_stderr().ok(),
        }
    }

    fn writer(&self) -> BoxMakeWriter {
        match self.writer.clone() {
            Some(writer) => BoxMakeWriter::new(move || writer.clone()),
            None => BoxMakeWriter::new(stderr),
        }
    }

    /// Says something after all that was logged.
    pub fn say(&self, line: &str) {
        let line = format!("{line}\n");
        let _ = self.writer().make_writer().write_all(line.as_bytes()); // nobody could be told
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(writer) = &self.writer {
            writer.empty();
        }
    }
}

/// Starts logging, and gives what keeps the last warnings: to the journal where stderr leads there, else to stderr.
/// `RUST_LOG` overrides the verbosity for who knows what to look for.
pub fn start(verbosity: Verbosity) -> (Log, Warnings) {
    let log = Log::new();
    let level = match verbosity {
        0 => "sparring=info,warn",
        1 => "sparring=debug,info",
        _ => "sparring=trace,debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let layer = fmt::layer()
        .with_writer(log.writer())
        .with_target(verbosity > 0)
        .with_ansi(wants_color());
    let warnings = Warnings::default();
    let stream = std::env::var_os("JOURNAL_STREAM");
    let registry = tracing_subscriber::registry().with(filter).with(warnings.clone());
    // Lines that can be told apart by their fields, unless the journal cannot be reached.
    let journal = stream
        .as_deref()
        .filter(|stream| leads_to(stream))
        .and_then(|_| tracing_journald::layer().ok());
    // Another subscriber is there only in tests, which may keep theirs.
    let _ = match journal {
        Some(journal) => registry
            .with(journal.with_field_prefix(Some(PREFIX.to_owned())))
            .try_init(),
        // The journal keeps time itself.
        None if stream.is_some() => registry.with(layer.without_time()).try_init(),
        None => registry.with(layer).try_init(),
    };
    (log, warnings)
}

/// Whether stderr is the stream to the journal that systemd has named, as `device:inode`. It may have been led elsewhere
/// since.
fn leads_to(stream: &OsStr) -> bool {
    let Ok(stderr) = fs::metadata("/proc/self/fd/2") else {
        return false;
    };
    *stream == *format!("{}:{}", stderr.dev(), stderr.ino())
}

/// Colour on stderr only for eyes: a terminal that is not dumb, and no `NO_COLOR`.
#[must_use]
pub fn wants_color() -> bool {
    wants_color_on(&stderr())
}

/// The same for another stream.
#[must_use]
pub fn wants_color_on(stream: &impl IsTerminal) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !dumb && !refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stderr_leads_to_the_journal_only_if_it_is_the_stream_that_systemd_named() {
        let stderr = fs::metadata("/proc/self/fd/2").unwrap();
        let named = |dev, ino| leads_to(OsStr::new(&format!("{dev}:{ino}")));
        assert!(named(stderr.dev(), stderr.ino()));
        assert!(!named(stderr.dev(), stderr.ino() + 1));
        assert!(!leads_to(OsStr::new("")), "whatever it says");
    }
}

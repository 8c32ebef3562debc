//! Logging: to stderr, or as fields to systemd's journal.

use std::{
    ffi::OsStr,
    io::{IsTerminal, Write as _, stderr},
};

use tracing_subscriber::{
    EnvFilter,
    fmt::{self, MakeWriter as _, writer::BoxMakeWriter},
    prelude::*,
};

use crate::{
    cli::stderr_writer::StderrWriter,
    platform::{enable_colors, stderr_stream},
    web::log_buffer::Warnings,
};

/// Prefix of our fields in the journal: `SPARRING_ID` is the id of a line's game.
const PREFIX: &str = "SPARRING";

/// How much to say: the number of `-v` on the command line.
pub type Verbosity = u8;

/// Writes to stderr. Dropping it waits until pending lines are written.
pub struct Log {
    /// None where no thread can be started: then writes go to stderr directly, and may block.
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

    /// Writes a line after everything that was logged.
    pub fn say(&self, line: &str) {
        let line = format!("{line}\n");
        let _ = self.writer().make_writer().write_all(line.as_bytes()); // there is no other place for it
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(writer) = &self.writer {
            writer.drain();
        }
    }
}

/// Starts logging: to the systemd journal if stderr is connected to it, else to stderr. Returns the log and its latest warnings.
/// `RUST_LOG` overrides `verbosity`.
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
    // Structured fields, unless the journal's socket cannot be reached.
    let journal = stream
        .as_deref()
        .filter(|stream| leads_to(stream))
        .and_then(|_| tracing_journald::layer().ok());
    // Only in tests there is another subscriber, which stays.
    let _ = match journal {
        Some(journal) => registry
            .with(journal.with_field_prefix(Some(PREFIX.to_owned())))
            .try_init(),
        // The journal adds the time.
        None if stream.is_some() => registry.with(layer.without_time()).try_init(),
        None => registry.with(layer).try_init(),
    };
    (log, warnings)
}

/// Whether stderr is the stream that `JOURNAL_STREAM` names as `device:inode`. It may have been redirected since.
fn leads_to(stream: &OsStr) -> bool {
    stderr_stream().is_some_and(|stderr| *stream == *stderr)
}

/// Whether to color stderr: a terminal that is not dumb, and no `NO_COLOR`.
#[must_use]
pub fn wants_color() -> bool {
    wants_color_on(&stderr())
}

/// Whether to color a stream; see [`wants_color`].
#[must_use]
pub fn wants_color_on(stream: &impl IsTerminal) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !dumb && !refused && enable_colors()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stderr_is_the_journal_only_if_journal_stream_names_it() {
        if let Some(stderr) = stderr_stream() {
            assert!(leads_to(OsStr::new(&stderr)));
            assert!(!leads_to(OsStr::new(&format!("{stderr}0"))));
        }
        assert!(!leads_to(OsStr::new("")), "not a stream");
    }
}

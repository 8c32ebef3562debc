//! Where log lines go and how they look: quiet, without colour in files, without our own clock under systemd.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, fmt, prelude::*};

use super::warnings::Warnings;

/// How much to say: the number of `-v` on the command line.
pub type Verbosity = u8;

/// Starts logging to stderr, and gives what keeps the last warnings. `RUST_LOG` overrides the verbosity for who knows what
/// to look for.
pub fn start(verbosity: Verbosity) -> Warnings {
    let level = match verbosity {
        0 => "sparring=info,warn",
        1 => "sparring=debug,info",
        _ => "sparring=trace,debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let layer = fmt::layer()
        .with_writer(stderr)
        .with_target(verbosity > 0)
        .with_ansi(wants_color());
    let under_systemd = std::env::var_os("JOURNAL_STREAM").is_some();
    let warnings = Warnings::default();
    let registry = tracing_subscriber::registry().with(filter).with(warnings.clone());
    // Another subscriber is there only in tests, which may keep theirs.
    let _ = if under_systemd {
        registry.with(layer.without_time()).try_init()
    } else {
        registry.with(layer).try_init()
    };
    warnings
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

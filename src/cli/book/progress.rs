//! Progress bar, on a terminal only.

use std::{
    io::{IsTerminal as _, stderr},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over so many bytes; without a length, it only shows that something goes on.
pub fn bytes(length: Option<u64>, quiet: bool) -> ProgressBar {
    let template = match length {
        Some(_) => "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}",
        None => "{spinner} {bytes} {bytes_per_sec} {msg}",
    };
    started(ProgressBar::new(length.unwrap_or(0)), template, quiet)
}

/// A bar over so many things.
pub fn count(length: u64, quiet: bool) -> ProgressBar {
    started(
        ProgressBar::new(length),
        "{wide_bar} {pos}/{len} {per_sec} {eta} {msg}",
        quiet,
    )
}

fn started(bar: ProgressBar, template: &str, quiet: bool) -> ProgressBar {
    if quiet || !stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        return bar;
    }
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

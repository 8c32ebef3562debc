//! Files of openings for commands that play games.

use std::path::Path;

use anyhow::Context as _;

use sparring_match_runner::{OpeningSet, read_openings_file};

/// Reads a file of openings: EPD or FEN lines, or games, of which so many half moves. Reports skipped entries.
///
/// # Errors
/// When the file cannot be read or has no openings.
#[expect(clippy::print_stderr, reason = "talk about the work goes to stderr")]
pub fn openings_of(path: &Path, plies: usize, seed: u64) -> anyhow::Result<OpeningSet> {
    let set = read_openings_file(path, plies, seed).with_context(|| path.display().to_string())?;
    for remark in &set.remarks {
        eprintln!("{}: {remark}", path.display());
    }
    Ok(set)
}

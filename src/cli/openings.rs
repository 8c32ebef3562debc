//! Files of openings for commands that play games.

use std::path::Path;

use anyhow::Context as _;

use sparring_match_runner::{OpeningOptions, OpeningSet, read_openings_file};

/// Reads a file of openings: EPD or FEN lines, or games. Reports skipped entries.
///
/// # Errors
/// When the file cannot be read or has no openings.
#[expect(clippy::print_stderr, reason = "talk about the work goes to stderr")]
pub fn openings_of(path: &Path, options: OpeningOptions) -> anyhow::Result<OpeningSet> {
    let set = read_openings_file(path, options).with_context(|| path.display().to_string())?;
    for remark in &set.remarks {
        eprintln!("{}: {remark}", path.display());
    }
    Ok(set)
}

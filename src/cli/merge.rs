//! `sparring merge`: one record of the records of all shards of a run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    book::say,
    exit::{Exit, Failure},
};
use sparring_journal::merge;

/// Puts the records of all shards of a run together.
///
/// They must be of the same run by the same build, and of each shard there must be one. The command that ran the shards takes the
/// new file as the record of the whole run: it counts its rows and does only what they lack.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring merge shard-*.ndjson -o whole.ndjson
  sparring games analyse --record whole.ndjson      # prints the figures")]
pub struct Args {
    /// The records of the shards.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The record of the whole run.
    #[arg(short, long)]
    output: PathBuf,
    /// Writes over a file that is there.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// When a record cannot be read, the records do not belong together, or the new one cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let is_input = |path: &PathBuf| same_file(path, &args.output);
    if args.output.exists() && (!args.force || args.records.iter().any(is_input)) {
        let remedy = match args.records.iter().any(is_input) {
            true => "is one of the records to merge: name another file",
            false => "is there already; --force writes over it",
        };
        let sentence = format!("{} {remedy}", args.output.display());
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let merged = merge(&args.records)?;
    merged.write(&args.output)?;
    let counts: Vec<String> = merged.shards().iter().map(usize::to_string).collect();
    say(&format!(
        "{} rows of {} in {}, of the shards {}",
        merged.len(),
        merged.journal(),
        args.output.display(),
        counts.join(" + ")
    ));
    Ok(Exit::Success)
}

/// Whether two paths lead to the same file.
fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

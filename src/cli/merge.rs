//! `sparring merge`: one journal of the journals of all shards of a run.

use std::path::PathBuf;

use super::{book::say, exit::Exit};
use sparring_journal::merge;

/// Puts the shards of a run together.
///
/// The journals must be of the same run by the same build, and of each shard there must be one. The command that ran the shards
/// takes the new file as the record of the whole run: it counts its rows and does only what they lack.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring merge shard-*.ndjson -o whole.ndjson
  sparring games analyse --record whole.ndjson      # prints the figures")]
pub struct Args {
    /// The journals.
    #[arg(required = true)]
    journals: Vec<PathBuf>,
    /// The journal of the whole run; a file that is there is replaced.
    #[arg(short, long)]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When a journal cannot be read, the journals do not belong together, or the new one cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let merged = merge(&args.journals)?;
    merged.write(&args.output)?;
    say(&format!(
        "{} rows of {} from {} shards in {}",
        merged.len(),
        merged.journal(),
        args.journals.len(),
        args.output.display()
    ));
    Ok(Exit::Success)
}

//! `sparring book compile`: the compiled form of a large book, made before the bot needs it.

use std::{fs, path::PathBuf, time::Instant};

use anyhow::Context as _;

use super::common;
use crate::{
    cli::exit::{Exit, Failure},
    reload,
};

/// Makes the compiled form of large books (`.bookc`), which opens at once and stays out of memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book compile books/large.book      writes books/large.bookc

The bot does this by itself for texts of 4 MiB and more, when it starts or the text was saved. Compiling first, on a
machine with more memory, spares it the work: it takes about twelve times the size of the text. A copy must keep the
time of the text, as cp -p and rsync -t do.

Exit codes: 0 compiled, 1 a book has mistakes or includes others, 2 a file is not there.")]
pub struct Args {
    /// The books.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Runs the subcommand.
///
/// # Errors
/// When a book cannot be read, has mistakes, or its compiled form cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    for path in &args.files {
        compile(path)?;
    }
    Ok(Exit::Success)
}

fn compile(path: &PathBuf) -> anyhow::Result<()> {
    let shown = path.display();
    let look = || fs::metadata(path).ok().as_ref().and_then(reload::origin);
    // Looked at before it is read: if it is saved meanwhile, what was made is seen to be of the text before.
    let origin = look();
    let draft = common::faultless(path)?;
    let origin =
        origin.with_context(|| format!("{shown} has no time by which it could be told from a later one"))?;
    reload::store(path, &draft, origin)
        .map_err(|error| Failure::error(Exit::Failed, format!("cannot compile {shown}: {error}")))?;
    let compiled = reload::compiled_path(path);
    let bytes = fs::metadata(&compiled).map_or(0, |file| file.len());
    let start = Instant::now();
    let opened = reload::open_fresh(path, origin)
        .with_context(|| format!("{} is not as it was written", compiled.display()))?;
    common::say(&format!(
        "{} positions, {:.1} MiB in {}, opened in {:.1?}",
        opened.positions(),
        bytes as f64 / f64::from(1 << 20),
        compiled.display(),
        start.elapsed()
    ));
    Ok(())
}

//! `sparring book split`: dense lines of coordinates, taken apart.

use std::path::PathBuf;

use super::common;
use crate::cli::exit::Exit;
use sparring_book as book;

/// Puts blanks between moves that stand without, as in `e2e4e7e6d2d4`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book split dense.txt -o loose.txt
  echo e2e4e7e6d2d4 | sparring book split -")]
pub struct Args {
    /// The text; `-` for standard input.
    file: PathBuf,
    #[command(flatten)]
    output: common::Output,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    args.output
        .write(book::split(&common::text(&args.file)?).as_bytes())?;
    Ok(Exit::Success)
}

//! `sparring book stats`: what is in books, in numbers.

use std::{fmt::Write as _, path::PathBuf};

use super::common;
use crate::cli::exit::Exit;
use sparring_book::{self as book, Stats};

/// Counts what is in books.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book stats                      all books
  sparring book stats books/main.book      one book, with its openings")]
pub struct Args {
    /// The books; all of bot.toml's folder if there are none.
    files: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When a book cannot be read.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let books = common::books(&args.files)?;
    let mut said = String::new();
    for book in &books {
        let stats = book::stats(book);
        said += &draw(book.path(), &stats);
        if let [only] = &books[..] {
            said += &openings(only.path(), &stats);
        }
    }
    common::print(said.as_bytes())?;
    Ok(Exit::Success)
}

fn draw(path: &str, stats: &Stats) -> String {
    format!(
        "{path}: {} lines, {} of moves; {} positions, {} moves of which {} are never played; \
         {} half moves deep at most, {:.1} on average\n",
        stats.lines, stats.rows, stats.positions, stats.moves, stats.unplayed, stats.deepest, stats.average
    )
}

/// How many lines of moves end in each opening, the most frequent first.
fn openings(path: &str, stats: &Stats) -> String {
    let mut drawn = String::new();
    for (name, rows) in &stats.openings {
        // Writing to a string cannot fail.
        let _ = writeln!(drawn, "{rows:>6}  {name}");
    }
    if drawn.is_empty() {
        drawn = format!("{path} has no opening with a name\n");
    }
    drawn
}

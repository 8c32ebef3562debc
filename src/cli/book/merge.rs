//! `sparring book merge`: the lines of several books in one.

use std::path::{Path, PathBuf};

use super::common;
use crate::cli::exit::{Exit, Failure};
use sparring_book as book;

/// Adds to a book the lines of others that it does not have. Its own comments and layout stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book merge books/mine.book friend.book -o both.book
  sparring book merge books/mine.book a.book b.book > all.book")]
pub struct Args {
    /// The book that stays as it is.
    first: PathBuf,
    /// The books whose lines are added, in this order.
    #[arg(required = true)]
    others: Vec<PathBuf>,
    #[command(flatten)]
    output: common::Output,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut book = common::read(&args.first)?;
    let (mut added, mut known) = (0, 0);
    for path in &args.others {
        let other = common::read(path)?;
        if other.head().variant != book.head().variant {
            let sentence = format!("{} is a book for {}", other.path(), other.head().variant.name());
            return Err(Failure::error(Exit::Usage, sentence));
        }
        let merged = book::merge(&book, &other);
        for header in &merged.lost {
            common::say(&format!(
                "\"{header}\" of {} holds for a whole book and is left out: its lines now count in other games too",
                other.path()
            ));
        }
        added += merged.added;
        known += merged.known;
        book = reread(&args.first, &merged.text)?;
    }
    args.output.write(book::write(&book).as_bytes())?;
    common::say(&format!("{added} lines added, {known} were there already"));
    Ok(Exit::Success)
}

/// A text that was just put together; its mistakes were told when its parts were read.
fn reread(path: &Path, text: &str) -> anyhow::Result<book::Book> {
    let (book, findings) = book::parse(&path.display().to_string(), text);
    book.ok_or_else(|| anyhow::Error::new(findings))
}

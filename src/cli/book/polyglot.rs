//! `sparring book import` and `export`: books of other programs.

use std::path::PathBuf;

use super::desk;
use crate::{
    book,
    cli::exit::{Exit, Failure},
};

/// Makes a text of a Polyglot book (`.bin`).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book import performance.bin -o books/performance.book

Polyglot names positions by keys alone: what the book's own moves do not lead to is left behind, and counted.")]
pub struct ImportArgs {
    /// The Polyglot book.
    file: PathBuf,
    #[command(flatten)]
    output: desk::Output,
}

/// Makes a Polyglot book (`.bin`) of a text.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book export books/main.book -o main.bin")]
pub struct ExportArgs {
    /// The book.
    file: PathBuf,
    #[command(flatten)]
    output: desk::Output,
}

/// Runs `import`.
///
/// # Errors
/// When a file cannot be read or written, or is no Polyglot book.
pub fn import(args: &ImportArgs) -> anyhow::Result<Exit> {
    let bytes = desk::bytes(&args.file)?;
    let imported = book::import_polyglot(&bytes)
        .map_err(|error| Failure::error(Exit::Failed, format!("{}: {error}", args.file.display())))?;
    args.output.write(imported.text.as_bytes())?;
    desk::say(&format!(
        "{} entries, {} left behind",
        imported.entries, imported.left
    ));
    Ok(Exit::Success)
}

/// Runs `export`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn export(args: &ExportArgs) -> anyhow::Result<Exit> {
    use std::io::{IsTerminal as _, stdout};
    if args.output.is_standard() && stdout().is_terminal() {
        let sentence = "a Polyglot book is binary: name a file with -o, or use a pipe";
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let bytes = book::export_polyglot(&desk::read(&args.file)?);
    args.output.write(&bytes)?;
    desk::say(&format!("{} entries", bytes.len() / 16));
    Ok(Exit::Success)
}

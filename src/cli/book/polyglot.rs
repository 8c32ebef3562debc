//! `sparring book import` and `export`: books of other programs.

use std::path::PathBuf;

use super::desk;
use crate::{
    book::{self, Book},
    chess::{Variant, write_fen, write_uci},
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
  sparring book export books/main.book -o main.bin
  sparring book export books/main.book --json       the same for programs: a position a line, moves with weights")]
pub struct ExportArgs {
    /// The book.
    file: PathBuf,
    /// JSON instead: one position a line, with its FEN and its moves with their weights.
    #[arg(long)]
    json: bool,
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
    if args.json {
        args.output
            .write(json(&desk::read_whole(&args.file)?).as_bytes())?;
        return Ok(Exit::Success);
    }
    if args.output.is_standard() && stdout().is_terminal() {
        let sentence = "a Polyglot book is binary: name a file with -o, or use a pipe";
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let bytes = book::export_polyglot(&desk::read_whole(&args.file)?);
    args.output.write(&bytes)?;
    desk::say(&format!("{} entries", bytes.len() / 16));
    Ok(Exit::Success)
}

/// One position a line.
fn json(book: &Book) -> String {
    let mut lines = String::new();
    book::each_position(book, |pos, moves| {
        let moves: serde_json::Map<String, serde_json::Value> = moves
            .iter()
            .map(|(mv, weight)| (write_uci(*mv, Variant::Standard), (*weight).into()))
            .collect();
        lines += &serde_json::json!({ "fen": write_fen(pos), "moves": moves }).to_string();
        lines.push('\n');
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_a_position_a_line() {
        let book = book::parse("a.book", "e4 60 | d4 40\ne4 e5xx\n").0.unwrap();
        assert_eq!(
            json(&book),
            "{\"fen\":\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\",\"moves\":{\"d2d4\":40,\"e2e4\":60}}\n\
             {\"fen\":\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\",\"moves\":{\"e7e5\":0}}\n"
        );
    }
}

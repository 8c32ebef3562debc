//! `sparring book import` and `export`: books of other programs.

use std::path::PathBuf;

use super::common;
use crate::cli::exit::{Exit, Failure};
use sparring_book::{self as book, Book, BookFormat, ZeroWeights};
use sparring_chess::{write_fen, write_uci};

/// Makes a text of a Polyglot book (`.bin`).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book import performance.bin -o books/performance.book

Polyglot names positions by keys alone. In a book of one side every answer of the other is tried, and its lines stand
below \"color:\". Entries of positions that are not reached, or with illegal moves, are left out and counted.")]
pub struct ImportArgs {
    /// The Polyglot book.
    file: PathBuf,
    /// Reads moves of weight 0 as moves that are known and never played, instead of leaving them out.
    #[arg(long)]
    keep_zero: bool,
    #[command(flatten)]
    output: common::Output,
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
    output: common::Output,
}

/// Runs `import`.
///
/// # Errors
/// When a file cannot be read or written, or is no Polyglot book.
pub fn import(args: &ImportArgs) -> anyhow::Result<Exit> {
    let bytes = common::bytes(&args.file)?;
    let zeros = if args.keep_zero {
        ZeroWeights::Keep
    } else {
        ZeroWeights::Drop
    };
    let failed = |said: &str| Failure::error(Exit::Failed, format!("{}: {said}", args.file.display()));
    // A file of any other name is taken for a Polyglot book.
    let format = BookFormat::of(&args.file).unwrap_or(book::FORMATS[0]);
    let imported = (format.import)(&bytes, zeros).map_err(|error| failed(&error.to_string()))?;
    let mut said = imported.to_string();
    if imported.left_out.zero > 0 {
        said += " (Polyglot does not choose them; --keep-zero reads them as moves that are never played)";
    }
    if imported.entries == 0 {
        return Err(failed(&said));
    }
    args.output.write(imported.text.as_bytes())?;
    common::say(&said);
    Ok(Exit::Success)
}

/// Runs `export`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn export(args: &ExportArgs) -> anyhow::Result<Exit> {
    use std::io::{IsTerminal as _, stdout};
    if !args.json && args.output.is_standard() && stdout().is_terminal() {
        let sentence = "a Polyglot book is binary: name a file with -o, or use a pipe";
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let book = common::read_whole(&args.file)?;
    if args.json {
        args.output.write(json(&book).as_bytes())?;
        tell_left(&book);
        return Ok(Exit::Success);
    }
    let variant = book.head().variant;
    if !variant.traits().standard_books {
        let sentence = format!(
            "{} is a book for {}: Polyglot knows orthodox chess alone, --json writes any",
            book.path(),
            variant.name()
        );
        return Err(Failure::error(Exit::Failed, sentence));
    }
    let bytes = book::export_polyglot(&book);
    args.output.write(&bytes)?;
    common::say(&format!("{} entries", bytes.len() / 16));
    tell_left(&book);
    Ok(Exit::Success)
}

/// Says what of the book could not go along.
fn tell_left(book: &Book) {
    let pinned = book::pinned_moves(book);
    if pinned > 0 {
        common::say(&format!(
            "{} left out: what is pinned by @ counts in one order of moves only, and other books know positions alone",
            common::several(pinned, "move")
        ));
    }
}

/// One position a line.
fn json(book: &Book) -> String {
    let (mut lines, variant) = (String::new(), book.head().variant);
    book::each_position(book, |pos, moves| {
        let moves: serde_json::Map<String, serde_json::Value> = moves
            .iter()
            .map(|(mv, weight)| (write_uci(*mv, variant), (*weight).into()))
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
    fn moves_of_weight_0_are_imported_only_if_asked_for_and_nothing_is_no_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let book = book::parse("a.book", "e4 60 | d4 40\ne4 e5xx\n").0.unwrap();
        std::fs::write(path("a.bin"), book::export_polyglot(&book)).unwrap();
        let run = |file: &str, out: &str, keep_zero| {
            import(&ImportArgs {
                file: path(file),
                keep_zero,
                output: common::Output::to(path(out)),
            })
        };
        run("a.bin", "played.book", false).unwrap();
        run("a.bin", "all.book", true).unwrap();
        let text = |name: &str| std::fs::read_to_string(path(name)).unwrap();
        assert_eq!(text("played.book"), "1. e4 60 | d4 40\n");
        assert_eq!(text("all.book"), "1. e4 60 | d4 40\n1. e4 e5 0\n");
        // A book of nothing but moves that are not chosen.
        let never = book::parse("a.book", "e4xx\n").0.unwrap();
        std::fs::write(path("never.bin"), book::export_polyglot(&never)).unwrap();
        let said = run("never.bin", "never.book", false).unwrap_err().to_string();
        assert!(
            said.contains("0 entries read; 1 entry left out: 1 of weight 0"),
            "{said}"
        );
        assert!(said.contains("--keep-zero"), "{said}");
        assert!(!path("never.book").exists());
    }

    #[test]
    fn json_has_a_position_a_line() {
        let book = book::parse("a.book", "e4 60 | d4 40\ne4 e5xx\n").0.unwrap();
        assert_eq!(
            json(&book),
            "{\"fen\":\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\",\"moves\":{\"d2d4\":40,\"e2e4\":60}}\n\
             {\"fen\":\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\",\"moves\":{\"e7e5\":0}}\n"
        );
    }

    #[test]
    fn a_book_for_other_rules_is_not_exported_and_pins_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("boom.book"), "variant: atomic\nNf3 f6\n").unwrap();
        let args = |json| ExportArgs {
            file: path("boom.book"),
            json,
            output: common::Output::to(path(if json { "boom.json" } else { "boom.bin" })),
        };
        let said = export(&args(false)).unwrap_err().to_string();
        assert!(said.contains("is a book for Atomic"), "{said}");
        assert!(!path("boom.bin").exists());
        export(&args(true)).unwrap();
        assert!(
            std::fs::read_to_string(path("boom.json"))
                .unwrap()
                .contains("g1f3")
        );
        let book = book::parse(
            "a.book",
            "d4 Nf6 c4 e6 Nc3\nc4 Nf6 d4 e6 Nf3@ d5\nd4 Nf6 c4 e6 Nc3xx@\n",
        );
        assert_eq!(book::pinned_moves(&book.0.unwrap()), 2);
    }
}

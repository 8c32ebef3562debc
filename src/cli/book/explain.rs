//! `sparring book explain`: what books have for a position, and why a move is played or not.

use std::{fmt::Write as _, path::PathBuf};

use super::desk;
use crate::{
    book::{self, Explained, Library, WhyNot},
    chess::{Rules as _, Variant, write_fen},
    cli::exit::{Exit, Failure},
};

/// Says what books have for a position, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book explain \"1. e4 c5\"                         all books, each for itself
  sparring book explain \"1. e4 c5\" books/mine.book books/main.book   as a personality with books = [\"mine\", \"main\"]
  sparring book explain \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"")]
pub struct Args {
    /// A FEN, `startpos`, or moves from the start.
    position: String,
    /// The books in their order: the first that has a move to play answers. Without any, all books, one by one.
    files: Vec<PathBuf>,
    /// The rules of the game, as lichess writes them.
    #[arg(long, default_value = "standard")]
    variant: String,
}

/// Runs the command.
///
/// # Errors
/// When a book cannot be read or the position makes no sense.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let variant: Variant = args
        .variant
        .parse()
        .map_err(|error: crate::chess::UnknownVariant| Failure::error(Exit::Usage, error.to_string()))?;
    let line = desk::position(&args.position, variant)?;
    let books = desk::leaning(desk::books(&args.files)?)?;
    let names: Vec<String> = books.iter().map(|book| book.name().to_owned()).collect();
    let library = Library::new(books);
    let mut said = write_fen(line.position());
    if let Some(opening) = book::name_of(line.keys()) {
        let _ = write!(said, "\n{opening}"); // Writing to a string cannot fail.
    }
    let asked: Vec<&[String]> = if args.files.is_empty() {
        names.chunks(1).collect()
    } else {
        vec![names.as_slice()]
    };
    let mut known = 0;
    for books in asked {
        let explained = library.explain(books, &line);
        known += explained.len();
        if !explained.is_empty() {
            said += "\n\n";
            said += draw(&explained).trim_end();
        }
    }
    if known == 0 {
        said += if line.position().legal_moves().is_empty() {
            "\n\nThe game is over here."
        } else {
            "\n\nNo book knows this position."
        };
    }
    said.push('\n');
    desk::print(said.as_bytes())?;
    Ok(if known > 0 { Exit::Success } else { Exit::Failed })
}

fn draw(explained: &[Explained]) -> String {
    let mut drawn = String::new();
    for one in explained {
        let why = one.why_not.map_or_else(String::new, |why: WhyNot| {
            format!("  not played: {}", why.words())
        });
        let note = one
            .note
            .as_deref()
            .map_or_else(String::new, |note| format!("  {note}"));
        let lines = if one.lines == 1 { "line" } else { "lines" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            drawn,
            "{:>5}  {:<7} weight {:<6} {:>3} {lines:<5}  [{}]{note}{}{why}",
            desk::percent(one.chance),
            one.mv,
            one.weight,
            one.lines,
            one.at,
            desk::aside(one.lean.as_deref())
        );
    }
    drawn
}

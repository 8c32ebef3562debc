//! `sparring book show`: a book as a tree.

use std::{fmt::Write as _, path::PathBuf};

use super::common;
use crate::cli::exit::Exit;
use sparring_book::{self as book, Branch, Extent};

/// Shows a book as a tree of moves with their chances.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book show books/main.book                          the first four half moves
  sparring book show books/main.book --from \"1. e4 c5\" -d 8   the Sicilian, eight half moves deep
  sparring book show books/main.book -d 20 --min 5 | less     all that is played at least in 5%

Columns: chance, moves, the name of the opening, the line to edit. \"=\" stands where the moves go on as shown above.")]
pub struct Args {
    /// The book.
    file: PathBuf,
    /// Where to begin: a FEN, or moves from the start.
    #[arg(long, default_value = "startpos", value_name = "POSITION")]
    from: String,
    /// How many half moves deep.
    #[arg(short, long, default_value_t = 4, value_name = "PLIES")]
    depth: usize,
    /// Leaves out moves that are less likely than this.
    #[arg(long, default_value_t = 0.0, value_name = "PERCENT")]
    min: f64,
}

/// Runs the command.
///
/// # Errors
/// When the book cannot be read or the position makes no sense.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut books = common::leaning(vec![common::read_whole(&args.file)?])?;
    let Some(book) = books.pop() else {
        return Ok(Exit::Failed);
    };
    let line = common::position(&args.from, book.head().variant)?;
    let extent = Extent {
        plies: args.depth,
        least: args.min / 100.0,
    };
    let branches = book::tree(&book, &line, extent);
    if branches.is_empty() {
        common::say(&format!("{} has no move there", book.path()));
        return Ok(Exit::Failed);
    }
    common::print(draw(&branches).as_bytes())?;
    Ok(Exit::Success)
}

fn draw(branches: &[Branch]) -> String {
    let width = |branch: &Branch| 2 * branch.depth + branch.mv.chars().count() + 2;
    let widest = branches.iter().map(width).max().unwrap_or(0);
    let mut drawn = String::new();
    for branch in branches {
        let mv = format!(
            "{:indent$}{}{}",
            "",
            branch.mv,
            if branch.seen { " =" } else { "" },
            indent = 2 * branch.depth
        );
        let name = branch.name.as_deref().unwrap_or("-");
        // Writing to a string cannot fail.
        let _ = writeln!(
            drawn,
            "{:>5}  {mv:<widest$}  {name}  [{}]{}",
            common::percent(branch.chance),
            branch.at,
            common::aside(branch.learned.as_deref())
        );
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{GameHistory, Variant};

    #[test]
    fn the_tree_shows_chance_name_and_line() {
        let text = "1. e4 60 | d4 40\n1. e4 e5 2. Nf3 Nc6 3. Bb5  # My Spanish\n1. d4 d5 2. c4\n";
        let book = book::parse("a.book", text).0.unwrap();
        let extent = Extent { plies: 2, least: 0.0 };
        let branches = book::tree(&book, &GameHistory::new(Variant::Standard), extent);
        insta::assert_snapshot!(draw(&branches), @r"
          60%  1. e4        B00 King's Pawn Game  [a.book:1]
         100%    1... e5    My Spanish  [a.book:2]
          40%  1. d4        A40 Queen's Pawn Game  [a.book:1]
         100%    1... d5    D00 Queen's Pawn Game, Closed  [a.book:3]
        ");
    }
}

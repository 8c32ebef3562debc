//! `sparring book diff`: what changed between two books, by position.

use std::{fmt::Write as _, path::PathBuf};

use super::common;
use crate::cli::exit::Exit;
use sparring_book::{self as book, Difference};

/// Compares two books position by position; the order and looks of their lines do not count.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book diff old.book new.book
  git show HEAD:books/main.book | sparring book diff - books/main.book

Columns: what happened, chance before and after, the move and the moves before it.
Exit codes: 0 the same, 1 they differ, 2 a file is not there.")]
pub struct Args {
    /// The book as it was; `-` for standard input.
    old: PathBuf,
    /// The book as it is.
    new: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let differences = book::diff(&common::read_whole(&args.old)?, &common::read_whole(&args.new)?);
    common::print(draw(&differences).as_bytes())?;
    Ok(if differences.is_empty() {
        Exit::Success
    } else {
        Exit::Failed
    })
}

fn draw(differences: &[Difference]) -> String {
    let mut drawn = String::new();
    for one in differences {
        let what = match (one.old, one.new) {
            (None, _) => "new",
            (_, None) => "gone",
            _ => "changed",
        };
        let shown = |chance: Option<f64>| chance.map_or_else(|| "-".to_owned(), common::percent);
        let after = if one.after.is_empty() {
            "the start"
        } else {
            &one.after
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            drawn,
            "{what:<8}{:>5} > {:<5} {:<7} after {after}",
            shown(one.old),
            shown(one.new),
            one.mv
        );
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_drawn_one_a_line() {
        let read = |text| book::parse("a.book", text).0.unwrap();
        let differences = book::diff(&read("e4 60 | d4 40\ne4 e5"), &read("e4 50 | d4 50\ne4 c5"));
        insta::assert_snapshot!(draw(&differences), @r"
        changed   60% > 50%   e4      after the start
        changed   40% > 50%   d4      after the start
        gone     100% > -     e5      after 1. e4
        new         - > 100%  c5      after 1. e4
        ");
    }
}

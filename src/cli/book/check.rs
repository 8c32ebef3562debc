//! `sparring book check`: errors, warnings and lints of books.

use std::{io::stdout, path::PathBuf};

use super::{blunder_check, common};
use crate::{
    cli::{
        exit::Exit,
        logging,
        render_diagnostics::{self, Style},
    },
    reload::missing_includes,
};
use sparring_book as book;
use sparring_chess::units::{Centipawns, Depth};
use sparring_diagnostics::{Diagnostics, Severity};

/// Says what is wrong with books, and what looks like a slip.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book check                              all books
  sparring book check books/mine.book              one book
  sparring book check --doctor books/mine.book     also transpositions it misses, and rare moves to decide on
  sparring book check --engine books/mine.book     also whether a line ends badly; this takes a while
  sparring book check --lines books/mine.book      one line a finding, for editors

Exit codes: 0 in order (there may be warnings), 1 something is wrong, 2 a file is not there.")]
pub struct Args {
    /// The books; all of bot.toml's folder if there are none.
    files: Vec<PathBuf>,
    /// Also looks for moves into known positions that are missing, and for rare moves to decide on.
    #[arg(long)]
    doctor: bool,
    /// With --doctor: a move is rare below this chance.
    #[arg(long, default_value_t = 5, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    rare: u8,
    /// Also lets the engine look where lines end, and tells of ends that are bad for a side that chose them.
    #[arg(long)]
    engine: bool,
    /// With --engine: how many half moves it looks ahead.
    #[arg(long, default_value_t = 14, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
    /// With --engine: an end is bad when it stands so much worse.
    #[arg(long, default_value_t = 120, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(0..=2000))]
    worse: i32,
    /// Takes warnings for failures too.
    #[arg(long)]
    strict: bool,
    /// One line a finding, as in `file:line:column: error: ...`.
    #[arg(long)]
    lines: bool,
    /// Shows all findings, not only the first ones.
    #[arg(long)]
    all: bool,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let texts = common::texts(&args.files)?;
    let mut found = Vec::new();
    for text in &texts {
        let (book, findings) = match &text.bytes {
            Ok(bytes) => book::check_bytes(&text.name, bytes),
            Err(findings) => (None, findings.clone()),
        };
        let mut list = findings.list;
        if let Some(book) = &book {
            list.extend(missing_includes(book));
            // What a line leads to may stand in a book that this one includes.
            let book = &common::whole(book.clone(), &[]);
            if args.engine {
                list.extend(blunder_check::look(
                    book,
                    Depth(args.depth),
                    Centipawns(args.worse),
                ));
            }
            if args.doctor {
                list.extend(book::missing_transpositions(book).list);
                list.extend(book::rare_moves(book, f64::from(args.rare) / 100.0).list);
            }
        }
        found.push(Diagnostics::new(findings.name, findings.text, list));
    }
    let style = match (args.lines, logging::wants_color_on(&stdout())) {
        (true, _) => Style::Lines,
        (false, true) => Style::Color,
        (false, false) => Style::Plain,
    };
    let most = if args.all {
        usize::MAX
    } else {
        render_diagnostics::MOST_SHOWN
    };
    common::print(render_diagnostics::draw_up_to(&found, style, most).as_bytes())?;
    let count = |severity| {
        let all = found.iter().flat_map(|text| &text.list);
        all.filter(|finding| finding.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    common::say(&format!(
        "{} checked: {}, {}",
        common::several(texts.len(), "book"),
        common::several(errors, "error"),
        common::several(warnings, "warning")
    ));
    let has_failed = errors > 0 || args.strict && warnings > 0;
    Ok(if has_failed { Exit::Failed } else { Exit::Success })
}

//! `sparring book explain`: what books have for a position, and why a move is played or not.

use std::{fmt::Write as _, fs, path::PathBuf};

use super::desk;
use crate::{
    book::{self, Explained, Library, WhyNot, Wish},
    chess::{Color, Rules as _, Variant, write_fen},
    cli::{
        exit::{Exit, Failure},
        explain,
        stock::must_know,
    },
    config,
    lichess::model::Speed,
    personality::{self, Cast, Level, Profile, repertoire},
    units::Elo,
};

/// Says what books have for a position, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book explain \"1. e4 c5\"                         all books, each for itself
  sparring book explain \"1. e4 c5\" books/mine.book books/main.book   as a personality with books = [\"mine\", \"main\"]
  sparring book explain \"1. e4\" --personality club --speed blitz   as club plays it on lichess: its books, level and taste
  sparring book explain \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"")]
pub struct Args {
    /// A FEN, `startpos`, or moves from the start.
    position: String,
    /// The books in their order: the first that has a move to play answers. Without any, all books, one by one.
    files: Vec<PathBuf>,
    /// As this personality plays it: from its books, unless files are named, as far as it stays in them, to its taste.
    #[arg(long, value_name = "NAME")]
    personality: Option<String>,
    /// In a game of this speed, as lichess writes it; books for other speeds are not asked.
    #[arg(long, value_parser = Speed::ALL.map(Speed::key))]
    speed: Option<String>,
    /// At this level; weak levels leave their books early.
    #[arg(long, value_parser = level)]
    level: Option<Elo>,
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
    let profile = args.personality.as_deref().map(personality).transpose()?;
    let asked: Vec<&[String]> = match &profile {
        _ if !args.files.is_empty() => vec![names.as_slice()],
        Some(profile) => vec![profile.books_of(line.turn())],
        None => names.chunks(1).collect(),
    };
    let mut known = 0;
    for books in asked {
        let wish = Wish {
            speed: args.speed.as_deref(),
            ..Wish::new(books, &line, 0)
        };
        let explained = library.explain(&match &profile {
            Some(profile) => repertoire::in_manner(profile, args.level, wish),
            None if args.level.is_some() => repertoire::in_manner(&Profile::new("plain"), args.level, wish),
            None => wish,
        });
        known += explained.len();
        if !explained.is_empty() {
            said += "\n\n";
            said += draw(&explained).trim_end();
        }
    }
    if known == 0 {
        // A book for one color answers the other side's moves, but has none for that side.
        said += match line.turn() {
            _ if line.position().legal_moves().is_empty() => "\n\nThe game is over here.",
            Color::White => "\n\nNo book has a move for White here.",
            Color::Black => "\n\nNo book has a move for Black here.",
        };
    }
    said.push('\n');
    desk::print(said.as_bytes())?;
    Ok(if known > 0 { Exit::Success } else { Exit::Failed })
}

/// A personality of the folder that `bot.toml` here names, or a shipped one.
fn personality(name: &str) -> anyhow::Result<Profile> {
    let paths = config::paths(&fs::read_to_string("bot.toml").unwrap_or_default());
    let read = |(file, text): (String, String)| personality::read(&file, &text).0;
    let cast = Cast::new(explain::files(&paths)?.into_iter().filter_map(read).collect());
    must_know(&cast, name).cloned()
}

fn level(text: &str) -> Result<Elo, String> {
    let level = text.parse().ok().filter(|level| Level::RANGE.contains(level));
    level.map(Elo).ok_or_else(|| {
        let (least, most) = (Level::RANGE.start(), Level::RANGE.end());
        format!("levels are numbers from {least} to {most}")
    })
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

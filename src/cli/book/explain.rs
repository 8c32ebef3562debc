//! `sparring book explain`: what books have for a position, and why a move is played or not.

use std::{borrow::Cow, fmt::Write as _, path::PathBuf};

use super::common;
use crate::{
    cli::{
        assets::must_know,
        exit::{Exit, Failure},
        explain::{self, PersonalityFile},
    },
    config,
};
use sparring_book::{self as book, Book, BookQuery, Explained, Library, WhyNot};
use sparring_chess::{Color, Rules as _, UnknownVariant, Variant, units::Elo, write_fen};
use sparring_files as files;
use sparring_lichess::model::Speed;
use sparring_personality::{self as personality, Level, Personalities, Personality, book_query};

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
    /// The rules of the game, as lichess writes them; without it those of the named books, if they agree, else standard.
    #[arg(long)]
    variant: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When a book cannot be read or the position makes no sense.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let books = common::leaning(common::books(&args.files)?)?;
    must_have_names_of_their_own(&books)?;
    let variant = variant(args, &books)?;
    let line = common::position(&args.position, variant)?;
    let names: Vec<String> = books.iter().map(|book| book.name().to_owned()).collect();
    let library = Library::new(books);
    let mut said = write_fen(line.position());
    if let Some(opening) = book::name_of(line.keys()) {
        let _ = write!(said, "\n{opening}"); // Writing to a string cannot fail.
    }
    let profile = args.personality.as_deref().map(personality).transpose()?;
    let asked: Vec<Cow<'_, [String]>> = match &profile {
        _ if !args.files.is_empty() => vec![Cow::Borrowed(names.as_slice())],
        Some(profile) => vec![library.books_for(profile.books_of(line.turn()), variant)],
        None => names.chunks(1).map(Cow::Borrowed).collect(),
    };
    let mut known = 0;
    for books in asked {
        let wish = BookQuery {
            speed: args.speed.as_deref(),
            ..BookQuery::new(&books, &line, 0)
        };
        let explained = library.explain(&match &profile {
            Some(profile) => book_query::book_query(profile, args.level, wish),
            None if args.level.is_some() => {
                book_query::book_query(&Personality::new("plain"), args.level, wish)
            }
            None => wish,
        });
        known += explained.len();
        if !explained.is_empty() {
            said += "\n\n";
            said += draw(&explained).trim_end();
        }
    }
    let is_server = |entry: &&String| personality::online_source(entry).is_some();
    let listed = profile.iter().filter(|_| args.files.is_empty());
    let servers: Vec<&str> = listed
        .flat_map(|profile| profile.books_of(line.turn()).iter().filter(is_server))
        .map(String::as_str)
        .collect();
    if !servers.is_empty() {
        let _ = write!(said, "\n\nNot asked here, but in games: {}", servers.join(", "));
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
    common::print(said.as_bytes())?;
    Ok(if known > 0 { Exit::Success } else { Exit::Failed })
}

/// Books are known by their names alone, so that of two with one name only the first would be asked.
fn must_have_names_of_their_own(books: &[Book]) -> anyhow::Result<()> {
    for (index, book) in books.iter().enumerate() {
        let before = books.iter().take(index);
        if let Some(first) = before.into_iter().find(|other| other.name() == book.name()) {
            let sentence = format!(
                "{} and {} are both called {}; a bot has one book of a name",
                first.path(),
                book.path(),
                book.name()
            );
            return Err(Failure::error(Exit::Usage, sentence));
        }
    }
    Ok(())
}

/// The rules that were asked for, or that all named books share.
fn variant(args: &Args, books: &[Book]) -> anyhow::Result<Variant> {
    if let Some(name) = &args.variant {
        let unknown = |error: UnknownVariant| Failure::error(Exit::Usage, error.to_string());
        return name.parse().map_err(unknown);
    }
    let mut variants = books.iter().map(|book| book.head().variant);
    let first = variants.next().filter(|_| !args.files.is_empty());
    Ok(first
        .filter(|first| variants.all(|other| other == *first))
        .unwrap_or(Variant::Standard))
}

/// A personality of the folder that `bot.toml` here names, or a shipped one.
fn personality(name: &str) -> anyhow::Result<Personality> {
    let paths = config::paths(&files::read_text("bot.toml".as_ref(), files::TEXT).unwrap_or_default());
    among(&explain::files(&paths)?, name)
}

/// A personality among files, or what is wrong with the file that has its name.
fn among(files: &[PersonalityFile], name: &str) -> anyhow::Result<Personality> {
    let mut cast = Vec::new();
    for file in files {
        let is_meant = file.stem() == Some(name);
        let text = match file.read() {
            Ok(text) => text,
            Err(error) if is_meant => return Err(error),
            Err(_) => continue,
        };
        match personality::read(&file.path, text) {
            (Some(profile), _) => cast.push(profile),
            (None, findings) if is_meant => return Err(findings.into()),
            (None, _) => {}
        }
    }
    must_know(&Personalities::new(cast), name).cloned()
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
            common::percent(one.chance),
            one.mv,
            one.weight,
            one.lines,
            one.at,
            common::aside(one.learned.as_deref())
        );
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parsed;

    fn books(texts: &[(&str, &str)]) -> Vec<Book> {
        let read = |(path, text): &(&str, &str)| book::parse(path, text).0.unwrap();
        texts.iter().map(read).collect()
    }

    #[test]
    fn two_books_of_one_name_are_refused() {
        let said = must_have_names_of_their_own(&books(&[("a/mine.book", "e4"), ("b/mine.book", "d4")]));
        assert_eq!(
            said.unwrap_err().to_string(),
            "a/mine.book and b/mine.book are both called mine; a bot has one book of a name"
        );
        assert!(must_have_names_of_their_own(&books(&[("a.book", "e4"), ("b.book", "d4")])).is_ok());
    }

    #[test]
    fn a_personality_that_cannot_be_read_is_told_of() {
        let file = |path: &str, text: std::io::Result<String>| PersonalityFile {
            path: path.to_owned(),
            text,
        };
        let invalid = String::from_utf8(vec![0xFC]).map_err(std::io::Error::other);
        let files = [
            file("personalities/club.toml", Ok("level = \"\"\n".to_owned())),
            file("personalities/old.toml", invalid),
        ];
        let said = among(&files, "club").unwrap_err().to_string();
        assert!(said.starts_with("personalities/club.toml:1:"), "{said}");
        let said = among(&files, "old").unwrap_err().to_string();
        assert!(said.starts_with("cannot read personalities/old.toml: "), "{said}");
        let said = among(&files, "tim").unwrap_err().to_string();
        assert_eq!(said, "there is no personality \"tim\", nor any other");
    }

    #[test]
    fn the_rules_are_those_that_all_named_books_share() {
        let of = |words: &[&str], texts: &[(&str, &str)]| {
            let words = ["explain", "e4"].iter().chain(words);
            let args: Args = parsed(words).unwrap();
            variant(&args, &books(texts)).unwrap()
        };
        let (atomic, plain) = (("a.book", "variant: atomic\ne4"), ("b.book", "e4"));
        assert_eq!(of(&["a.book"], &[atomic]), Variant::Atomic);
        assert_eq!(of(&["a.book", "b.book"], &[atomic, plain]), Variant::Standard);
        assert_eq!(of(&[], &[atomic]), Variant::Standard);
        assert_eq!(
            of(&["a.book", "--variant", "antichess"], &[atomic]),
            Variant::Antichess
        );
    }
}

//! `sparring book feed`: a book grown from games.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::ValueEnum;

use super::{desk, progress};
use crate::{
    book::Harvest,
    chess::{Color, Games, RecordedGame, Variant},
    cli::exit::{Exit, Failure},
};

/// Grows a book from games (`.pgn`) or from lines of moves (as Rodent's feed.txt).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book feed games.pgn -o games.book                             all that was played at least twice
  sparring book feed games.pgn --player Ann --color black -o ann.book    what Ann plays as Black
  sparring book feed games.pgn --result not-lost --min-rating 2200 --min 5 -o good.book
  sparring book feed new.pgn --onto books/mine.book -o books/mine.book --force   adds to a book; its comments stay
  sparring book feed feed.txt feedwhite.txt feedblack.txt -o feed.book   Rodent's three files of lines

Every filter looks at one side of a game; the moves of the sides that pass all of them count.")]
pub struct Args {
    /// Games and lines; a name that ends in `white` or `black` says whose moves of its lines count. `-` reads games from standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only moves of this player; upper and lower case are the same.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only moves of this side.
    #[arg(long)]
    color: Option<Side>,
    /// Only moves of sides rated at least so.
    #[arg(long, value_name = "RATING")]
    min_rating: Option<u32>,
    /// Only moves of sides that ended so.
    #[arg(long)]
    result: Option<Ended>,
    /// How many half moves of each game.
    #[arg(long, default_value_t = 24, value_name = "PLIES")]
    depth: usize,
    /// Leaves out moves that were played less often.
    #[arg(long, default_value_t = 2, value_name = "GAMES")]
    min: u32,
    /// Goes on with this book: its lines and comments stay, its numbers grow.
    #[arg(long, value_name = "BOOK")]
    onto: Option<PathBuf>,
    /// No progress on stderr.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    output: desk::Output,
}

/// A side, as people name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

/// How a game ended for a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ended {
    /// It won.
    Won,
    /// Neither won.
    Drawn,
    /// It lost.
    Lost,
    /// It won or drew.
    NotLost,
}

impl Ended {
    fn fits(self, half_points: u32) -> bool {
        match self {
            Self::Won => half_points == 2,
            Self::Drawn => half_points == 1,
            Self::Lost => half_points == 0,
            Self::NotLost => half_points > 0,
        }
    }
}

/// What became of the games.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    games: u64,
    used: u64,
    broken: u64,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut harvest = if is_filtered(args) {
        Harvest::of_each_side()
    } else {
        Harvest::new()
    };
    let old = args.onto.as_deref().map(desk::read_whole).transpose()?;
    if let Some(old) = old
        .as_ref()
        .filter(|old| !old.head().fits(Variant::Standard, None, None))
    {
        let sentence = format!(
            "{} is a book for {}, and games of orthodox chess are fed",
            old.path(),
            old.head().variant.name()
        );
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let mut tally = Tally::default();
    for path in &args.files {
        if is_games(path) {
            feed_games(args, path, &mut harvest, &mut tally)?;
        } else {
            let book = desk::read(path)?;
            let rows = harvest.add_book(&book, side_of_name(path));
            tally.games += rows as u64;
            tally.used += rows as u64;
        }
    }
    let (grown, text) = match &old {
        Some(old) => {
            let grown = harvest.grow_onto(old, args.min);
            (grown.clone(), grown.text)
        }
        None => {
            let grown = harvest.grow(args.min);
            (grown.clone(), header(&args.files) + &grown.text)
        }
    };
    if grown.rows == 0 && old.is_none() {
        let sentence = format!(
            "no move was played {} times in {} games that fit",
            args.min, tally.used
        );
        return Err(Failure::error(Exit::Failed, sentence));
    }
    let hint = format!("leave out what is rare by --min, which is {} now", args.min);
    desk::must_be_readable(&text, &hint)?;
    args.output.write(text.as_bytes())?;
    if !args.quiet {
        let thing = if old.is_some() { "new line" } else { "line" };
        desk::say(&format!(
            "{}, {} used, {} broken: {}, {}",
            desk::several(tally.games as usize, "game"),
            tally.used,
            tally.broken,
            desk::several(grown.rows, thing),
            desk::several(grown.positions, "position")
        ));
    }
    Ok(Exit::Success)
}

/// Whether a file has games, whatever it is called: lines of moves begin with no tag.
fn is_games(path: &Path) -> bool {
    path.as_os_str() == "-"
        || path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("pgn"))
        || begins_with_tag(path)
}

fn begins_with_tag(path: &Path) -> bool {
    let mut begin = Vec::new();
    // What cannot be read is told of when it is read.
    let read = File::open(path).and_then(|file| file.take(1024).read_to_end(&mut begin));
    let text = String::from_utf8_lossy(&begin);
    read.is_ok()
        && text
            .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
            .starts_with('[')
}

/// Rodent's `feedwhite.txt` and `feedblack.txt` say by their names whose moves count.
fn side_of_name(path: &Path) -> Option<Color> {
    let stem = path.file_stem()?.to_string_lossy().to_ascii_lowercase();
    match stem {
        _ if stem.ends_with("white") => Some(Color::White),
        _ if stem.ends_with("black") => Some(Color::Black),
        _ => None,
    }
}

fn feed_games(args: &Args, path: &Path, harvest: &mut Harvest, tally: &mut Tally) -> anyhow::Result<()> {
    let (stream, length): (Box<dyn Read>, Option<u64>) = if path.as_os_str() == "-" {
        (Box::new(std::io::stdin().lock()), None)
    } else {
        let sentence =
            |error| Failure::error(Exit::Usage, format!("cannot read {}: {error}", path.display()));
        let file = File::open(path).map_err(sentence)?;
        let length = file.metadata().ok().map(|metadata| metadata.len());
        (Box::new(file), length)
    };
    let bar = progress::bytes(length, args.quiet);
    let mut games = Games::new(BufReader::new(bar.wrap_read(stream)), args.depth);
    while let Some(game) = games
        .next_game()
        .with_context(|| format!("{} after {} games", path.display(), tally.games))?
    {
        tally.games += 1;
        if tally.games.is_multiple_of(1000) {
            bar.set_message(format!("{} games", tally.games));
        }
        // The moves before the mistake were played all the same.
        tally.broken += u64::from(game.broken.is_some());
        let mut is_used = false;
        for side in sides(args, &game) {
            is_used |= harvest.add(&game.line, side, 1);
        }
        tally.used += u64::from(is_used);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Whose moves of a game count: those of both together, or of each side that passes the filters.
fn sides(args: &Args, game: &RecordedGame) -> Vec<Option<Color>> {
    let passes = |side: Color| {
        let is_player = args.player.as_ref().is_none_or(|player| {
            game.name_of(side)
                .is_some_and(|name| name.to_lowercase() == player.to_lowercase())
        });
        let is_side = args
            .color
            .is_none_or(|color| (color == Side::White) == (side == Color::White));
        let is_rated = args
            .min_rating
            .is_none_or(|least| game.rating_of(side).is_some_and(|rating| rating >= least));
        let has_ended = args
            .result
            .is_none_or(|wanted| game.score_of(side).is_some_and(|score| wanted.fits(score)));
        is_player && is_side && is_rated && has_ended
    };
    if !is_filtered(args) {
        return vec![None];
    }
    [Color::White, Color::Black]
        .into_iter()
        .filter(|side| passes(*side))
        .map(Some)
        .collect()
}

/// Whether of some games only one side may count.
fn is_filtered(args: &Args) -> bool {
    args.player.is_some() || args.color.is_some() || args.min_rating.is_some() || args.result.is_some()
}

fn header(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    format!(
        "# From {}. The numbers say how often a move was played.\n",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::book;
    use crate::cli::parsed;

    /// What comes of feeding some games with some options.
    fn fed(files: &[(&str, &str)], options: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.book");
        let mut words = vec!["feed".to_owned()];
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            if name.ends_with(".book") {
                words.push("--onto".to_owned());
            }
            words.push(path.display().to_string());
        }
        words.extend(options.split_whitespace().map(str::to_owned));
        words.extend(["-q".to_owned(), "-o".to_owned(), out.display().to_string()]);
        run(&parsed(words).unwrap()).unwrap();
        let text = fs::read_to_string(out).unwrap();
        assert_eq!(book::parse("out.book", &text).1.to_string(), "");
        // The first line names the files.
        text.lines()
            .filter(|line| !line.starts_with("# From"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"2300\"]\n[BlackElo \"1500\"]\n[Result \"1-0\"]\n\n\
        1. e4 e5 2. Nf3 1-0\n\n\
        [White \"Bob\"]\n[Black \"ann\"]\n[WhiteElo \"1500\"]\n[BlackElo \"2310\"]\n[Result \"1/2-1/2\"]\n\n\
        1. e4 c5 2. Nf3 1/2-1/2\n\n\
        [White \"Cid\"]\n[Black \"Dan\"]\n[Result \"0-1\"]\n\n1. d4 d5 2. Nf9 0-1\n";

    #[test]
    fn all_games_count_for_both_sides() {
        assert_eq!(
            fed(&[("a.pgn", GAMES)], "--min 1 --depth 2"),
            "1. e4 2 | d4 1\n1. e4 c5 1 | e5 1\n1. d4 d5  # Queen's Pawn Game, Closed"
        );
    }

    #[test]
    fn what_an_included_book_does_not_play_is_not_fed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mine = "include: base\n1. d4 d5 2. c4\n";
        for (name, text) in [
            ("base.book", "1. c4 0\n"),
            ("mine.book", mine),
            ("games.pgn", "1. c4 e5 *\n\n1. c4 c5 *\n"),
        ] {
            fs::write(path(name), text).unwrap();
        }
        let words = ["feed", "--min", "1", "-q", "--onto"].map(str::to_owned);
        let files = [
            path("mine.book"),
            path("games.pgn"),
            "-o".to_owned(),
            path("out.book"),
        ];
        run(&parsed(words.into_iter().chain(files)).unwrap()).unwrap();
        let text = fs::read_to_string(path("out.book")).unwrap();
        assert_eq!(text, mine);
    }

    #[test]
    fn a_player_is_followed_on_either_side() {
        assert_eq!(
            fed(&[("a.pgn", GAMES)], "--min 1 --player ann"),
            "color: white\n1. e4 e5 2. Nf3  # King's Knight Opening\n\n\
             color: black\n1. e4 c5 2. Nf3  # Sicilian Defense, Open Preparation"
        );
    }

    #[test]
    fn ratings_and_results_choose_sides() {
        assert_eq!(
            fed(&[("a.pgn", GAMES)], "--min 1 --min-rating 2000 --result won"),
            "color: white\n1. e4 e5 2. Nf3  # King's Knight Opening"
        );
        assert_eq!(
            fed(&[("a.pgn", GAMES)], "--min 1 --color black --result won"),
            "color: black\n1. d4 d5  # Queen's Pawn Game, Closed"
        );
    }

    #[test]
    fn the_same_feed_twice_doubles_the_numbers() {
        let once = fed(&[("a.pgn", GAMES)], "--min 1 --depth 1");
        assert_eq!(once, "1. e4 2 | d4 1");
        let mine = format!("# my own\n{once} # top\n1. e4 e5\n");
        assert_eq!(
            fed(&[("a.pgn", GAMES), ("mine.book", &mine)], "--min 1 --depth 1"),
            "# my own\n1. e4 4 | d4 2 # top\n1. e4 e5"
        );
    }

    #[test]
    fn games_are_known_whatever_their_file_is_called() {
        assert_eq!(
            fed(&[("a.txt", &format!("\u{feff}\n{GAMES}"))], "--min 1 --depth 1"),
            "1. e4 2 | d4 1"
        );
    }

    #[test]
    fn the_three_files_of_rodent_feed_their_sides() {
        assert_eq!(
            fed(
                &[
                    ("feed.txt", "e2e4 e7e5\n"),
                    ("feedwhite.txt", "d2d4 d7d5 c2c4\n"),
                    ("feedblack.txt", "c2c4 e7e5\n")
                ],
                "--min 1"
            ),
            "1. e4 e5  # King's Pawn Game, Open\n\ncolor: white\n1. d4 d5 2. c4  # Queen's Gambit\n\n\
             color: black\n1. c4 e5  # English Opening, King's English"
        );
    }
}

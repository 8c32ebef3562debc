//! `sparring book build`: builds a book from games in PGN.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use super::{
    chosen_games::{self, ChosenGame, JOURNAL, OTHER_POSITIONS},
    common,
    players::Player,
    recorded::{self, Account, Reading},
};
use crate::cli::exit::{Exit, Failure};
use sparring_book::{self as book, Book, BookBuilder, BuiltBook};
use sparring_chess::{Color, RecordedGame, Variant};
use sparring_files::{self as files, Unpacked};
use sparring_journal::{Heading, Journal, Shard, TaskId};

/// Grows a book from games (`.pgn`) or from lines of moves (as Rodent's feed.txt).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book build games.pgn -o games.book                             all that was played at least twice
  sparring book build games.pgn --player Ann --color black -o ann.book    what Ann plays as Black
  sparring book build games.pgn --result not-lost --min-rating 2200 --min 5 -o good.book
  sparring book build new.pgn --onto books/mine.book -o books/mine.book --force   adds to a book; its comments stay
  sparring book build lichess_db.pgn.zst --min-rating 2400 --min 50 -o top.book   compressed files are read as they are
  sparring book build studies.pgn --from-positions -o studies.book   with games that begin from other positions
  sparring book build lichess_db.pgn.zst --record 3.ndjson --shard 3/8     the games of a part; `sparring merge` puts them together,
  sparring book build whole.ndjson --min 50 -o top.book                    and this builds the book
  sparring book build feed.txt feedwhite.txt feedblack.txt -o feed.book   Rodent's three files of lines

Every filter looks at one side of a game; the moves of the sides that pass all of them count.")]
pub struct Args {
    /// Games and lines, also compressed (gzip, Zstandard, bzip2), or what --record has written; a name that ends in `white` or `black` says whose moves of
    /// its lines count. `-` reads games from standard input.
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
    result: Option<ResultForSide>,
    /// How many half moves of each game.
    #[arg(long, default_value_t = 24, value_name = "PLIES")]
    depth: usize,
    /// Leaves out moves that were played less often.
    #[arg(long, default_value_t = 2, value_name = "GAMES")]
    min: u32,
    /// Takes in games that begin from other positions, chess960 too: each position gets a block `from:` of its own.
    #[arg(long)]
    from_positions: bool,
    /// Goes on with this book: its lines and comments stay, its numbers grow.
    #[arg(long, value_name = "BOOK")]
    onto: Option<PathBuf>,
    /// Writes the games that pass the filters to this file instead of a book. Started again, it keeps those that are there.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["onto", "output"])]
    record: Option<PathBuf>,
    /// Takes one part of the games: 3/8 is the third of eight.
    #[arg(long, value_name = "I/N", requires = "record")]
    shard: Option<Shard>,
    /// No progress on stderr.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    output: common::Output,
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
pub enum ResultForSide {
    /// It won.
    Won,
    /// Neither won.
    Drawn,
    /// It lost.
    Lost,
    /// It won or drew.
    NotLost,
}

impl ResultForSide {
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
    /// Games of which some side passes the filters.
    fit: u64,
    /// Games of which moves count.
    used: u64,
    /// Games that fit and begin elsewhere, left out.
    elsewhere: u64,
    /// Games that fit and follow other rules, left out.
    of_variants: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Says what was left out and how it is taken in.
    fn tell(&self) {
        if self.elsewhere > 0 {
            let games = common::several(self.elsewhere as usize, "game");
            common::say(&format!(
                "left out: {games} from other positions; --from-positions takes them in"
            ));
        }
        for (variant, count) in &self.of_variants {
            let games = common::several(*count as usize, "game");
            common::say(&format!(
                "left out: {games} of {variant}; the book is for orthodox chess"
            ));
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be opened or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    recorded::must_open(&args.files)?;
    let old = args.onto.as_deref().map(common::read_whole).transpose()?;
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
    let mut feed = BuildInput::new(args)?;
    for path in &args.files {
        feed.file(path)?;
    }
    if let Some(journal) = &feed.journal {
        feed.tell();
        if !args.quiet {
            let chosen = common::several(journal.len(), "game");
            common::say(&format!("{chosen} of {} chosen", feed.account.read));
        }
        return Ok(feed.account.exit());
    }
    let (grown, text) = match &old {
        Some(old) => {
            let grown = feed.harvest.build_onto(old, args.min);
            (grown.clone(), grown.text)
        }
        None => {
            let grown = feed.harvest.build(args.min);
            (grown.clone(), header(&args.files) + &grown.text)
        }
    };
    feed.tell();
    if let Some(sentence) = feed.nothing(&grown, old.as_ref()) {
        return Err(Failure::error(Exit::Failed, sentence));
    }
    let hint = format!("leave out what is rare by --min, which is {} now", args.min);
    common::must_be_readable(&text, &hint)?;
    args.output.write(text.as_bytes())?;
    if !args.quiet {
        let thing = if old.is_some() { "new line" } else { "line" };
        common::say(&format!(
            "{} read, {} fit, {} used, {} broken: {}, {}",
            common::several(feed.account.read as usize, "game"),
            feed.tally.fit,
            feed.tally.used,
            feed.account.broken,
            common::several(grown.rows, thing),
            common::several(grown.positions, "position")
        ));
    }
    Ok(feed.account.exit())
}

/// What is fed, and what became of it.
struct BuildInput<'a> {
    args: &'a Args,
    harvest: BookBuilder,
    /// Takes the games instead of the harvest.
    journal: Option<Journal<ChosenGame>>,
    player: Option<Player>,
    account: Account,
    tally: Tally,
}

impl<'a> BuildInput<'a> {
    fn new(args: &'a Args) -> anyhow::Result<Self> {
        let mut harvest = if is_filtered(args) {
            BookBuilder::of_each_side()
        } else {
            BookBuilder::new()
        };
        if args.from_positions {
            harvest = harvest.from_positions();
        }
        let journal = args.record.as_deref();
        Ok(Self {
            args,
            harvest,
            journal: journal
                .map(|path| Journal::open(path, &heading(args)))
                .transpose()?,
            player: args.player.as_deref().map(Player::new),
            account: Account::default(),
            tally: Tally::default(),
        })
    }

    fn file(&mut self, path: &Path) -> anyhow::Result<()> {
        let (begin, stream) = recorded::open(path)?.peek(recorded::BEGIN);
        if recorded::is_games(path, &begin) {
            return self.games(path, stream);
        }
        if self.journal.is_some() {
            let sentence = format!("--record takes games, and {} has none", path.display());
            return Err(Failure::error(Exit::Usage, sentence));
        }
        if let Some(heading) = chosen_games::heading(&begin) {
            if is_filtered(self.args) || self.args.from_positions {
                let sentence = format!(
                    "the games in {} were chosen already: give filters with --record",
                    path.display()
                );
                return Err(Failure::error(Exit::Usage, sentence));
            }
            let count = chosen_games::feed(path, &heading, &mut self.harvest)?;
            self.account.read += count;
            self.tally.fit += count;
            self.tally.used += count;
            return Ok(());
        }
        let bytes = files::read_at_most(stream, book::MAX_BYTES as u64).map_err(|error| {
            Failure::error(Exit::Usage, format!("cannot read {}: {error}", path.display()))
        })?;
        let book = common::read_from(path, &bytes)?;
        let rows = self.harvest.add_book(&book, side_of_name(path)) as u64;
        self.account.read += rows;
        self.tally.fit += rows;
        self.tally.used += rows;
        Ok(())
    }

    fn games(&mut self, path: &Path, stream: Unpacked) -> anyhow::Result<()> {
        let reading = Reading {
            plies: self.args.depth,
            shard: self.args.shard,
            is_quiet: self.args.quiet,
        };
        let Self {
            args,
            harvest,
            journal,
            player,
            account,
            tally,
        } = self;
        let mut failed = Ok(());
        recorded::each_game(path, stream, reading, account, &mut |number, game| {
            if let Some(player) = player {
                player.meet(game);
            }
            let sides = sides(args, player.as_ref(), game);
            if sides.is_empty() {
                return;
            }
            tally.fit += 1;
            // The moves before a mistake were played all the same.
            let (variant, has_moves) = (game.line.variant(), !game.line.moves().is_empty());
            if !variant.traits().standard_books {
                *tally.of_variants.entry(variant.name()).or_default() += 1;
            } else if !args.from_positions && !book::begins_in_start_position(&game.line) {
                tally.elsewhere += 1;
            } else if has_moves {
                tally.used += 1;
                match journal {
                    Some(journal) if journal.lacks(TaskId::of(number)) && failed.is_ok() => {
                        failed = journal.add(ChosenGame::new(number, &game.line, &sides));
                    }
                    Some(_) => {}
                    None => sides.into_iter().for_each(|side| {
                        harvest.add(&game.line, side, 1);
                    }),
                }
            }
        });
        Ok(failed?)
    }

    /// Says what was broken and what was left out.
    fn tell(&self) {
        self.account.tell();
        if !self.args.quiet {
            self.tally.tell();
        }
    }

    /// Why there is no book; nothing where there is one.
    fn nothing(&self, grown: &BuiltBook, old: Option<&Book>) -> Option<String> {
        let read = self.account.read;
        match &self.player {
            Some(player) if player.games() == 0 => return Some(player.absence(read)),
            Some(player) if self.tally.fit == 0 => {
                return Some(format!(
                    "{}, and none passes the other filters",
                    player.absence(read)
                ));
            }
            _ => {}
        }
        (grown.rows == 0 && old.is_none()).then(|| match self.tally.used {
            0 => format!("none of {} serves", common::several(read as usize, "game")),
            used => format!(
                "no move was played in {} of {} that fit, of {read} read",
                common::several(self.args.min as usize, "game"),
                common::several(used as usize, "game"),
            ),
        })
    }
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

/// Whose moves of a game count: those of both together, or of each side that passes the filters.
fn sides(args: &Args, player: Option<&Player>, game: &RecordedGame) -> Vec<Option<Color>> {
    let passes = |side: Color| {
        let is_player = player.is_none_or(|player| game.name_of(side).is_some_and(|name| player.is(name)));
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

/// What must agree for chosen games to make one book.
fn heading(args: &Args) -> Heading {
    let names: Vec<String> = args
        .files
        .iter()
        .map(|path| {
            let bytes = path.metadata().map_or(0, |file| file.len());
            let name = path.file_name().unwrap_or(path.as_os_str());
            format!("{} ({bytes} bytes)", name.display())
        })
        .collect();
    Heading::new(JOURNAL, args.shard)
        .with("build", concat!("sparring ", env!("CARGO_PKG_VERSION")))
        .with("files", names.join(", "))
        .with("player", args.player.as_deref().unwrap_or("any"))
        .with("sides", format!("{:?}", args.color))
        .with("ratings", format!("{:?}", args.min_rating))
        .with("results", format!("{:?}", args.result))
        .with("half moves", args.depth)
        .with(OTHER_POSITIONS, args.from_positions)
}

fn header(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    format!(
        "# From {}. The numbers say how often a move was played.\n",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests;

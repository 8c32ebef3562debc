//! `sparring-lab calibrate`: how strong the levels really are, against each other and against engines from outside.

mod entrants;
mod fit;
mod games;
mod record;
mod suggest_levels;
mod table;

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::datagen::progress_bar;
use entrants::{Entrant, EntrantEngine};
use games::RoundRobin;
pub use games::{REFEREE, hash};
use record::Record;
use sparring::cli::{
    exit::{Exit, Failure},
    openings::openings_of,
};
use sparring_chess::units::Elo;
use sparring_engine::bench;
use sparring_files as files;
use sparring_journal::{Heading, Shard, fnv64};
use sparring_match_runner::OpeningOptions;
use sparring_personality::{Level, strength::Levels};
use table::Measured;

/// Plays the levels against each other, and against engines from outside where some are named, and prints how strong
/// they are. Nothing depends on time: the same ladder gives the same games on any machine, however busy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab calibrate --games 40 --record ladder.ndjson --plot ladder.svg
  sparring-lab calibrate --levels 1200,1400,1600 --guest /usr/games/stockfish:1500:depth=2:1400
                                  a Stockfish told to play at UCI_Elo 1500, which looks 2 plies deep, among the levels
                                  near 1400
  sparring-lab calibrate --places 0,1,2,3 --numbers other-levels.toml
                                  places on the path of knobs, with other numbers than the program's")]
pub struct Args {
    /// The levels that play.
    #[arg(long, value_delimiter = ',', value_parser = limited(),
          default_values_t = (600..=2600).step_by(200))]
    levels: Vec<u32>,
    /// Places on the path of knobs that play instead of levels, from 0 for the weakest.
    #[arg(long, value_delimiter = ',')]
    places: Vec<f64>,
    /// An engine from outside: PROGRAM:UCI_ELO:CONTROL:ABOUT, the last being the level it is about as strong as. May be
    /// repeated.
    #[arg(long = "guest", value_name = "GUEST")]
    guests: Vec<EntrantEngine>,
    /// Games of each pairing.
    #[arg(long, default_value_t = 40)]
    games: usize,
    /// How many of the next stronger ones each plays.
    #[arg(long, default_value_t = 2)]
    reach: usize,
    /// File of openings: one EPD or FEN a line, or games in PGN, of which the end counts. Without it games begin as people begin them.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Names the openings and the games to chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Keeps a line for each game here, to go on after a kill and to add entrants or games later.
    #[arg(long)]
    record: Option<PathBuf>,
    /// Plays one part of the games: 3/8 is the third of eight. `sparring merge` makes one record of all, which this command then
    /// counts.
    #[arg(long, value_name = "I/N", requires = "record")]
    shard: Option<Shard>,
    /// Draws nominal against measured strength into this SVG.
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Prints at last where on the path each level belongs by what was measured, with 1400 staying where it is.
    #[arg(long)]
    suggest: bool,
    /// Other numbers behind the levels, in the form of crates/personality/src/strength/levels.toml.
    #[arg(long, value_name = "FILE")]
    numbers: Option<PathBuf>,
}

/// Plays the missing games and prints the tables.
///
/// # Errors
/// When a file cannot be read or written, or an engine cannot be started.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let read;
    let (levels, version) = match &args.numbers {
        Some(path) => {
            let text = text_of(path)?;
            read = Levels::read(&text).with_context(|| path.display().to_string())?;
            (&read, hash(&text))
        }
        None => (
            Levels::shipped(),
            hash(include_str!(
                "../../../crates/personality/src/strength/levels.toml"
            )),
        ),
    };
    let opened = args.openings.as_deref();
    let opened = opened.map(|path| openings_of(path, OpeningOptions::standard(args.seed)));
    let (openings, opened) = opened.transpose()?.map(|set| (set.openings, set.text)).unzip();
    let ladder = RoundRobin {
        levels,
        entrants: entrants(args, levels)?,
        reach: args.reach.max(1),
        games: args.games,
        seed: args.seed,
        openings,
        concurrency: args.concurrency,
    };
    let mut record = match &args.record {
        Some(path) => Record::open(path, &heading(args, opened.as_deref(), version))?,
        None => Record::new(),
    };
    let bar = progress_bar(ladder.missing(&record) as u64, "games");
    ladder.run(&mut record, &|row| {
        bar.inc(1);
        bar.set_message(format!("{} - {}", row.white, row.black));
    })?;
    bar.finish_and_clear();
    if let Some(shard) = args.shard {
        return sparring::cli::print(format_args!("shard {shard}: {} games", record.len()));
    }
    let measured = Measured::of(&ladder.entrants, levels, &record);
    let mut parts = vec![
        measured.table(),
        measured.steps(),
        measured.guests(&ladder.entrants),
    ];
    if args.suggest {
        parts.push(suggest_levels::rows(levels, &measured.rated_levels));
    }
    parts.retain(|part| !part.is_empty());
    let exit = sparring::cli::print(parts.join("\n"))?;
    if let Some(path) = &args.plot {
        measured.plot(path)?;
    }
    Ok(exit)
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    files::read_text(path, files::DATA).with_context(|| format!("\"{}\"", path.display()))
}

/// Levels that a ladder can hold: full strength has no limit but a clock, and here nobody has one.
pub fn limited() -> impl clap::builder::TypedValueParser<Value = u32> {
    let ends = [*Level::RANGE.start(), *Level::RANGE.end()].map(i64::from);
    clap::value_parser!(u32).range(ends[0]..ends[1])
}

/// Everybody, in the order of the strength that is expected.
fn entrants(args: &Args, levels: &Levels) -> anyhow::Result<Vec<Entrant>> {
    let mut entrants: Vec<Entrant> = if args.places.is_empty() {
        args.levels
            .iter()
            .map(|level| Entrant::Level(Elo(*level)))
            .collect()
    } else {
        args.places.iter().map(|place| Entrant::Place(*place)).collect()
    };
    // The end of the path has neither node limit nor clock.
    if let Some(place) = args
        .places
        .iter()
        .find(|place| !(0.0..levels.end()).contains(*place))
    {
        let sentence = format!(
            "{place} is no place on the path, which goes from 0 to less than {}",
            levels.end()
        );
        return Err(Failure::error(Exit::Usage, sentence));
    }
    entrants.extend(args.guests.iter().cloned().map(Entrant::External));
    entrants.sort_by(|one, other| one.nominal(levels).total_cmp(&other.nominal(levels)));
    entrants.dedup();
    Ok(entrants)
}

/// Heading of a record: games with equal headings count together. `openings` is what the file holds, `numbers`
/// names those behind the levels.
fn heading(args: &Args, openings: Option<&str>, numbers: u64) -> Heading {
    let openings = match (&args.openings, openings) {
        (Some(_), Some(text)) => format!("file {:016x}", hash(text)),
        _ => "as people open".to_owned(),
    };
    let people = include_bytes!("../../../crates/personality/src/human_model/human.params");
    Heading::new("calibrate", args.shard)
        .with("build", bench::build_id())
        .with("seed", args.seed)
        .with("openings", openings)
        .with("numbers", format!("{numbers:016x}"))
        .with("people", format!("{:016x}", fnv64(people)))
}

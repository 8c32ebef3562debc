//! `sparring games analyse`: the engine's verdict on the games of the archive.

mod quality;
mod table;

use std::{
    collections::BTreeSet,
    io::Write,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::Context as _;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::{filter::GameArgs, json_line};
use crate::{
    cli::book::{count_bar, say, search},
    statistics::points,
    store::{Archive, GameRecord, VerdictCache},
};
use quality::{Quality, losses, of_side, position_key};
use sparring_chess::{Color, GameHistory, Rules as _, Variant, units::Nodes};
use sparring_engine::{Engine, Limits, Score, SearchRequest, bench};
use sparring_journal::{FinishedTask, Heading, Journal, Shard, TaskId, fnv64};
use sparring_lichess::model::{GameId, Side};

/// Mebibytes of each thread's transposition table: enough for the nodes of a position, and cleared quickly.
const HASH_MIB: usize = 4;
/// The file of known scores, beside the archive.
const CACHE: &str = "analysis.db";

/// Lets the engine judge the games of the archive: accuracy and blunders by personality and level, and the rating that the bot performed
/// at beside the level that was meant.
///
/// Each position is searched on its own, with an empty table, so that a verdict depends on nothing but position, build and limit. Scores
/// are kept in analysis.db beside the archive, and a repeated run takes seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring games analyse --humans --since 2026-11-01
  sparring games analyse --record all.ndjson --threads 4      # killed and started again, it goes on
  sparring games analyse --record 3.ndjson --shard 3/8        # a part of it; `sparring merge` puts them together

accuracy: the mean of lichess' accuracy of a move, from 0 to 100; lichess weights moves for a game, and this does not. loss: percentage points of winning chances that a move loses.
blunders: moves of the bot that lose more than 15 of them, a game. theirs: the opponents' moves.")]
pub(super) struct Args {
    #[command(flatten)]
    wanted: GameArgs,
    /// Nodes for each position.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Games at once.
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
    /// Keeps a row of JSON for each game here, to go on after a kill.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Judges one part of the games: 3/8 is the third of eight.
    #[arg(long, value_name = "I/N", requires = "record")]
    shard: Option<Shard>,
    /// The file of known scores, instead of the one beside the archive. Several runs on one machine may share it, and it
    /// may be deleted.
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
}

/// A game and how it was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AnalysedGame {
    /// What shards divide, from the id.
    unit: u64,
    game: String,
    personality: String,
    /// The level that was meant; none for full strength.
    level: Option<u32>,
    variant: String,
    speed: String,
    /// The opponent's.
    rating: Option<u32>,
    /// Of the bot.
    points: f64,
    bot: Quality,
    opponent: Quality,
    /// The bot's worst move; none without a move.
    worst: Option<WorstMove>,
}

/// A move that lost much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct WorstMove {
    /// From 1.
    ply: usize,
    uci: String,
    /// Percentage points of winning chances.
    loss: f64,
}

impl FinishedTask for AnalysedGame {
    fn id(&self) -> TaskId {
        TaskId::of(self.unit)
    }
}

/// The number of a game, by which shards divide the archive, however it grows.
fn unit(id: &GameId) -> u64 {
    fnv64(id.as_str().as_bytes())
}

/// What the threads share.
struct Run {
    archive: PathBuf,
    cache: Mutex<VerdictCache>,
    journal: Mutex<Journal<AnalysedGame>>,
    /// The games to judge, and how many are taken.
    ids: Vec<GameId>,
    taken: AtomicUsize,
    nodes: Nodes,
    bar: ProgressBar,
}

/// Runs the command.
///
/// # Errors
/// When there is no archive, or a file cannot be read or written.
pub(super) fn run(args: &Args, archive: &Archive, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let path = archive.path().context("an archive without a file")?;
    let build = bench::build_id();
    let heading = Heading::new("games analyse", args.shard)
        .with("build", &build)
        .with("archive", archive.identity()?)
        .with("nodes", args.nodes);
    let journal = match &args.record {
        Some(path) => Journal::open(path, &heading)?,
        None => Journal::new(),
    };
    let cache = args.cache.clone().unwrap_or_else(|| path.with_file_name(CACHE));
    let opened = VerdictCache::open(&cache, &build, Nodes(args.nodes));
    let mut ids = archive.ids(&args.wanted.filter()?)?;
    // The oldest first.
    ids.reverse();
    let units: BTreeSet<u64> = ids.iter().map(unit).collect();
    ids.retain(|id| journal.lacks(TaskId::of(unit(id))));
    let run = Run {
        archive: path,
        cache: Mutex::new(opened.with_context(|| format!("the known scores in {}", cache.display()))?),
        journal: Mutex::new(journal),
        bar: count_bar(ids.len() as u64, false),
        ids,
        taken: AtomicUsize::new(0),
        nodes: Nodes(args.nodes),
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads.get())
            .map(|_| {
                scope.spawn(|| {
                    // The others stop too.
                    let stop = |_: &_| run.taken.store(run.ids.len(), Ordering::Relaxed);
                    run.work().inspect_err(stop)
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    run.bar.finish_and_clear();
    let journal = run.journal.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(shard) = args.shard {
        say(&format!("shard {shard}: {} games", journal.len()));
        return Ok(());
    }
    let rows = table::rows(journal.rows().filter(|game| units.contains(&game.unit)));
    if rows.is_empty() {
        say("no game of these has ended with a result");
        return Ok(());
    }
    let said = match json {
        true => rows
            .iter()
            .map(|row| json_line(&serde_json::json!(row)))
            .collect(),
        false => table::written(&rows),
    };
    Ok(out.write_all(said.as_bytes())?)
}

impl Run {
    /// Judges games until there are no more.
    fn work(&self) -> anyhow::Result<()> {
        let (archive, mut engine) = (Archive::read(&self.archive)?, Engine::new(HASH_MIB));
        while let Some(id) = self.ids.get(self.taken.fetch_add(1, Ordering::Relaxed)) {
            let game = archive.game(id)?;
            let judged = game.map(|game| self.judge(&game, &mut engine)).transpose()?;
            if let Some(row) = judged.flatten() {
                lock(&self.journal).add(row)?;
            }
            self.bar.inc(1);
        }
        Ok(())
    }

    /// Judges a game; none without a result, and for moves that cannot be read.
    fn judge(&self, game: &GameRecord, engine: &mut Engine) -> anyhow::Result<Option<AnalysedGame>> {
        let (Some(points), Some(end)) = (points(game), &game.end) else {
            return Ok(None);
        };
        let variant = game.variant.parse::<Variant>().ok();
        let Some(line) =
            variant.and_then(|variant| GameHistory::replay(variant, &game.start, &end.moves).ok())
        else {
            say(&format!("{}: its moves cannot be replayed", game.id));
            return Ok(None);
        };
        let losses = losses(&line, |position| self.verdict(position, engine))?;
        let (mine, theirs) = match game.side {
            Side::White => (Color::White, Color::Black),
            Side::Black => (Color::Black, Color::White),
        };
        let own = of_side(&line, &losses, mine);
        let first = usize::from(line.start().turn() != mine);
        let worst = own.iter().enumerate().max_by(|one, other| {
            // The first of equals.
            one.1.total_cmp(other.1).then(other.0.cmp(&one.0))
        });
        Ok(Some(AnalysedGame {
            unit: unit(&game.id),
            game: game.id.to_string(),
            personality: game.personality.clone(),
            level: game.played.map(|level| level.0),
            variant: game.variant.clone(),
            speed: game.speed.clone(),
            rating: game.rating.map(|rating| rating.0),
            points,
            bot: Quality::of(&own),
            opponent: Quality::of(&of_side(&line, &losses, theirs)),
            worst: worst.map(|(index, loss)| {
                let ply = first + 2 * index + 1;
                WorstMove {
                    ply,
                    uci: end
                        .moves
                        .split_ascii_whitespace()
                        .nth(ply - 1)
                        .unwrap_or_default()
                        .to_owned(),
                    loss: (10.0 * loss).round() / 10.0,
                }
            }),
        }))
    }

    /// The score of a position for the side to move, known or searched for now.
    fn verdict(&self, line: &GameHistory, engine: &mut Engine) -> anyhow::Result<Score> {
        let key = position_key(line);
        if let Some(known) = lock(&self.cache).get(&key)? {
            return Ok(known);
        }
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        engine.clear();
        let (_, score) = search(engine, &SearchRequest::new(line.clone(), limits))
            .with_context(|| format!("no move was found in {key}"))?;
        lock(&self.cache).put(&key, score)?;
        Ok(score)
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

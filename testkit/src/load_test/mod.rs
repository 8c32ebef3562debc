//! `sparring-testkit bench-daemon`: how quickly the daemon starts, how little it needs, how fast it answers, and whether it
//! loses games to anything but chess. The real program plays on the sandbox over HTTP; the opponents sit here.
//!
//! Answers are timed twice: from the opponent's chair, which holds the way through the sandbox and back too, and by the
//! daemon itself, from the bytes that brought its turn to its move going out.

mod book_writer;
mod bot;
mod memory;
mod rogue;
mod siege;
mod stats;
mod variants;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::{
    bot::Bot,
    stats::{Latency, Tally},
    variants::Variants,
};
use crate::harness::{BOOK, GameStart, Opponent, OpponentBehavior, SandboxServer, clock};
use sparring::cli::{exit::Exit, threads};
use sparring_chess::units::{Millis, Nodes, Stopwatch, TimeSource as _};

/// Measures the daemon and prints a table.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Games of the last measurement, with mixed clocks.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// How many of them at once.
    #[arg(long, default_value_t = 8)]
    at_once: usize,
    /// Games at once while answers are timed.
    #[arg(long, default_value_t = 32)]
    crowd: usize,
    /// Only this: so many games of a few moves each, and how memory grows over them.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u32).range(10..))]
    endurance: Option<u32>,
    /// Only this: games alone, and the same with 1,100 idle sockets and 300 clients at the dashboard.
    #[arg(long, conflicts_with = "endurance")]
    besieged: bool,
    /// Only this: the games, by this UCI engine behind a proxy that ends, hangs, prints garbage or plays illegal moves.
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["endurance", "besieged"])]
    rogue: Option<String>,
    /// With --rogue: one of so many moves goes wrong; 0 for none.
    #[arg(long, value_name = "MOVES", default_value_t = 6, requires = "rogue")]
    every: u32,
    /// Only this: so many games of this variant, or of "all", against an opponent that plays legal moves at random.
    #[arg(long, value_parser = variants::parse, conflicts_with_all = ["endurance", "besieged", "rogue"])]
    variant: Option<Variants>,
    /// Seed of everything drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A bot that moves at once, to measure the daemon alone.
const INSTANT: &str = "about = \"Moves at once.\"\nnodes = 1\ndelay = \"off\"\nbooks = []\n";
/// A bot that uses its whole time budget.
const BY_CLOCK: &str = "about = \"Uses its clock.\"\ndelay = \"off\"\nbooks = [\"starter\"]\n";
/// A bot that moves at once, with a book.
const READER: &str = "about = \"Looks things up.\"\nnodes = 1\ndelay = \"off\"\nbooks = [\"starter\"]\n";

/// How long anything here may take before it counts as stuck.
const STUCK: Duration = Duration::from_secs(900);

/// Runs all measurements and prints them.
///
/// # Errors
/// When the program cannot be started or the sandbox cannot be served.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let runtime = threads::runtime()?;
    runtime.block_on(async {
        match (args.endurance, &args.rogue) {
            _ if args.variant.is_some() => variants::measure(args).await,
            (Some(games), _) => memory::measure(games as usize, args).await,
            (None, Some(engine)) => rogue::measure(engine, args).await,
            (None, None) if args.besieged => siege::measure(args).await,
            (None, None) => measure(args).await,
        }
    })?;
    Ok(Exit::Success)
}

/// Starts the bot and returns the time until its event stream was open.
async fn start(
    sandbox_server: &SandboxServer,
    personality: &str,
    book: &str,
    max_games: usize,
) -> anyhow::Result<(Bot, Millis)> {
    let watch = Stopwatch::start();
    let bot = Bot::start(sandbox_server, personality, book, max_games).await?;
    Ok((bot, watch.elapsed()))
}

async fn measure(args: &Args) -> anyhow::Result<()> {
    let sandbox_server = SandboxServer::new(args.seed).await?;
    let (bot, listened) = start(&sandbox_server, INSTANT, BOOK, args.crowd).await?;
    row("process start to event stream open", &listened.to_string());
    tokio::time::sleep(Duration::from_secs(1)).await;
    row("resident memory, idle", &mebibytes(bot.resident()?));
    let (latency, busiest) = crowd(&sandbox_server, &bot, args, Millis(200)).await?;
    row(
        &format!("resident memory, {} games running, 1 MiB hash each", args.crowd),
        &mebibytes(busiest),
    );
    row(
        &format!(
            "our move out to the bot's answer in, {} games at once",
            args.crowd
        ),
        &latency.to_string(),
    );
    let log = bot.end().await?;
    row(
        &format!(
            "its own share: bytes in to the move out, {} games at once",
            args.crowd
        ),
        &log.own.to_string(),
    );
    drop(sandbox_server);

    reload(args).await?;

    let sandbox_server = SandboxServer::new(args.seed + 1).await?;
    let (bot, _) = start(&sandbox_server, BY_CLOCK, BOOK, args.at_once).await?;
    let watch = Stopwatch::start();
    let tally = many(&sandbox_server, args).await?;
    row(
        &format!("{} games, {} at once, took", args.games, args.at_once),
        &watch.elapsed().to_string(),
    );
    row("finished as", &tally.endings());
    row("the bot's losses on time", &tally.lost_on_time.to_string());
    row("unfinished", &(args.games - tally.finished).to_string());
    let log = bot.end().await?;
    row("moves the server refused", &log.refusals.to_string());
    Ok(())
}

/// Plays as many games at once while a large book is saved again and again.
async fn reload(args: &Args) -> anyhow::Result<()> {
    let text = book_writer::text(args.seed, book_writer::LINES);
    let sandbox_server = SandboxServer::new(args.seed + 2).await?;
    let (bot, _) = start(&sandbox_server, READER, &text, args.crowd).await?;
    let done = CancellationToken::new();
    let saver = tokio::spawn(book_writer::save(bot.book(), text, done.clone()));
    // Slow opponents, so that several saves fall into each game.
    crowd(&sandbox_server, &bot, args, Millis(500)).await?;
    done.cancel();
    let saves = saver.await??;
    let log = bot.end().await?;
    row(
        &format!("the same while a book of {} lines is saved", book_writer::LINES),
        &format!("{}; {saves} saves, {} reloads", log.own, log.reloads),
    );
    Ok(())
}

/// Plays many games at once against the bot that moves at once, timing its answers.
async fn crowd(
    sandbox_server: &SandboxServer,
    bot: &Bot,
    args: &Args,
    pause: Millis,
) -> anyhow::Result<(Latency, u64)> {
    let mut opponents = JoinSet::new();
    for number in 0..args.crowd {
        let opponent = Opponent::new(sandbox_server, number)?;
        let manner = OpponentBehavior {
            start: GameStart::default(),
            clock: (Millis::from_secs(180), Millis::from_secs(2)),
            pause,
            drawn: usize::MAX,
            nodes: Nodes(0),
            seed: args.seed ^ ((number as u64) << 32),
            most_plies: 80,
        };
        opponents.spawn(async move { opponent.play(&manner).await });
    }
    let mut latency = Latency::default();
    let mut busiest = 0;
    loop {
        tokio::select! {
            game = opponents.join_next() => {
                let Some(game) = game else { break };
                latency.add(&game.context("an opponent panicked")??.waits);
            }
            () = tokio::time::sleep(Duration::from_millis(200)) => busiest = busiest.max(bot.resident()?),
        }
    }
    Ok((latency, busiest))
}

/// Plays games with mixed clocks against the bot that uses its clock.
async fn many(sandbox_server: &SandboxServer, args: &Args) -> anyhow::Result<Tally> {
    let behavior = |game| OpponentBehavior {
        start: GameStart::default(),
        clock: clock(game),
        pause: Millis::ZERO,
        drawn: 8,
        nodes: Nodes(500),
        seed: args.seed ^ ((game as u64) << 32),
        most_plies: usize::MAX,
    };
    games(sandbox_server, args, 1000, behavior).await
}

/// Plays games against the bot, each by its number, with accounts numbered from `first`.
async fn games(
    sandbox_server: &SandboxServer,
    args: &Args,
    first: usize,
    behavior: impl Fn(usize) -> OpponentBehavior,
) -> anyhow::Result<Tally> {
    let behaviors: Arc<[OpponentBehavior]> = (0..args.games).map(behavior).collect();
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for number in 0..args.at_once {
        let opponent = Opponent::new(sandbox_server, first + number)?;
        let (next, behaviors) = (Arc::clone(&next), Arc::clone(&behaviors));
        tasks.spawn(async move {
            let mut tally = Tally::default();
            loop {
                let game = next.fetch_add(1, Ordering::Relaxed);
                let Some(behavior) = behaviors.get(game) else {
                    return anyhow::Ok(tally);
                };
                match tokio::time::timeout(STUCK, opponent.play(behavior)).await {
                    Ok(played) => tally.add(&played?),
                    Err(_) => tally.stuck += 1,
                }
            }
        });
    }
    let mut tally = Tally::default();
    while let Some(done) = tasks.join_next().await {
        tally.merge(&done.context("an opponent panicked")??);
    }
    Ok(tally)
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0))
}

fn row(what: &str, figure: &str) {
    // A closed stdout does not stop the measurement.
    let _ = sparring::cli::print(format_args!("{what:<62} {figure}"));
}

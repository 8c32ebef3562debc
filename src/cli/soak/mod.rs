//! `sparring soak`: games against the embedded server while everything goes wrong on purpose. Requests and lines fail by
//! chance, the program is killed without warning, the server restarts, files are spoiled and mended in storms. Seeded;
//! prints a table, and fails if a game was lost, left or spoiled by anything but the faults themselves.

mod network;
mod opponent;
mod report;
mod victim;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use self::{
    network::Network,
    opponent::{Opponent, Played},
    report::{Findings, Troubles},
    victim::Victim,
};
use super::{
    exit::{Exit, Failure},
    sandbox::bind,
};
use crate::{
    sandbox::{Options, Posted, Sandbox, Topic},
    units::Millis,
};

/// Plays games while everything goes wrong, and prints what came of them.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Games to play.
    #[arg(long, default_value_t = 2000)]
    games: usize,
    /// How many at once.
    #[arg(long, default_value_t = 8)]
    at_once: usize,
    /// The share of requests and lines that go wrong, in percent.
    #[arg(long, default_value_t = 3.0)]
    percent: f64,
    /// How many times the program is killed on its turn with three seconds left.
    #[arg(long, default_value_t = 200)]
    kills: usize,
    /// Seed of everything drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The clocks in seconds: the fastest that lichess allows bots, up to a minute and one.
const CLOCKS: [(u64, u64); 5] = [(30, 0), (15, 1), (45, 0), (60, 0), (60, 1)];
/// A game that takes longer than this is stuck.
const STUCK: Duration = Duration::from_secs(600);
/// A program that does not open its event stream within this has failed to start.
const START: Duration = Duration::from_secs(30);
/// Memory settles within so long after a start.
const SETTLED: Duration = Duration::from_secs(10);
/// The bar for a new program to have moved on a game with three seconds left.
const BAR: Duration = Duration::from_secs(1);

/// Runs the soak.
///
/// # Errors
/// When the program cannot be started or the sandbox not be served, and when a bar is missed.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(soak(args))
}

async fn soak(args: &Args) -> anyhow::Result<Exit> {
    row("seed", args.seed);
    let mut breaches = games(args).await?;
    breaches += last_moments(args).await?;
    if breaches == 0 {
        return Ok(Exit::Success);
    }
    let sentence = format!("{breaches} bars missed; repeat with --seed {}", args.seed);
    Err(Failure::error(Exit::Failed, sentence))
}

/// A sandbox, the way to it, and the program.
struct Ground {
    sandbox: Sandbox,
    /// Where opponents find it, without detours.
    address: String,
    network: Network,
    victim: Victim,
    stop: CancellationToken,
}

impl Ground {
    async fn new(seed: u64, at_once: usize) -> anyhow::Result<Self> {
        let mut options = Options {
            pages: false,
            ..Options::default()
        };
        options.rules.seed = seed;
        options.rules.strict_flags = true;
        let sandbox = Sandbox::new(options);
        let token = sandbox.add_bot("Sparring")?;
        let listener = bind(0).await?;
        let server = listener.local_addr()?;
        let stop = CancellationToken::new();
        tokio::spawn(sandbox.clone().serve(listener, stop.clone()));
        let network = Network::before(server).await?;
        let victim = Victim::new(network.address(), &token, at_once)?;
        Ok(Self {
            sandbox,
            address: format!("http://{server}/"),
            network,
            victim,
            stop,
        })
    }

    /// Starts the program and waits until it hears events.
    async fn start(&mut self) -> anyhow::Result<()> {
        self.victim.start()?;
        let limit = Instant::now() + START;
        while !self.hears_events() {
            if let Some(status) = self.victim.has_ended()? {
                anyhow::bail!("the program ended at its start: {status}");
            }
            anyhow::ensure!(
                Instant::now() < limit,
                "the program did not open its event stream"
            );
            sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }

    /// Lets the program think for a moment, kills it, and takes the rest of its clock away but three seconds.
    async fn kill_with_three_seconds_left(&mut self, clock: Millis) -> anyhow::Result<()> {
        let turn = self.sandbox.now();
        sleep(Duration::from_millis(100)).await;
        self.victim.kill().await?;
        let gone = self.sandbox.now() - turn;
        self.sandbox.advance(clock - Millis::from_secs(3) - gone);
        Ok(())
    }

    fn hears_events(&self) -> bool {
        let is_bots =
            |topic: &Topic| matches!(topic, Topic::Events { user, .. } if user.as_str() == "sparring");
        self.sandbox.streams().iter().any(is_bots)
    }
}

/// What the driver of all trouble counts.
#[derive(Debug, Default)]
struct Driven {
    troubles: Troubles,
    kills: usize,
    restarts: usize,
    storms: usize,
    own_ends: Vec<String>,
    /// The most that memory grew within one life, in bytes, once settled.
    growth: u64,
}

/// Plays the games and prints what came of them. Returns how many bars were missed.
async fn games(args: &Args) -> anyhow::Result<usize> {
    let mut ground = Ground::new(args.seed, args.at_once).await?;
    ground.sandbox.note_moves();
    ground.start().await?;
    ground.sandbox.let_loose(args.percent / 100.0, args.seed);
    let begun = Instant::now();
    let (tell, mut told) = mpsc::unbounded_channel();
    let next = Arc::new(AtomicUsize::new(0));
    let mut chairs = JoinSet::new();
    for number in 0..args.at_once {
        let opponent = Opponent::new(&ground.sandbox, &ground.address, number)?;
        chairs.spawn(sit(
            opponent,
            Arc::clone(&next),
            args.games,
            args.seed,
            tell.clone(),
        ));
    }
    drop(tell);
    let (mut driven, mut played, mut ledger) = (Driven::default(), Vec::new(), Vec::new());
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let mut settled: Option<u64> = None;
    let mut born = Instant::now();
    let mut trouble_at = Instant::now() + Duration::from_secs(5);
    let mut look = tokio::time::interval(Duration::from_millis(250));
    loop {
        tokio::select! {
            game = told.recv() => match game {
                Some(game) => {
                    played.push(game);
                    if played.len() % 50 == 0 {
                        tracing::info!("{} of {} games", played.len(), args.games);
                    }
                }
                None => break,
            },
            _ = look.tick() => {
                let now = ground.sandbox.now();
                ledger.extend(ground.sandbox.posted().into_iter().map(|posted| (now, posted)));
                if let Some(status) = ground.victim.has_ended()? {
                    driven.own_ends.push(status);
                    ground.start().await?;
                }
                if born.elapsed() >= SETTLED && let Some(bytes) = ground.victim.resident() {
                    let before = *settled.get_or_insert(bytes);
                    driven.growth = driven.growth.max(bytes.saturating_sub(before));
                }
                if Instant::now() >= trouble_at {
                    if make_trouble(&mut ground, &mut driven, &mut rng).await? {
                        (born, settled) = (Instant::now(), None);
                    }
                    trouble_at = Instant::now() + Duration::from_millis(rng.random_range(2000..10_000));
                }
            }
        }
    }
    while let Some(done) = chairs.join_next().await {
        done.context("an opponent fell over")??;
    }
    ledger.extend(
        ground
            .sandbox
            .posted()
            .into_iter()
            .map(|posted| (ground.sandbox.now(), posted)),
    );
    ground.sandbox.let_loose(0.0, args.seed);
    driven.troubles.struck = ground.sandbox.struck();
    let open_rows = rows_without_end(&mut ground).await?;
    let breaches = tell_of_games(
        args,
        &ground,
        &driven,
        &played,
        &ledger,
        open_rows,
        begun.elapsed(),
    );
    ground.stop.cancel();
    Ok(breaches)
}

/// One opponent plays games until all are begun.
async fn sit(
    opponent: Opponent,
    next: Arc<AtomicUsize>,
    games: usize,
    seed: u64,
    tell: mpsc::UnboundedSender<Played>,
) -> anyhow::Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= games {
            return Ok(());
        }
        let (limit, increment) = CLOCKS.get(number % CLOCKS.len()).copied().unwrap_or((60, 1));
        let clock = (Millis::from_secs(limit), Millis::from_secs(increment));
        let seed = seed ^ ((number as u64) << 32);
        if let Ok(played) = timeout(STUCK, opponent.play(clock, seed)).await {
            // The reader goes only when all is over.
            let _ = tell.send(played?);
        }
    }
}

/// Lets something go wrong as a whole. Says whether the program was started anew.
async fn make_trouble(
    ground: &mut Ground,
    driven: &mut Driven,
    rng: &mut ChaCha8Rng,
) -> anyhow::Result<bool> {
    let from = ground.sandbox.now();
    match rng.random_range(0..4) {
        0 | 1 => {
            ground.victim.kill().await?;
            ground.start().await?;
            driven.kills += 1;
            driven.troubles.outages.push((from, ground.sandbox.now()));
            return Ok(true);
        }
        2 => {
            let span = Duration::from_millis(rng.random_range(200..1500));
            ground.network.fail(span).await;
            driven.restarts += 1;
            driven.troubles.outages.push((from, ground.sandbox.now()));
        }
        _ => {
            for _ in 0..20 {
                ground.victim.spoil()?;
                ground.victim.reload().await?;
                ground.victim.mend()?;
                ground.victim.reload().await?;
            }
            driven.storms += 1;
        }
    }
    Ok(false)
}

/// Lets the program come to rest, and counts the games whose end it has not written down.
async fn rows_without_end(ground: &mut Ground) -> anyhow::Result<usize> {
    // A last life without trouble may finish what the others could not.
    ground.victim.kill().await?;
    ground.start().await?;
    sleep(Duration::from_secs(5)).await;
    ground.victim.kill().await?;
    let archive = crate::store::Archive::read(&ground.victim.archive())?;
    let games = archive.games(&crate::store::Filter::default())?;
    Ok(games.iter().filter(|game| game.end.is_none()).count())
}

fn tell_of_games(
    args: &Args,
    ground: &Ground,
    driven: &Driven,
    played: &[Played],
    ledger: &[(Millis, Posted)],
    open_rows: usize,
    took: Duration,
) -> usize {
    let mut findings = Findings::default();
    for game in played {
        findings.add(game, &driven.troubles);
    }
    findings.read(ledger, &driven.troubles);
    let said = ground.victim.said();
    row(
        "games",
        format!("{} of {}, {} at once", played.len(), args.games, args.at_once),
    );
    row("took", Millis::from(took));
    let endings: Vec<String> = findings
        .endings
        .iter()
        .map(|(how, count)| format!("{count} {how}"))
        .collect();
    row("ended as", endings.join(", "));
    row("requests and lines that went wrong", ground.sandbox.spoiled());
    row(
        "kill -9, server restarts, reload storms",
        format!("{}, {}, {}", driven.kills, driven.restarts, driven.storms),
    );
    row("moves that reached the server", ledger.len());
    row(
        "lost on time, all of the clock taken by faults",
        findings.forced_losses,
    );
    row("sent again after a fault though played", findings.forced_repeats);
    row(
        "memory growth within a life, at most",
        format!("{:.1} MiB", driven.growth as f64 / 1_048_576.0),
    );
    let mut breaches = 0;
    let mut bar = |what: &str, lines: &[String]| {
        row(what, lines.len());
        breaches += usize::from(!lines.is_empty());
        for line in lines.iter().take(10) {
            row("", line);
        }
    };
    bar("lost on time otherwise (bar 0)", &findings.own_losses);
    bar("illegal moves (bar 0)", &findings.illegal);
    bar(
        "half moves answered twice, differently (bar 0)",
        &findings.changed,
    );
    bar("sent again without a fault (bar 0)", &findings.own_repeats);
    bar("panics (bar 0)", &said.lines);
    bar("ended of its own accord (bar 0)", &driven.own_ends);
    row("unfinished games (bar 0)", args.games - played.len());
    row("games without a result in the archive (bar 0)", open_rows);
    breaches + usize::from(args.games != played.len()) + usize::from(open_rows > 0)
}

/// Kills the program on its turn, leaves three seconds on its clock, and times the next one to its move.
async fn last_moments(args: &Args) -> anyhow::Result<usize> {
    let mut ground = Ground::new(args.seed + 1, 1).await?;
    let guest = Opponent::new(&ground.sandbox, &ground.address, 0)?;
    ground.start().await?;
    let mut times = Vec::new();
    for _ in 0..args.kills {
        times.push(guest.last_moment(Millis::from_secs(600), &mut ground).await?);
    }
    ground.stop.cancel();
    times.sort_unstable();
    let in_time = times.iter().flatten().filter(|time| **time < BAR).count();
    let slowest = times.last().copied().flatten().map(Millis::from);
    row(
        "killed on its turn with 3 s left, moved within 1 s of the start",
        format!("{in_time} of {}", args.kills),
    );
    row(
        "slowest of them",
        slowest.map_or_else(|| "none".to_owned(), |slowest| slowest.to_string()),
    );
    Ok(usize::from(in_time != args.kills))
}

fn row(what: &str, figure: impl std::fmt::Display) {
    // Whoever reads the table may have left; the soak goes on to its end.
    let _ = super::print(format_args!("{what:<64} {figure}"));
}

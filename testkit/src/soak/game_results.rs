//! The games of a soak, from the first challenge to the last row of the archive.

use std::time::Duration;

use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, interval, timeout},
};

use super::{
    Args, SoakSetup,
    chaos_schedule::ChaosSchedule,
    cpu_starvation::{CpuStarvation, Starvation},
    fault_proxy::{Silence, Use},
    kept::Kept,
    moves::Moves,
    report::Findings,
    table,
};
use crate::harness::{GameStart, Opponent, OpponentBehavior, Played, clock};
use sparring_chess::units::{Millis, Nodes};

/// A game that takes longer than this is stuck.
const STUCK: Duration = Duration::from_secs(600);
/// Memory settles within so long after a start.
const SETTLED: Duration = Duration::from_secs(10);

/// Data of the table.
#[derive(Default)]
pub(super) struct GamesRecord {
    /// The games that came to an end.
    pub played: Vec<Played>,
    /// The bot's move requests.
    pub moves: Moves,
    /// Exits of the bot that were no kill.
    pub own_ends: Vec<String>,
    /// The most that memory grew within one life, in bytes, once settled.
    pub growth: u64,
    /// Differences of the archive.
    pub kept: Kept,
    /// Why opponents left, or the course came to an end, before its time.
    pub broken: Vec<String>,
    /// The connections that fell silent.
    pub silences: Vec<Silence>,
    /// From the end of an outage of the network until the daemon asked for events again.
    pub reopened: Vec<Duration>,
    /// How long it took.
    pub took: Millis,
}

impl GamesRecord {
    /// The longest that a silent connection of this use was kept until the daemon noticed.
    pub(super) fn slowest(&self, used: Use) -> Option<Duration> {
        let noticed = |silence: &&Silence| silence.used == used && silence.is_noticed;
        let times = self.silences.iter().filter(noticed);
        times.map(|silence| silence.lasted).max()
    }
}

/// Plays the games and prints the results. Returns the bars that were missed.
pub(super) async fn games(args: &Args) -> anyhow::Result<Vec<String>> {
    let mut setup = SoakSetup::new(args.seed, args.at_once, args.log.as_deref()).await?;
    setup.sandbox_server.sandbox.audit_moves();
    let starvation = CpuStarvation::watch(setup.sandbox_server.sandbox.clone())?;
    setup.start().await?;
    setup
        .sandbox_server
        .sandbox
        .set_random_faults(args.percent / 100.0, args.seed);
    let begun = Instant::now();
    let mut schedule = ChaosSchedule::new(args.seed);
    let (mut tasks, told) = spawn_opponents(args, &setup)?;
    let mut record = GamesRecord::default();
    // Results so far are printed even if the run is aborted.
    if let Err(error) = watch(args, &mut setup, &mut schedule, told, &mut record).await {
        record.broken.push(format!("{error:#}"));
        tasks.abort_all();
    }
    while let Some(done) = tasks.join_next().await {
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => record.broken.push(format!("an opponent left: {error:#}")),
            Err(error) if error.is_cancelled() => {}
            Err(error) => record.broken.push(format!("an opponent panicked: {error}")),
        }
    }
    setup.sandbox_server.sandbox.set_random_faults(0.0, args.seed);
    record.took = begun.elapsed().into();
    record.silences = setup.network.silences();
    record.reopened = setup.network.reopened();
    schedule.faults.injected = setup.sandbox_server.sandbox.injected_faults();
    schedule.faults.stalls = starvation.stalls();
    match Kept::look(&mut setup, &record.played).await {
        Ok(kept) => record.kept = kept,
        Err(error) => record.broken.push(format!("the archive: {error:#}")),
    }
    let mut findings = Findings::default();
    for game in &record.played {
        findings.add(game, &schedule.faults);
    }
    record.moves = Moves::read(
        &setup.sandbox_server.sandbox.take_posted_moves(),
        &schedule.faults,
    );
    Ok(table::of_games(args, &setup, &schedule, &record, &findings))
}

/// Starts a task for every opponent, which reports its games. Games are assigned in advance, so that clocks do not depend on
/// speed.
fn spawn_opponents(
    args: &Args,
    setup: &SoakSetup,
) -> anyhow::Result<(JoinSet<anyhow::Result<()>>, mpsc::UnboundedReceiver<Played>)> {
    let (tell, told) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for chair in 0..args.at_once {
        let opponent = Opponent::new(&setup.sandbox_server, chair)?;
        let tell = tell.clone();
        let (seed, most_plies) = (args.seed, args.plies);
        let numbers = (chair..args.games).step_by(args.at_once);
        tasks.spawn(async move {
            for number in numbers {
                let manner = OpponentBehavior {
                    start: GameStart::default(),
                    clock: clock(number),
                    pause: Millis::ZERO,
                    drawn: 4,
                    // Enough for a game, and the processors are the bot's.
                    nodes: Nodes(200),
                    most_plies,
                    seed: seed ^ ((number as u64) << 32),
                };
                if let Ok(played) = timeout(STUCK, opponent.play(&manner)).await {
                    // The reader goes only when all is over.
                    let _ = tell.send(played?);
                }
            }
            Ok(())
        });
    }
    Ok((tasks, told))
}

/// Runs the fault schedule and records results until the last opponent has left.
async fn watch(
    args: &Args,
    setup: &mut SoakSetup,
    schedule: &mut ChaosSchedule,
    mut told: mpsc::UnboundedReceiver<Played>,
    record: &mut GamesRecord,
) -> anyhow::Result<()> {
    let mut settled: Option<u64> = None;
    let mut born = Instant::now();
    let mut look = interval(Duration::from_millis(250));
    let mut starvation = Starvation::default();
    let mut looked = Instant::now();
    loop {
        tokio::select! {
            game = told.recv() => {
                let Some(game) = game else { break };
                record.played.push(game);
                if record.played.len().is_multiple_of(50) {
                    tracing::info!("{} of {} games", record.played.len(), args.games);
                }
            }
            _ = look.tick() => {
                let elapsed = looked.elapsed();
                looked = Instant::now();
                if let Some(waited) = starvation.since_last_look(setup.daemon.pid(), elapsed) {
                    let now = setup.sandbox_server.sandbox.now();
                    // The kernel tells of a wait when it is over: it may have begun long before the last look.
                    schedule.faults.starved.push((now - waited.max(elapsed).into(), now));
                }
                if let Some(status) = setup.daemon.has_ended()? {
                    record.own_ends.push(status);
                    let from = setup.sandbox_server.sandbox.now();
                    setup.start().await?;
                    let to = setup.sandbox_server.sandbox.now();
                    schedule.faults.kills.push((from, to));
                }
                if born.elapsed() >= SETTLED && let Some(bytes) = setup.daemon.resident() {
                    let before = *settled.get_or_insert(bytes);
                    record.growth = record.growth.max(bytes.saturating_sub(before));
                }
                if schedule.is_due() && schedule.strike(setup).await? {
                    (born, settled) = (Instant::now(), None);
                }
            }
        }
    }
    Ok(())
}

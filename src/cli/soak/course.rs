//! The games of a soak, from the first challenge to the last row of the archive.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, interval, sleep, timeout},
};

use super::{
    Args, Scene,
    moves::Moves,
    network::{Silence, Use},
    report::Findings,
    strain::Strain,
    table,
    weather::Weather,
};
use crate::{
    cli::trial::{Guest, Manner, Played, clock},
    store::{Archive, Filter},
    units::{Millis, Nodes},
};

/// A game that takes longer than this is stuck.
const STUCK: Duration = Duration::from_secs(600);
/// Memory settles within so long after a start.
const SETTLED: Duration = Duration::from_secs(10);
/// A last life without trouble has so long to finish what others could not.
const LAST_LIFE: Duration = Duration::from_secs(5);

/// Everything that the table tells of the games.
#[derive(Default)]
pub(super) struct Record {
    /// The games that came to an end.
    pub played: Vec<Played>,
    /// What the bot has sent for its moves.
    pub moves: Moves,
    /// How the program ended when nobody had killed it.
    pub own_ends: Vec<String>,
    /// The most that memory grew within one life, in bytes, once settled.
    pub growth: u64,
    /// Games in the archive without an end.
    pub open_rows: usize,
    /// Games that ended and are not in the archive at all.
    pub missing_rows: usize,
    /// The connections that fell silent.
    pub silences: Vec<Silence>,
    /// From the end of an outage of the network until the daemon asked for events again.
    pub reopened: Vec<Duration>,
    /// How long it took.
    pub took: Millis,
}

impl Record {
    /// The longest that a silent connection of this use was kept until the daemon noticed.
    pub(super) fn slowest(&self, used: Use) -> Option<Duration> {
        let noticed = |silence: &&Silence| silence.used == used && silence.is_noticed;
        let times = self.silences.iter().filter(noticed);
        times.map(|silence| silence.lasted).max()
    }
}

/// Plays the games and prints what came of them. Returns how many bars were missed.
pub(super) async fn games(args: &Args) -> anyhow::Result<usize> {
    let mut scene = Scene::new(args.seed, args.at_once, args.log.as_deref()).await?;
    scene.ground.sandbox.note_moves();
    let strain = Strain::watch(scene.ground.sandbox.clone())?;
    scene.start().await?;
    scene.ground.sandbox.let_loose(args.percent / 100.0, args.seed);
    let begun = Instant::now();
    let mut weather = Weather::new(args.seed);
    let (mut chairs, told) = seat(args, &scene)?;
    let mut record = watch(args, &mut scene, &mut weather, told).await?;
    while let Some(done) = chairs.join_next().await {
        done.context("an opponent fell over")??;
    }
    scene.ground.sandbox.let_loose(0.0, args.seed);
    record.took = begun.elapsed().into();
    record.silences = scene.network.silences();
    record.reopened = scene.network.reopened();
    weather.troubles.struck = scene.ground.sandbox.struck();
    weather.troubles.stalls = strain.stalls();
    check_archive(&mut scene, &mut record).await?;
    let mut findings = Findings::default();
    for game in &record.played {
        findings.add(game, &weather.troubles);
    }
    record.moves = Moves::read(&scene.ground.sandbox.posted(), &weather.troubles);
    Ok(table::of_games(args, &scene, &weather, &record, &findings))
}

/// Gives every opponent a chair; each tells of its games.
fn seat(
    args: &Args,
    scene: &Scene,
) -> anyhow::Result<(JoinSet<anyhow::Result<()>>, mpsc::UnboundedReceiver<Played>)> {
    let (tell, told) = mpsc::unbounded_channel();
    let next = Arc::new(AtomicUsize::new(0));
    let mut chairs = JoinSet::new();
    for number in 0..args.at_once {
        let guest = Guest::new(&scene.ground, number)?;
        let (next, tell) = (Arc::clone(&next), tell.clone());
        let (games, seed, most_plies) = (args.games, args.seed, args.plies);
        chairs.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= games {
                    return Ok(());
                }
                let manner = Manner {
                    clock: clock(number),
                    pause: Millis::ZERO,
                    drawn: 4,
                    nodes: Nodes(2000),
                    most_plies,
                    seed: seed ^ ((number as u64) << 32),
                };
                if let Ok(played) = timeout(STUCK, guest.play(&manner)).await {
                    // The reader goes only when all is over.
                    let _ = tell.send(played?);
                }
            }
        });
    }
    Ok((chairs, told))
}

/// Lets the weather rage, and takes notes, until the last opponent has left.
async fn watch(
    args: &Args,
    scene: &mut Scene,
    weather: &mut Weather,
    mut told: mpsc::UnboundedReceiver<Played>,
) -> anyhow::Result<Record> {
    let mut record = Record::default();
    let mut settled: Option<u64> = None;
    let mut born = Instant::now();
    let mut look = interval(Duration::from_millis(250));
    loop {
        tokio::select! {
            game = told.recv() => {
                let Some(game) = game else { break };
                record.played.push(game);
                if record.played.len() % 50 == 0 {
                    tracing::info!("{} of {} games", record.played.len(), args.games);
                }
            }
            _ = look.tick() => {
                if let Some(status) = scene.victim.has_ended()? {
                    record.own_ends.push(status);
                    scene.start().await?;
                }
                if born.elapsed() >= SETTLED && let Some(bytes) = scene.victim.resident() {
                    let before = *settled.get_or_insert(bytes);
                    record.growth = record.growth.max(bytes.saturating_sub(before));
                }
                if weather.is_due() && weather.strike(scene).await? {
                    (born, settled) = (Instant::now(), None);
                }
            }
        }
    }
    Ok(record)
}

/// Lets the program come to rest, and looks which games its archive tells the end of.
async fn check_archive(scene: &mut Scene, record: &mut Record) -> anyhow::Result<()> {
    scene.victim.kill().await?;
    scene.start().await?;
    sleep(LAST_LIFE).await;
    scene.victim.kill().await?;
    let games = Archive::read(&scene.victim.archive())?.games(&Filter::default())?;
    record.open_rows = games.iter().filter(|game| game.end.is_none()).count();
    let known: BTreeSet<_> = games.iter().map(|game| &game.id).collect();
    let missing = record.played.iter().filter(|game| !known.contains(&game.id));
    record.missing_rows = missing.count();
    Ok(())
}

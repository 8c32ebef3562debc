//! Whether memory grows with the number of games played: thousands of short ones in one life of the program.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use anyhow::Context as _;
use tokio::task::JoinSet;

use super::{Args, BOOK, INSTANT, mebibytes, row, start};
use crate::harness::{GameStart, Opponent, OpponentBehavior, SandboxServer};
use sparring_chess::units::{Millis, Nodes, Stopwatch, TimeSource as _};

/// Number of equal parts after which memory is measured.
const PARTS: usize = 10;
/// After these parts all that is allocated once has been, and growth counts from there.
const SETTLED: usize = 1;
/// Plies after which games are resigned: longer ones show nothing new about memory.
const PLIES: usize = 12;

/// Plays the games and prints the memory in use after each part, with no game running.
pub(super) async fn measure(games: usize, args: &Args) -> anyhow::Result<()> {
    let sandbox_server = SandboxServer::new(args.seed).await?;
    let (bot, _) = start(&sandbox_server, INSTANT, BOOK, args.at_once).await?;
    let opponents: Vec<Arc<Opponent>> = (0..args.at_once)
        .map(|number| Opponent::new(&sandbox_server, number).map(Arc::new))
        .collect::<anyhow::Result<_>>()?;
    let watch = Stopwatch::start();
    let next = Arc::new(AtomicUsize::new(0));
    let mut resident = Vec::new();
    for part in 1..=PARTS {
        let end = games * part / PARTS;
        let mut tasks = JoinSet::new();
        for opponent in &opponents {
            tasks.spawn(sit(Arc::clone(opponent), Arc::clone(&next), end, args.seed));
        }
        while let Some(done) = tasks.join_next().await {
            done.context("an opponent panicked")??;
        }
        // Each chair has drawn one number too many.
        next.store(end, Ordering::Relaxed);
        let bytes = bot.resident()?;
        row(&format!("resident memory after {end} games"), &mebibytes(bytes));
        resident.push(bytes);
    }
    let settled = resident.get(SETTLED - 1).copied().unwrap_or_default();
    let grown = resident
        .last()
        .copied()
        .unwrap_or_default()
        .saturating_sub(settled);
    row(
        &format!("growth from {} to {games} games", games * SETTLED / PARTS),
        &mebibytes(grown),
    );
    let most = resident.iter().copied().max().unwrap_or_default();
    row(
        "the most of these figures above the first",
        &mebibytes(most.saturating_sub(settled)),
    );
    row(
        &format!("{games} games, {} at once, took", args.at_once),
        &watch.elapsed().to_string(),
    );
    let log = bot.end().await?;
    row("moves the server refused", &log.refusals.to_string());
    Ok(())
}

/// Plays games until all of this part are taken.
async fn sit(opponent: Arc<Opponent>, next: Arc<AtomicUsize>, end: usize, seed: u64) -> anyhow::Result<()> {
    loop {
        let game = next.fetch_add(1, Ordering::Relaxed);
        if game >= end {
            return Ok(());
        }
        let manner = OpponentBehavior {
            start: GameStart::default(),
            clock: (Millis::from_secs(60), Millis::from_secs(1)),
            pause: Millis::ZERO,
            drawn: usize::MAX,
            nodes: Nodes(0),
            seed: seed ^ ((game as u64) << 32),
            most_plies: PLIES,
        };
        opponent.play(&manner).await?;
    }
}

//! Kills on the bot's turn with three seconds left: the next program must be quick.

use std::time::Duration;

use anyhow::Context as _;
use tokio::time::{Instant, sleep, timeout};

use super::{
    Args, SoakSetup,
    cpu_starvation::is_crowded,
    fault_log::FaultLog,
    kept::Kept,
    moves::Moves,
    report::Findings,
    table::{self, bar, row},
};
use crate::harness::{Opponent, Played};
use sparring::bot::game_task::state::GameState;
use sparring_chess::units::Millis;
use sparring_lichess::{
    ReconnectingStream, StreamEvent,
    model::{ChallengeColor, ChallengeRequest, GameEvent},
};

/// The bar for a new program to have moved on a game with three seconds left.
const BAR: Duration = Duration::from_secs(1);
/// With three seconds on the clock a game has gone on or ended within this.
const SHOWN: Duration = Duration::from_secs(10);
/// A game here takes seconds.
const STUCK: Duration = Duration::from_secs(60);
/// Remaining time of the bot.
const LEFT: Millis = Millis::from_secs(3);
/// Initial time of the games.
const CLOCK: Millis = Millis::from_secs(600);

/// How one of them went.
struct Moment {
    /// From the start of the new program to its move; none if it lost on time.
    took: Option<Duration>,
    /// Other processes used every CPU at the start or at the move.
    crowded: bool,
}

/// Data of the table.
#[derive(Default)]
struct KillsRecord {
    moments: Vec<Moment>,
    played: Vec<Played>,
    faults: FaultLog,
    own_ends: Vec<String>,
    /// Games of which nothing came, and why.
    broken: Vec<String>,
}

/// Kills the program on its turn as often as asked, and prints how the next one did. Returns the bars that were missed.
pub(super) async fn play(args: &Args) -> anyhow::Result<Vec<String>> {
    let mut setup = SoakSetup::new(args.seed + 1, 1, None).await?;
    setup.sandbox_server.sandbox.audit_moves();
    let opponent = Opponent::new(&setup.sandbox_server, 0)?;
    let mut record = KillsRecord::default();
    // Results so far are printed even if the run is aborted.
    if let Err(error) = moments(args.kills, &opponent, &mut setup, &mut record).await {
        record.broken.push(format!("{error:#}"));
    }
    let kept = match Kept::look(&mut setup, &record.played).await {
        Ok(kept) => kept,
        Err(error) => {
            record.broken.push(format!("the archive: {error:#}"));
            Kept::default()
        }
    };
    let moves = Moves::read(&setup.sandbox_server.sandbox.take_posted_moves(), &record.faults);
    let mut findings = Findings::default();
    for game in &record.played {
        findings.add(game, &record.faults);
    }
    Ok([
        of_moments(&record.moments),
        table::bars(&[
            ("resigned by the bot", &findings.resigned),
            ("aborted by the bot", &findings.aborted),
            ("ended of its own accord", &record.own_ends),
            ("games of which nothing came", &record.broken),
        ]),
        table::of_moves(&moves),
        table::of_logs(&setup.daemon.said(), &kept),
    ]
    .concat())
}

async fn moments(
    kills: usize,
    opponent: &Opponent,
    setup: &mut SoakSetup,
    record: &mut KillsRecord,
) -> anyhow::Result<()> {
    setup.start().await?;
    for _ in 0..kills {
        let moment = timeout(STUCK, moment(opponent, setup, record)).await;
        let came = moment.context("nothing within a minute").flatten();
        if let Some(status) = setup.daemon.has_ended()? {
            record.own_ends.push(status);
            setup.start().await?;
        }
        match came {
            Ok(moment) => record.moments.push(moment),
            Err(error) => {
                record.broken.push(format!("{error:#}"));
                // The game ends by its clock, which frees the game slot.
                setup.sandbox_server.sandbox.advance(CLOCK + CLOCK);
            }
        }
    }
    Ok(())
}

/// Prints how quick the programs were. Returns the bars that were missed.
fn of_moments(moments: &[Moment]) -> Vec<String> {
    let lost = moments.iter().filter(|moment| moment.took.is_none()).count();
    let late = |moment: &&Moment| moment.took.is_some_and(|took| took >= BAR);
    let (excused, own): (Vec<&Moment>, Vec<&Moment>) =
        moments.iter().filter(late).partition(|moment| moment.crowded);
    let slowest = moments.iter().filter_map(|moment| moment.took).max();
    row("killed on its turn with 3 s left", moments.len());
    let mut missed = Vec::from_iter(bar("of those killed with 3 s left, lost on time", lost));
    row(
        "moved within 1 s of the start",
        moments.len() - lost - own.len() - excused.len(),
    );
    missed.extend(bar(
        "of those killed with 3 s left, moved later than 1 s",
        own.len(),
    ));
    row(
        "later, while others wanted every processor: the bar left out",
        excused.len(),
    );
    row(
        "slowest of them",
        slowest.map_or_else(|| "none".to_owned(), |slowest| Millis::from(slowest).to_string()),
    );
    missed
}

/// Plays until the bot thinks, kills it with three seconds on its clock, and times the next one to its move.
async fn moment(
    opponent: &Opponent,
    setup: &mut SoakSetup,
    record: &mut KillsRecord,
) -> anyhow::Result<Moment> {
    let invitation = ChallengeRequest {
        clock: Some((CLOCK, Millis::ZERO)),
        color: ChallengeColor::White,
        ..ChallengeRequest::default()
    };
    let id = opponent.begin(&invitation).await?;
    let mut stream = opponent.watch(&id);
    let mut game = None;
    // Nothing that a book knows: the bot has to think about its second move.
    for (ply, uci) in [(0, "a2a3"), (2, "h2h3")] {
        until(opponent, &mut game, &mut stream, ply).await?;
        opponent.move_to(&id, uci).await?;
    }
    let from = setup.sandbox_server.sandbox.now();
    kill_with_three_seconds_left(setup).await?;
    let crowded = is_crowded(None);
    let begun = Instant::now();
    setup.daemon.start()?;
    let life = (from, setup.sandbox_server.sandbox.now());
    record.faults.outages.push(life);
    record.faults.kills.push(life);
    let shown = until(opponent, &mut game, &mut stream, 4);
    timeout(SHOWN, shown)
        .await
        .with_context(|| format!("{id}: neither a move nor the end within 10 s"))??;
    let took = begun.elapsed();
    let crowded = crowded || is_crowded(setup.daemon.pid());
    let has_moved = !game.as_ref().is_some_and(GameState::is_over);
    if has_moved {
        opponent.resign(&id).await?;
        until(opponent, &mut game, &mut stream, usize::MAX).await?;
    }
    let game = game.context("no game")?;
    record.played.push(opponent.played(&game, has_moved));
    Ok(Moment {
        took: has_moved.then_some(took),
        crowded,
    })
}

/// Lets the program think for a moment, kills it, and takes the rest of its clock away.
async fn kill_with_three_seconds_left(setup: &mut SoakSetup) -> anyhow::Result<()> {
    let sandbox = &setup.sandbox_server.sandbox;
    let turn = sandbox.now();
    sleep(Duration::from_millis(100)).await;
    setup.daemon.kill().await?;
    let gone = sandbox.now() - turn;
    sandbox.advance(CLOCK - LEFT - gone);
    Ok(())
}

/// Reads a game's stream until so many half moves were played, or it is over.
async fn until(
    opponent: &Opponent,
    game: &mut Option<GameState>,
    stream: &mut ReconnectingStream<GameEvent>,
    ply: usize,
) -> anyhow::Result<()> {
    let is_there = |game: &GameState| game.is_over() || game.line().ply() >= ply;
    while !game.as_ref().is_some_and(is_there) {
        if let StreamEvent::Event { event, .. } = stream.next().await.context("no game stream")? {
            opponent.take(game, event)?;
        }
    }
    Ok(())
}

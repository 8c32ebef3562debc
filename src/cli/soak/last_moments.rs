//! Kills on the bot's turn with three seconds left: the next program must be quick.

use std::time::Duration;

use anyhow::Context as _;
use tokio::time::{Instant, sleep, timeout};

use super::{Args, Scene, strain::is_crowded, table::row};
use crate::{
    bot::game::Game,
    cli::trial::Guest,
    lichess::{
        Follower, News,
        model::{ChallengeColor, GameEvent, Invitation},
    },
    units::Millis,
};

/// The bar for a new program to have moved on a game with three seconds left.
const BAR: Duration = Duration::from_secs(1);
/// What is left on the bot's clock.
const LEFT: Millis = Millis::from_secs(3);
/// What the games begin with.
const CLOCK: Millis = Millis::from_secs(600);

/// How one of them went.
struct Moment {
    /// From the start of the new program to its move; none if it lost on time.
    took: Option<Duration>,
    /// Others wanted every processor when the program started or when it had moved.
    crowded: bool,
}

/// Kills the program on its turn as often as asked, and prints how the next one did. Returns how many bars were missed.
pub(super) async fn play(args: &Args) -> anyhow::Result<usize> {
    let mut scene = Scene::new(args.seed + 1, 1, None).await?;
    let guest = Guest::new(&scene.ground, 0)?;
    scene.start().await?;
    let mut moments = Vec::new();
    for _ in 0..args.kills {
        moments.push(moment(&guest, &mut scene).await?);
    }
    let lost = moments.iter().filter(|moment| moment.took.is_none()).count();
    let late = |moment: &&Moment| moment.took.is_some_and(|took| took >= BAR);
    let (excused, own): (Vec<&Moment>, Vec<&Moment>) =
        moments.iter().filter(late).partition(|moment| moment.crowded);
    let slowest = moments.iter().filter_map(|moment| moment.took).max();
    row("killed on its turn with 3 s left", args.kills);
    row("of them lost on time (bar 0)", lost);
    row(
        "moved within 1 s of the start",
        args.kills - lost - own.len() - excused.len(),
    );
    row("later than that (bar 0)", own.len());
    row(
        "later, while others wanted every processor: the bar left out",
        excused.len(),
    );
    row(
        "slowest of them",
        slowest.map_or_else(|| "none".to_owned(), |slowest| Millis::from(slowest).to_string()),
    );
    Ok(usize::from(lost > 0) + usize::from(!own.is_empty()))
}

/// Plays until the bot thinks, kills it with three seconds on its clock, and times the next one to its move.
async fn moment(guest: &Guest, scene: &mut Scene) -> anyhow::Result<Moment> {
    let invitation = Invitation {
        clock: Some((CLOCK, Millis::ZERO)),
        color: ChallengeColor::White,
        ..Invitation::default()
    };
    let id = guest.begin(&invitation).await?;
    let mut stream = guest.watch(&id);
    let mut game = None;
    // Nothing that a book knows: the bot has to think about its second move.
    for (ply, uci) in [(0, "a2a3"), (2, "h2h3")] {
        until(guest, &mut game, &mut stream, ply).await?;
        guest.move_to(&id, uci).await?;
    }
    kill_with_three_seconds_left(scene).await?;
    let crowded = is_crowded(None);
    let begun = Instant::now();
    scene.victim.start()?;
    let shown = until(guest, &mut game, &mut stream, 4);
    timeout(Duration::from_secs(10), shown).await??;
    let took = begun.elapsed();
    let crowded = crowded || is_crowded(scene.victim.pid());
    if game.is_some_and(|game| game.is_over()) {
        return Ok(Moment { took: None, crowded });
    }
    guest.resign(&id).await?;
    Ok(Moment {
        took: Some(took),
        crowded,
    })
}

/// Lets the program think for a moment, kills it, and takes the rest of its clock away.
async fn kill_with_three_seconds_left(scene: &mut Scene) -> anyhow::Result<()> {
    let sandbox = &scene.ground.sandbox;
    let turn = sandbox.now();
    sleep(Duration::from_millis(100)).await;
    scene.victim.kill().await?;
    let gone = sandbox.now() - turn;
    sandbox.advance(CLOCK - LEFT - gone);
    Ok(())
}

/// Reads a game's stream until so many half moves were played, or it is over.
async fn until(
    guest: &Guest,
    game: &mut Option<Game>,
    stream: &mut Follower<GameEvent>,
    ply: usize,
) -> anyhow::Result<()> {
    let is_there = |game: &Game| game.is_over() || game.line().ply() >= ply;
    while !game.as_ref().is_some_and(is_there) {
        if let News::Event { event, .. } = stream.next().await.context("no game stream")? {
            guest.take(game, event)?;
        }
    }
    Ok(())
}

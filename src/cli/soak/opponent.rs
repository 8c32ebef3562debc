//! An opponent that is never in trouble itself: it challenges, moves at once, and sees how the game ends.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context as _;
use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use tokio::time::{Instant, timeout};

use super::Ground;
use crate::{
    bot::game::Game,
    chess::{Move, Rules as _, write_uci},
    engine::{Engine, Limits, Search, Stop, Surroundings},
    lichess::{
        Client, Follower, News, Token,
        model::{ChallengeColor, Event, GameEvent, GameId, Invitation, Status, UserId},
    },
    sandbox::Sandbox,
    units::{Millis, Nodes, Stopwatch},
};

/// A challenge that has not become a game by then is taken back and sent again.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// An opponent resigns after so many half moves: games are not played for their ends.
const MOST_PLIES: usize = 160;
/// So many half moves of each game are drawn.
const DRAWN: usize = 4;
/// How much an opponent thinks about the others.
const NODES: Nodes = Nodes(2000);

/// How a game ended.
#[derive(Debug, Clone)]
pub(super) struct Played {
    /// Which game.
    pub id: GameId,
    /// How it ended.
    pub status: Status,
    /// Whether the bot lost.
    pub bot_lost: bool,
    /// How many half moves were played.
    pub plies: usize,
    /// When the bot's last turn began, by the sandbox's clock, and what its clock showed then.
    pub last_turn: Option<(Millis, Millis)>,
    /// When the end came, by the sandbox's clock.
    pub ended: Millis,
}

/// A board account.
pub(super) struct Opponent {
    client: Client,
    me: UserId,
    sandbox: Sandbox,
    engine: Arc<Mutex<Engine>>,
}

impl Opponent {
    /// A new account of the sandbox, which is reached without detours.
    pub(super) fn new(sandbox: &Sandbox, address: &str, number: usize) -> anyhow::Result<Self> {
        let name = format!("guest{number}");
        let token = Token::parse(&sandbox.add_human(&name)?)?;
        Ok(Self {
            client: Client::new(address, token, number as u64)?.at_the_board(),
            me: name.parse()?,
            sandbox: sandbox.clone(),
            engine: Arc::new(Mutex::new(Engine::new(1))),
        })
    }

    /// Challenges the bot until it comes, and plays one game to its end.
    pub(super) async fn play(&self, clock: (Millis, Millis), seed: u64) -> anyhow::Result<Played> {
        let mut events = Follower::events(&self.client, seed);
        let invitation = Invitation {
            clock: Some(clock),
            ..Invitation::default()
        };
        loop {
            let challenge = self.client.invite(&"sparring".parse()?, &invitation).await?;
            let begun = async {
                loop {
                    let news = events.next().await.context("no event stream")?;
                    if let News::Event {
                        event: Event::GameStart { game },
                        ..
                    } = news
                        && game.game() == Some(&challenge.id)
                    {
                        return anyhow::Ok(());
                    }
                }
            };
            match timeout(ANSWER_WITHIN, begun).await {
                Ok(begun) => {
                    begun?;
                    return self.follow(&challenge.id, seed).await;
                }
                // Refused when it has become a game at the last moment: then the game is played.
                Err(_) if self.client.cancel(&challenge.id).await.is_err() => {
                    return self.follow(&challenge.id, seed).await;
                }
                Err(_) => {}
            }
        }
    }

    /// Plays a game that has begun.
    pub(super) async fn follow(&self, id: &GameId, seed: u64) -> anyhow::Result<Played> {
        let mut stream = Follower::game(&self.client, id, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut game: Option<Game> = None;
        let mut last_turn = None;
        loop {
            let news = stream.next().await.context("no game stream")?;
            let News::Event { event, .. } = news else { continue };
            let step = match (game.as_mut(), event) {
                (None, GameEvent::Full(frame)) => game.insert(Game::new(*frame, &self.me)?).first_step(),
                (None, _) => continue,
                (Some(game), event) => game.apply(&event)?,
            };
            let Some(game) = &game else { continue };
            if step.ended {
                return Ok(self.played(game, last_turn));
            }
            if step.moved && !game.is_my_turn() {
                let left = game.clocks().map_or(Millis::ZERO, |clocks| clocks.theirs);
                last_turn = Some((self.sandbox.now(), left));
            }
            if step.my_turn {
                self.answer(game, &mut rng).await;
            }
        }
    }

    /// Moves; what comes of it is on the stream.
    async fn answer(&self, game: &Game, rng: &mut ChaCha8Rng) {
        let begun = Instant::now();
        let answer = if game.line().ply() >= MOST_PLIES {
            self.client.resign(game.id()).await
        } else {
            let Some(mv) = self.choose(game, rng).await else {
                return;
            };
            let uci = write_uci(mv, game.line().variant());
            self.client
                .play(game.id(), &uci, false, Millis::from_secs(10))
                .await
        };
        if let Err(error) = answer {
            tracing::debug!("a move of the opponent after {:?}: {error}", begun.elapsed());
        }
    }

    /// The first moves are drawn, so that no two games are the same; the others are good enough to last.
    async fn choose(&self, game: &Game, rng: &mut ChaCha8Rng) -> Option<Move> {
        if game.line().ply() < DRAWN {
            return game.line().position().legal_moves().choose(rng).copied();
        }
        let (engine, line) = (Arc::clone(&self.engine), game.line().clone());
        let thought = tokio::task::spawn_blocking(move || {
            let limits = Limits {
                nodes: Some(NODES),
                ..Limits::default()
            };
            let around = Surroundings {
                stop: &Stop::new(),
                clock: &Stopwatch::start(),
            };
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine
                .search(&Search::new(line, limits), &around, &mut |_| {})
                .best()
        });
        // A thought that falls over costs the opponent the game, which the table shows.
        thought.await.ok().flatten()
    }

    fn played(&self, game: &Game, last_turn: Option<(Millis, Millis)>) -> Played {
        Played {
            id: game.id().clone(),
            status: game.status().clone(),
            bot_lost: game.winner() == Some(game.my_side()),
            plies: game.line().ply(),
            last_turn,
            ended: self.sandbox.now(),
        }
    }
}

impl Opponent {
    /// Plays until the bot thinks, has it killed with three seconds on its clock, and times the next one from its start
    /// to its move; none if it lost on time.
    pub(super) async fn last_moment(
        &self,
        clock: Millis,
        ground: &mut Ground,
    ) -> anyhow::Result<Option<Duration>> {
        let mut events = Follower::events(&self.client, 0);
        let invitation = Invitation {
            clock: Some((clock, Millis::ZERO)),
            color: ChallengeColor::White,
            ..Invitation::default()
        };
        let challenge = self.client.invite(&"sparring".parse()?, &invitation).await?;
        while !matches!(events.next().await, Some(News::Event { event: Event::GameStart { game }, .. })
            if game.game() == Some(&challenge.id))
        {}
        let mut stream = Follower::game(&self.client, &challenge.id, 0);
        let mut game = None;
        // Nothing that a book knows: the bot has to think about its second move.
        for (ply, uci) in [(0, "a2a3"), (2, "h2h3")] {
            self.until(&mut game, &mut stream, ply).await?;
            self.client
                .play(&challenge.id, uci, false, Millis::from_secs(10))
                .await?;
        }
        ground.kill_with_three_seconds_left(clock).await?;
        let begun = Instant::now();
        ground.victim.start()?;
        let shown = self.until(&mut game, &mut stream, 4);
        timeout(Duration::from_secs(10), shown).await??;
        let took = begun.elapsed();
        if game.is_some_and(|game| game.is_over()) {
            return Ok(None);
        }
        self.client.resign(&challenge.id).await?;
        Ok(Some(took))
    }

    /// Reads a game's stream until so many half moves were played, or it is over.
    async fn until(
        &self,
        game: &mut Option<Game>,
        stream: &mut Follower<GameEvent>,
        ply: usize,
    ) -> anyhow::Result<()> {
        loop {
            if game
                .as_ref()
                .is_some_and(|game| game.is_over() || game.line().ply() >= ply)
            {
                return Ok(());
            }
            let news = stream.next().await.context("no game stream")?;
            let News::Event { event, .. } = news else { continue };
            match (game.as_mut(), event) {
                (None, GameEvent::Full(frame)) => *game = Some(Game::new(*frame, &self.me)?),
                (None, _) => {}
                (Some(game), event) => {
                    game.apply(&event)?;
                }
            }
        }
    }
}

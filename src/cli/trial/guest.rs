//! An opponent that is never in trouble itself: a board account that challenges, moves, and sees how the game ends.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, bail};
use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use tokio::time::{Instant, sleep, timeout};

use super::Ground;
use crate::{
    bot::game::{Game, Step},
    chess::{Move, Rules as _, write_uci},
    engine::{Engine, Limits, Search, Stop, Surroundings},
    lichess::{
        Client, Follower, News, Token,
        model::{Challenge, Event, GameEvent, GameId, Invitation, Status, UserId},
    },
    sandbox::Sandbox,
    units::{Millis, Nodes, Stopwatch},
};

/// A challenge that has not become a game by then is taken back and sent again.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// A bot that does not come after so many challenges never will.
const CHALLENGES: usize = 20;
/// How long a move of a guest may take on its way.
const WAY: Millis = Millis::from_secs(10);

/// How an opponent plays.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Manner {
    /// What each side starts with, and what each move adds.
    pub clock: (Millis, Millis),
    /// How long the opponent waits before each move.
    pub pause: Millis,
    /// So many half moves of the game are drawn, so that no two games are the same.
    pub drawn: usize,
    /// How many nodes the opponent thinks about the others.
    pub nodes: Nodes,
    /// The opponent resigns after so many half moves.
    pub most_plies: usize,
    /// Decides all that is drawn.
    pub seed: u64,
}

/// How a game went.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Played {
    /// Which game.
    pub id: GameId,
    /// How it ended.
    pub status: Status,
    /// Whether the bot lost.
    pub bot_lost: bool,
    /// How many half moves were played.
    pub plies: usize,
    /// From each of the opponent's moves to the bot's answer, in microseconds.
    pub waits: Vec<u64>,
    /// When the bot's last turn began, by the sandbox's clock, and what its clock showed then.
    pub last_turn: Option<(Millis, Millis)>,
    /// When the end came, by the sandbox's clock.
    pub ended: Millis,
}

/// A board account, which reaches the server without detours.
pub(in crate::cli) struct Guest {
    client: Client,
    me: UserId,
    sandbox: Sandbox,
    engine: Arc<Mutex<Engine>>,
}

impl Guest {
    /// A new account.
    ///
    /// # Errors
    /// When its name is taken.
    pub(in crate::cli) fn new(ground: &Ground, number: usize) -> anyhow::Result<Self> {
        let name = format!("guest{number}");
        let token = Token::parse(&ground.sandbox.add_human(&name)?)?;
        Ok(Self {
            client: Client::new(&ground.address(), token, number as u64)?.at_the_board(),
            me: name.parse()?,
            sandbox: ground.sandbox.clone(),
            engine: Arc::new(Mutex::new(Engine::new(1))),
        })
    }

    /// Challenges the bot until it comes, and plays one game to its end.
    ///
    /// # Errors
    /// When the server refuses what it should not, or the bot never comes.
    pub(in crate::cli) async fn play(&self, manner: &Manner) -> anyhow::Result<Played> {
        let invitation = Invitation {
            clock: Some(manner.clock),
            ..Invitation::default()
        };
        let mut events = Follower::events(&self.client, manner.seed);
        for _ in 0..CHALLENGES {
            let challenge = self.challenge(&invitation).await?;
            match timeout(ANSWER_WITHIN, begun(&mut events, &challenge.id)).await {
                Ok(begun) => begun?,
                // Refused when it has become a game at the last moment: then the game is played.
                Err(_) if self.client.cancel(&challenge.id).await.is_err() => {}
                Err(_) => continue,
            }
            return self.follow(&challenge.id, manner).await;
        }
        bail!("the bot does not come")
    }

    /// Challenges the bot and waits until it comes: the game.
    ///
    /// # Errors
    /// When the server refuses.
    pub(in crate::cli) async fn begin(&self, invitation: &Invitation) -> anyhow::Result<GameId> {
        let mut events = Follower::events(&self.client, 0);
        let challenge = self.challenge(invitation).await?;
        begun(&mut events, &challenge.id).await?;
        Ok(challenge.id)
    }

    async fn challenge(&self, invitation: &Invitation) -> anyhow::Result<Challenge> {
        Ok(self.client.invite(&"sparring".parse()?, invitation).await?)
    }

    /// A stream of a game.
    pub(in crate::cli) fn watch(&self, id: &GameId) -> Follower<GameEvent> {
        Follower::game(&self.client, id, 0)
    }

    /// Plays this move.
    ///
    /// # Errors
    /// When the server refuses it.
    pub(in crate::cli) async fn move_to(&self, id: &GameId, uci: &str) -> anyhow::Result<()> {
        Ok(self.client.play(id, uci, false, WAY).await?)
    }

    /// Resigns.
    ///
    /// # Errors
    /// When the server refuses it.
    pub(in crate::cli) async fn resign(&self, id: &GameId) -> anyhow::Result<()> {
        Ok(self.client.resign(id).await?)
    }

    /// Takes an event of a game in.
    ///
    /// # Errors
    /// When the game makes no sense.
    pub(in crate::cli) fn take(&self, game: &mut Option<Game>, event: GameEvent) -> anyhow::Result<Step> {
        match (game.as_mut(), event) {
            (None, GameEvent::Full(frame)) => Ok(game.insert(Game::new(*frame, &self.me)?).first_step()),
            (None, _) => Ok(Step::default()),
            (Some(game), event) => Ok(game.apply(&event)?),
        }
    }

    /// Plays a game that has begun.
    async fn follow(&self, id: &GameId, manner: &Manner) -> anyhow::Result<Played> {
        let mut stream = self.watch(id);
        let mut rng = ChaCha8Rng::seed_from_u64(manner.seed);
        let mut game: Option<Game> = None;
        let (mut asked, mut waits, mut last_turn) = (None, Vec::new(), None);
        loop {
            let News::Event { event, heard } = stream.next().await.context("no game stream")? else {
                continue;
            };
            let step = self.take(&mut game, event)?;
            let Some(game) = &game else { continue };
            if step.my_turn || step.ended {
                // The end of a game by the guest's own move is no answer.
                let answered = asked.take().filter(|_| game.is_my_turn());
                waits.extend(answered.map(|asked: Instant| (heard - asked).as_micros() as u64));
            }
            if step.ended {
                return Ok(self.played(game, waits, last_turn));
            }
            if step.moved && !game.is_my_turn() {
                let left = game.clocks().map_or(Millis::ZERO, |clocks| clocks.theirs);
                last_turn = Some((self.sandbox.now(), left));
            }
            if step.my_turn {
                asked = self.answer(game, manner, &mut rng).await;
            }
        }
    }

    /// Moves, and says when the move left; what comes of it is on the stream.
    async fn answer(&self, game: &Game, manner: &Manner, rng: &mut ChaCha8Rng) -> Option<Instant> {
        if game.line().ply() >= manner.most_plies {
            if let Err(error) = self.resign(game.id()).await {
                tracing::debug!("a guest cannot resign: {error}");
            }
            return None;
        }
        sleep(manner.pause.into()).await;
        let mv = self.choose(game, manner, rng).await?;
        let uci = write_uci(mv, game.line().variant());
        let asked = Instant::now();
        if let Err(error) = self.move_to(game.id(), &uci).await {
            tracing::debug!("a move of a guest after {:?}: {error}", asked.elapsed());
        }
        Some(asked)
    }

    async fn choose(&self, game: &Game, manner: &Manner, rng: &mut ChaCha8Rng) -> Option<Move> {
        if game.line().ply() < manner.drawn {
            return game.line().position().legal_moves().choose(rng).copied();
        }
        let (engine, line, nodes) = (Arc::clone(&self.engine), game.line().clone(), manner.nodes);
        let thought = tokio::task::spawn_blocking(move || {
            let limits = Limits {
                nodes: Some(nodes),
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
        // A thought that falls over costs the guest the game, which the table shows.
        thought.await.ok().flatten()
    }

    fn played(&self, game: &Game, waits: Vec<u64>, last_turn: Option<(Millis, Millis)>) -> Played {
        Played {
            id: game.id().clone(),
            status: game.status().clone(),
            bot_lost: game.winner() == Some(game.my_side()),
            plies: game.line().ply(),
            waits,
            last_turn,
            ended: self.sandbox.now(),
        }
    }
}

/// Waits until a game has begun.
async fn begun(events: &mut Follower<Event>, id: &GameId) -> anyhow::Result<()> {
    loop {
        match events.next().await.context("no event stream")? {
            News::Event {
                event: Event::GameStart { game },
                ..
            } if game.game() == Some(id) => return Ok(()),
            News::Refused(error) => return Err(error.into()),
            _ => {}
        }
    }
}

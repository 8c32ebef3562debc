//! An opponent without hurry or ambition: a board account whose moves are drawn or thought of for a moment.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, bail};
use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use tokio::time::Instant;

use crate::{
    bot::game::{Game, Step},
    chess::{Move, Rules as _, write_uci},
    engine::{Engine, Limits, Search, Stop, Surroundings},
    lichess::{
        Client, Follower, News, Token,
        model::{Event, GameEvent, GameId, Invitation, Side, Status, UserId},
    },
    sandbox::Sandbox,
    units::{Millis, Nodes, Stopwatch},
};

/// How a game is to be played.
pub(super) struct Pairing {
    /// What each side starts with, and what each move adds.
    pub clock: (Millis, Millis),
    /// How long the opponent waits before each move.
    pub pause: Millis,
    /// How many nodes the opponent thinks; none for a drawn move.
    pub nodes: Option<Nodes>,
    /// Decides all that is drawn.
    pub seed: u64,
    /// The opponent resigns after so many half moves.
    pub most_plies: usize,
}

/// How a game went.
pub(super) struct Played {
    /// How it ended.
    pub status: Status,
    /// Whether the bot lost.
    pub bot_lost: bool,
    /// From each of our moves to the bot's answer, in microseconds.
    pub waits: Vec<u64>,
}

/// A board account.
pub(super) struct Guest {
    client: Client,
    me: UserId,
    engine: Arc<Mutex<Engine>>,
}

impl Guest {
    /// A new account of the sandbox.
    pub(super) fn new(sandbox: &Sandbox, address: &str, number: usize) -> anyhow::Result<Self> {
        let name = format!("guest{number}");
        let token = Token::parse(&sandbox.add_human(&name)?)?;
        Ok(Self {
            client: Client::new(address, token, number as u64)?.at_the_board(),
            me: name.parse()?,
            engine: Arc::new(Mutex::new(Engine::new(1))),
        })
    }

    /// Challenges the bot and plays one game to its end.
    pub(super) async fn play(&self, pairing: &Pairing) -> anyhow::Result<Played> {
        let mut events = Follower::events(&self.client, pairing.seed);
        let invitation = Invitation {
            clock: Some(pairing.clock),
            ..Invitation::default()
        };
        let challenge = self.client.invite(&"sparring".parse()?, &invitation).await?;
        loop {
            match events.next().await.context("no event stream")? {
                News::Event {
                    event: Event::GameStart { game },
                    ..
                } if game.game() == Some(&challenge.id) => break,
                News::Event {
                    event: Event::ChallengeDeclined { challenge: declined },
                    ..
                } if declined.id == challenge.id => {
                    bail!("the bot declined");
                }
                _ => {}
            }
        }
        self.follow(&challenge.id, pairing).await
    }

    async fn follow(&self, id: &GameId, pairing: &Pairing) -> anyhow::Result<Played> {
        let mut stream = Follower::game(&self.client, id, pairing.seed);
        let mut rng = ChaCha8Rng::seed_from_u64(pairing.seed);
        let mut game: Option<Game> = None;
        let mut asked: Option<Instant> = None;
        let mut waits = Vec::new();
        loop {
            let News::Event { event, heard } = stream.next().await.context("no game stream")? else {
                continue;
            };
            let step = take(&mut game, event, &self.me)?;
            let Some(game) = &game else { continue };
            if step.my_turn || step.ended {
                // The end of a game by our own move is no answer.
                let answered = asked.take().filter(|_| game.is_my_turn());
                waits.extend(answered.map(|asked| (heard - asked).as_micros() as u64));
            }
            if step.ended {
                return Ok(played(game, waits));
            }
            if step.my_turn {
                asked = self.answer(game, pairing, &mut rng).await?;
            }
        }
    }

    /// Moves, and says when the move left.
    async fn answer(
        &self,
        game: &Game,
        pairing: &Pairing,
        rng: &mut ChaCha8Rng,
    ) -> anyhow::Result<Option<Instant>> {
        if game.line().ply() >= pairing.most_plies {
            self.client.resign(game.id()).await?;
            return Ok(None);
        }
        tokio::time::sleep(pairing.pause.into()).await;
        let mv = self.choose(game, pairing, rng).await?;
        let uci = write_uci(mv, game.line().variant());
        let asked = Instant::now();
        self.client
            .play(game.id(), &uci, false, Millis::from_secs(10))
            .await?;
        Ok(Some(asked))
    }

    async fn choose(&self, game: &Game, pairing: &Pairing, rng: &mut ChaCha8Rng) -> anyhow::Result<Move> {
        let legal = game.line().position().legal_moves();
        // The first moves are drawn, so that no two games are the same.
        let Some(nodes) = pairing.nodes.filter(|_| game.line().ply() >= 8) else {
            return legal.choose(rng).copied().context("it is my turn without a move");
        };
        let (engine, line) = (Arc::clone(&self.engine), game.line().clone());
        let thought = tokio::task::spawn_blocking(move || {
            let search = Search::new(
                line,
                Limits {
                    nodes: Some(nodes),
                    ..Limits::default()
                },
            );
            let around = Surroundings {
                stop: &Stop::new(),
                clock: &Stopwatch::start(),
            };
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine.search(&search, &around, &mut |_| {}).best()
        });
        thought.await?.context("it is my turn without a move")
    }
}

fn take(game: &mut Option<Game>, event: GameEvent, me: &UserId) -> anyhow::Result<Step> {
    match (game.as_mut(), event) {
        (None, GameEvent::Full(frame)) => Ok(game.insert(Game::new(*frame, me)?).first_step()),
        (None, _) => Ok(Step::default()),
        (Some(game), event) => Ok(game.apply(&event)?),
    }
}

fn played(game: &Game, waits: Vec<u64>) -> Played {
    let bot = match game.my_side() {
        Side::White => Side::Black,
        Side::Black => Side::White,
    };
    Played {
        status: game.status().clone(),
        bot_lost: game.winner().is_some_and(|winner| winner != bot),
        waits,
    }
}

//! An opponent without faults: a board account that challenges and moves.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, bail};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use tokio::time::{Instant, sleep, timeout};

use super::SandboxServer;
use sparring::bot::game_task::state::{Change, GameState};
use sparring_chess::{
    Move, Rules as _, Variant,
    units::{Millis, Nodes, Stopwatch},
    write_uci,
};
use sparring_engine::{Engine, Limits, SearchControl, SearchRequest, Stop};
use sparring_lichess::{
    Client, ReconnectingStream, StreamEvent, Token,
    model::{Challenge, ChallengeColor, ChallengeRequest, Event, GameEvent, GameId, Side, Status, UserId},
};
use sparring_sandbox::Sandbox;

/// A challenge that has not become a game by then is taken back and sent again.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// Wait before the next challenge after a decline.
const AFTER_REFUSAL: Duration = Duration::from_secs(10);
/// A bot that does not come after so many challenges never will.
const CHALLENGES: usize = 20;
/// How long a move of an opponent may take on its way.
const WAY: Millis = Millis::from_secs(10);

/// What a game is.
#[derive(Debug, Clone, Default)]
pub(crate) struct GameStart {
    /// The variant.
    pub variant: Variant,
    /// Where it begins; none for the usual start.
    pub fen: Option<String>,
}

/// How an opponent plays.
#[derive(Debug, Clone)]
pub(crate) struct OpponentBehavior {
    /// What is played.
    pub start: GameStart,
    /// What each side starts with, and what each move adds.
    pub clock: (Millis, Millis),
    /// How long the opponent waits before each move.
    pub pause: Millis,
    /// So many half moves of the game are drawn, so that no two games are the same.
    pub drawn: usize,
    /// Nodes of the opponent's searches of the other moves.
    pub nodes: Nodes,
    /// The opponent resigns after so many half moves.
    pub most_plies: usize,
    /// Decides all that is drawn.
    pub seed: u64,
}

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Player {
    /// The bot under trial.
    Bot,
    /// Its opponent.
    Guest,
}

/// A challenge that no game came of.
#[derive(Debug, Clone)]
pub(crate) struct Unanswered {
    /// Which.
    pub challenge: GameId,
    /// From when it stood until it was answered or taken back, by the sandbox's clock.
    pub stood: (Millis, Millis),
    /// In which words it was declined; none if nothing was heard of it.
    pub declined: Option<String>,
}

/// How a game went.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    /// Which game.
    pub id: GameId,
    /// How it ended.
    pub status: Status,
    /// The bot's side.
    pub bot: Side,
    /// The winner, if any.
    pub winner: Option<Side>,
    /// The side that resigned or aborted, if any.
    pub gave_up: Option<Player>,
    /// How many half moves were played.
    pub plies: usize,
    /// From each of the opponent's moves to the bot's answer, in microseconds.
    pub waits: Vec<u64>,
    /// When the bot's last turn began, by the sandbox's clock, and what its clock showed then.
    pub last_turn: Option<(Millis, Millis)>,
    /// When the end came, by the sandbox's clock.
    pub ended: Millis,
    /// The challenges that came to nothing before it.
    pub unanswered: Vec<Unanswered>,
}

impl Played {
    /// Whether the bot lost.
    pub(crate) fn bot_lost(&self) -> bool {
        self.winner == Some(self.bot.other())
    }
}

/// A board account, which reaches the server without detours.
pub(crate) struct Opponent {
    client: Client,
    me: UserId,
    sandbox: Sandbox,
    engine: Arc<Mutex<Engine>>,
}

impl Opponent {
    /// A new account.
    ///
    /// # Errors
    /// When its name is taken.
    pub(crate) fn new(sandbox_server: &SandboxServer, number: usize) -> anyhow::Result<Self> {
        let name = format!("guest{number}");
        let token = Token::parse(&sandbox_server.sandbox.add_human(&name)?)?;
        Ok(Self {
            client: Client::new(&sandbox_server.address(), token, number as u64)?.board_api(),
            me: name.parse()?,
            sandbox: sandbox_server.sandbox.clone(),
            engine: Arc::new(Mutex::new(Engine::new(1))),
        })
    }

    /// Challenges the bot until it comes, and plays one game to its end.
    ///
    /// # Errors
    /// When the server refuses what it should not, or the bot never comes.
    pub(crate) async fn play(&self, manner: &OpponentBehavior) -> anyhow::Result<Played> {
        // Drawn here: the server would draw in the order in which challenges come.
        let color = match ChaCha8Rng::seed_from_u64(!manner.seed).random_bool(0.5) {
            true => ChallengeColor::White,
            false => ChallengeColor::Black,
        };
        let invitation = ChallengeRequest {
            clock: Some(manner.clock),
            color,
            variant: manner.start.variant,
            fen: manner.start.fen.clone(),
            rated: false,
        };
        let mut events = ReconnectingStream::events(&self.client, manner.seed);
        let mut unanswered = Vec::new();
        for _ in 0..CHALLENGES {
            let challenge = self.challenge(&invitation).await?.id;
            let from = self.sandbox.now();
            let declined = match timeout(ANSWER_WITHIN, answered(&mut events, &challenge)).await {
                Ok(answer) => match answer? {
                    Answer::Game => None,
                    Answer::Declined(why) => Some(why),
                },
                // Refused when it has become a game at the last moment: then the game is played.
                Err(_) if self.client.cancel(&challenge).await.is_err() => None,
                Err(_) => {
                    unanswered.push(self.nothing_of(challenge, from, None));
                    continue;
                }
            };
            let Some(why) = declined else {
                let played = self.follow(&challenge, manner).await?;
                return Ok(Played { unanswered, ..played });
            };
            unanswered.push(self.nothing_of(challenge, from, Some(why)));
            sleep(AFTER_REFUSAL).await;
        }
        bail!("the bot does not come: {CHALLENGES} challenges came to nothing")
    }

    fn nothing_of(&self, challenge: GameId, from: Millis, declined: Option<String>) -> Unanswered {
        Unanswered {
            challenge,
            stood: (from, self.sandbox.now()),
            declined,
        }
    }

    /// Challenges the bot and waits until it comes: the game.
    ///
    /// # Errors
    /// When the server or the bot refuses.
    pub(crate) async fn begin(&self, invitation: &ChallengeRequest) -> anyhow::Result<GameId> {
        let mut events = ReconnectingStream::events(&self.client, 0);
        let challenge = self.challenge(invitation).await?;
        match answered(&mut events, &challenge.id).await? {
            Answer::Game => Ok(challenge.id),
            Answer::Declined(why) => bail!("the bot declined: {why}"),
        }
    }

    async fn challenge(&self, invitation: &ChallengeRequest) -> anyhow::Result<Challenge> {
        Ok(self
            .client
            .create_challenge(&"sparring".parse()?, invitation)
            .await?)
    }

    /// A stream of a game.
    pub(crate) fn watch(&self, id: &GameId) -> ReconnectingStream<GameEvent> {
        ReconnectingStream::game(&self.client, id, 0)
    }

    /// Plays this move.
    ///
    /// # Errors
    /// When the server refuses it.
    pub(crate) async fn move_to(&self, id: &GameId, uci: &str) -> anyhow::Result<()> {
        Ok(self.client.play(id, uci, false, WAY).await?)
    }

    /// Resigns.
    ///
    /// # Errors
    /// When the server refuses it.
    pub(crate) async fn resign(&self, id: &GameId) -> anyhow::Result<()> {
        Ok(self.client.resign(id).await?)
    }

    /// Takes an event of a game in.
    ///
    /// # Errors
    /// When the game makes no sense.
    pub(crate) fn take(&self, game: &mut Option<GameState>, event: GameEvent) -> anyhow::Result<Change> {
        match (game.as_mut(), event) {
            (None, GameEvent::Full(frame)) => Ok(game.insert(GameState::new(*frame, &self.me)?).first_step()),
            (None, _) => Ok(Change::default()),
            (Some(game), event) => Ok(game.apply(&event)?),
        }
    }

    /// Plays a game that has begun.
    async fn follow(&self, id: &GameId, manner: &OpponentBehavior) -> anyhow::Result<Played> {
        let mut stream = self.watch(id);
        let mut rng = ChaCha8Rng::seed_from_u64(manner.seed);
        let mut game: Option<GameState> = None;
        let (mut asked, mut waits, mut last_turn) = (None, Vec::new(), None);
        let mut has_resigned = false;
        loop {
            let StreamEvent::Event { event, received_at } = stream.next().await.context("no game stream")?
            else {
                continue;
            };
            let step = self.take(&mut game, event)?;
            let Some(game) = &game else { continue };
            if step.my_turn || step.ended {
                // The end of a game by the opponent's own move is no answer.
                let answered = asked.take().filter(|_| game.is_my_turn());
                waits.extend(answered.map(|asked: Instant| (received_at - asked).as_micros() as u64));
            }
            if step.ended {
                return Ok(Played {
                    waits,
                    last_turn,
                    ..self.played(game, has_resigned)
                });
            }
            if step.moved && !game.is_my_turn() {
                let left = game.clocks().map_or(Millis::ZERO, |clocks| clocks.theirs);
                last_turn = Some((self.sandbox.now(), left));
            }
            if step.my_turn {
                has_resigned = game.line().ply() >= manner.most_plies;
                asked = self.answer(game, manner, &mut rng).await;
            }
        }
    }

    /// Sends a move and returns when it was sent; its effect is on the stream.
    async fn answer(
        &self,
        game: &GameState,
        manner: &OpponentBehavior,
        rng: &mut ChaCha8Rng,
    ) -> Option<Instant> {
        if game.line().ply() >= manner.most_plies {
            if let Err(error) = self.resign(game.id()).await {
                tracing::debug!("an opponent cannot resign: {error}");
            }
            return None;
        }
        sleep(manner.pause.into()).await;
        let mv = self.choose(game, manner, rng).await?;
        let uci = write_uci(mv, game.line().variant());
        let asked = Instant::now();
        if let Err(error) = self.move_to(game.id(), &uci).await {
            tracing::debug!("a move of an opponent after {:?}: {error}", asked.elapsed());
        }
        Some(asked)
    }

    async fn choose(
        &self,
        game: &GameState,
        manner: &OpponentBehavior,
        rng: &mut ChaCha8Rng,
    ) -> Option<Move> {
        if game.line().ply() < manner.drawn {
            return game.line().position().legal_moves().choose(rng).copied();
        }
        let (engine, line, nodes) = (Arc::clone(&self.engine), game.line().clone(), manner.nodes);
        let thought = tokio::task::spawn_blocking(move || {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let around = SearchControl {
                stop: &Stop::new(),
                clock: &Stopwatch::start(),
            };
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine
                .search(&SearchRequest::new(line, limits), &around, &mut |_| {})
                .best()
        });
        // A panic in choosing a move costs the opponent the game, which the table shows.
        thought.await.ok().flatten()
    }

    /// How a game went that is over; whether the opponent has resigned it is for the caller to say, since a game that is given
    /// up before it has really begun counts as aborted, whoever did so.
    pub(crate) fn played(&self, game: &GameState, has_resigned: bool) -> Played {
        let me = game.my_side();
        let gave_up = match game.status() {
            Status::Resign if game.winner() == Some(me) => Some(Player::Bot),
            Status::Resign => Some(Player::Guest),
            Status::Aborted if has_resigned => Some(Player::Guest),
            Status::Aborted => Some(Player::Bot),
            _ => None,
        };
        Played {
            id: game.id().clone(),
            status: game.status().clone(),
            bot: me.other(),
            winner: game.winner(),
            gave_up,
            plies: game.line().ply(),
            waits: Vec::new(),
            last_turn: None,
            ended: self.sandbox.now(),
            unanswered: Vec::new(),
        }
    }
}

/// Outcome of a challenge.
enum Answer {
    /// A game.
    Game,
    /// Nothing, in these words.
    Declined(String),
}

/// Waits until a challenge is answered.
async fn answered(events: &mut ReconnectingStream<Event>, id: &GameId) -> anyhow::Result<Answer> {
    loop {
        match events.next().await.context("no event stream")? {
            StreamEvent::Event {
                event: Event::GameStart { game },
                ..
            } if game.game() == Some(id) => return Ok(Answer::Game),
            StreamEvent::Event {
                event: Event::ChallengeDeclined { challenge },
                ..
            } if challenge.id == *id => {
                return Ok(Answer::Declined(challenge.decline_reason.unwrap_or_default()));
            }
            StreamEvent::Refused(error) => return Err(error.into()),
            _ => {}
        }
    }
}

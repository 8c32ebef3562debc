//! Game task: reads one game's stream, folds it into a state, has moves selected, and submits them.
//!
//! The task can be killed at any moment and rebuilt from `gameFull`, the first line of the stream. [`GameChat`], [`Offers`] and
//! [`GameStream`] own their fields: a change to chat cannot touch a move.

mod chat;
pub mod chat_commands;
mod chat_queue;
mod game_events;
mod game_over;
mod game_settings;
mod move_submission;
mod offers;
mod persona_selection;
mod pondering;
mod post_mortem;
mod recorder;
mod rematch;
mod restore;
mod spectators;
pub mod state;
mod turn;

use std::{sync::Arc, time::Duration};

use futures::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, pending},
    stream::FuturesUnordered,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::bot::{
    game_task::{
        chat_commands::Persona,
        state::{GameError, GameState},
    },
    games::live::SnapshotSlot,
    moves::{engine_slot::EngineSlot, move_overhead::LagEstimator},
};
use crate::config::Play;
use crate::store::{MoveRecord, RequestedPersona};
use chat::GameChat;
pub(super) use chat_queue::ChatRateLimit;
use game_events::GameStream;
pub(super) use game_settings::{Context, TaskNote, TaskOutcome, TaskSettings};
use offers::Offers;
use persona_selection::persona_of;
use pondering::Pondering;
use recorder::GameRecorder;
pub(super) use rematch::RematchOffer;
use sparring_chess::units::Millis;
use sparring_engine::Score;
use sparring_lichess::{
    CallError, Client,
    model::{ChatMessage, GameId, Room},
};
use turn::Turn;

/// The final state should come so soon after `gameFinish`; later the game is over without it.
const FINAL_STATE_WITHIN: Duration = Duration::from_secs(3);
/// The result of a call that the task did not wait for.
enum GameCallResult {
    Moved {
        ply: usize,
        sent: Instant,
        answer: Result<(), CallError>,
    },
    Commanded(GameCommand, Result<(), CallError>),
    /// The pause before the retry of a lost command is over.
    RetryDue(GameCommand),
    Said(Room, Result<(), CallError>),
    ChatHistory(Result<Vec<ChatMessage>, CallError>),
    MovesRestored(Vec<MoveRecord>),
    ResultLookedUp(bool),
}

/// A command besides moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GameCommand {
    Abort,
    Resign,
    AcceptDraw,
    Takeback(bool),
    Claim,
    /// Leave a game that cannot be played.
    GiveUp,
}

/// The task of one game.
struct GameTask {
    context: Arc<Context>,
    settings: TaskSettings,
    stream: GameStream,
    game: Option<GameState>,
    /// Whether we saw the game running; one that was over needs no farewell.
    saw_running: bool,
    /// Whether the archive is being asked if the result was counted before.
    archive_lookup_pending: bool,
    /// When the newest state arrived: clocks count from here.
    heard: Instant,
    engine: EngineSlot,
    /// Personality, level and books by the configuration, its rules and the opponent's request.
    play: Play,
    persona: Persona,
    /// The persona before any chat command.
    first_persona: Persona,
    turn: Turn,
    /// While the opponent thinks.
    pondering: Option<Pondering>,
    /// Whether pondering expected the last reply.
    ponder_hit: Option<bool>,
    lag: LagEstimator,
    recorder: GameRecorder,
    /// Where the dashboard sees the game.
    place: SnapshotSlot,
    /// Scores of my own moves, with the ply each was played at.
    scores: Vec<(usize, Score)>,
    /// How long my last move took, as the board showed it.
    own_last: Option<Millis>,
    /// How long the opponent's last move took.
    opponent_last: Option<Millis>,
    /// When the last move arrived, if we saw it.
    moved_at: Option<Instant>,
    /// The ply of my last move that was sent.
    sent_at: Option<usize>,
    /// The persona that the opponent asked for, as recorded.
    asked: RequestedPersona,
    /// Whether an earlier task played this game: before a restart, or before it was parked.
    is_resumed: bool,
    /// No search starts before this moment.
    held_until: Option<Instant>,
    /// The first search waits for the archive until then.
    memory_due: Option<Instant>,
    /// Whether the earlier moves are restored, or there are none.
    has_remembered: bool,
    chat: GameChat,
    offers: Offers,
    calls: FuturesUnordered<BoxFuture<'static, GameCallResult>>,
    /// The task ends then at the latest.
    closes_at: Option<Instant>,
    /// When the game is parked, since nothing happens in it.
    sleeps_at: Option<Instant>,
    /// Why the game is given up, once it is.
    unplayable: Option<GameError>,
    /// How the task ends, once it is to end.
    outcome: Option<TaskOutcome>,
}

/// Plays a game to its end, or until told to leave.
pub(super) async fn play(
    context: Arc<Context>,
    settings: TaskSettings,
    mut notes: mpsc::Receiver<TaskNote>,
    leave: CancellationToken,
) -> TaskOutcome {
    let mut task = GameTask::new(context, settings);
    loop {
        let timer = task.next_deadline();
        tokio::select! {
            biased;
            () = leave.cancelled() => return TaskOutcome::Left,
            event = task.stream.next() => task.on_stream_event(event),
            Some(note) = notes.recv() => task.on_note(note),
            decision = task.turn.decision() => task.on_decision(decision),
            Some(result) = task.calls.next(), if !task.calls.is_empty() => task.on_call_result(result),
            () = at(timer) => {}
        }
        task.poll_timers();
        if let Some(outcome) = task.outcome.take() {
            return outcome;
        }
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

impl GameTask {
    fn new(context: Arc<Context>, settings: TaskSettings) -> Self {
        let now = Instant::now();
        let play = settings.config.play.clone();
        let persona = persona_of(&context, &play);
        let flags = context.game_flags.of(&settings.id);
        let offers = Offers::restore(&flags);
        Self {
            stream: GameStream::open(&context.client, &settings.id, now),
            game: None,
            saw_running: false,
            archive_lookup_pending: false,
            heard: now,
            engine: EngineSlot::default(),
            first_persona: persona.clone(),
            persona,
            turn: Turn::Open,
            pondering: None,
            ponder_hit: None,
            lag: LagEstimator::new(play.move_overhead + context.lag_margin.extra()),
            play,
            recorder: GameRecorder::default(),
            place: context.live_games.slot(settings.id.clone()),
            scores: Vec::new(),
            own_last: None,
            opponent_last: None,
            moved_at: None,
            sent_at: None,
            is_resumed: flags.asked != RequestedPersona::default(),
            asked: flags.asked,
            held_until: None,
            memory_due: None,
            has_remembered: !settings.adopted,
            chat: GameChat::new(now),
            offers,
            calls: FuturesUnordered::new(),
            closes_at: None,
            sleeps_at: None,
            unplayable: None,
            outcome: None,
            context,
            settings,
        }
    }

    /// Handles what the event loop tells the task.
    fn on_note(&mut self, note: TaskNote) {
        match note {
            TaskNote::Finished if self.closes_at.is_none() => {
                self.closes_at = Some(Instant::now() + FINAL_STATE_WITHIN);
            }
            TaskNote::Finished => {}
        }
    }

    /// Whether nothing is to be done before the opponent moves, in a game without a clock.
    fn is_idle(&self) -> bool {
        let can_park = |game: &GameState| game.clocks().is_none() && !game.is_over() && !game.is_my_turn();
        self.game.as_ref().is_some_and(can_park)
            && matches!(self.turn, Turn::Open)
            && self.calls.is_empty()
            && self.chat.is_done()
            && !self.chat.has_greeting()
            && self.unplayable.is_none()
            && self.closes_at.is_none()
    }

    fn is_over(&self) -> bool {
        self.game.as_ref().is_some_and(GameState::is_over)
    }

    fn on_call_result(&mut self, result: GameCallResult) {
        match result {
            GameCallResult::Moved { ply, sent, answer } => self.on_move_answer(ply, sent, answer),
            GameCallResult::Commanded(command, answer) => self.on_command_answer(command, answer),
            GameCallResult::RetryDue(command) => self.command_again(command),
            GameCallResult::Said(room, answer) => {
                self.chat.line_sent(&room);
                if let Err(error) = answer {
                    debug!("a line of chat is lost: {error}");
                }
            }
            GameCallResult::ChatHistory(lines) => self.on_chat_history(lines),
            GameCallResult::MovesRestored(moves) => self.on_moves_restored(&moves),
            GameCallResult::ResultLookedUp(was_known) => self.on_result(was_known),
        }
    }

    /// Performs what is due, by the clock or after an event.
    fn poll_timers(&mut self) {
        let now = Instant::now();
        self.poll_stream(now);
        self.poll_no_show(now);
        self.poll_turn(now);
        self.poll_chat(now);
        self.sleeps_at = self
            .is_idle()
            .then(|| self.sleeps_at.unwrap_or(now + self.settings.park_after.into()));
        if self.sleeps_at.is_some_and(|at| now >= at) {
            debug!("no clock and nothing to do: parked until the opponent has moved");
            self.outcome.get_or_insert(TaskOutcome::Asleep);
        }
        let has_said_all = self.is_over() && self.chat.is_done() && !self.archive_lookup_pending;
        if has_said_all || self.closes_at.is_some_and(|at| now >= at) {
            let is_known = self.is_over() || self.unplayable.is_some();
            self.outcome.get_or_insert(if is_known {
                TaskOutcome::Ended(self.rematch_offer())
            } else {
                TaskOutcome::Unseen
            });
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        [
            self.stream.next_deadline(),
            self.offers.next_deadline(),
            self.sleeps_at,
            self.closes_at,
            self.held_until,
            self.memory_due,
            self.turn.next_deadline(),
            self.chat.next_deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Starts a call; its result comes to `on_call_result`.
    fn call<F>(&self, call: impl FnOnce(Client, GameId) -> F)
    where
        F: Future<Output = GameCallResult> + Send + 'static,
    {
        let call = call(self.context.client.clone(), self.settings.id.clone());
        self.calls.push(call.boxed());
    }
}

/// The seed of everything random in a game: its eight characters, so that a restart changes nothing.
fn seed(id: &GameId) -> u64 {
    id.as_str()
        .bytes()
        .fold(0, |seed, byte| seed << 8 | u64::from(byte))
}

//! One game's task: hears its stream, folds it, lets the mind think, and sends what was decided.
//!
//! The task can be killed at any moment and rebuilt from the first line of the stream; nothing it knows besides is
//! worth a game.

pub mod chat_commands;
mod chat_queue;
mod game_events;
mod game_over;
mod game_settings;
mod move_submission;
mod offers;
mod persona_selection;
mod post_mortem;
mod recorder;
mod restore;
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
use tracing::{debug, warn};

use crate::bot::{
    game_task::{
        chat_commands::Persona,
        state::{GameError, GameState},
    },
    games::live::SnapshotSlot,
    moves::{engine_slot::EngineSlot, move_overhead::LagEstimator},
    server::stream_conflict::ConflictDetector,
};
use crate::store::{GameFlags, MoveRecord, RequestedPersona};
use chat_queue::ChatQueue;
pub(super) use chat_queue::ChatRateLimit;
pub(super) use game_settings::{Context, TaskNote, TaskOutcome, TaskSettings};
use persona_selection::persona_of;
use recorder::GameRecorder;
use sparring_chess::units::Millis;
use sparring_engine::Score;
use sparring_lichess::{
    CallError, Client, ReconnectingStream,
    model::{ChatMessage, GameEvent, GameId},
    retry::SlidingWindow,
};
use turn::Turn;

/// The final state usually comes with the news of the end; when it is late, the game is over all the same.
const FINAL_STATE_WITHIN: Duration = Duration::from_secs(3);
/// For lines that make no sense the stream is opened anew so often within so long. Fewer than the follower allows: where all is
/// nonsense, what can be read of it must still come.
const DOUBTS: usize = 10;
const DOUBTS_WITHIN: Millis = Millis::from_secs(20);

/// The end of a call that the game did not wait for.
enum GameCallResult {
    Moved {
        ply: usize,
        sent: Instant,
        answer: Result<(), CallError>,
    },
    Commanded(GameCommand, Result<(), CallError>),
    /// Some time has passed since a command got lost.
    Unheard(GameCommand),
    Said(Result<(), CallError>),
    Recalled(Result<Vec<ChatMessage>, CallError>),
    Remembered(Vec<MoveRecord>),
    LookedUp(bool),
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
    stream: ReconnectingStream<GameEvent>,
    /// A stream was asked for and is not open yet: what still comes is from the old one.
    is_reopening: bool,
    /// The first line of an open stream is due then.
    frame_due: Option<Instant>,
    /// What came made no sense: the stream is opened anew then.
    resync_at: Option<Instant>,
    /// How often that was done, counted from the beginning of this task.
    resync_attempts: SlidingWindow,
    begun: Instant,
    game: Option<GameState>,
    /// Whether we saw the game running: one that was over when we came needs no farewell.
    saw_running: bool,
    /// The archive is asked whether the end was counted before.
    archive_lookup_pending: bool,
    /// When the newest state came: clocks count from here.
    heard: Instant,
    engine: EngineSlot,
    persona: Persona,
    /// Who sat down, before anything was asked for.
    first_persona: Persona,
    turn: Turn,
    lag: LagEstimator,
    recorder: GameRecorder,
    /// Where the game is shown as long as this task runs.
    place: SnapshotSlot,
    /// Scores of my own moves, with the ply each was played at.
    scores: Vec<(usize, Score)>,
    /// What my last move took, as the board showed it.
    own_last: Option<Millis>,
    /// What the opponent's last move took.
    opponent_last: Option<Millis>,
    /// When the last move of the game was shown, if we were there.
    moved_at: Option<Instant>,
    /// The half moves before my last move that came with an offer of a draw.
    offered_at: Option<usize>,
    /// The half moves before my last move that was sent.
    sent_at: Option<usize>,
    /// No claim is made before this moment.
    next_claim: Option<Instant>,
    score_today: ConflictDetector,
    /// Takebacks that the opponent was granted in this game.
    granted_takebacks: u32,
    /// Who plays, and how strong, as it is kept.
    asked: RequestedPersona,
    /// Somebody has sat here before this task began: after a restart, or when a game of days wakes.
    is_resumed: bool,
    /// What is said of the last move from a book.
    book: Option<String>,
    /// Nothing is decided before this moment: something else is being settled first.
    held_until: Option<Instant>,
    /// The chat of before is awaited until then.
    recall_due: Option<Instant>,
    /// The chat of before is known, or cannot be known.
    has_recalled: bool,
    /// The archive is awaited until then.
    memory_due: Option<Instant>,
    /// The moves of before are known, or there are none.
    has_remembered: bool,
    /// The opponent is greeted then, if nobody has done so before.
    greets_at: Option<Instant>,
    /// What the opponent asked for since the stream was opened, in order; a flood keeps its newest.
    commands_done: Vec<(chat_commands::ChatCommand, usize)>,
    chat_queue: ChatQueue,
    calls: FuturesUnordered<BoxFuture<'static, GameCallResult>>,
    /// The task ends then at the latest.
    closes_at: Option<Instant>,
    /// The opponent should have moved by then.
    no_show_at: Option<Instant>,
    /// The stream is given up then, since nothing happens in it.
    sleeps_at: Option<Instant>,
    /// How many answers to offers in a row got lost.
    lost_answers: u32,
    /// Once a resignation failed, the game is played on.
    resign_failed: bool,
    /// Whether the last frame made no sense of a game that was being played.
    bad_frame_seen: bool,
    /// Why the game is given up, once it is.
    unplayable: Option<GameError>,
    /// How the task ends, once it is to end.
    outcome: Option<TaskOutcome>,
}

/// Plays a game to its end, or until told to leave.
pub(super) async fn play(
    shared: Arc<Context>,
    setup: TaskSettings,
    mut notes: mpsc::Receiver<TaskNote>,
    leave: CancellationToken,
) -> TaskOutcome {
    let mut actor = GameTask::new(shared, setup);
    loop {
        let timer = actor.next_deadline();
        tokio::select! {
            biased;
            () = leave.cancelled() => return TaskOutcome::Left,
            news = actor.stream.next() => actor.on_stream_event(news),
            Some(note) = notes.recv() => actor.note(note),
            decision = actor.turn.on_search_done() => actor.on_decision(decision),
            Some(errand) = actor.calls.next(), if !actor.calls.is_empty() => actor.on_call_result(errand),
            () = at(timer) => {}
        }
        actor.poll_timers();
        if let Some(outcome) = actor.outcome.take() {
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
    fn new(shared: Arc<Context>, setup: TaskSettings) -> Self {
        let now = Instant::now();
        let manner = persona_of(&shared, &setup.play);
        let favour = shared.game_flags.of(&setup.id);
        Self {
            stream: ReconnectingStream::game(&shared.client, &setup.id, seed(&setup.id)),
            is_reopening: false,
            frame_due: None,
            resync_at: None,
            resync_attempts: SlidingWindow::new(DOUBTS, DOUBTS_WITHIN),
            begun: now,
            game: None,
            saw_running: false,
            archive_lookup_pending: false,
            heard: now,
            engine: EngineSlot::default(),
            first_persona: manner.clone(),
            persona: manner,
            turn: Turn::Open,
            lag: LagEstimator::new(setup.play.move_overhead + shared.lag_margin.extra()),
            recorder: GameRecorder::default(),
            place: shared.live_games.place(setup.id.clone()),
            scores: Vec::new(),
            own_last: None,
            opponent_last: None,
            moved_at: None,
            offered_at: favour.offered_at.map(|ply| ply as usize),
            sent_at: None,
            next_claim: None,
            score_today: ConflictDetector::default(),
            granted_takebacks: favour.takebacks,
            is_resumed: favour.asked != RequestedPersona::default(),
            asked: favour.asked,
            book: None,
            held_until: None,
            recall_due: None,
            has_recalled: false,
            memory_due: None,
            has_remembered: !setup.adopted,
            greets_at: None,
            commands_done: Vec::new(),
            chat_queue: ChatQueue::new(now),
            calls: FuturesUnordered::new(),
            closes_at: None,
            no_show_at: None,
            sleeps_at: None,
            lost_answers: 0,
            resign_failed: false,
            bad_frame_seen: false,
            unplayable: None,
            outcome: None,
            context: shared,
            settings: setup,
        }
    }

    /// The server says that the game is over.
    fn note(&mut self, note: TaskNote) {
        match note {
            TaskNote::Finished if self.closes_at.is_none() => {
                self.closes_at = Some(Instant::now() + FINAL_STATE_WITHIN);
            }
            TaskNote::Finished => {}
        }
    }

    /// Something was granted or asked that must not be again, whatever happens to this task.
    fn record_flags(&self) {
        let favour = GameFlags {
            takebacks: self.granted_takebacks,
            offered_at: self.offered_at.and_then(|ply| u32::try_from(ply).ok()),
            asked: self.asked.clone(),
        };
        self.context.game_flags.note(&self.settings.id, favour);
    }

    /// Whether nothing is to be done before the opponent moves, who may take days.
    fn is_idle(&self) -> bool {
        let waits = |game: &GameState| game.clocks().is_none() && !game.is_over() && !game.is_my_turn();
        self.game.as_ref().is_some_and(waits)
            && matches!(self.turn, Turn::Open)
            && self.calls.is_empty()
            && self.chat_queue.is_done()
            && self.greets_at.is_none()
            && self.unplayable.is_none()
            && self.closes_at.is_none()
    }

    fn is_over(&self) -> bool {
        self.game.as_ref().is_some_and(GameState::is_over)
    }

    fn on_call_result(&mut self, errand: GameCallResult) {
        match errand {
            GameCallResult::Moved { ply, sent, answer } => self.move_answered(ply, sent, answer),
            GameCallResult::Commanded(command, answer) => self.commanded(command, answer),
            GameCallResult::Unheard(command) => self.command_again(command),
            GameCallResult::Said(answer) => {
                self.chat_queue.sent();
                if let Err(error) = answer {
                    debug!("a line of chat is lost: {error}");
                }
            }
            GameCallResult::Recalled(lines) => self.recalled(lines),
            GameCallResult::Remembered(moves) => self.remembered(&moves),
            GameCallResult::LookedUp(was_known) => self.on_result(was_known),
        }
    }

    /// Everything that may be due after something happened, or by the clock alone.
    fn poll_timers(&mut self) {
        let now = Instant::now();
        if self.frame_due.is_some_and(|due| now >= due) {
            warn!("the stream is open but does not begin, reopening");
            self.frame_due = None;
            self.resync();
        }
        self.poll_resync(now);
        if self.no_show_at.is_some_and(|at| now >= at) {
            self.abort_no_show(now);
        }
        self.poll_turn(now);
        self.poll_greeting(now);
        if let Some(line) = self.chat_queue.next(now, &self.context.chat_rate_limit) {
            self.say(line);
        }
        self.sleeps_at = self
            .is_idle()
            .then(|| self.sleeps_at.unwrap_or(now + self.settings.idle.into()));
        if self.sleeps_at.is_some_and(|at| now >= at) {
            debug!("no clock and nothing to do: asleep until the opponent has moved");
            self.outcome.get_or_insert(TaskOutcome::Asleep);
        }
        let has_said_all = self.is_over() && self.chat_queue.is_done() && !self.archive_lookup_pending;
        if has_said_all || self.closes_at.is_some_and(|at| now >= at) {
            let is_known = self.is_over() || self.unplayable.is_some();
            self.outcome.get_or_insert(if is_known {
                TaskOutcome::Ended
            } else {
                TaskOutcome::Unseen
            });
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        [
            self.frame_due,
            self.resync_at,
            self.no_show_at,
            self.sleeps_at,
            self.closes_at,
            self.held_until,
            self.recall_due,
            self.memory_due,
            self.greets_at(),
            self.turn.next_deadline(),
            self.chat_queue.next_deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Calls the server without waiting for it.
    fn call<F>(&self, call: impl FnOnce(Client, GameId) -> F)
    where
        F: Future<Output = GameCallResult> + Send + 'static,
    {
        let call = call(self.context.client.clone(), self.settings.id.clone());
        self.calls.push(call.boxed());
    }
}

/// A number that names the game to everything random: its eight characters, so that a restart changes nothing.
fn seed(id: &GameId) -> u64 {
    id.as_str()
        .bytes()
        .fold(0, |seed, byte| seed << 8 | u64::from(byte))
}

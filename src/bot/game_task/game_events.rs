//! The game stream: its events, and resyncing by opening it anew.

use tokio::time::Instant;
use tracing::{debug, warn};

use super::{GameCommand, GameTask, TaskOutcome, seed, turn::Turn};
use crate::bot::{
    game_task::state::{Change, GameError, GameState},
    server::stream_conflict::ConflictDetector,
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    BadLine, CallError, Client, Escaped, FlagDeadline, ReconnectingStream, StreamEvent,
    model::{GameEvent, GameId},
    retry::SlidingWindow,
};

/// For lines that make no sense the stream is reopened so often within so long: fewer times than the reconnecting stream
/// allows, so that what can be read of it still comes.
const RESYNCS: usize = 10;
const RESYNCS_WITHIN: Millis = Millis::from_secs(20);

/// The stream of one game.
pub(super) struct GameStream {
    stream: ReconnectingStream<GameEvent>,
    /// Another stream was asked for and is not open yet: what still comes is from the old one.
    is_reopening: bool,
    /// When the first line of the open stream is due.
    frame_due: Option<Instant>,
    /// When the stream is reopened, after a line that made no sense.
    resync_at: Option<Instant>,
    resync_attempts: SlidingWindow,
    started_at: Instant,
    /// Whether the last `gameFull` made no sense, of a game that was being played.
    bad_frame_seen: bool,
    conflict: ConflictDetector,
}

impl GameStream {
    pub(super) fn open(client: &Client, id: &GameId, now: Instant) -> Self {
        Self {
            stream: ReconnectingStream::game(client, id, seed(id)),
            is_reopening: false,
            frame_due: None,
            resync_at: None,
            resync_attempts: SlidingWindow::new(RESYNCS, RESYNCS_WITHIN),
            started_at: now,
            bad_frame_seen: false,
            conflict: ConflictDetector::default(),
        }
    }

    /// The next event. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Option<StreamEvent<GameEvent>> {
        self.stream.next().await
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.frame_due.into_iter().chain(self.resync_at).min()
    }

    /// Stops waiting for the first line: the game is over.
    pub(super) fn end(&mut self) {
        self.frame_due = None;
    }
}

impl GameTask {
    /// Handles what the game stream reports.
    pub(super) fn on_stream_event(&mut self, event: Option<StreamEvent<GameEvent>>) {
        match event {
            Some(StreamEvent::Opened) => {
                self.stream.is_reopening = false;
                self.stream.frame_due = Some(Instant::now() + self.settings.game_full_timeout.into());
            }
            Some(StreamEvent::Event {
                event,
                received_at: heard,
            }) => self.on_event(event, heard),
            Some(StreamEvent::BadLine(bad)) => {
                warn!("a line was skipped: {bad}");
                self.context.metrics.line_skipped("game");
                if may_be_a_state(&bad) {
                    self.schedule_resync();
                }
            }
            Some(StreamEvent::Disconnected { why, open_for: lived }) => {
                self.stream.frame_due = None;
                self.update_flag_deadline();
                if self.is_over() {
                    // It has nothing more to tell.
                    return;
                }
                self.context.metrics.stream_lost("game");
                debug!("{why}, reopening");
                if self.stream.conflict.backoff(&why, lived).is_some() {
                    // Our clock may run, so this stream never backs off.
                    self.context.metrics.stream_contested("game");
                    warn!(
                        "the game's stream ends again and again, as if another program played it with this token"
                    );
                }
            }
            Some(StreamEvent::OpenFailed { why, tries }) => {
                if tries.is_power_of_two() {
                    warn!("no stream after {tries} tries: {why}");
                }
            }
            Some(StreamEvent::Throttled(span)) => {
                warn!("the game's stream ends again and again: not opened for {span}");
            }
            Some(StreamEvent::Refused(why @ CallError::Unauthorized { .. })) => {
                self.outcome = Some(TaskOutcome::Unauthorized(why));
            }
            Some(StreamEvent::Refused(why)) => self.outcome = Some(TaskOutcome::Refused(why)),
            // It ends only after it has said why.
            None => self.outcome = Some(TaskOutcome::Left),
        }
    }

    fn on_event(&mut self, mut event: GameEvent, heard: Instant) {
        if let GameEvent::Full(frame) = &mut event {
            frame.complete(&self.context.me, self.settings.side);
        }
        let is_frame = matches!(event, GameEvent::Full(_));
        let has_clocks = is_frame || matches!(event, GameEvent::State(_));
        let expected = self.left_at(heard);
        let change = match (&mut self.game, event) {
            (_, GameEvent::Chat(line)) => return self.on_chat_line(&line),
            (_, GameEvent::Unknown { kind }) => return debug!("skipped an event \"{}\"", Escaped(&kind)),
            (Some(game), event) => game.apply(&event),
            (None, GameEvent::Full(frame)) => GameState::new(*frame, &self.context.me).map(|game| {
                let change = game.first_step();
                self.game = Some(game);
                self.select_persona();
                self.request_result();
                self.record_game();
                self.begin();
                change
            }),
            // A state before its gameFull means nothing.
            (None, _) => return,
        };
        match change {
            Ok(change) => {
                if has_clocks {
                    self.heard = heard;
                }
                if is_frame {
                    self.stream.bad_frame_seen = false;
                }
                self.update_flag_deadline();
                self.on_change(change, is_frame);
                self.check_clock(expected);
                self.publish_snapshot();
            }
            // One bad gameFull does not end a game that went well so far.
            Err(error) if is_frame && (self.game.is_none() || self.stream.bad_frame_seen) => {
                self.cannot_play(error)
            }
            Err(error) => {
                warn!("a state that does not fit: {error}");
                self.stream.bad_frame_seen |= is_frame;
                self.schedule_resync();
            }
        }
    }

    /// Reacts to what an event changed.
    fn on_change(&mut self, change: Change, is_frame: bool) {
        if change.moved {
            self.on_moves_changed();
            self.record_moves();
        }
        if is_frame {
            self.stream.frame_due = None;
        }
        if change.ended {
            return self.end();
        }
        if is_frame && !self.stream.is_reopening && !change.moved {
            self.on_move_missing();
        }
        // The answer depends on the scores of earlier moves.
        if change.draw_offered && self.has_remembered {
            self.answer_draw();
        }
        if change.takeback_asked {
            self.answer_takeback();
        }
        if change.claimable {
            self.claim();
        }
    }

    /// Opens the stream anew: its first line says how the game stands.
    pub(super) fn resync(&mut self) {
        self.stream.resync_at = None;
        self.stream.is_reopening = true;
        self.update_flag_deadline();
        self.stream.stream.reopen();
    }

    /// Schedules a resync after a line that made no sense: it may have said that it is our turn. A rate limit holds for servers
    /// that send nothing else.
    fn schedule_resync(&mut self) {
        if !self.stream.is_reopening && !self.is_over() {
            let wait = self
                .stream
                .resync_attempts
                .wait(self.stream.started_at.elapsed().into());
            self.stream.resync_at.get_or_insert(Instant::now() + wait.into());
        }
    }

    /// Resyncs when that is due, or when an open stream does not begin.
    pub(super) fn poll_stream(&mut self, now: Instant) {
        if self.stream.frame_due.is_some_and(|due| now >= due) {
            warn!("the stream is open but does not begin, reopening");
            self.stream.frame_due = None;
            self.resync();
        }
        if self.stream.resync_at.is_some_and(|at| now >= at) {
            self.stream
                .resync_attempts
                .record(self.stream.started_at.elapsed().into());
            self.resync();
        }
    }

    /// Tells the stream when our flag falls, so that no rate limit keeps it closed for too long.
    fn update_flag_deadline(&self) {
        let Some(game) = &self.game else { return };
        let from = if game.is_my_turn() {
            self.heard
        } else {
            Instant::now()
        };
        let flag = game.clocks().map_or(FlagDeadline::Never, |clocks| {
            FlagDeadline::FallsAt(from + clocks.mine.into())
        });
        self.stream.stream.set_flag_deadline(flag);
    }

    /// Gives up a game whose start or moves make no sense.
    fn cannot_play(&mut self, error: GameError) {
        warn!("cannot be played: {error}");
        self.turn = Turn::Closed;
        if self.unplayable.is_none() {
            self.command(GameCommand::GiveUp);
        }
        self.unplayable = Some(error);
    }
}

/// Whether an unreadable line may have been a game state.
fn may_be_a_state(bad: &BadLine) -> bool {
    match bad {
        BadLine::Misfit(misfit) => !matches!(misfit.kind.as_str(), "chatLine" | "opponentGone"),
        BadLine::Unreadable(_) => true,
    }
}

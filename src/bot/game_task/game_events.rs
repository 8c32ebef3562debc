//! What comes from a game's stream, and what is done about it.

use tokio::time::Instant;
use tracing::{debug, warn};

use super::{GameCommand, GameTask, TaskOutcome, turn::Turn};
use crate::bot::game_task::state::{Change, GameError, GameState};
use sparring_lichess::{BadLine, CallError, Escaped, FlagDeadline, StreamEvent, model::GameEvent};

impl GameTask {
    /// Something came from the stream, or happened to it.
    pub(super) fn on_stream_event(&mut self, news: Option<StreamEvent<GameEvent>>) {
        match news {
            Some(StreamEvent::Opened) => {
                self.is_reopening = false;
                self.frame_due = Some(Instant::now() + self.settings.frame_within.into());
            }
            Some(StreamEvent::Event { event, heard }) => self.on_event(event, heard),
            Some(StreamEvent::Garbled(bad)) => {
                warn!("a line was skipped: {bad}");
                self.context.metrics.line_skipped("game");
                if may_be_a_state(&bad) {
                    self.schedule_resync();
                }
            }
            Some(StreamEvent::Lost { why, lived }) => {
                self.frame_due = None;
                self.update_flag_deadline();
                if self.is_over() {
                    // It has nothing more to tell.
                    return;
                }
                self.context.metrics.stream_lost("game");
                debug!("{why}, reopening");
                if self.score_today.backoff(&why, lived).is_some() {
                    // A clock may be running, so this one is never left alone.
                    self.context.metrics.stream_contested("game");
                    warn!(
                        "the game's stream ends again and again, as if another program played it with this token"
                    );
                }
            }
            Some(StreamEvent::Unopened { why, tries }) => {
                if tries.is_power_of_two() {
                    warn!("no stream after {tries} tries: {why}");
                }
            }
            Some(StreamEvent::Spent(span)) => {
                warn!("the game's stream ends again and again: not opened for {span}");
            }
            Some(StreamEvent::Refused(why @ CallError::Unauthorized { .. })) => {
                self.outcome = Some(TaskOutcome::Unauthorized(why));
            }
            Some(StreamEvent::Refused(why)) => self.outcome = Some(TaskOutcome::Refused(why)),
            // The follower ends only after it has said why.
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
        let step = match (&mut self.game, event) {
            (_, GameEvent::Chat(line)) => return self.on_chat_line(&line),
            (_, GameEvent::Unknown { kind }) => return debug!("skipped an event \"{}\"", Escaped(&kind)),
            (Some(game), event) => game.apply(&event),
            (None, GameEvent::Full(frame)) => GameState::new(*frame, &self.context.me).map(|game| {
                let step = game.first_step();
                self.game = Some(game);
                self.select_persona();
                self.request_result();
                self.record_game();
                self.begin();
                step
            }),
            // Nothing can be made of a state before its frame.
            (None, _) => return,
        };
        match step {
            Ok(step) => {
                if has_clocks {
                    self.heard = heard;
                }
                if is_frame {
                    self.bad_frame_seen = false;
                }
                self.update_flag_deadline();
                self.follow(step, is_frame);
                self.check_clock(expected);
                self.publish_snapshot();
            }
            // A game that went well so far is not given up for one frame.
            Err(error) if is_frame && (self.game.is_none() || self.bad_frame_seen) => self.cannot_play(error),
            Err(error) => {
                warn!("a state that does not fit: {error}");
                self.bad_frame_seen |= is_frame;
                self.schedule_resync();
            }
        }
    }

    /// Does what a step of the fold asks for.
    fn follow(&mut self, step: Change, is_frame: bool) {
        if step.moved {
            self.note_progress();
            self.record_moves();
        }
        if is_frame {
            self.frame_due = None;
        }
        if step.ended {
            return self.end();
        }
        if is_frame && !self.is_reopening && !step.moved {
            self.still_unplayed();
        }
        // Whether it is taken depends on the moves of before.
        if step.draw_offered && self.has_remembered {
            self.answer_draw();
        }
        if step.takeback_asked {
            self.answer_takeback();
        }
        if step.claimable {
            self.claim();
        }
    }

    /// Opens the stream anew, to see what the server knows.
    pub(super) fn resync(&mut self) {
        self.resync_at = None;
        self.is_reopening = true;
        self.update_flag_deadline();
        self.stream.reopen();
    }

    /// What came made no sense, and may have said that it is my turn: the server is asked again. A server that talks nonsense is
    /// not asked for every line of it, and what still comes from a stream that was given up says nothing.
    fn schedule_resync(&mut self) {
        if !self.is_reopening && !self.is_over() {
            let wait = self.resync_attempts.wait(self.begun.elapsed().into());
            self.resync_at.get_or_insert(Instant::now() + wait.into());
        }
    }

    /// Looks once it is time to because of a doubt.
    pub(super) fn poll_resync(&mut self, now: Instant) {
        if self.resync_at.is_some_and(|at| now >= at) {
            self.resync_attempts.note(self.begun.elapsed().into());
            self.resync();
        }
    }

    /// A wait that the server asks for is weighed against my clock, which runs since the newest state or may begin to.
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
        self.stream.note_flag(flag);
    }

    /// The start or the moves make no sense here: the game is given up.
    fn cannot_play(&mut self, error: GameError) {
        warn!("cannot be played: {error}");
        self.turn = Turn::Closed;
        if self.unplayable.is_none() {
            self.command(GameCommand::GiveUp);
        }
        self.unplayable = Some(error);
    }
}

/// Whether a line that cannot be read may have been one that says how the game stands.
fn may_be_a_state(bad: &BadLine) -> bool {
    match bad {
        BadLine::Misfit(misfit) => !matches!(misfit.kind.as_str(), "chatLine" | "opponentGone"),
        BadLine::Unreadable(_) => true,
    }
}

//! What comes from a game's stream, and what is done about it.

use tokio::time::Instant;
use tracing::{debug, warn};

use super::{GameCommand, GameTask, TaskOutcome, turn::Turn};
use crate::bot::game_task::state::{Change, GameError, GameState};
use sparring_lichess::{BadLine, CallError, Escaped, FlagDeadline, StreamEvent, model::GameEvent};

impl GameTask {
    /// Something came from the stream, or happened to it.
    pub(super) fn hear(&mut self, news: Option<StreamEvent<GameEvent>>) {
        match news {
            Some(StreamEvent::Opened) => {
                self.is_reopening = false;
                self.frame_due = Some(Instant::now() + self.setup.frame_within.into());
            }
            Some(StreamEvent::Event { event, heard }) => self.take(event, heard),
            Some(StreamEvent::Garbled(bad)) => {
                warn!("a line was skipped: {bad}");
                self.shared.meters.line_skipped("game");
                if may_be_a_state(&bad) {
                    self.doubt();
                }
            }
            Some(StreamEvent::Lost { why, lived }) => {
                self.frame_due = None;
                self.mind_flag();
                if self.is_over() {
                    // It has nothing more to tell.
                    return;
                }
                self.shared.meters.stream_lost("game");
                debug!("{why}, reopening");
                if self.duel.truce(&why, lived).is_some() {
                    // A clock may be running, so this one is never left alone.
                    self.shared.meters.stream_contested("game");
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

    fn take(&mut self, mut event: GameEvent, heard: Instant) {
        if let GameEvent::Full(frame) = &mut event {
            frame.complete(&self.shared.me, self.setup.side);
        }
        let is_frame = matches!(event, GameEvent::Full(_));
        let has_clocks = is_frame || matches!(event, GameEvent::State(_));
        let expected = self.left_at(heard);
        let step = match (&mut self.game, event) {
            (_, GameEvent::Chat(line)) => return self.heed(&line),
            (_, GameEvent::Unknown { kind }) => return debug!("skipped an event \"{}\"", Escaped(&kind)),
            (Some(game), event) => game.apply(&event),
            (None, GameEvent::Full(frame)) => GameState::new(*frame, &self.shared.me).map(|game| {
                let step = game.first_step();
                self.game = Some(game);
                self.seat();
                self.look_up_the_end();
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
                    self.doubts_frame = false;
                }
                self.mind_flag();
                self.follow(step, is_frame);
                self.heed_clock(expected);
                self.show_board();
            }
            // A game that went well so far is not given up for one frame.
            Err(error) if is_frame && (self.game.is_none() || self.doubts_frame) => self.cannot_play(error),
            Err(error) => {
                warn!("a state that does not fit: {error}");
                self.doubts_frame |= is_frame;
                self.doubt();
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
    pub(super) fn look(&mut self) {
        self.doubts_at = None;
        self.is_reopening = true;
        self.mind_flag();
        self.follower.reopen();
    }

    /// What came made no sense, and may have said that it is my turn: the server is asked again. A server that talks nonsense is
    /// not asked for every line of it, and what still comes from a stream that was given up says nothing.
    fn doubt(&mut self) {
        if !self.is_reopening && !self.is_over() {
            let wait = self.doubts.wait(self.begun.elapsed().into());
            self.doubts_at.get_or_insert(Instant::now() + wait.into());
        }
    }

    /// Looks once it is time to because of a doubt.
    pub(super) fn attend_doubt(&mut self, now: Instant) {
        if self.doubts_at.is_some_and(|at| now >= at) {
            self.doubts.note(self.begun.elapsed().into());
            self.look();
        }
    }

    /// A wait that the server asks for is weighed against my clock, which runs since the newest state or may begin to.
    fn mind_flag(&self) {
        let Some(game) = &self.game else { return };
        let from = if game.is_my_turn() {
            self.heard
        } else {
            Instant::now()
        };
        let flag = game.clocks().map_or(FlagDeadline::Never, |clocks| {
            FlagDeadline::FallsAt(from + clocks.mine.into())
        });
        self.follower.note_flag(flag);
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

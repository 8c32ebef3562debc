//! Offers of one game: draws, takebacks, claims, an absent opponent, and the commands that answer them.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use super::{GameCallResult, GameCommand, GameTask, TaskOutcome, turn::Turn};
use crate::bot::moves::offer_policy::{self, Situation, WinClaim};
use crate::store::GameFlags;
use sparring_chess::units::Millis;
use sparring_lichess::{CallError, Client, model::GameId};
use sparring_personality::ChatEvent;

/// How long the search waits for a granted takeback to show on the board: so long, or this share of the clock if less.
const TAKEBACK_WITHIN: Millis = Millis::from_secs(2);
const TAKEBACK_SHARE: f64 = 0.1;
/// A lost answer to an offer is retried after this time, doubling.
const ANSWER_RETRY: Duration = Duration::from_millis(500);
/// The longest pause between such retries.
const ANSWER_RETRY_MAX: Duration = Duration::from_secs(10);
/// A claim without effect is made again at the next countdown that lichess sends, every 5 s.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(4500);

/// Offers, claims and the opponent's absence in one game.
pub(super) struct Offers {
    /// The ply of our last draw offer.
    draw_offered_at: Option<usize>,
    /// Takebacks granted so far.
    granted_takebacks: u32,
    /// No claim is made before this moment.
    next_claim: Option<Instant>,
    /// When the game is aborted unless the opponent has made their first move.
    no_show_at: Option<Instant>,
    /// How many answers to offers in a row got lost.
    lost_answers: u32,
    /// Once a resignation failed, the game is played on.
    resign_failed: bool,
}

impl Offers {
    /// With what an earlier run offered and granted.
    pub(super) fn restore(flags: &GameFlags) -> Self {
        Self {
            draw_offered_at: flags.offered_at.map(|ply| ply as usize),
            granted_takebacks: flags.takebacks,
            next_claim: None,
            no_show_at: None,
            lost_answers: 0,
            resign_failed: false,
        }
    }

    pub(super) fn draw_offered_at(&self) -> Option<usize> {
        self.draw_offered_at
    }

    /// Whether resigning is still worth a try.
    pub(super) fn may_resign(&self) -> bool {
        !self.resign_failed
    }

    /// When the absent opponent's game is aborted.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.no_show_at
    }

    /// Stops waiting for the opponent's first move.
    pub(super) fn end_no_show(&mut self) {
        self.no_show_at = None;
    }
}

impl GameTask {
    /// Records a draw offer that goes out with our move.
    pub(super) fn offer_draw(&mut self, ply: usize) {
        self.offers.draw_offered_at = Some(ply);
        self.record_flags();
    }

    /// Records what must not be granted or offered twice, whatever happens to this task.
    pub(super) fn record_flags(&self) {
        let flags = GameFlags {
            takebacks: self.offers.granted_takebacks,
            offered_at: self
                .offers
                .draw_offered_at
                .and_then(|ply| u32::try_from(ply).ok()),
            asked: self.asked.clone(),
        };
        self.context.game_flags.update(&self.settings.id, flags);
    }

    pub(super) fn answer_draw(&mut self) {
        let Some(game) = &self.game else { return };
        let scores = self.my_scores();
        let situation = Situation {
            scores: &scores,
            ply: game.line().ply(),
            rated: game.frame().rated,
            against_bot: game.opponent().is_bot(),
            offered_at: self.offers.draw_offered_at,
        };
        if offer_policy::takes_draw(&self.persona.profile, situation) {
            self.command(GameCommand::AcceptDraw);
        } else if !game.is_my_turn() {
            // On my turn the move itself is the answer.
            self.speak(ChatEvent::DrawRefused);
        }
    }

    pub(super) fn answer_takeback(&mut self) {
        let Some(game) = &self.game else { return };
        let granted =
            offer_policy::grants_takeback(&self.persona.profile, game, self.offers.granted_takebacks);
        if granted {
            self.offers.granted_takebacks += 1;
            self.record_flags();
            // A move sent now could meet another position. The search resumes if the takeback does not show.
            if matches!(self.turn, Turn::Thinking(_)) {
                self.turn = Turn::Open;
            }
            self.held_until = Some(Instant::now() + takeback_wait(self.left()).into());
        }
        self.speak(if granted {
            ChatEvent::TakebackGranted
        } else {
            ChatEvent::TakebackRefused
        });
        self.command(GameCommand::Takeback(granted));
    }

    pub(super) fn claim(&mut self) {
        let now = Instant::now();
        let is_early = self.offers.next_claim.is_some_and(|at| now < at);
        if !is_early && self.game.as_ref().and_then(offer_policy::claim).is_some() {
            self.offers.next_claim = Some(now + BETWEEN_CLAIMS);
            self.command(GameCommand::Claim);
        }
    }

    /// Starts or stops waiting for the opponent's first move, in games with a clock.
    pub(super) fn expect_first_move(&mut self) {
        let missing = self
            .game
            .as_ref()
            .is_some_and(|game| game.is_abortable() && !game.is_my_turn() && game.clocks().is_some());
        let within = self.settings.no_show.filter(|_| missing);
        self.offers.no_show_at = within.map(|span| self.heard + span.into());
    }

    /// Aborts the game if the opponent has not made their first move in time.
    pub(super) fn poll_no_show(&mut self, now: Instant) {
        if self.offers.no_show_at.is_none_or(|at| now < at) {
            return;
        }
        info!("the opponent did not appear, aborting");
        // Again later, should the abort get lost.
        self.offers.no_show_at = self.settings.no_show.map(|span| now + span.into());
        self.command(GameCommand::Abort);
    }

    /// Schedules a retry of an answer to an offer that may not have arrived. Sent at once it might become an offer of our own,
    /// so the board gets some time to show its effect.
    fn retry_answer(&mut self, command: GameCommand) {
        if matches!(command, GameCommand::AcceptDraw | GameCommand::Takeback(_)) {
            let pause = (ANSWER_RETRY * 2_u32.saturating_pow(self.offers.lost_answers)).min(ANSWER_RETRY_MAX);
            self.offers.lost_answers = self.offers.lost_answers.saturating_add(1);
            self.call(|_, _| async move {
                sleep(pause).await;
                GameCallResult::RetryDue(command)
            });
        }
    }

    /// Retries the answer to an offer that still stands.
    pub(super) fn command_again(&mut self, command: GameCommand) {
        let is_open = self.game.as_ref().is_some_and(|game| match command {
            GameCommand::AcceptDraw => game.is_offered_draw(),
            GameCommand::Takeback(_) => game.is_asked_for_takeback(),
            _ => false,
        });
        if is_open && !self.is_over() {
            self.command(command);
        }
    }

    /// Sends a command; its effect comes by the stream.
    pub(super) fn command(&self, command: GameCommand) {
        let claim = self.game.as_ref().and_then(offer_policy::claim);
        self.call(|client, id| async move {
            let answer = send(&client, &id, command, claim).await;
            GameCallResult::Commanded(command, answer)
        });
    }

    /// Handles the answer to a command.
    pub(super) fn on_command_answer(&mut self, command: GameCommand, answer: Result<(), CallError>) {
        let failed = answer.is_err();
        if matches!(answer, Err(CallError::Transient { .. })) {
            self.retry_answer(command);
        } else {
            self.offers.lost_answers = 0;
        }
        if let Err(error) = answer {
            warn!("{error}");
            if matches!(error, CallError::Unauthorized { .. }) {
                self.outcome = Some(TaskOutcome::Unauthorized(error));
            }
        }
        if command == GameCommand::GiveUp
            && let Some(error) = self.unplayable.take()
        {
            self.outcome = Some(TaskOutcome::Unplayable(error));
        }
        // The game cannot be left: play on.
        let is_leaving = matches!(command, GameCommand::Resign | GameCommand::GiveUp);
        if is_leaving && failed && self.outcome.is_none() && !self.is_over() {
            self.offers.resign_failed = true;
            self.turn = Turn::Open;
        }
    }
}

/// How long the search waits for a granted takeback to show on the board, with so much time left.
fn takeback_wait(left: Option<Millis>) -> Millis {
    let share = left.map(|left| left.scaled(TAKEBACK_SHARE));
    share.map_or(TAKEBACK_WITHIN, |share| share.min(TAKEBACK_WITHIN))
}

async fn send(
    client: &Client,
    id: &GameId,
    command: GameCommand,
    claim: Option<WinClaim>,
) -> Result<(), CallError> {
    match command {
        GameCommand::Abort => client.abort(id).await,
        GameCommand::Resign => client.resign(id).await,
        GameCommand::AcceptDraw => client.draw(id, true).await,
        GameCommand::Takeback(yes) => client.takeback(id, yes).await,
        GameCommand::Claim => match claim {
            Some(WinClaim::Victory) => client.claim_victory(id).await,
            Some(WinClaim::Draw) => client.claim_draw(id).await,
            None => Ok(()),
        },
        // Only games with few moves can be aborted.
        GameCommand::GiveUp => match client.abort(id).await {
            Err(CallError::Rejected { .. }) => client.resign(id).await,
            other => other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_little_time_the_wait_for_a_takeback_is_short() {
        assert_eq!(takeback_wait(None), TAKEBACK_WITHIN);
        assert_eq!(takeback_wait(Some(Millis::from_secs(60))), TAKEBACK_WITHIN);
        assert_eq!(takeback_wait(Some(Millis(1500))), Millis(150));
    }
}

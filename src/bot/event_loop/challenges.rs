//! Event loop: incoming challenges are judged by the rules, recorded, queued and answered.

use std::sync::Arc;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use tokio::time::sleep;
use tracing::{debug, info};

use crate::bot::{
    challenges::{
        queue::{self, QueuedChallenge},
        rule_context::{LocalContext, RuleContext, minute_of_day},
        rules::{self, DecidedBy, RuleDecision},
    },
    event_loop::{EventLoop, completion::Completion},
    server::retry_call::{SELDOM, SOON, retry_until_answered},
    wall_clock::epoch,
};
use crate::{
    config::Action,
    store::{ChallengeRecord, OpponentScore},
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Escaped,
    model::{Challenge, Compat, DeclineReason, GameId, NowPlaying, UserId},
    retry::EndpointClass,
};

impl EventLoop {
    /// Judges a challenge by the rules, and queues or declines it.
    pub(super) fn handle_challenge(&mut self, challenge: &Challenge, compat: Option<Compat>) {
        let challenger = challenge.challenger.as_ref();
        let is_mine = challenger.is_some_and(|user| user.id == self.context.me);
        if is_mine || challenge.direction.as_deref() == Some("out") {
            return;
        }
        let config = Arc::clone(&self.options.borrow().config);
        let local_context = self.local_context(challenger.map(|user| &user.id), false);
        let facts = RuleContext::of_challenge(challenge, &local_context);
        let mut decision = rules::judge(&config.rules, challenge, compat, &facts);
        if !matches!(decision.then, Action::Decline(_))
            && let Some(why) = self.reason_for_later(challenge, &facts)
        {
            decision = RuleDecision {
                then: Action::Decline(DeclineReason::Later),
                by: DecidedBy::Nature(why),
            };
        }
        let would = if self.is_dry_run { "would be " } else { "" };
        info!(
            "challenge {} by {}: {would}{} ({})",
            challenge.id,
            Escaped(challenger.map_or("somebody", |user| user.name.as_str())),
            rules::describe(decision.then),
            rules::title(&config.rules, decision.by),
        );
        self.status.send_modify(|status| status.challenges += 1);
        if self.is_dry_run {
            return;
        }
        if self.challenge_queue.knows(&challenge.id) {
            // The archive may have its outcome already.
            return;
        }
        let record = ChallengeRecord {
            id: challenge.id.clone(),
            at: epoch(),
            opponent: facts.opponent.clone(),
            verdict: rules::describe(decision.then),
            rule: rules::title(&config.rules, decision.by),
            sent: false,
            game: Some(rules::what(challenge)),
            repeats: challenge.rematch_of.clone(),
        };
        self.context.store.challenge(record.clone());
        self.open_challenges.add(record);
        let id = challenge.id.clone();
        let patience = match decision.then {
            Action::Decline(reason) => {
                self.record_outcome(&id, &rules::describe(decision.then));
                return self.challenge_queue.decline_later(id, reason);
            }
            Action::Accept => Millis::ZERO,
            Action::Queue => queue::PATIENCE,
        };
        let who = QueuedChallenge {
            id,
            opponent: facts.opponent,
            is_human: !facts.is_bot,
            is_rematch: facts.rematch,
            patience,
        };
        self.challenge_queue.enqueue(who, self.now());
    }

    /// Records the outcome of a challenge, ours or theirs, once. Returns whether it was still open.
    pub(super) fn record_outcome(&mut self, id: &GameId, verdict: &str) -> bool {
        let Some(record) = self.open_challenges.decide(id, verdict) else {
            return false;
        };
        if !record.sent {
            self.context.metrics.challenge(match verdict {
                "accepted" => "accepted",
                verdict if verdict.starts_with("declined") => "declined",
                _ => "lapsed",
            });
        }
        self.context.store.challenge(record);
        true
    }

    /// Handles the answer to an acceptance. The game comes by the event stream.
    pub(super) fn on_accepted(&mut self, id: GameId, answer: Result<(), CallError>) {
        let Err(error) = answer else {
            self.record_outcome(&id, "accepted");
            return;
        };
        self.record_rate_limit(EndpointClass::Challenge, &error);
        info!("challenge {id}: {error}");
        match error {
            CallError::Transient { .. } => self.check_accepted(id),
            CallError::RateLimited { .. } if !self.is_closing() => {
                self.challenge_queue.postpone(&id);
            }
            _ => {
                self.record_outcome(&id, "could not be accepted");
                self.challenge_queue.failed(&id);
                // An earlier try may have reached lichess.
                self.list_games();
            }
        }
    }

    /// Finds out whether an acceptance without an answer reached lichess. Its slot stays reserved while the running games are
    /// polled, after as long again as it has waited.
    fn check_accepted(&mut self, id: GameId) {
        let waited = self.challenge_queue.waited(&id, self.now()).clamp(SOON, SELDOM);
        let pause = waited.scaled(self.rng.random_range(0.5..=1.0));
        self.call(|client| async move {
            sleep(pause.into()).await;
            Completion::AcceptChecked(id, client.ongoing_games().await)
        });
    }

    /// Handles the running games after an acceptance without an answer. A challenge whose game does not run is accepted once
    /// more: if the first try did arrive, lichess refuses the second, which harms nothing.
    pub(super) fn on_accept_checked(&mut self, id: GameId, listed: Result<NowPlaying, CallError>) {
        match listed {
            Ok(list) => self.on_ongoing_games(&list),
            Err(error) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                debug!("challenge {id}: {error}");
            }
        }
        let was_cancelled = !self.challenge_queue.knows(&id);
        if self.supervisor.has(&id) || was_cancelled {
            return;
        }
        if !self.is_closing() && self.challenge_queue.postpone(&id) {
            return;
        }
        // There is no slot for it any more.
        self.challenge_queue.failed(&id);
        self.challenge_queue.decline_again(id, DeclineReason::Later);
    }

    /// Declines a challenge, and retries while the challenger waits.
    pub(super) fn refuse(&mut self, id: GameId, reason: DeclineReason) {
        let verdict = rules::describe(Action::Decline(reason));
        if self.record_outcome(&id, &verdict) {
            info!("challenge {id}: {verdict} after all");
        }
        let rng = ChaCha8Rng::seed_from_u64(self.rng.random());
        self.call(move |client| async move {
            let answer = retry_until_answered(rng, || client.decline(&id, reason)).await;
            Completion::Declined(id, reason, answer)
        });
    }

    /// Why a challenge that the rules accept is declined as "later".
    fn reason_for_later(&mut self, challenge: &Challenge, facts: &RuleContext) -> Option<&'static str> {
        if self.has_enough_rematches(challenge, facts) {
            Some("so many rematches in a row are enough")
        } else if self.drained_at.is_some() {
            Some("no new games")
        } else if facts.is_bot && self.are_bots_closed() {
            Some("the games of today with bots are played")
        } else {
            None
        }
    }

    /// Whether this is one rematch in a row more than the personality accepts.
    fn has_enough_rematches(&mut self, challenge: &Challenge, facts: &RuleContext) -> bool {
        let Some(repeats) = &challenge.rematch_of else {
            return false;
        };
        let in_a_row = self.rematches.asked(&challenge.id, repeats);
        let options = self.options.borrow();
        let play = rules::casting(&options.config.rules, facts, &options.config.play);
        let personalities = self.context.personalities.borrow();
        let most = personalities.get_or_default(&play.personality).rematches;
        most.is_some_and(|most| in_a_row > most)
    }

    /// Whether today's limit of games with bots is reached, by our count or by lichess'.
    pub(super) fn are_bots_closed(&self) -> bool {
        let now = epoch();
        self.daily.is_done_with_bots(now) || self.rate_limits.forbids_bots(now)
    }

    /// What rules may ask besides the challenge or game itself.
    pub(super) fn local_context(&self, opponent: Option<&UserId>, rematch: bool) -> LocalContext {
        let now = epoch();
        let running = self.supervisor.opponents();
        let with_them = running
            .iter()
            .chain(self.parked.values())
            .filter(|other| other.is_some() && other.as_ref() == opponent);
        LocalContext {
            ratings: Arc::clone(&self.context.ratings.borrow()),
            lists: Arc::clone(&self.context.lists.borrow()),
            played_today: opponent.map_or(0, |opponent| self.daily.played(opponent, now)),
            score: opponent.map_or_else(OpponentScore::default, |opponent| {
                self.context.opponent_stats.score(opponent)
            }),
            running: u32::try_from(with_them.count()).unwrap_or(u32::MAX),
            minute: minute_of_day(now),
            rematch,
        }
    }
}

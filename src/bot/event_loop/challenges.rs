//! Challenges as they come in: judged by the rules, kept in the archive, handed to whoever has the seats, and answered.

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
    server::retry_call::{SELDOM, SOON, insist},
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
    /// Judges a challenge by the rules, and lets it wait or refuses it.
    pub(super) fn handle_challenge(&mut self, challenge: &Challenge, compat: Option<Compat>) {
        let challenger = challenge.challenger.as_ref();
        let is_mine = challenger.is_some_and(|user| user.id == self.shared.me);
        if is_mine || challenge.direction.as_deref() == Some("out") {
            return;
        }
        let rules = Arc::clone(&self.options.borrow().rules);
        let moment = self.local_context(challenger.map(|user| &user.id), false);
        let facts = RuleContext::of_challenge(challenge, &moment);
        let mut ruling = rules::judge(&rules, challenge, compat, &facts);
        if !matches!(ruling.then, Action::Decline(_))
            && let Some(why) = self.is_no_time_for(challenge, &facts)
        {
            ruling = RuleDecision {
                then: Action::Decline(DeclineReason::Later),
                by: DecidedBy::Nature(why),
            };
        }
        let would = if self.is_dry_run { "would be " } else { "" };
        info!(
            "challenge {} by {}: {would}{} ({})",
            challenge.id,
            Escaped(challenger.map_or("somebody", |user| user.name.as_str())),
            rules::describe(ruling.then),
            rules::title(&rules, ruling.by),
        );
        self.status.send_modify(|status| status.challenges += 1);
        if self.is_dry_run {
            return;
        }
        if self.challenge_queue.knows(&challenge.id) {
            // The archive may have what became of it by now.
            return;
        }
        let record = ChallengeRecord {
            id: challenge.id.clone(),
            at: epoch(),
            opponent: facts.opponent.clone(),
            verdict: rules::describe(ruling.then),
            rule: rules::title(&rules, ruling.by),
            sent: false,
            game: Some(rules::what(challenge)),
            repeats: challenge.rematch_of.clone(),
        };
        self.shared.store.challenge(record.clone());
        self.open_challenges.note(record);
        let id = challenge.id.clone();
        let patience = match ruling.then {
            Action::Decline(reason) => {
                self.record_outcome(&id, &rules::describe(ruling.then));
                return self.challenge_queue.refuse(id, reason);
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
        self.challenge_queue.wait(who, self.now());
    }

    /// Something has come of a challenge, whoever sent it: the archive learns what, once.
    /// Says whether that was news.
    pub(super) fn record_outcome(&mut self, id: &GameId, verdict: &str) -> bool {
        let Some(record) = self.open_challenges.decide(id, verdict) else {
            return false;
        };
        if !record.sent {
            self.shared.metrics.challenge(match verdict {
                "accepted" => "accepted",
                verdict if verdict.starts_with("declined") => "declined",
                _ => "lapsed",
            });
        }
        self.shared.store.challenge(record);
        true
    }

    /// A challenge was accepted, or not. Games come by the event stream.
    pub(super) fn accepted(&mut self, id: GameId, answer: Result<(), CallError>) {
        let Err(error) = answer else {
            self.record_outcome(&id, "accepted");
            return;
        };
        self.record_rate_limit(EndpointClass::Challenge, &error);
        info!("challenge {id}: {error}");
        match error {
            CallError::Transient { .. } => self.doubt(id),
            CallError::RateLimited { .. } if !self.is_closing() => {
                self.challenge_queue.postpone(&id);
            }
            _ => {
                self.record_outcome(&id, "could not be accepted");
                self.challenge_queue.failed(&id);
                // An earlier try may have been heard after all.
                self.list_games();
            }
        }
    }

    /// Nobody knows whether a challenge was accepted. Its seat stays promised while its game is looked for, after as long
    /// again as it has waited: soon at first, and seldom while the server is in trouble.
    fn doubt(&mut self, id: GameId) {
        let waited = self.challenge_queue.waited(&id, self.now()).clamp(SOON, SELDOM);
        let pause = waited.scaled(self.rng.random_range(0.5..=1.0));
        self.call(|client| async move {
            sleep(pause.into()).await;
            Completion::Doubted(id, client.playing().await)
        });
    }

    /// The running games are known, or not, after nobody knew whether a challenge was accepted. What is not among them is
    /// accepted once more: where the first try was heard late, that is refused and harms nothing.
    pub(super) fn doubted(&mut self, id: GameId, listed: Result<NowPlaying, CallError>) {
        match listed {
            Ok(list) => self.on_ongoing_games(&list),
            Err(error) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                debug!("challenge {id}: {error}");
            }
        }
        let was_taken_back = !self.challenge_queue.knows(&id);
        if self.supervisor.has(&id) || was_taken_back {
            return;
        }
        if !self.is_closing() && self.challenge_queue.postpone(&id) {
            return;
        }
        // There is no seat for it any more.
        self.challenge_queue.failed(&id);
        self.challenge_queue.refuse_again(id, DeclineReason::Later);
    }

    /// Refuses a challenge. A refusal that gets lost is sent again while the challenger waits.
    pub(super) fn refuse(&mut self, id: GameId, reason: DeclineReason) {
        let verdict = rules::describe(Action::Decline(reason));
        if self.record_outcome(&id, &verdict) {
            info!("challenge {id}: {verdict} after all");
        }
        let rng = ChaCha8Rng::seed_from_u64(self.rng.random());
        self.call(move |client| async move {
            let answer = insist(rng, || client.decline(&id, reason)).await;
            Completion::Declined(id, reason, answer)
        });
    }

    /// Why a challenge that the rules welcome is for another time.
    fn is_no_time_for(&mut self, challenge: &Challenge, facts: &RuleContext) -> Option<&'static str> {
        if self.has_had_enough(challenge, facts) {
            Some("so many rematches in a row are enough")
        } else if self.drained_at.is_some() {
            Some("no new games")
        } else if facts.is_bot && self.are_bots_closed() {
            Some("the games of today with bots are played")
        } else {
            None
        }
    }

    /// Whether a rematch is one more than whoever would play it likes.
    fn has_had_enough(&mut self, challenge: &Challenge, facts: &RuleContext) -> bool {
        let Some(repeats) = &challenge.rematch_of else {
            return false;
        };
        let row = self.rematches.asked(&challenge.id, repeats);
        let options = self.options.borrow();
        let play = rules::casting(&options.rules, facts, &options.play);
        let cast = self.shared.personalities.borrow();
        let most = cast.seated(&play.personality).rematches;
        most.is_some_and(|most| row > most)
    }

    /// Whether the games of the day with bots are played, by our count or by lichess'.
    pub(super) fn are_bots_closed(&self) -> bool {
        let now = epoch();
        self.daily.is_done_with_bots(now) || self.rate_limits.forbids_bots(now)
    }

    /// What rules may ask besides the challenge or game.
    pub(super) fn local_context(&self, opponent: Option<&UserId>, rematch: bool) -> LocalContext {
        let now = epoch();
        let running = self.supervisor.opponents();
        let with_them = running
            .iter()
            .chain(self.parked.values())
            .filter(|other| other.is_some() && other.as_ref() == opponent);
        LocalContext {
            ratings: Arc::clone(&self.shared.ratings.borrow()),
            lists: Arc::clone(&self.shared.lists.borrow()),
            played_today: opponent.map_or(0, |opponent| self.daily.played(opponent, now)),
            score: opponent.map_or_else(OpponentScore::default, |opponent| {
                self.shared.opponent_stats.score(opponent)
            }),
            running: u32::try_from(with_them.count()).unwrap_or(u32::MAX),
            minute: minute_of_day(now),
            rematch,
        }
    }
}

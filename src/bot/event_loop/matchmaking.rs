//! Challenging others: the calls that the suitor's wishes need, and what comes of them.

use std::sync::Arc;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use crate::bot::{
    challenges::{queue::QueuedChallenge, rule_context::RuleContext, rules},
    event_loop::{EventLoop, completion::Completion},
    matchmaking::opponent_picker::ChallengeProposal,
    server::retry_call::{MOST, patience},
    wall_clock::epoch,
};
use crate::{
    config::{Action, Matchmaking},
    store::{ChallengeCooldown, ChallengeRecord},
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, ChallengeOutcome, NdjsonStream,
    model::{Account, Challenge, ChallengeDone, ChallengeRequest, GameId, NowPlaying, UserId},
    retry::{Backoff, EndpointClass},
};

/// More bots are not looked at: as many as lichess tells of at once, since whom it names first nobody promises.
const ONLINE: u32 = 512;
/// The stream of a challenge is held no longer: it was taken back before.
const HELD: Millis = Millis::from_secs(90);

impl EventLoop {
    /// Looks for an opponent when nobody plays, and stops looking when somebody comes.
    pub(super) fn maybe_challenge(&mut self, now: Millis) {
        for rest in self.opponent_picker.news() {
            let until = epoch() + (rest.until - now);
            self.shared.store.rest(ChallengeCooldown { until, ..rest });
        }
        if !self.supervisor.is_empty() || self.tournaments.seats(now) > 0 {
            self.opponent_picker.busy(now);
        }
        // Whoever came in the meantime has all of us, and a person at once.
        let is_out_of_place =
            |id: &GameId| self.supervisor.has_other_than(id) || self.seats_for_bots(Some(id), now) == 0;
        if self.challenge_queue.has_person() || self.opponent_picker.pending().is_some_and(is_out_of_place) {
            self.withdraw();
        }
        let is_free = self.is_free(now);
        let is_due = self
            .opponent_picker
            .is_due(&self.options.borrow().matchmaking, now);
        let may_ask = is_free && self.client.silence(EndpointClass::Invite).is_none();
        self.opponent_picker.looked(may_ask.then_some(now));
        if may_ask && is_due {
            self.opponent_picker.asks(now, epoch());
            self.call(|client| async move { Completion::Online(client.online_bots(ONLINE).await) });
        }
    }

    /// Whether nobody plays or is about to, and a bot may.
    fn is_free(&self, now: Millis) -> bool {
        self.supervisor.is_empty()
            && self.challenge_queue.reserved_for() == 0
            && !self.is_closing()
            && self.seats_for_bots(None, now) > 0
    }

    /// When [`court`](Self::court) may have something to do.
    pub(super) fn next_challenge_at(&self) -> Option<Millis> {
        let now = self.now();
        let is_free = self.is_free(now);
        let silence = self.client.silence(EndpointClass::Invite);
        let allowed = silence.map_or(Millis::ZERO, |silence| now + silence);
        let options = self.options.borrow();
        let looks_at = self.opponent_picker.looks_at(&options.matchmaking, allowed);
        looks_at.filter(|_| is_free)
    }

    /// The bots that are online, or not.
    pub(super) fn met(&mut self, online: Result<Vec<Account>, CallError>) {
        let now = self.now();
        let is_free = self.is_free(now);
        let chosen = match online {
            Ok(online) if is_free => {
                let wish = self.options.borrow().matchmaking.clone();
                self.choose(&wish, &online, now)
            }
            Ok(_) => None,
            Err(error) => {
                self.record_rate_limit(EndpointClass::Read, &error);
                debug!("nobody to challenge: {error}");
                None
            }
        };
        let Some((user, invitation)) = chosen else {
            return self.opponent_picker.gives_up();
        };
        info!("challenging {user}");
        self.call(|client| async move {
            let answer = client.invite_and_wait(&user, &invitation).await;
            Completion::Invited(user, answer)
        });
    }

    /// Chooses among the bots that are online one whom the rules would not decline.
    fn choose(
        &mut self,
        wish: &Matchmaking,
        online: &[Account],
        now: Millis,
    ) -> Option<(UserId, ChallengeRequest)> {
        let plan = ChallengeProposal::draw(wish, &mut self.rng)?;
        let rules = Arc::clone(&self.options.borrow().rules);
        let is_welcome = |account: &&Account| {
            let facts = RuleContext::of_plan(account, plan, &self.local_context(Some(&account.id), false));
            !matches!(rules::rule_on(&rules, &facts).then, Action::Decline(_))
        };
        let others: Vec<&Account> = online
            .iter()
            .filter(|account| account.is_bot() && !account.disabled && account.id != self.shared.me)
            .collect();
        let welcome: Vec<&Account> = others.iter().copied().filter(is_welcome).collect();
        if welcome.is_empty() && !others.is_empty() {
            info!(
                "nobody is challenged: the rules would decline each of {} bots",
                others.len()
            );
        }
        let ratings = Arc::clone(&self.shared.ratings.borrow());
        self.opponent_picker
            .choose(wish, plan, &welcome, &ratings, now, &mut self.rng)
    }

    /// A challenge of ours is out, or not.
    pub(super) fn on_challenge_sent(
        &mut self,
        user: UserId,
        answer: Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError>,
    ) {
        let now = self.now();
        match answer {
            Ok((challenge, lines)) => {
                let is_wanted = self.opponent_picker.sent(challenge.id.clone(), user.clone());
                self.wait_for_fate(challenge.id.clone(), lines, is_wanted);
                if self.opponent_picker.is_done_for_today() {
                    info!("these were the challenges of the day: the next goes out after midnight UTC");
                }
                let record = ChallengeRecord {
                    id: challenge.id.clone(),
                    at: epoch(),
                    opponent: Some(user.clone()),
                    verdict: "sent".to_owned(),
                    rule: "matchmaking".to_owned(),
                    sent: true,
                    game: Some(rules::what(&challenge)),
                    repeats: None,
                };
                self.shared.store.challenge(record.clone());
                self.open_challenges.note(record);
                if self.supervisor.has(&challenge.id) {
                    self.record_outcome(&challenge.id, "accepted");
                    return self.opponent_picker.accepted(&challenge.id, now);
                }
                // Since it was sent, somebody may have taken the seat.
                if self.is_closing() || self.seats_for_bots(None, now) == 0 {
                    return self.withdraw();
                }
                let who = QueuedChallenge {
                    id: challenge.id,
                    opponent: Some(user),
                    is_human: false,
                    is_rematch: false,
                    patience: self.options.borrow().answer,
                };
                self.challenge_queue.reserve(who, now);
            }
            Err(error) => {
                self.record_rate_limit(EndpointClass::Invite, &error);
                info!("{user} cannot be challenged: {error}");
                match &error {
                    // A limit of ours says nothing about whom we asked.
                    CallError::RateLimited { .. } => self.opponent_picker.gives_up(),
                    CallError::Rejected {
                        ratelimit: Some(limit),
                        ..
                    } => self
                        .opponent_picker
                        .avoid(user, now, Some(Millis::from_secs(limit.seconds))),
                    _ => self.opponent_picker.avoid(user, now, None),
                }
            }
        }
    }

    /// Holds the stream that keeps a challenge alive. It ends by itself once the challenge is decided, and is let go when
    /// the challenge is to be taken back.
    fn wait_for_fate(
        &self,
        id: GameId,
        mut lines: NdjsonStream<ChallengeOutcome>,
        is_wanted: CancellationToken,
    ) {
        self.call(move |_| async move {
            let waiting = async {
                while let Ok(line) = lines.next().await {
                    if let Ok(ChallengeOutcome::Done(done)) = line {
                        return Some(done);
                    }
                }
                None
            };
            let waiting = is_wanted.run_until_cancelled(timeout(HELD.into(), waiting));
            let done = waiting.await.and_then(Result::ok).flatten();
            Completion::Decided(id, done)
        });
    }

    /// A challenge of ours is decided, or its stream has ended. Games come by the event stream.
    pub(super) fn on_challenge_answered(&mut self, id: &GameId, done: Option<ChallengeDone>) {
        match done {
            Some(ChallengeDone::Declined) => self.on_challenge_failed(id, "declined"),
            // The news of the game may get lost, and its clock runs.
            Some(ChallengeDone::Accepted) if !self.supervisor.has(id) => self.list_games(),
            _ => {}
        }
    }

    /// A challenge came to nothing, whoever sent it.
    pub(super) fn on_challenge_failed(&mut self, id: &GameId, verdict: &str) {
        let now = self.now();
        self.record_outcome(id, verdict);
        self.opponent_picker.refused(id, now);
        self.challenge_queue.cancel(id);
    }

    /// Takes the challenge back that is out, so that its seat is free.
    pub(super) fn withdraw(&mut self) {
        if let Some(id) = self.opponent_picker.withdraw() {
            self.record_outcome(&id, "taken back");
            self.challenge_queue.failed(&id);
            self.withdraw_challenge(id, patience());
        }
    }

    /// Nobody answered a challenge of ours, as far as we have heard. If it became a game after all, taking it back would
    /// abort that game: so the running games are asked for first.
    pub(super) fn unanswered(&mut self, id: GameId) {
        let now = self.now();
        self.record_outcome(&id, "no answer");
        self.opponent_picker.refused(&id, now);
        self.call(|client| async move { Completion::Lapsed(id, client.playing().await) });
    }

    /// The running games are known, after nobody answered a challenge of ours.
    pub(super) fn on_challenge_expired(&mut self, id: GameId, listed: Result<NowPlaying, CallError>) {
        match listed {
            Ok(list) => {
                self.on_ongoing_games(&list);
                if !self.supervisor.has(&id) {
                    self.withdraw_challenge(id, patience());
                }
            }
            // The challenge ends with its stream, or is a game that will be found.
            Err(error) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                debug!("challenge {id}: {error}");
                self.list_games();
            }
        }
    }

    fn withdraw_challenge(&mut self, id: GameId, patience: Backoff) {
        self.opponent_picker.takes_back();
        self.call(move |client| async move {
            let answer = client.cancel(&id).await;
            Completion::Cancelled(id, patience, answer)
        });
    }

    /// A challenge was taken back, or nobody heard of it: then that is said again, as whoever accepts it would sit alone.
    /// If it has become a game by then it stays one.
    pub(super) fn on_challenge_withdrawn(
        &mut self,
        id: GameId,
        mut patience: Backoff,
        answer: Result<(), CallError>,
    ) {
        let Err(error) = answer else {
            return self.opponent_picker.has_taken_back();
        };
        self.record_rate_limit(EndpointClass::Challenge, &error);
        debug!("challenge {id}: {error}");
        if !matches!(error, CallError::Transient { .. }) || patience.failures() >= MOST {
            return self.opponent_picker.has_taken_back();
        }
        let pause = patience.next(&mut self.rng);
        self.call(move |_| async move {
            sleep(pause.into()).await;
            Completion::Uncancelled(id, patience)
        });
    }

    /// A challenge is still to be taken back.
    pub(super) fn retry_withdrawal(&mut self, id: GameId, patience: Backoff) {
        self.opponent_picker.has_taken_back();
        if !self.supervisor.has(&id) {
            self.withdraw_challenge(id, patience);
        }
    }
}

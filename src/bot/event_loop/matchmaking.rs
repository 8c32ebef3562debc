//! Event loop: matchmaking calls. [`OpponentPicker`](crate::bot::matchmaking::opponent_picker::OpponentPicker) decides whom to
//! challenge and when.

use std::sync::Arc;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use crate::bot::{
    challenges::{queue::QueuedChallenge, rule_context::RuleContext, rules},
    event_loop::{EventLoop, completion::Completion},
    game_task::RematchOffer,
    matchmaking::opponent_picker::ChallengeProposal,
    server::retry_call::{MOST, patience},
    wall_clock::epoch,
};
use crate::{
    config::{Action, Config},
    store::{ChallengeCooldown, ChallengeRecord},
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, ChallengeOutcome, NdjsonStream,
    model::{Account, Challenge, ChallengeDone, ChallengeRequest, GameId, NowPlaying, UserId},
    retry::{Backoff, EndpointClass},
};

/// How many online bots are asked for: the most that lichess lists, since their order means nothing.
const ONLINE: u32 = 512;
/// The stream of a challenge is kept open no longer: the challenge is withdrawn before.
const STREAM_LIMIT: Millis = Millis::from_secs(90);

impl EventLoop {
    /// Challenges a bot when no game runs, and withdraws our challenge when somebody else comes.
    pub(super) fn maybe_challenge(&mut self, now: Millis) {
        for cooldown in self.opponent_picker.take_changes() {
            let until = epoch() + (cooldown.until - now);
            self.context
                .store
                .cooldown(ChallengeCooldown { until, ..cooldown });
        }
        if !self.supervisor.is_empty() || self.tournaments.reserved_slots(now) > 0 {
            self.opponent_picker.reset_idle(now);
        }
        // A game that began meanwhile takes our slot, and a person takes it before that.
        let lost_its_slot =
            |id: &GameId| self.supervisor.has_other_than(id) || self.seats_for_bots(Some(id), now) == 0;
        if self.challenge_queue.has_person() || self.opponent_picker.pending().is_some_and(lost_its_slot) {
            self.withdraw();
        }
        let is_free = self.is_free(now);
        let is_due = self
            .opponent_picker
            .is_due(&self.options.borrow().config.matchmaking, now);
        let may_ask = is_free && self.client.blocked_for(EndpointClass::Invite).is_none();
        self.opponent_picker.record_poll(may_ask.then_some(now));
        if may_ask && is_due {
            self.opponent_picker.begin_request(now, epoch());
            self.call(|client| async move { Completion::OnlineBots(client.online_bots(ONLINE).await) });
        }
    }

    /// Whether no game runs or is about to, and a bot may take a slot.
    fn is_free(&self, now: Millis) -> bool {
        self.supervisor.is_empty()
            && self.challenge_queue.reserved_for() == 0
            && !self.is_closing()
            && self.seats_for_bots(None, now) > 0
    }

    /// When [`maybe_challenge`](Self::maybe_challenge) may have something to do.
    pub(super) fn next_challenge_at(&self) -> Option<Millis> {
        let now = self.now();
        let is_free = self.is_free(now);
        let silence = self.client.blocked_for(EndpointClass::Invite);
        let allowed = silence.map_or(Millis::ZERO, |silence| now + silence);
        let options = self.options.borrow();
        let looks_at = self
            .opponent_picker
            .next_deadline(&options.config.matchmaking, allowed);
        looks_at.filter(|_| is_free)
    }

    /// Handles the list of online bots: challenges one of them.
    pub(super) fn on_online_bots(&mut self, online: Result<Vec<Account>, CallError>) {
        let now = self.now();
        let is_free = self.is_free(now);
        let chosen = match online {
            Ok(online) if is_free => {
                let config = Arc::clone(&self.options.borrow().config);
                self.choose(&config, &online, now)
            }
            Ok(_) => None,
            Err(error) => {
                self.record_rate_limit(EndpointClass::Read, &error);
                debug!("nobody to challenge: {error}");
                None
            }
        };
        let Some((user, request)) = chosen else {
            return self.opponent_picker.abandon_request();
        };
        info!("challenging {user}");
        self.call(|client| async move {
            let answer = client.create_challenge_and_wait(&user, &request).await;
            Completion::ChallengeSent(user, None, answer)
        });
    }

    /// Offers the opponent of a game a rematch. Not while a challenger waits, nor soon after a refusal.
    pub(super) fn offer_rematch(&mut self, repeats: GameId, offer: RematchOffer) {
        let now = self.now();
        let RematchOffer {
            opponent,
            is_bot,
            request,
        } = offer;
        let may_offer = self.options.borrow().config.matchmaking.rematches
            && self.is_free(now)
            && !self.challenge_queue.has_person()
            && !(is_bot && self.are_bots_closed())
            && self.client.blocked_for(EndpointClass::Invite).is_none()
            && self.opponent_picker.may_offer(&opponent, now);
        if !may_offer {
            return;
        }
        info!("offering {opponent} a rematch of {repeats}");
        self.opponent_picker.begin_request(now, epoch());
        self.call(|client| async move {
            let answer = client.create_challenge_and_wait(&opponent, &request).await;
            Completion::ChallengeSent(opponent, Some(repeats), answer)
        });
    }

    /// Chooses an online bot whose challenge the rules would not decline.
    fn choose(
        &mut self,
        config: &Config,
        online: &[Account],
        now: Millis,
    ) -> Option<(UserId, ChallengeRequest)> {
        let proposal = ChallengeProposal::draw(&config.matchmaking, &mut self.rng)?;
        let is_eligible = |account: &&Account| {
            let facts =
                RuleContext::of_plan(account, proposal, &self.local_context(Some(&account.id), false));
            !matches!(rules::rule_on(&config.rules, &facts).then, Action::Decline(_))
        };
        let others: Vec<&Account> = online
            .iter()
            .filter(|account| account.is_bot() && !account.disabled && account.id != self.context.me)
            .collect();
        let eligible: Vec<&Account> = others.iter().copied().filter(is_eligible).collect();
        if eligible.is_empty() && !others.is_empty() {
            info!(
                "nobody is challenged: the rules would decline each of {} bots",
                others.len()
            );
        }
        let ratings = Arc::clone(&self.context.ratings.borrow());
        self.opponent_picker.choose(
            &config.matchmaking,
            proposal,
            &eligible,
            &ratings,
            now,
            &mut self.rng,
        )
    }

    /// Handles the answer to a challenge that we sent.
    pub(super) fn on_challenge_sent(
        &mut self,
        user: UserId,
        repeats: Option<GameId>,
        answer: Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError>,
    ) {
        let now = self.now();
        match answer {
            Ok((challenge, lines)) => {
                let is_wanted = self.opponent_picker.sent(challenge.id.clone(), user.clone());
                self.keep_challenge_open(challenge.id.clone(), lines, is_wanted);
                if let Some(repeats) = &repeats {
                    self.rematches.asked(&challenge.id, repeats);
                }
                if self.opponent_picker.is_done_for_today() {
                    info!("today's challenges are sent: the next goes out after midnight UTC");
                }
                let record = ChallengeRecord {
                    id: challenge.id.clone(),
                    at: epoch(),
                    opponent: Some(user.clone()),
                    verdict: "sent".to_owned(),
                    rule: if repeats.is_some() {
                        "rematch"
                    } else {
                        "matchmaking"
                    }
                    .to_owned(),
                    sent: true,
                    game: Some(rules::what(&challenge)),
                    repeats,
                };
                self.context.store.challenge(record.clone());
                self.open_challenges.add(record);
                if self.supervisor.has(&challenge.id) {
                    self.record_outcome(&challenge.id, "accepted");
                    return self.opponent_picker.accepted(&challenge.id, now);
                }
                // The slot may have been taken since.
                if self.is_closing() || self.seats_for_bots(None, now) == 0 {
                    return self.withdraw();
                }
                let who = QueuedChallenge {
                    id: challenge.id,
                    opponent: Some(user),
                    is_human: false,
                    is_rematch: false,
                    patience: self.options.borrow().timing.challenge_timeout,
                };
                self.challenge_queue.reserve(who, now);
            }
            Err(error) => {
                self.record_rate_limit(EndpointClass::Invite, &error);
                info!("{user} cannot be challenged: {error}");
                match &error {
                    // A limit of ours says nothing about the opponent.
                    CallError::RateLimited { .. } => self.opponent_picker.abandon_request(),
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

    /// Reads the stream that keeps a challenge alive, until lichess ends it with the answer or the challenge is withdrawn.
    fn keep_challenge_open(
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
            let waiting = is_wanted.run_until_cancelled(timeout(STREAM_LIMIT.into(), waiting));
            let done = waiting.await.and_then(Result::ok).flatten();
            Completion::ChallengeAnswered(id, done)
        });
    }

    /// Handles the end of a challenge's stream. The game comes by the event stream.
    pub(super) fn on_challenge_answered(&mut self, id: &GameId, done: Option<ChallengeDone>) {
        match done {
            Some(ChallengeDone::Declined) => self.on_challenge_failed(id, "declined"),
            // Its gameStart may get lost, and its clock runs.
            Some(ChallengeDone::Accepted) if !self.supervisor.has(id) => self.list_games(),
            _ => {}
        }
    }

    /// Handles a challenge, ours or theirs, that led to no game.
    pub(super) fn on_challenge_failed(&mut self, id: &GameId, verdict: &str) {
        let now = self.now();
        self.record_outcome(id, verdict);
        self.opponent_picker.refused(id, now);
        self.challenge_queue.cancel(id);
    }

    /// Withdraws our pending challenge and frees its slot.
    pub(super) fn withdraw(&mut self) {
        if let Some(id) = self.opponent_picker.take_pending() {
            self.record_outcome(&id, "taken back");
            self.challenge_queue.failed(&id);
            self.withdraw_challenge(id, patience());
        }
    }

    /// Handles a challenge of ours without an answer in time. Withdrawing one that did become a game would abort the game, so
    /// the running games are polled first.
    pub(super) fn on_no_answer(&mut self, id: GameId) {
        let now = self.now();
        self.record_outcome(&id, "no answer");
        self.opponent_picker.refused(&id, now);
        self.call(|client| async move { Completion::ExpiryChecked(id, client.ongoing_games().await) });
    }

    /// Handles the running games after a challenge of ours had no answer.
    pub(super) fn on_challenge_expired(&mut self, id: GameId, listed: Result<NowPlaying, CallError>) {
        match listed {
            Ok(list) => {
                self.on_ongoing_games(&list);
                if !self.supervisor.has(&id) {
                    self.withdraw_challenge(id, patience());
                }
            }
            // The challenge ends with its stream, or is a game that the poll finds.
            Err(error) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                debug!("challenge {id}: {error}");
                self.list_games();
            }
        }
    }

    fn withdraw_challenge(&mut self, id: GameId, backoff: Backoff) {
        self.opponent_picker.begin_withdrawal();
        self.call(move |client| async move {
            let answer = client.cancel(&id).await;
            Completion::ChallengeWithdrawn(id, backoff, answer)
        });
    }

    /// Handles the answer to a withdrawal, and retries one that may not have arrived: whoever accepts the challenge would wait
    /// alone. If it has become a game by then, it stays one.
    pub(super) fn on_challenge_withdrawn(
        &mut self,
        id: GameId,
        mut backoff: Backoff,
        answer: Result<(), CallError>,
    ) {
        let Err(error) = answer else {
            return self.opponent_picker.end_withdrawal();
        };
        self.record_rate_limit(EndpointClass::Challenge, &error);
        debug!("challenge {id}: {error}");
        if !matches!(error, CallError::Transient { .. }) || backoff.failures() >= MOST {
            return self.opponent_picker.end_withdrawal();
        }
        let pause = backoff.next(&mut self.rng);
        self.call(move |_| async move {
            sleep(pause.into()).await;
            Completion::WithdrawalRetryDue(id, backoff)
        });
    }

    /// Withdraws a challenge once more.
    pub(super) fn retry_withdrawal(&mut self, id: GameId, backoff: Backoff) {
        self.opponent_picker.end_withdrawal();
        if !self.supervisor.has(&id) {
            self.withdraw_challenge(id, backoff);
        }
    }
}

//! Event loop: results of API calls, and game tasks that have ended.

use std::{collections::BTreeSet, sync::Arc};

use tokio::time::sleep;
use tracing::{debug, info, warn};

use crate::bot::{
    challenges::rule_context,
    event_loop::{EventLoop, completion::Completion},
    game_task::{TaskOutcome, TaskSettings},
    games::{retry, supervisor::TaskExit},
    server::login::DaemonError,
    wall_clock::epoch,
};
use sparring_lichess::{
    CallError,
    model::{GameEventInfo, GameId, NowPlaying},
    retry::EndpointClass,
};

/// lichess lists at most so many running games: others may run beyond them.
const LISTED_GAMES: usize = 50;

impl EventLoop {
    /// Handles the result of a call.
    pub(super) fn on_completion(&mut self, completion: Completion) {
        if matches!(completion.error(), Some(CallError::Unauthorized { .. })) {
            self.check_token();
        }
        match completion {
            Completion::Accepted(id, answer) => self.on_accepted(id, answer),
            Completion::AcceptChecked(id, listed) => self.on_accept_checked(id, listed),
            Completion::Declined(id, reason, Err(error)) => {
                self.record_rate_limit(EndpointClass::Challenge, &error);
                debug!("challenge {id}: {error}");
                if matches!(error, CallError::RateLimited { .. }) {
                    self.challenge_queue.decline_again(id, reason);
                }
            }
            Completion::Declined(_, _, Ok(())) | Completion::Resigned(Ok(())) => {}
            Completion::OngoingGames(Ok(list)) => {
                self.ongoing_poll.on_answer();
                self.on_ongoing_games(&list);
            }
            Completion::Account(Ok(account)) => {
                self.context
                    .ratings
                    .send_replace(Arc::new(rule_context::ratings(&account)));
            }
            Completion::Account(Err(error)) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                debug!("my ratings stay as they were: {error}");
            }
            Completion::TokenChecked(checked) => self.on_token_checked(checked),
            Completion::OngoingGames(Err(error)) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                let now = self.now();
                let tries = self.ongoing_poll.failed(&error, now, &mut self.rng);
                // The event stream warns of an outage, and does not repeat itself each minute.
                if self.status.borrow().is_listening && tries.is_power_of_two() {
                    warn!("{error}");
                } else {
                    debug!("{error}");
                }
            }
            Completion::Resigned(Err(error)) => {
                self.record_rate_limit(EndpointClass::Command, &error);
                warn!("{error}");
            }
            Completion::RetryDue(settings) => {
                self.supervisor.start(TaskSettings {
                    adopted: true,
                    ..*settings
                });
                self.publish_status();
            }
            Completion::OnlineBots(online) => self.on_online_bots(online),
            Completion::ChallengeSent(user, repeats, answer) => self.on_challenge_sent(user, repeats, answer),
            Completion::ChallengeAnswered(id, done) => self.on_challenge_answered(&id, done),
            Completion::ExpiryChecked(id, listed) => self.on_challenge_expired(id, listed),
            Completion::ChallengeWithdrawn(id, patience, answer) => {
                self.on_challenge_withdrawn(id, patience, answer)
            }
            Completion::WithdrawalRetryDue(id, backoff) => self.retry_withdrawal(id, backoff),
            Completion::TournamentsListed(seen) => self.on_tournaments_listed(seen),
            Completion::TournamentJoined(id, answer) => self.on_tournament_joined(&id, answer),
            Completion::TournamentLeft(answer) => {
                self.tournaments.end_leaving();
                if let Err(error) = answer {
                    self.record_rate_limit(EndpointClass::Command, &error);
                    warn!("{error}");
                }
            }
        }
    }

    fn on_token_checked(&mut self, checked: Result<Result<(), DaemonError>, CallError>) {
        self.token_check_pending = false;
        match checked {
            Ok(Ok(())) => debug!("the token is good all the same"),
            Ok(Err(exit)) => self.exit = Some(exit),
            Err(CallError::Unauthorized { .. }) => self.exit = Some(DaemonError::UnknownToken),
            Err(error) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                warn!("{error}");
            }
        }
    }

    /// Handles the list of running games: starts those without a task, and asks once for the result of parked games that
    /// run no more.
    pub(super) fn on_ongoing_games(&mut self, list: &NowPlaying) {
        let running: BTreeSet<&GameId> = list.now_playing.iter().filter_map(GameEventInfo::game).collect();
        let now = self.now();
        let ended = |id: &&GameId| {
            running.len() < LISTED_GAMES && !running.contains(*id) && self.retries.allows(id, now)
        };
        let over: Vec<GameId> = self.parked.keys().filter(ended).cloned().collect();
        self.unlisted.retain(|id| !running.contains(id));
        for game in &list.now_playing {
            self.start(game);
        }
        for id in over {
            self.parked.remove(&id);
            self.unlisted.insert(id.clone());
            self.start(&GameEventInfo::of(id));
        }
    }

    /// Handles the end of a game's task.
    pub(super) fn on_game_ended(&mut self, settings: TaskSettings, exit: TaskExit) {
        let (id, opponent) = (&settings.id, settings.opponent.clone());
        if !matches!(exit, TaskExit::Revived(_)) {
            let now = self.now();
            self.tournaments.game_ended(id, now);
        }
        let was_unlisted = !self.supervisor.has(id) && self.unlisted.remove(id);
        match exit {
            TaskExit::With(TaskOutcome::Ended(rematch)) => {
                if let Some(offer) = rematch {
                    self.offer_rematch(id.clone(), *offer);
                }
            }
            TaskExit::With(TaskOutcome::Left) => {}
            TaskExit::With(TaskOutcome::Asleep) => {
                self.parked.insert(id.clone(), opponent);
            }
            TaskExit::With(TaskOutcome::Unseen) => {
                debug!("{id} has ended; its result is asked for");
                self.parked.insert(id.clone(), opponent);
                self.list_games();
            }
            TaskExit::With(TaskOutcome::Unplayable(error)) => warn!("{id} was given up: {error}"),
            TaskExit::With(TaskOutcome::Refused(error)) if error.is_not_found() && was_unlisted => {
                self.forget(&settings)
            }
            TaskExit::With(TaskOutcome::Refused(error)) => {
                warn!("{id}: {error}");
                let id = id.clone();
                if !self.retry_later(settings) && error.is_not_found() {
                    // If it is not listed either, its result is asked for once more.
                    self.parked.insert(id, opponent);
                }
            }
            TaskExit::With(TaskOutcome::Unauthorized(error)) => {
                warn!("{id}: {error}");
                self.check_token();
                // If the token is good after all, the game is still there.
                self.retry_later(settings);
            }
            TaskExit::Revived(why) => warn!("{id}: its task panicked and is restarted: {why}"),
            TaskExit::Lost(why) => {
                warn!("{id}: its task panicked again, so the game is resigned: {why}");
                let id = id.clone();
                self.call(|client| async move { Completion::Resigned(client.resign(&id).await) });
            }
        }
        self.publish_status();
    }

    /// Records a game as aborted that lichess neither lists nor knows: it deletes games without moves. Later runs do not ask
    /// for it either.
    fn forget(&mut self, settings: &TaskSettings) {
        info!(
            "{} is not known to the server any more: it is kept as aborted",
            settings.id
        );
        self.context.game_flags.forget(&settings.id);
        if self.context.finished_games.insert(&settings.id) {
            self.context.metrics.game_ended("void");
        }
        self.context.store.forgotten(settings.id.clone(), epoch());
    }

    /// Schedules a retry of a game whose stream the server refused: once unconditionally, then only while the game is
    /// listed. Returns whether this is the unconditional one.
    fn retry_later(&mut self, settings: TaskSettings) -> bool {
        let now = self.now();
        let wait = self.retries.record(&settings.id, now);
        let is_first = wait == retry::FIRST;
        if is_first {
            self.call(|_| async move {
                sleep(wait.into()).await;
                Completion::RetryDue(Box::new(settings))
            });
        }
        is_first
    }
}

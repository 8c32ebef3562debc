//! What comes back to the desk: answers to calls that it did not wait for, and games that have ended.

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

/// lichess lists no more running games than this: those beyond may still run.
const LISTED: usize = 50;

impl EventLoop {
    /// Takes in what came of a call.
    pub(super) fn on_completion(&mut self, errand: Completion) {
        if matches!(errand.error(), Some(CallError::Unauthorized { .. })) {
            self.check_token();
        }
        match errand {
            Completion::Accepted(id, answer) => self.accepted(id, answer),
            Completion::Doubted(id, listed) => self.doubted(id, listed),
            Completion::Declined(id, reason, Err(error)) => {
                self.record_rate_limit(EndpointClass::Challenge, &error);
                debug!("challenge {id}: {error}");
                if matches!(error, CallError::RateLimited { .. }) {
                    self.challenge_queue.refuse_again(id, reason);
                }
            }
            Completion::Declined(_, _, Ok(())) | Completion::Resigned(Ok(())) => {}
            Completion::Listed(Ok(list)) => {
                self.ongoing_poll.answered();
                self.on_ongoing_games(&list);
            }
            Completion::Account(Ok(account)) => {
                self.shared
                    .ratings
                    .send_replace(Arc::new(rule_context::ratings(&account)));
            }
            Completion::Account(Err(error)) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                debug!("my ratings stay as they were: {error}");
            }
            Completion::Checked(checked) => self.on_token_checked(checked),
            Completion::Listed(Err(error)) => {
                self.record_rate_limit(EndpointClass::Account, &error);
                let now = self.now();
                let tries = self.ongoing_poll.failed(&error, now, &mut self.rng);
                // An outage is told of by the event stream, which does not repeat itself each minute.
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
            Completion::Retried(setup) => {
                self.supervisor.start(TaskSettings {
                    adopted: true,
                    ..*setup
                });
                self.publish_status();
            }
            Completion::Online(online) => self.met(online),
            Completion::Invited(user, answer) => self.on_challenge_sent(user, answer),
            Completion::Decided(id, done) => self.on_challenge_answered(&id, done),
            Completion::Lapsed(id, listed) => self.on_challenge_expired(id, listed),
            Completion::Cancelled(id, patience, answer) => self.on_challenge_withdrawn(id, patience, answer),
            Completion::Uncancelled(id, patience) => self.retry_withdrawal(id, patience),
            Completion::Seen(seen) => self.on_tournaments_listed(seen),
            Completion::Joined(id, answer) => self.on_tournament_joined(&id, answer),
            Completion::Withdrawn(answer) => {
                self.tournaments.left();
                if let Err(error) = answer {
                    self.record_rate_limit(EndpointClass::Command, &error);
                    warn!("{error}");
                }
            }
        }
    }

    /// The token was looked at.
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

    /// The games that run: those of which nobody has heard are played, and those that sleep and run no more are looked at
    /// once for their end.
    pub(super) fn on_ongoing_games(&mut self, list: &NowPlaying) {
        let running: BTreeSet<&GameId> = list.now_playing.iter().filter_map(GameEventInfo::game).collect();
        let now = self.now();
        let ended =
            |id: &&GameId| running.len() < LISTED && !running.contains(*id) && self.retries.allows(id, now);
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

    /// The task of a game has ended.
    pub(super) fn on_game_ended(&mut self, setup: TaskSettings, done: TaskExit) {
        let (id, opponent) = (&setup.id, setup.opponent.clone());
        if !matches!(done, TaskExit::Revived(_)) {
            let now = self.now();
            self.tournaments.ended(id, now);
        }
        let was_unlisted = !self.supervisor.has(id) && self.unlisted.remove(id);
        match done {
            TaskExit::With(TaskOutcome::Ended | TaskOutcome::Left) => {}
            TaskExit::With(TaskOutcome::Asleep) => {
                self.parked.insert(id.clone(), opponent);
            }
            TaskExit::With(TaskOutcome::Unseen) => {
                debug!("{id} has ended, and how is looked for");
                self.parked.insert(id.clone(), opponent);
                self.list_games();
            }
            TaskExit::With(TaskOutcome::Unplayable(error)) => warn!("{id} was given up: {error}"),
            TaskExit::With(TaskOutcome::Refused(error)) if error.is_unknown() && was_unlisted => {
                self.forget(&setup)
            }
            TaskExit::With(TaskOutcome::Refused(error)) => {
                warn!("{id}: {error}");
                let id = id.clone();
                if !self.retry_later(setup) && error.is_unknown() {
                    // If it is not listed either, it is looked at once more.
                    self.parked.insert(id, opponent);
                }
            }
            TaskExit::With(TaskOutcome::Unauthorized(error)) => {
                warn!("{id}: {error}");
                self.check_token();
                // If the token is good after all, the game is still there.
                self.retry_later(setup);
            }
            TaskExit::Revived(why) => warn!("{id} fell over and is resumed: {why}"),
            TaskExit::Lost(why) => {
                warn!("{id} fell over again and is resigned: {why}");
                let id = id.clone();
                self.call(|client| async move { Completion::Resigned(client.resign(&id).await) });
            }
        }
        self.publish_status();
    }

    /// The server neither lists a game nor knows it: lichess deletes games that nobody has played. It is not asked for again,
    /// in later runs neither.
    fn forget(&mut self, setup: &TaskSettings) {
        info!(
            "{} is not known to the server any more: it is kept as aborted",
            setup.id
        );
        self.shared.game_flags.forget(&setup.id);
        if self.shared.finished_games.note(&setup.id) {
            self.shared.metrics.game_ended("void");
        }
        self.shared.store.forgotten(setup.id.clone(), epoch());
    }

    /// The server would not let us play a game. One refusal may be its own mistake, and the list may fail as well: so the
    /// game is tried once without it, and after that only as long as it is listed. Says whether it is tried without.
    fn retry_later(&mut self, setup: TaskSettings) -> bool {
        let now = self.now();
        let wait = self.retries.record(&setup.id, now);
        let is_first = wait == retry::FIRST;
        if is_first {
            self.call(|_| async move {
                sleep(wait.into()).await;
                Completion::Retried(Box::new(setup))
            });
        }
        is_first
    }
}

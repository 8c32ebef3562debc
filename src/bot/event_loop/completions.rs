//! What comes back to the desk: answers to calls that it did not wait for, and games that have ended.

use std::{collections::BTreeSet, sync::Arc};

use tokio::time::sleep;
use tracing::{debug, info, warn};

use crate::bot::{
    challenges::rule_context,
    event_loop::{EventLoop, epoch},
    game_task::{Setup, TaskOutcome},
    games::{retry, supervisor::TaskExit},
    server::login::DaemonError,
    tournaments::calls::TournamentSnapshot,
};
use sparring_lichess::{
    CallError, ChallengeOutcome, NdjsonStream,
    model::{
        Account, ArenaId, Challenge, ChallengeDone, DeclineReason, GameEventInfo, GameId, NowPlaying, UserId,
    },
    retry::{Backoff, EndpointClass},
};

/// lichess lists no more running games than this: those beyond may still run.
const LISTED: usize = 50;

/// The end of a call that the daemon did not wait for.
pub(in crate::bot) enum Completion {
    Accepted(GameId, Result<(), CallError>),
    Doubted(GameId, Result<NowPlaying, CallError>),
    Declined(GameId, DeclineReason, Result<(), CallError>),
    Listed(Result<NowPlaying, CallError>),
    Account(Result<Account, CallError>),
    Checked(Result<Result<(), DaemonError>, CallError>),
    Resigned(Result<(), CallError>),
    Retried(Box<Setup>),
    Online(Result<Vec<Account>, CallError>),
    Invited(
        UserId,
        Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError>,
    ),
    Decided(GameId, Option<ChallengeDone>),
    Lapsed(GameId, Result<NowPlaying, CallError>),
    Cancelled(GameId, Backoff, Result<(), CallError>),
    Uncancelled(GameId, Backoff),
    Seen(TournamentSnapshot),
    Joined(ArenaId, Result<(), CallError>),
    Withdrawn(Result<(), CallError>),
}

impl Completion {
    /// Why the call failed, if it did. The check of the token judges for itself.
    fn error(&self) -> Option<&CallError> {
        match self {
            Self::Accepted(_, answer)
            | Self::Declined(_, _, answer)
            | Self::Resigned(answer)
            | Self::Cancelled(_, _, answer)
            | Self::Joined(_, answer)
            | Self::Withdrawn(answer) => answer.as_ref().err(),
            Self::Listed(answer) | Self::Doubted(_, answer) | Self::Lapsed(_, answer) => {
                answer.as_ref().err()
            }
            Self::Account(answer) => answer.as_ref().err(),
            Self::Online(answer) => answer.as_ref().err(),
            Self::Invited(_, answer) => answer.as_ref().err(),
            Self::Checked(_)
            | Self::Retried(_)
            | Self::Decided(..)
            | Self::Uncancelled(..)
            | Self::Seen(_) => None,
        }
    }
}

impl EventLoop {
    /// Takes in what came of a call.
    pub(in crate::bot) fn settle(&mut self, errand: Completion) {
        if matches!(errand.error(), Some(CallError::Unauthorized { .. })) {
            self.check_token();
        }
        match errand {
            Completion::Accepted(id, answer) => self.accepted(id, answer),
            Completion::Doubted(id, listed) => self.doubted(id, listed),
            Completion::Declined(id, reason, Err(error)) => {
                self.note_limit(EndpointClass::Challenge, &error);
                debug!("challenge {id}: {error}");
                if matches!(error, CallError::RateLimited { .. }) {
                    self.intake.refuse_again(id, reason);
                }
            }
            Completion::Declined(_, _, Ok(())) | Completion::Resigned(Ok(())) => {}
            Completion::Listed(Ok(list)) => {
                self.listing.answered();
                self.take_list(&list);
            }
            Completion::Account(Ok(account)) => {
                self.shared
                    .ratings
                    .send_replace(Arc::new(rule_context::ratings(&account)));
            }
            Completion::Account(Err(error)) => {
                self.note_limit(EndpointClass::Account, &error);
                debug!("my ratings stay as they were: {error}");
            }
            Completion::Checked(checked) => self.checked(checked),
            Completion::Listed(Err(error)) => {
                self.note_limit(EndpointClass::Account, &error);
                let now = self.now();
                let tries = self.listing.failed(&error, now, &mut self.rng);
                // An outage is told of by the event stream, which does not repeat itself each minute.
                if self.status.borrow().is_listening && tries.is_power_of_two() {
                    warn!("{error}");
                } else {
                    debug!("{error}");
                }
            }
            Completion::Resigned(Err(error)) => {
                self.note_limit(EndpointClass::Command, &error);
                warn!("{error}");
            }
            Completion::Retried(setup) => {
                self.registry.start(Setup {
                    adopted: true,
                    ..*setup
                });
                self.show();
            }
            Completion::Online(online) => self.met(online),
            Completion::Invited(user, answer) => self.invited(user, answer),
            Completion::Decided(id, done) => self.decided(&id, done),
            Completion::Lapsed(id, listed) => self.lapsed(id, listed),
            Completion::Cancelled(id, patience, answer) => self.taken_back(id, patience, answer),
            Completion::Uncancelled(id, patience) => self.take_back_again(id, patience),
            Completion::Seen(seen) => self.seen(seen),
            Completion::Joined(id, answer) => self.joined(&id, answer),
            Completion::Withdrawn(answer) => {
                self.arenas.left();
                if let Err(error) = answer {
                    self.note_limit(EndpointClass::Command, &error);
                    warn!("{error}");
                }
            }
        }
    }

    /// The token was looked at.
    fn checked(&mut self, checked: Result<Result<(), DaemonError>, CallError>) {
        self.is_checking = false;
        match checked {
            Ok(Ok(())) => debug!("the token is good all the same"),
            Ok(Err(exit)) => self.exit = Some(exit),
            Err(CallError::Unauthorized { .. }) => self.exit = Some(DaemonError::UnknownToken),
            Err(error) => {
                self.note_limit(EndpointClass::Account, &error);
                warn!("{error}");
            }
        }
    }

    /// The games that run: those of which nobody has heard are played, and those that sleep and run no more are looked at
    /// once for their end.
    pub(in crate::bot) fn take_list(&mut self, list: &NowPlaying) {
        let running: BTreeSet<&GameId> = list.now_playing.iter().filter_map(GameEventInfo::game).collect();
        let now = self.now();
        let ended =
            |id: &&GameId| running.len() < LISTED && !running.contains(*id) && self.setbacks.allows(id, now);
        let over: Vec<GameId> = self.asleep.keys().filter(ended).cloned().collect();
        self.unlisted.retain(|id| !running.contains(id));
        for game in &list.now_playing {
            self.start(game);
        }
        for id in over {
            self.asleep.remove(&id);
            self.unlisted.insert(id.clone());
            self.start(&GameEventInfo::of(id));
        }
    }

    /// The task of a game has ended.
    pub(in crate::bot) fn game_done(&mut self, setup: Setup, done: TaskExit) {
        let (id, opponent) = (&setup.id, setup.opponent.clone());
        if !matches!(done, TaskExit::Revived(_)) {
            let now = self.now();
            self.arenas.ended(id, now);
        }
        let was_unlisted = !self.registry.has(id) && self.unlisted.remove(id);
        match done {
            TaskExit::With(TaskOutcome::Ended | TaskOutcome::Left) => {}
            TaskExit::With(TaskOutcome::Asleep) => {
                self.asleep.insert(id.clone(), opponent);
            }
            TaskExit::With(TaskOutcome::Unseen) => {
                debug!("{id} has ended, and how is looked for");
                self.asleep.insert(id.clone(), opponent);
                self.list_games();
            }
            TaskExit::With(TaskOutcome::Unplayable(error)) => warn!("{id} was given up: {error}"),
            TaskExit::With(TaskOutcome::Refused(error)) if error.is_unknown() && was_unlisted => {
                self.forget(&setup)
            }
            TaskExit::With(TaskOutcome::Refused(error)) => {
                warn!("{id}: {error}");
                let id = id.clone();
                if !self.set_back(setup) && error.is_unknown() {
                    // If it is not listed either, it is looked at once more.
                    self.asleep.insert(id, opponent);
                }
            }
            TaskExit::With(TaskOutcome::Unauthorized(error)) => {
                warn!("{id}: {error}");
                self.check_token();
                // If the token is good after all, the game is still there.
                self.set_back(setup);
            }
            TaskExit::Revived(why) => warn!("{id} fell over and is resumed: {why}"),
            TaskExit::Lost(why) => {
                warn!("{id} fell over again and is resigned: {why}");
                let id = id.clone();
                self.call(|client| async move { Completion::Resigned(client.resign(&id).await) });
            }
        }
        self.show();
    }

    /// The server neither lists a game nor knows it: lichess deletes games that nobody has played. It is not asked for again,
    /// in later runs neither.
    fn forget(&mut self, setup: &Setup) {
        info!(
            "{} is not known to the server any more: it is kept as aborted",
            setup.id
        );
        self.shared.favours.forget(&setup.id);
        if self.shared.endings.note(&setup.id) {
            self.shared.meters.game_ended("void");
        }
        self.shared.store.forgotten(setup.id.clone(), epoch());
    }

    /// The server would not let us play a game. One refusal may be its own mistake, and the list may fail as well: so the
    /// game is tried once without it, and after that only as long as it is listed. Says whether it is tried without.
    fn set_back(&mut self, setup: Setup) -> bool {
        let now = self.now();
        let wait = self.setbacks.note(&setup.id, now);
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

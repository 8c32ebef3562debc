//! What comes back to the desk: answers to calls that it did not wait for, and games that have ended.

use std::{collections::BTreeSet, sync::Arc};

use tracing::{debug, info, warn};

use super::{actor::Outcome, contest::Seen, desk::Desk, facts, login::Exit, registry::Done};
use crate::lichess::{
    CallError, Fate, Lines,
    model::{
        Account, ArenaId, Challenge, ChallengeDone, DeclineReason, GameId, GameInfo, NowPlaying, UserId,
    },
    retry::Class,
};

/// lichess lists no more running games than this: those beyond may still run.
const LISTED: usize = 50;

/// The end of a call that the daemon did not wait for.
pub(super) enum Errand {
    Accepted(GameId, Result<(), CallError>),
    Declined(GameId, DeclineReason, Result<(), CallError>),
    Listed(Result<NowPlaying, CallError>),
    Account(Result<Account, CallError>),
    Checked(Result<Result<(), Exit>, CallError>),
    Resigned(Result<(), CallError>),
    Online(Result<Vec<Account>, CallError>),
    Invited(UserId, Result<(Box<Challenge>, Lines<Fate>), CallError>),
    Decided(GameId, Option<ChallengeDone>),
    Lapsed(GameId, Result<NowPlaying, CallError>),
    Cancelled(GameId, Result<(), CallError>),
    Seen(Seen),
    Joined(ArenaId, Result<(), CallError>),
    Withdrawn(Result<(), CallError>),
}

impl Desk {
    /// Takes in what came of a call.
    pub(super) fn settle(&mut self, errand: Errand) {
        match errand {
            Errand::Accepted(id, Err(error)) => {
                self.note_limit(Class::Challenge, &error);
                info!("challenge {id}: {error}");
                match error {
                    // The game may come all the same: its seat stays promised for a while.
                    CallError::Transient { .. } => {}
                    CallError::RateLimited { .. } if !self.is_closing() => self.intake.postpone(&id),
                    _ => self.intake.failed(&id),
                }
            }
            Errand::Declined(id, reason, Err(error)) => {
                self.note_limit(Class::Challenge, &error);
                debug!("challenge {id}: {error}");
                if matches!(error, CallError::RateLimited { .. }) {
                    self.intake.refuse_again(id, reason);
                }
            }
            Errand::Accepted(_, Ok(())) | Errand::Declined(_, _, Ok(())) | Errand::Resigned(Ok(())) => {}
            Errand::Listed(Ok(list)) => {
                self.listed();
                let running: BTreeSet<&GameId> = list.now_playing.iter().filter_map(GameInfo::game).collect();
                let ended = |id: &&GameId| running.len() < LISTED && !running.contains(*id);
                let over: Vec<GameId> = self.asleep.keys().filter(ended).cloned().collect();
                for game in &list.now_playing {
                    self.start(game);
                }
                for id in over {
                    self.asleep.remove(&id);
                    self.start(&GameInfo::of(id));
                }
            }
            Errand::Account(Ok(account)) => {
                self.shared
                    .ratings
                    .send_replace(Arc::new(facts::ratings(&account)));
            }
            Errand::Account(Err(error)) => {
                self.note_limit(Class::Account, &error);
                debug!("my ratings stay as they were: {error}");
            }
            Errand::Checked(Ok(Err(exit))) => self.exit = Some(exit),
            Errand::Checked(Err(CallError::Unauthorized { .. })) => self.exit = Some(Exit::UnknownToken),
            Errand::Checked(Ok(Ok(()))) => debug!("the token is good all the same"),
            Errand::Listed(Err(error)) => {
                self.listed();
                self.note_limit(Class::Account, &error);
                // An outage is told of by the event stream, which does not repeat itself each minute.
                if self.status.borrow().is_listening {
                    warn!("{error}");
                } else {
                    debug!("{error}");
                }
            }
            Errand::Checked(Err(error)) => {
                self.note_limit(Class::Account, &error);
                warn!("{error}");
            }
            Errand::Resigned(Err(error)) => {
                self.note_limit(Class::Command, &error);
                warn!("{error}");
            }
            Errand::Online(online) => self.met(online),
            Errand::Invited(user, answer) => self.invited(user, answer),
            Errand::Decided(id, done) => self.decided(&id, done),
            Errand::Lapsed(id, listed) => self.lapsed(id, listed),
            Errand::Cancelled(id, Err(error)) => {
                self.note_limit(Class::Challenge, &error);
                debug!("challenge {id}: {error}");
            }
            Errand::Cancelled(_, Ok(())) => {}
            Errand::Seen(seen) => self.seen(seen),
            Errand::Joined(id, answer) => self.joined(&id, answer),
            Errand::Withdrawn(answer) => {
                self.arenas.left();
                if let Err(error) = answer {
                    self.note_limit(Class::Command, &error);
                    warn!("{error}");
                }
            }
        }
    }

    /// The task of a game has ended.
    pub(super) fn game_done(&mut self, id: &GameId, opponent: Option<UserId>, done: Done) {
        if !matches!(done, Done::Revived(_)) {
            let now = self.now();
            self.arenas.ended(id, now);
        }
        match done {
            Done::With(Outcome::Ended | Outcome::Left) => {}
            Done::With(Outcome::Asleep) => {
                self.asleep.insert(id.clone(), opponent);
            }
            Done::With(Outcome::Unseen) => {
                debug!("{id} has ended, and how is looked for");
                self.asleep.insert(id.clone(), opponent);
                self.list_games();
            }
            Done::With(Outcome::Unplayable(error)) => warn!("{id} was given up: {error}"),
            Done::With(Outcome::Refused(error)) => {
                warn!("{id}: {error}");
                // One refusal may be the server's own mistake: if the game is listed, it is tried again.
                let now = self.now();
                self.setbacks.note(id, now);
            }
            Done::With(Outcome::Unauthorized(error)) => {
                warn!("{id}: {error}");
                self.check_token();
                // If the token is good after all, the game is still there.
                let now = self.now();
                self.setbacks.note(id, now);
            }
            Done::Revived(why) => warn!("{id} fell over and is resumed: {why}"),
            Done::Lost(why) => {
                warn!("{id} fell over again and is resigned: {why}");
                let id = id.clone();
                self.call(|client| async move { Errand::Resigned(client.resign(&id).await) });
            }
        }
        self.show();
    }
}

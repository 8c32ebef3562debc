//! Incoming challenges that wait until the user lists are loaded.

use std::{collections::VecDeque, sync::Arc};

use tokio::sync::watch;

use crate::user_lists::UserLists;
use sparring_lichess::model::{Challenge, Compat, GameId};

/// More do not wait: the rest hears nothing and expires.
const QUEUE: usize = 100;

/// A challenge as the event stream tells of it.
pub(in crate::bot) type PendingChallenge = (Box<Challenge>, Option<Compat>);

/// Who stands at the door.
pub(in crate::bot) struct PendingChallenges {
    lists: watch::Receiver<Arc<UserLists>>,
    callers: VecDeque<PendingChallenge>,
}

impl PendingChallenges {
    /// Nobody yet.
    pub(in crate::bot) fn new(lists: watch::Receiver<Arc<UserLists>>) -> Self {
        Self {
            lists,
            callers: VecDeque::new(),
        }
    }

    /// Somebody comes.
    pub(in crate::bot) fn take(&mut self, caller: PendingChallenge) {
        if self.callers.len() < QUEUE {
            self.callers.push_back(caller);
        }
    }

    /// The challenger has taken it back.
    pub(in crate::bot) fn cancel(&mut self, id: &GameId) {
        self.callers.retain(|(challenge, _)| challenge.id != *id);
    }

    /// Whoever has waited longest, once anybody can be judged. Dropping the future loses nobody.
    pub(in crate::bot) async fn next(&mut self) -> Option<PendingChallenge> {
        // Where nobody keeps the lists fresh any more they will not become better.
        let _ = self.lists.wait_for(|lists| !lists.is_pending()).await;
        self.callers.pop_front()
    }

    /// Everybody, judged or not.
    pub(in crate::bot) fn clear(&mut self) -> VecDeque<PendingChallenge> {
        std::mem::take(&mut self.callers)
    }
}

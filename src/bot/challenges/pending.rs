//! Incoming challenges that wait until the user lists are loaded.

use std::{collections::VecDeque, sync::Arc};

use tokio::sync::watch;

use crate::user_lists::UserLists;
use sparring_lichess::model::{Challenge, Compat, GameId};

/// Capacity. Further challenges get no answer and expire.
const QUEUE: usize = 100;

/// A challenge from the event stream.
pub(in crate::bot) type PendingChallenge = (Box<Challenge>, Option<Compat>);

/// Challenges that wait for the user lists.
pub(in crate::bot) struct PendingChallenges {
    lists: watch::Receiver<Arc<UserLists>>,
    callers: VecDeque<PendingChallenge>,
}

impl PendingChallenges {
    /// An empty queue.
    pub(in crate::bot) fn new(lists: watch::Receiver<Arc<UserLists>>) -> Self {
        Self {
            lists,
            callers: VecDeque::new(),
        }
    }

    /// Adds a challenge.
    pub(in crate::bot) fn take(&mut self, caller: PendingChallenge) {
        if self.callers.len() < QUEUE {
            self.callers.push_back(caller);
        }
    }

    /// The challenger cancelled it.
    pub(in crate::bot) fn cancel(&mut self, id: &GameId) {
        self.callers.retain(|(challenge, _)| challenge.id != *id);
    }

    /// The oldest challenge, once the user lists are loaded. Cancel-safe.
    pub(in crate::bot) async fn next(&mut self) -> Option<PendingChallenge> {
        // If the task of the lists has ended, they stay as they are.
        let _ = self.lists.wait_for(|lists| !lists.is_pending()).await;
        self.callers.pop_front()
    }

    /// Takes all challenges.
    pub(in crate::bot) fn clear(&mut self) -> VecDeque<PendingChallenge> {
        std::mem::take(&mut self.callers)
    }
}

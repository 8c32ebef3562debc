//! A record of every move that a bot has posted and what came of it, for whoever looks for moves that are illegal or
//! sent twice.

use std::sync::{Mutex, PoisonError};

use crate::{lichess::model::GameId, units::Millis};

/// A move that a bot posted. Faults that strike before the server acts leave no trace here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// In which game.
    pub game: GameId,
    /// What was posted.
    pub uci: String,
    /// How many half moves had been played when it came.
    pub ply: usize,
    /// What the bot's clock showed then; none without a clock.
    pub clock: Option<Millis>,
    /// Why it was not played, if it was not.
    pub refused: Option<String>,
}

/// Everything posted so far, if anybody wants to know.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Option<Vec<Posted>>>);

impl Ledger {
    /// From now on moves are noted, until [`take`](Self::take) takes them.
    pub(super) fn open(&self) {
        self.with(|ledger| {
            ledger.get_or_insert_with(Vec::new);
        });
    }

    /// Notes a move if the ledger is open.
    pub(super) fn note(&self, posted: impl FnOnce() -> Posted) {
        self.with(|ledger| {
            if let Some(ledger) = ledger {
                ledger.push(posted());
            }
        });
    }

    /// Everything noted since the last time.
    pub(super) fn take(&self) -> Vec<Posted> {
        self.with(|ledger| ledger.as_mut().map(std::mem::take).unwrap_or_default())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<Vec<Posted>>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

//! Move audit: every posted move and its outcome, to find illegal or repeated ones.

use std::sync::{Mutex, PoisonError};

use super::scripted_faults::FaultKind;
use sparring_chess::units::Millis;
use sparring_lichess::model::GameId;

/// A request of a bot to play a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedMove {
    /// In which game.
    pub game: GameId,
    /// What was posted.
    pub uci: String,
    /// When it came, by the sandbox's clock.
    pub at: Millis,
    /// When its answer was ready, or its sender had given it up; none while it is served.
    pub over: Option<Millis>,
    /// Another such request for the same game was still served when it came.
    pub is_beside: bool,
    /// How many half moves had been played when the game heard of it; if it never did, when it came.
    pub ply: usize,
    /// What the bot's clock showed then; none without a clock.
    pub clock: Option<Millis>,
    /// What went wrong with it on purpose.
    pub met: Option<FaultKind>,
    /// What came of it.
    pub fate: MoveOutcome,
}

/// What came of a posted move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveOutcome {
    /// The game has never heard of it: something else answered, or its sender was gone by then.
    Unheard,
    /// It was played.
    Played,
    /// The game was over.
    Late,
    /// It was not played; in the words of the answer.
    Refused(String),
}

/// Where a request stands in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(usize);

/// Everything posted so far, if anybody wants to know.
#[derive(Debug, Default)]
pub(super) struct MoveAudit(Mutex<Option<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    /// How many were taken before these.
    taken: usize,
    posted: Vec<PostedMove>,
    /// What is being served, and for which game.
    served: Vec<(Entry, GameId)>,
}

impl Pages {
    fn at(&mut self, Entry(number): Entry) -> Option<&mut PostedMove> {
        self.posted.get_mut(number.checked_sub(self.taken)?)
    }
}

impl MoveAudit {
    /// From now on moves are noted, until [`take`](Self::take) takes them.
    pub(super) fn open(&self) {
        self.with(|ledger| {
            ledger.get_or_insert_default();
        });
    }

    /// Whether moves are noted.
    pub(super) fn is_open(&self) -> bool {
        self.with(|ledger| ledger.is_some())
    }

    /// Notes a request that has come, if the ledger is open. It is served until [`over`](Self::over).
    pub(super) fn note(&self, posted: PostedMove) -> Option<Entry> {
        self.with(|ledger| {
            let pages = ledger.as_mut()?;
            let entry = Entry(pages.taken + pages.posted.len());
            let is_beside = pages.served.iter().any(|(_, game)| *game == posted.game);
            pages.served.push((entry, posted.game.clone()));
            pages.posted.push(PostedMove { is_beside, ..posted });
            Some(entry)
        })
    }

    /// Adds to what is known of a request, unless it was taken already.
    pub(super) fn amend(&self, entry: Entry, amend: impl FnOnce(&mut PostedMove)) {
        self.with(|ledger| {
            if let Some(posted) = ledger.as_mut().and_then(|pages| pages.at(entry)) {
                amend(posted);
            }
        });
    }

    /// A request is served no more.
    pub(super) fn over(&self, entry: Entry, now: Millis) {
        self.amend(entry, |posted| posted.over = Some(now));
        self.with(|ledger| {
            if let Some(pages) = ledger {
                pages.served.retain(|(served, _)| *served != entry);
            }
        });
    }

    /// Everything noted since the last time.
    pub(super) fn take(&self) -> Vec<PostedMove> {
        self.with(|ledger| {
            let Some(pages) = ledger else {
                return Vec::new();
            };
            pages.taken += pages.posted.len();
            std::mem::take(&mut pages.posted)
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<Pages>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(game: &str, at: u64) -> PostedMove {
        PostedMove {
            game: game.parse().unwrap(),
            uci: "e2e4".to_owned(),
            at: Millis(at),
            over: None,
            is_beside: false,
            ply: 0,
            clock: None,
            met: None,
            fate: MoveOutcome::Unheard,
        }
    }

    #[test]
    fn a_request_that_comes_while_another_of_its_game_is_served_stands_beside_it() {
        let ledger = MoveAudit::default();
        assert!(ledger.note(posted("abcd1234", 0)).is_none(), "it is not open");
        ledger.open();
        let first = ledger.note(posted("abcd1234", 1)).unwrap();
        ledger.note(posted("efgh5678", 1)).unwrap();
        ledger.note(posted("abcd1234", 1)).unwrap();
        ledger.over(first, Millis(2));
        let third = Entry(2);
        ledger.over(third, Millis(3));
        ledger.note(posted("abcd1234", 4)).unwrap();
        let beside: Vec<bool> = ledger.take().iter().map(|posted| posted.is_beside).collect();
        assert_eq!(beside, [false, false, true, false]);
    }

    #[test]
    fn what_comes_of_a_request_that_was_taken_is_nobodys_concern() {
        let ledger = MoveAudit::default();
        ledger.open();
        let first = ledger.note(posted("abcd1234", 1)).unwrap();
        assert_eq!(ledger.take().len(), 1);
        let second = ledger.note(posted("efgh5678", 2)).unwrap();
        ledger.amend(first, |posted| posted.fate = MoveOutcome::Played);
        ledger.over(first, Millis(3));
        ledger.over(second, Millis(4));
        let left = ledger.take();
        assert_eq!((left.len(), left[0].over), (1, Some(Millis(4))));
        assert_eq!(left[0].fate, MoveOutcome::Unheard);
    }
}

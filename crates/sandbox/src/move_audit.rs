//! Move audit: every posted move and its outcome, to find illegal or repeated ones.

use std::sync::{Mutex, PoisonError};

use super::scripted_faults::FaultKind;
use sparring_chess::units::Millis;
use sparring_lichess::model::GameId;

/// A move request of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedMove {
    /// The game.
    pub game: GameId,
    /// The move as posted.
    pub uci: String,
    /// When it arrived, by the sandbox's clock.
    pub at: Millis,
    /// When its response was ready or its sender hung up; `None` while it is served.
    pub finished_at: Option<Millis>,
    /// Whether another move request of the same game was still being served.
    pub overlaps: bool,
    /// Plies played when it reached the game; if it never did, when it arrived.
    pub ply: usize,
    /// The bot's clock then; `None` without a clock.
    pub clock: Option<Millis>,
    /// The fault that was injected.
    pub fault: Option<FaultKind>,
    /// Its outcome.
    pub outcome: MoveOutcome,
}

/// Outcome of a posted move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveOutcome {
    /// It never reached the game: a fault answered, or the sender hung up.
    NotDelivered,
    /// It was played.
    Played,
    /// The game was over.
    Late,
    /// Rejected, with the error text.
    Refused(String),
}

/// Index of a request in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryId(usize);

/// Log of posted moves; off until [`start`](Self::start).
#[derive(Debug, Default)]
pub(super) struct MoveAudit(Mutex<Option<AuditLog>>);

#[derive(Debug, Default)]
struct AuditLog {
    /// How many were taken before.
    taken: usize,
    posted: Vec<PostedMove>,
    /// Requests in flight, and their games.
    served: Vec<(EntryId, GameId)>,
}

impl AuditLog {
    fn at(&mut self, EntryId(number): EntryId) -> Option<&mut PostedMove> {
        self.posted.get_mut(number.checked_sub(self.taken)?)
    }
}

impl MoveAudit {
    /// Starts recording.
    pub(super) fn start(&self) {
        self.with(|log| {
            log.get_or_insert_default();
        });
    }

    /// Whether moves are recorded.
    pub(super) fn is_recording(&self) -> bool {
        self.with(|log| log.is_some())
    }

    /// Records a request, if recording. It is in flight until [`finish`](Self::finish).
    pub(super) fn record(&self, posted: PostedMove) -> Option<EntryId> {
        self.with(|log| {
            let log = log.as_mut()?;
            let entry = EntryId(log.taken + log.posted.len());
            let overlaps = log.served.iter().any(|(_, game)| *game == posted.game);
            log.served.push((entry, posted.game.clone()));
            log.posted.push(PostedMove { overlaps, ..posted });
            Some(entry)
        })
    }

    /// Changes a recorded request, unless it was taken already.
    pub(super) fn amend(&self, entry: EntryId, amend: impl FnOnce(&mut PostedMove)) {
        self.with(|log| {
            if let Some(posted) = log.as_mut().and_then(|log| log.at(entry)) {
                amend(posted);
            }
        });
    }

    /// A request is no longer in flight.
    pub(super) fn finish(&self, entry: EntryId, now: Millis) {
        self.amend(entry, |posted| posted.finished_at = Some(now));
        self.with(|log| {
            if let Some(log) = log {
                log.served.retain(|(served, _)| *served != entry);
            }
        });
    }

    /// Requests recorded since the last call.
    pub(super) fn take(&self) -> Vec<PostedMove> {
        self.with(|log| {
            let Some(log) = log else {
                return Vec::new();
            };
            log.taken += log.posted.len();
            std::mem::take(&mut log.posted)
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<AuditLog>) -> T) -> T {
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
            finished_at: None,
            overlaps: false,
            ply: 0,
            clock: None,
            fault: None,
            outcome: MoveOutcome::NotDelivered,
        }
    }

    #[test]
    fn overlapping_requests_of_a_game_are_marked() {
        let audit = MoveAudit::default();
        assert!(audit.record(posted("abcd1234", 0)).is_none(), "it is not open");
        audit.start();
        let first = audit.record(posted("abcd1234", 1)).unwrap();
        audit.record(posted("efgh5678", 1)).unwrap();
        audit.record(posted("abcd1234", 1)).unwrap();
        audit.finish(first, Millis(2));
        let third = EntryId(2);
        audit.finish(third, Millis(3));
        audit.record(posted("abcd1234", 4)).unwrap();
        let overlaps: Vec<bool> = audit.take().iter().map(|posted| posted.overlaps).collect();
        assert_eq!(overlaps, [false, false, true, false]);
    }

    #[test]
    fn changes_of_taken_entries_are_ignored() {
        let audit = MoveAudit::default();
        audit.start();
        let first = audit.record(posted("abcd1234", 1)).unwrap();
        assert_eq!(audit.take().len(), 1);
        let second = audit.record(posted("efgh5678", 2)).unwrap();
        audit.amend(first, |posted| posted.outcome = MoveOutcome::Played);
        audit.finish(first, Millis(3));
        audit.finish(second, Millis(4));
        let left = audit.take();
        assert_eq!((left.len(), left[0].finished_at), (1, Some(Millis(4))));
        assert_eq!(left[0].outcome, MoveOutcome::NotDelivered);
    }
}

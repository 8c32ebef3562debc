//! The rows of a match's journal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::statistics::Pentanomial;
use sparring_journal::{FinishedTask, Journal, TaskId};

/// One finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalRow {
    /// The pair it belongs to, from 0: both games of a pair share the opening.
    #[serde(rename = "unit")]
    pub pair: usize,
    /// The first game of a pair has the first engine as White, the second as Black.
    #[serde(rename = "part")]
    pub game: usize,
    /// Half points of the first engine: 0, 1 or 2.
    pub half_points: usize,
    /// Why it ended: [`super::Reason::word`].
    pub reason: String,
    /// Whether the loser forfeited: by time, an illegal move or a crash.
    pub forfeit: bool,
    /// Plies played.
    pub plies: usize,
}

/// All finished games of a match.
pub type MatchJournal = Journal<JournalRow>;

impl FinishedTask for JournalRow {
    fn id(&self) -> TaskId {
        task(self.pair, self.game)
    }
}

/// The task that a game of a match is: the pair is the unit that shards divide.
pub(super) fn task(pair: usize, game: usize) -> TaskId {
    TaskId {
        unit: pair as u64,
        part: game as u64,
    }
}

/// The points by pairs; pairs with one game open do not count yet.
pub(super) fn pairs(journal: &MatchJournal) -> Pentanomial {
    let mut pairs = Pentanomial::default();
    let mut open = BTreeMap::new();
    for row in journal.rows() {
        match open.remove(&row.pair) {
            Some(half_points) => pairs.add(half_points + row.half_points),
            None => {
                open.insert(row.pair, row.half_points);
            }
        }
    }
    pairs
}

#[cfg(test)]
impl JournalRow {
    /// A game that ended by mate after sixty plies.
    pub(super) fn mate(pair: usize, game: usize, half_points: usize) -> Self {
        Self {
            pair,
            game,
            half_points,
            reason: "mate".into(),
            forfeit: false,
            plies: 60,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pairs_count() {
        let mut journal = MatchJournal::new();
        for row in [(0, 0, 2), (2, 1, 0), (0, 1, 1), (1, 0, 2), (2, 0, 0)] {
            journal.add(JournalRow::mate(row.0, row.1, row.2)).unwrap();
        }
        assert_eq!(pairs(&journal), Pentanomial([1, 0, 0, 1, 0]));
    }
}

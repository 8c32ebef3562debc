//! The rows of a ladder's journal.

use serde::{Deserialize, Serialize};

use sparring_journal::{FinishedTask, Journal, TaskId, fnv64};

/// A finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// What shards divide, from the names and the round: entrants and games can be added later.
    unit: u64,
    /// 1 where White's name sorts last.
    part: u64,
    /// White.
    pub white: String,
    /// Black.
    pub black: String,
    /// Which of their games with these colors, from 0.
    pub round: usize,
    /// Half points of White: 0, 1 or 2.
    pub half_points: u8,
    /// Why it ended.
    pub reason: String,
    /// Half moves played after the opening.
    pub plies: usize,
}

/// All finished games of a ladder.
pub type Record = Journal<GameRow>;

impl FinishedTask for GameRow {
    fn id(&self) -> TaskId {
        TaskId {
            unit: self.unit,
            part: self.part,
        }
    }
}

impl GameRow {
    /// A game that ended.
    pub fn new(white: &str, black: &str, round: usize, half_points: u8, reason: &str, plies: usize) -> Self {
        let TaskId { unit, part } = task_id(white, black, round);
        Self {
            unit,
            part,
            white: white.to_owned(),
            black: black.to_owned(),
            round,
            half_points,
            reason: reason.to_owned(),
            plies,
        }
    }
}

/// The task that a game is. Both games of a round are one unit, whoever has White.
pub fn task_id(white: &str, black: &str, round: usize) -> TaskId {
    let (one, other) = (white.min(black), white.max(black));
    TaskId {
        unit: fnv64(format!("{one} {other} {round}").as_bytes()),
        part: u64::from(white > black),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_known_by_who_had_white() {
        let mut record = Record::new();
        record
            .add(GameRow::new("1400", "1600", 0, 1, "mate", 80))
            .unwrap();
        assert!(!record.lacks(task_id("1400", "1600", 0)));
        assert!(record.lacks(task_id("1600", "1400", 0)));
        assert!(record.lacks(task_id("1400", "1600", 1)));
        assert_eq!(task_id("1600", "1400", 0).unit, task_id("1400", "1600", 0).unit);
    }
}

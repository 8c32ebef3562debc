//! The searcher: a placeholder of the right shape, to be replaced before anything is committed.

use super::{Line, Report, Score, Search, Surroundings};
use crate::{chess::Rules as _, units::Centipawns};

/// An engine with its hash table, kept from move to move.
#[derive(Debug)]
pub struct Engine;

impl Engine {
    /// An engine with a transposition table of this many mebibytes, at least 1.
    #[must_use]
    pub fn new(_hash_mib: usize) -> Self {
        Self
    }

    /// Forgets everything learned, as before a new game.
    pub fn clear(&mut self) {}

    /// Searches, telling of each finished iteration, and returns the last report.
    pub fn search(
        &mut self,
        search: &Search,
        _around: &Surroundings<'_>,
        _tell: &mut dyn FnMut(&Report),
    ) -> Report {
        let lines = search
            .line
            .position()
            .legal_moves()
            .iter()
            .take(1)
            .map(|mv| Line {
                score: Score::Cp(Centipawns(0)),
                pv: vec![*mv],
            })
            .collect();
        Report {
            lines,
            ..Report::default()
        }
    }
}

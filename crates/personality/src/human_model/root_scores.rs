//! Collects search features: scores of all root moves at a shallow depth and after the last iteration.

use super::ScoredMove;
use sparring_chess::{Move, units::Depth};
use sparring_engine::{Score, SearchResult};

/// The looks at a position that the [curve](super::curve) was fitted to. Made from the reports of one search of all
/// root moves, [`DEEP`](Self::DEEP) plies deep.
#[derive(Debug, Clone, Default)]
pub struct Features {
    glance: Vec<(Move, Score)>,
}

impl Features {
    /// How deep all moves are searched: a few hundred nodes for each.
    pub const DEEP: Depth = Depth(4);
    /// The iteration that stands for a glance.
    pub const SHALLOW: Depth = Depth(2);

    /// Keeps what an iteration found, if it is the one that stands for a glance.
    pub fn record(&mut self, report: &SearchResult) {
        if report.depth == Self::SHALLOW {
            self.glance = scores(report).collect();
        }
    }

    /// All root moves with both looks, `last` being the report of the search's end.
    #[must_use]
    pub fn scored(&self, last: &SearchResult) -> Vec<ScoredMove> {
        scores(last)
            .map(|(mv, deep)| ScoredMove {
                mv,
                deep,
                shallow: self.glance.iter().find(|seen| seen.0 == mv).map(|seen| seen.1),
            })
            .collect()
    }
}

fn scores(report: &SearchResult) -> impl Iterator<Item = (Move, Score)> {
    report
        .lines
        .iter()
        .filter_map(|line| Some((*line.pv.first()?, line.score)))
}

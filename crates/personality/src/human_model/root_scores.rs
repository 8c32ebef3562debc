//! Scores of all root moves at a shallow depth and after the last iteration.

use super::candidate::ScoredMove;
use sparring_chess::{
    GameHistory, Move,
    units::{Depth, Stopwatch},
};
use sparring_engine::{Engine, Limits, Score, SearchControl, SearchRequest, SearchResult, Stop};

/// Scores of all root moves at the two depths that the [loss curve](super::loss_curve) was fitted to, collected from the
/// iterations of one search.
#[derive(Debug, Clone, Default)]
pub struct RootScores {
    shallow: Vec<(Move, Score)>,
}

impl RootScores {
    /// Depth of the search: a few hundred nodes a move.
    pub const DEEP: Depth = Depth(4);
    /// Depth of the shallow scores.
    pub const SHALLOW: Depth = Depth(2);

    /// Searches every legal move of a game's last position to both depths. Equal games, equal scores.
    pub fn search(engine: &mut Engine, line: &GameHistory) -> Vec<ScoredMove> {
        let limits = Limits {
            depth: Some(Self::DEEP),
            ..Limits::default()
        };
        let search = SearchRequest {
            multi_pv: usize::MAX,
            classical_only: true,
            ..SearchRequest::new(line.clone(), limits)
        };
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let mut scores = Self::default();
        engine.clear();
        let last = engine.search(&search, &control, &mut |report| scores.record(report));
        scores.scored(&last)
    }

    /// Keeps the scores of an iteration at [`SHALLOW`](Self::SHALLOW) depth.
    pub fn record(&mut self, report: &SearchResult) {
        if report.depth == Self::SHALLOW {
            self.shallow = scores(report).collect();
        }
    }

    /// All root moves with both scores. `last` is the search's final result.
    #[must_use]
    pub fn scored(&self, last: &SearchResult) -> Vec<ScoredMove> {
        scores(last)
            .map(|(mv, deep)| ScoredMove {
                mv,
                deep,
                shallow: self
                    .shallow
                    .iter()
                    .find(|known| known.0 == mv)
                    .map(|known| known.1),
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

//! Scores every legal move by the search of a level.

use sparring_chess::{GameHistory, Move, units::Stopwatch};
use sparring_engine::{Engine, Limits, SearchControl, SearchRequest, SearchResult, Stop};
use sparring_personality::human_model::{RootScores, loss_curve::Loss, winning_chances};

/// An engine that scores moves.
pub struct Scorer {
    engine: Engine,
    stop: Stop,
    clock: Stopwatch,
}

impl Scorer {
    /// An engine with a small hash table.
    #[must_use]
    pub fn new() -> Self {
        Self {
            engine: Engine::new(2),
            stop: Stop::new(),
            clock: Stopwatch::start(),
        }
    }

    /// Winning chances of the best move in a game's last position, and the loss of each move. Equal games, equal losses.
    pub fn losses(&mut self, line: &GameHistory, moves: &[Move]) -> (f32, Vec<Loss>) {
        let limits = Limits {
            depth: Some(RootScores::DEEP),
            ..Limits::default()
        };
        let search = SearchRequest {
            multi_pv: moves.len(),
            classical_only: true,
            ..SearchRequest::new(line.clone(), limits)
        };
        self.engine.clear();
        let around = SearchControl {
            stop: &self.stop,
            clock: &self.clock,
        };
        let mut shallow = None;
        let deep = self.engine.search(&search, &around, &mut |report| {
            if report.depth == RootScores::SHALLOW {
                shallow = Some(losses(report, moves).1);
            }
        });
        let (best, deep) = losses(&deep, moves);
        let shallow = shallow.unwrap_or_else(|| deep.clone());
        let both = deep.into_iter().zip(shallow);
        let losses = both.map(|(deep, shallow)| Loss { deep, shallow });
        (best, losses.collect())
    }
}

/// Winning chances of the best move, and the loss of each; a move without a line loses as much as the worst.
fn losses(report: &SearchResult, moves: &[Move]) -> (f32, Vec<f32>) {
    let chances: Vec<Option<f32>> = moves
        .iter()
        .map(|mv| {
            let line = report.lines.iter().find(|line| line.pv.first() == Some(mv))?;
            Some(winning_chances(line.score))
        })
        .collect();
    let known = || chances.iter().flatten().copied();
    let (best, worst) = (known().fold(0.0, f32::max), known().fold(100.0, f32::min));
    let losses = chances.iter().map(|chance| best - chance.unwrap_or(worst));
    (best, losses.collect())
}

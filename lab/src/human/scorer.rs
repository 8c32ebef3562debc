//! Scores every legal move by the search of a level.

use sparring_chess::{GameHistory, Move};
use sparring_engine::Engine;
use sparring_personality::human_model::{RootScores, loss_curve::Loss, losses};

/// An engine that scores moves.
pub struct Scorer(Engine);

impl Scorer {
    /// An engine with a small hash table.
    #[must_use]
    pub fn new() -> Self {
        Self(Engine::new(2))
    }

    /// Winning chances of the best move in a game's last position, and the loss of each move. Equal games, equal losses.
    pub fn losses(&mut self, line: &GameHistory, moves: &[Move]) -> (f32, Vec<Loss>) {
        losses(moves, &RootScores::search(&mut self.0, line)).unwrap_or_default()
    }
}

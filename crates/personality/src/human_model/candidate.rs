//! Candidate moves with their chances, and the seeded draw among them.

use crate::math::mix;
use sparring_chess::{GameHistory, Move, key};
use sparring_engine::Score;

/// The scores of a root move at two depths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Its score in the last iteration.
    pub deep: Score,
    /// Its score in the second iteration, if known.
    pub shallow: Option<Score>,
}

/// A legal move with its chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// The chance (0 to 1); all candidates add up to 1.
    pub chance: f32,
    /// The chance without search scores.
    pub prior: f32,
    /// Its loss against the best scored move, in percentage points of winning chances (0 to 100).
    pub loss: f32,
}

/// Draws a candidate by its chance; chances add up to 1. Equal positions, plies and seeds give equal candidates.
pub(crate) fn draw(candidates: &[Candidate], line: &GameHistory, seed: u64) -> Option<Candidate> {
    let luck = luck(line, seed);
    let mut sum = 0.0;
    let chosen = candidates.iter().find(|candidate| {
        sum += candidate.chance;
        luck < sum
    });
    // Rounding may leave the sum a little short of 1.
    chosen.or(candidates.first()).copied()
}

/// A number in 0..1 that follows from position, ply and seed.
pub(crate) fn luck(line: &GameHistory, seed: u64) -> f32 {
    let luck = mix(&[seed, key(line.position()), line.ply() as u64]);
    // The upper 24 bits: every such number is an f32.
    (luck >> 40) as f32 / (1 << 24) as f32
}

//! The network: scores the legal moves of a position for a rating.
//!
//! The sum of the position's rows ([`POSITION_UNITS`], ReLU) goes through [`JOIN`] to [`MOVE_UNITS`]; each move adds its own rows
//! (ReLU), then [`HIDDEN`] ([`HIDDEN_UNITS`], ReLU) and [`SCORE`] give one score. Scores are log-chances up to a constant. Plain `f32` in a fixed order: equal inputs, equal scores on a platform.

use super::{
    encode::EncodedPosition,
    feature_layout::{MOVE_ROWS, POSITION_ROWS},
    move_context::MoveContext,
};
use crate::human_model::time_pressure::TimePressure;
use sparring_chess::{GameHistory, Move};

/// Units of the position layer.
pub const POSITION_UNITS: usize = 128;
/// Units of the move layer.
pub const MOVE_UNITS: usize = 64;
/// Units of the last hidden layer.
pub const HIDDEN_UNITS: usize = 32;

/// A weight matrix of the net, row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Index of its first weight.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
    /// Row width.
    pub width: usize,
}

impl Part {
    const fn first(rows: usize, width: usize) -> Self {
        Self {
            start: 0,
            rows,
            width,
        }
    }

    const fn then(self, rows: usize, width: usize) -> Self {
        Self {
            start: self.end(),
            rows,
            width,
        }
    }

    /// Index after its last weight.
    #[must_use]
    pub const fn end(self) -> usize {
        self.start + self.rows * self.width
    }

    /// The part's weights.
    #[must_use]
    pub fn of(self, weights: &[f32]) -> &[f32] {
        &weights[self.start..self.end()]
    }
}

/// One row per position feature.
pub const POSITION: Part = Part::first(POSITION_ROWS, POSITION_UNITS);
/// One row per move feature.
pub const MOVES: Part = POSITION.then(MOVE_ROWS, MOVE_UNITS);
/// From the position layer to the move layer.
pub const JOIN: Part = MOVES.then(POSITION_UNITS, MOVE_UNITS);
/// From the move layer to the hidden layer.
pub const HIDDEN: Part = JOIN.then(MOVE_UNITS, HIDDEN_UNITS);
/// Bias of the position layer.
pub const POSITION_BIAS: Part = HIDDEN.then(1, POSITION_UNITS);
/// Bias of the move layer.
pub const MOVE_BIAS: Part = POSITION_BIAS.then(1, MOVE_UNITS);
/// Bias of the hidden layer.
pub const HIDDEN_BIAS: Part = MOVE_BIAS.then(1, HIDDEN_UNITS);
/// From the hidden layer to the score.
pub const SCORE: Part = HIDDEN_BIAS.then(1, HIDDEN_UNITS);
/// All parts in order.
pub const PARTS: [Part; 8] = [
    POSITION,
    MOVES,
    JOIN,
    HIDDEN,
    POSITION_BIAS,
    MOVE_BIAS,
    HIDDEN_BIAS,
    SCORE,
];
/// Number of weights.
pub const WEIGHTS: usize = SCORE.end();

/// The network.
#[derive(Debug, Clone, PartialEq)]
pub struct Net {
    weights: Vec<f32>,
}

impl Net {
    /// A net of these weights; `None` if their number is not [`WEIGHTS`].
    #[must_use]
    pub fn new(weights: Vec<f32>) -> Option<Self> {
        (weights.len() == WEIGHTS).then_some(Self { weights })
    }

    /// All weights, in the order of [`PARTS`].
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The legal moves of a game's last position and their scores; see [`scores`](Self::scores).
    #[must_use]
    pub fn score_moves(
        &self,
        line: &GameHistory,
        rating: f32,
        time_pressure: TimePressure,
    ) -> (Vec<Move>, Vec<f32>) {
        let encoded = EncodedPosition::new(MoveContext::of(line), rating, time_pressure);
        let scores = self.scores(&encoded);
        (encoded.moves, scores)
    }

    /// A score for each move: the logarithm of its chance, up to a constant.
    #[must_use]
    pub fn scores(&self, seen: &EncodedPosition) -> Vec<f32> {
        let position = self.position(seen);
        seen.rows_by_move()
            .map(|rows| self.score(&position, rows))
            .collect()
    }

    /// The move layer before the move's own rows.
    fn position(&self, seen: &EncodedPosition) -> [f32; MOVE_UNITS] {
        let table = POSITION.of(&self.weights);
        let mut position_units = [0.0; POSITION_UNITS];
        position_units.copy_from_slice(POSITION_BIAS.of(&self.weights));
        for row in &seen.position {
            add(&mut position_units, table, *row, 1.0);
        }
        let ([low, high], share) = seen.rating;
        add(&mut position_units, table, low, 1.0 - share);
        add(&mut position_units, table, high, share);
        let mut move_units = [0.0; MOVE_UNITS];
        move_units.copy_from_slice(MOVE_BIAS.of(&self.weights));
        let (join, _) = JOIN.of(&self.weights).as_chunks::<MOVE_UNITS>();
        for (value, row) in position_units.iter().zip(join) {
            if *value > 0.0 {
                accumulate(&mut move_units, row, *value);
            }
        }
        move_units
    }

    fn score(&self, position: &[f32; MOVE_UNITS], rows: &[u16]) -> f32 {
        let table = MOVES.of(&self.weights);
        let mut move_units = *position;
        for row in rows {
            add(&mut move_units, table, *row, 1.0);
        }
        let mut hidden_units = [0.0; HIDDEN_UNITS];
        hidden_units.copy_from_slice(HIDDEN_BIAS.of(&self.weights));
        let (hidden, _) = HIDDEN.of(&self.weights).as_chunks::<HIDDEN_UNITS>();
        for (value, row) in move_units.iter().zip(hidden) {
            if *value > 0.0 {
                accumulate(&mut hidden_units, row, *value);
            }
        }
        hidden_units
            .iter()
            .zip(SCORE.of(&self.weights))
            .map(|(value, weight)| value.max(0.0) * weight)
            .sum()
    }
}

/// Adds a row of a table, which has rows as wide as the sum.
fn add<const WIDTH: usize>(sum: &mut [f32; WIDTH], table: &[f32], row: u16, share: f32) {
    let start = usize::from(row) * WIDTH;
    if let Some(row) = table
        .get(start..start + WIDTH)
        .and_then(|row| row.as_array::<WIDTH>())
    {
        accumulate(sum, row, share);
    }
}

fn accumulate<const WIDTH: usize>(sum: &mut [f32; WIDTH], row: &[f32; WIDTH], share: f32) {
    for (sum, weight) in sum.iter_mut().zip(row) {
        *sum += share * weight;
    }
}

/// Turns scores into chances that add up to 1.
pub fn normalise(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - top).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_keep_their_order() {
        let mut scores = [1.0, 3.0, -2.0, 90.0];
        normalise(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(scores[3] > scores[1] && scores[1] >= scores[0] && scores[0] >= scores[2]);
    }

    #[test]
    fn a_net_of_another_size_is_refused() {
        assert!(Net::new(vec![0.0; WEIGHTS - 1]).is_none());
        assert!(Net::new(vec![0.0; WEIGHTS]).is_some());
    }

    #[test]
    fn parts_follow_each_other() {
        for pair in PARTS.windows(2) {
            assert_eq!(pair[0].end(), pair[1].start);
        }
    }
}

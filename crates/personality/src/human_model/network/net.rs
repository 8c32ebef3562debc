//! A small net that scores the legal moves of a position as a player of some rating would.
//!
//! The position's rows add up to [`GLANCE`] numbers, cut off below zero and mixed into [`LOOK`]; to these each move
//! adds its own rows; what is above zero goes through [`WEIGH`] more numbers into one score. The scores are
//! logarithms of chances up to a constant. Plain `f32` in a fixed order: equal inputs, equal scores on a platform.

use super::{
    encode::EncodedPosition,
    feature_layout::{MOVE_ROWS, POSITION_ROWS},
    move_context::MoveContext,
};
use crate::human_model::time_pressure::TimePressure;
use sparring_chess::{GameHistory, Move};

/// Numbers that hold a position.
pub const GLANCE: usize = 128;
/// Numbers that hold a move in its position.
pub const LOOK: usize = 64;
/// Numbers between those and the score.
pub const WEIGH: usize = 32;

/// A part of the net's weights: rows of equal width, row after row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where its first weight lies among all.
    pub start: usize,
    /// How many rows.
    pub rows: usize,
    /// Weights in a row.
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

    /// Where the next part starts.
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

/// One row for each thing that a position can show.
pub const POSITION: Part = Part::first(POSITION_ROWS, GLANCE);
/// One row for each thing that a move can show.
pub const MOVES: Part = POSITION.then(MOVE_ROWS, LOOK);
/// From the position's numbers to the moves'.
pub const JOIN: Part = MOVES.then(GLANCE, LOOK);
/// From the moves' numbers to the last layer.
pub const HIDDEN: Part = JOIN.then(LOOK, WEIGH);
/// Added to the position's numbers, the moves', and the last layer's.
pub const GLANCE_BIAS: Part = HIDDEN.then(1, GLANCE);
/// See [`GLANCE_BIAS`].
pub const LOOK_BIAS: Part = GLANCE_BIAS.then(1, LOOK);
/// See [`GLANCE_BIAS`].
pub const WEIGH_BIAS: Part = LOOK_BIAS.then(1, WEIGH);
/// From the last layer to the score.
pub const SCORE: Part = WEIGH_BIAS.then(1, WEIGH);
/// All parts in order.
pub const PARTS: [Part; 8] = [
    POSITION,
    MOVES,
    JOIN,
    HIDDEN,
    GLANCE_BIAS,
    LOOK_BIAS,
    WEIGH_BIAS,
    SCORE,
];
/// How many weights there are.
pub const WEIGHTS: usize = SCORE.end();

/// The weights, part after part.
#[derive(Debug, Clone, PartialEq)]
pub struct Net {
    weights: Vec<f32>,
}

impl Net {
    /// A net of these weights; none when their number is not [`WEIGHTS`].
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

    /// What the position adds to each of its moves.
    fn position(&self, seen: &EncodedPosition) -> [f32; LOOK] {
        let table = POSITION.of(&self.weights);
        let mut glance = [0.0; GLANCE];
        glance.copy_from_slice(GLANCE_BIAS.of(&self.weights));
        for row in &seen.position {
            add(&mut glance, table, *row, 1.0);
        }
        let ([low, high], share) = seen.rating;
        add(&mut glance, table, low, 1.0 - share);
        add(&mut glance, table, high, share);
        let mut look = [0.0; LOOK];
        look.copy_from_slice(LOOK_BIAS.of(&self.weights));
        let (join, _) = JOIN.of(&self.weights).as_chunks::<LOOK>();
        for (value, row) in glance.iter().zip(join) {
            if *value > 0.0 {
                accumulate(&mut look, row, *value);
            }
        }
        look
    }

    fn score(&self, position: &[f32; LOOK], rows: &[u16]) -> f32 {
        let table = MOVES.of(&self.weights);
        let mut look = *position;
        for row in rows {
            add(&mut look, table, *row, 1.0);
        }
        let mut weigh = [0.0; WEIGH];
        weigh.copy_from_slice(WEIGH_BIAS.of(&self.weights));
        let (hidden, _) = HIDDEN.of(&self.weights).as_chunks::<WEIGH>();
        for (value, row) in look.iter().zip(hidden) {
            if *value > 0.0 {
                accumulate(&mut weigh, row, *value);
            }
        }
        weigh
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

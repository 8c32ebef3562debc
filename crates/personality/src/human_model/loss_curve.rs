//! Loss curve: adjusts the prior by search scores. The more a move loses, the less likely it is, with a heavy tail.
//!
//! The logarithm of a chance is a sum of five terms: that of the prior's, the loss after a deep look and after a
//! shallow one as `ln(1 + loss / scale)`, so that the chance falls as a power of the loss and never as fast as an
//! exponential would, and whether the move is the best of either look. Each term's weight is smooth in the rating
//! and moves a little with the phase of the game and with how the mover stands. The idea of heavy tails is Regan's (Regan and Haworth, intrinsic
//! chess ratings), whose curve has an iterated exponential instead; the power mixes with a prior without solving for
//! a constant at each position.

use super::phase::Phase;
use crate::math::dot;

/// Terms of the sum.
pub const TERMS: usize = 5;
/// Numbers per term: its weight at four ratings, and what the opening, the endgame, a lead and a deficit add.
pub const BASIS: usize = 8;
/// Scale of the deep loss, in percentage points: above it the term grows logarithmically.
const DEEP_SCALE: f32 = 3.0;
/// Scale of the shallow loss.
const SHALLOW_SCALE: f32 = 3.0;
/// A prior below this counts as this.
const LEAST: f32 = 1e-6;
/// A loss below this counts as none.
const NOTHING: f32 = 0.01;

/// The weights of the terms.
#[derive(Debug, Clone, PartialEq)]
pub struct LossCurve {
    /// For each term its [`BASIS`].
    pub weights: [[f32; BASIS]; TERMS],
}

/// Loss of a move against the best one, in percentage points of winning chances (0 to 100).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// By the last iteration.
    pub deep: f32,
    /// By the second iteration, or the deep loss if there is none.
    pub shallow: f32,
}

impl LossCurve {
    /// Leaves the prior as it is.
    pub const NONE: Self = Self {
        weights: {
            let mut weights = [[0.0; BASIS]; TERMS];
            weights[0] = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
            weights
        },
    };

    /// The chances of moves, given their priors and losses.
    #[must_use]
    pub fn chances(&self, priors: &[f32], losses: &[Loss], basis: &[f32; BASIS]) -> Vec<f32> {
        let weights = self.weights.map(|weights| dot(&weights, basis));
        let mut chances: Vec<f32> = priors
            .iter()
            .zip(losses)
            .map(|(prior, loss)| dot(&terms(*prior, *loss), &weights))
            .collect();
        softmax(&mut chances);
        chances
    }
}

fn softmax(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores
        .iter_mut()
        .for_each(|score| *score = libm::expf(*score - top));
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// The terms of a move, unweighted.
#[must_use]
pub fn terms(prior: f32, loss: Loss) -> [f32; TERMS] {
    [
        libm::logf(prior.max(LEAST)),
        -libm::log1pf(loss.deep / DEEP_SCALE),
        -libm::log1pf(loss.shallow / SHALLOW_SCALE),
        f32::from(u8::from(loss.deep < NOTHING)),
        f32::from(u8::from(loss.shallow < NOTHING)),
    ]
}

/// Weights of the ratings 800, 1400, 2000 and 2600, of the phases, of a lead and of a deficit. `best` is the winning chances
/// of the best move (0 to 100).
#[must_use]
pub fn basis(rating: f32, phase: Phase, best: f32) -> [f32; BASIS] {
    const FIRST: f32 = 800.0;
    const STEP: f32 = 600.0;
    const EVEN: f32 = 50.0;
    let place = ((rating - FIRST) / STEP).clamp(0.0, 3.0);
    let mut basis = [0.0; BASIS];
    for (index, share) in basis.iter_mut().take(4).enumerate() {
        *share = (1.0 - (place - index as f32).abs()).max(0.0);
    }
    basis[4] = f32::from(u8::from(phase == Phase::Opening));
    basis[5] = f32::from(u8::from(phase == Phase::Endgame));
    let lead = (best - EVEN) / EVEN;
    (basis[6], basis[7]) = (lead.max(0.0), (-lead).max(0.0));
    basis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_mixed_between_ratings() {
        let middle = basis(1700.0, Phase::Middlegame, 50.0);
        assert_eq!(middle, [0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let ahead = basis(300.0, Phase::Opening, 75.0);
        assert_eq!(ahead, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0]);
        let behind = basis(2900.0, Phase::Endgame, 0.0);
        assert_eq!(behind, [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    }
}

//! Fits the curve that bends the prior: a conditional logit of few weights, climbed by Newton's method.

use super::{linear::solve, scored_moves::Scored};
use sparring_personality::human_model::loss_curve::{BASIS, LossCurve, TERMS, basis, terms};

const SIZE: usize = TERMS * BASIS;
/// Pulls weights towards zero as much as so many decisions would, so that empty corners stay small.
const PULL: f64 = 5.0;

/// The curve under which the sample is most likely. The log-likelihood is concave: there is one best curve.
#[must_use]
pub fn fit(sample: &[Scored]) -> LossCurve {
    let inputs: Vec<Vec<[f64; SIZE]>> = sample.iter().map(inputs).collect();
    let mut weights = [0.0; SIZE];
    for _ in 0..30 {
        let (slope, mut bend) = derivatives(&inputs, sample, &weights);
        let Some(step) = solve(&mut bend, slope) else {
            break;
        };
        let largest = step.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
        // Far from the top a full step overshoots.
        let share = if largest > 1.0 { 1.0 / largest } else { 1.0 };
        for (weight, part) in weights.iter_mut().zip(step) {
            *weight += share * part;
        }
        if largest < 1e-6 {
            break;
        }
    }
    let mut curve = LossCurve {
        weights: [[0.0; BASIS]; TERMS],
    };
    for (to, from) in curve.weights.as_flattened_mut().iter_mut().zip(weights) {
        *to = from as f32;
    }
    curve
}

/// Each term times each share of the basis, for every move.
fn inputs(scored: &Scored) -> Vec<[f64; SIZE]> {
    let basis = basis(scored.decision.rating(), scored.phase, scored.best);
    let moves = scored.priors.iter().zip(&scored.losses);
    moves
        .map(|(prior, loss)| {
            let terms = terms(*prior, *loss);
            std::array::from_fn(|index| f64::from(terms[index / BASIS] * basis[index % BASIS]))
        })
        .collect()
}

/// The log-likelihood's first derivative and the negative of its second.
fn derivatives(
    inputs: &[Vec<[f64; SIZE]>],
    sample: &[Scored],
    weights: &[f64; SIZE],
) -> ([f64; SIZE], Box<[[f64; SIZE]; SIZE]>) {
    let mut slope = weights.map(|weight| -PULL * weight);
    let mut bend = Box::new([[0.0; SIZE]; SIZE]);
    for (index, row) in bend.iter_mut().enumerate() {
        row[index] = PULL;
    }
    for (moves, scored) in inputs.iter().zip(sample) {
        let chances = chances(moves, weights);
        let mut expected = [0.0; SIZE];
        for (chance, input) in chances.iter().zip(moves) {
            for (sum, value) in expected.iter_mut().zip(input) {
                *sum += chance * value;
            }
        }
        for (chance, input) in chances.iter().zip(moves) {
            if *chance < 1e-5 {
                continue;
            }
            let apart: [f64; SIZE] = std::array::from_fn(|index| input[index] - expected[index]);
            for (row, left) in bend.iter_mut().zip(apart).filter(|(_, left)| *left != 0.0) {
                for (sum, right) in row.iter_mut().zip(apart) {
                    *sum += chance * left * right;
                }
            }
        }
        let played = &moves[scored.decision.played];
        for (sum, (value, expected)) in slope.iter_mut().zip(played.iter().zip(expected)) {
            *sum += value - expected;
        }
    }
    (slope, bend)
}

fn chances(moves: &[[f64; SIZE]], weights: &[f64; SIZE]) -> Vec<f64> {
    let scores = moves.iter().map(|input| {
        input
            .iter()
            .zip(weights)
            .map(|(value, weight)| value * weight)
            .sum()
    });
    let mut chances: Vec<f64> = scores.collect();
    let top = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    chances.iter_mut().for_each(|score| *score = (*score - top).exp());
    let sum: f64 = chances.iter().sum();
    chances.iter_mut().for_each(|chance| *chance /= sum);
    chances
}

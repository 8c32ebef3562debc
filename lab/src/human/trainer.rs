//! Trains the move-prediction network: log-likelihood of human moves, Adam on small batches.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::dataset::Decision;
use crate::tuning::Adam;
use sparring_personality::human_model::network::{
    HIDDEN, HIDDEN_BIAS, HIDDEN_UNITS, JOIN, MOVE_BIAS, MOVE_UNITS, MOVES, Net, POSITION, POSITION_BIAS,
    POSITION_UNITS, Part, SCORE, WEIGHTS, normalise,
};

/// How long and how boldly to fit.
#[derive(Debug, Clone, Copy)]
pub struct TrainingPlan {
    /// Passes over all decisions.
    pub epochs: usize,
    /// Decisions for one step.
    pub batch: usize,
    /// The first step size; it falls along half a cosine to a hundredth.
    pub rate: f32,
    /// Equal seeds and data, equal weights on one machine.
    pub seed: u64,
}

/// Unlikely moves that were not played teach nothing worth the time.
const NEGLIGIBLE: f32 = 2e-3;

/// Steps until the first step size is reached.
const WARM_UP: f32 = 200.0;

/// Weights under way.
pub struct Trainer {
    weights: Vec<f32>,
    gradient: Vec<f32>,
    adam: Adam,
    scratch: Scratch,
}

/// Activations of the forward pass for backpropagation.
#[derive(Default)]
struct Scratch {
    looks: Vec<[f32; MOVE_UNITS]>,
    weighs: Vec<[f32; HIDDEN_UNITS]>,
    scores: Vec<f32>,
}

impl Trainer {
    /// Small random weights.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut weights = vec![0.0; WEIGHTS];
        for (part, reach) in [
            (POSITION, 0.06),
            (MOVES, 0.08),
            (JOIN, 0.15),
            (HIDDEN, 0.2),
            (SCORE, 0.25),
        ] {
            for weight in &mut weights[part.start..part.end()] {
                *weight = rng.random_range(-reach..reach);
            }
        }
        Self::from(weights)
    }

    /// Goes on from these weights.
    #[must_use]
    pub fn from(weights: Vec<f32>) -> Self {
        Self {
            gradient: vec![0.0; WEIGHTS],
            adam: Adam::new(WEIGHTS),
            scratch: Scratch::default(),
            weights,
        }
    }

    /// The current net.
    #[must_use]
    pub fn net(&self) -> Option<Net> {
        Net::new(self.weights.clone())
    }

    /// Fits to decisions, telling `progress` the share done and the mean log-likelihood of the last stretch.
    pub fn fit(&mut self, decisions: &[Decision], plan: TrainingPlan, mut progress: impl FnMut(f32, f64)) {
        let mut order: Vec<usize> = (0..decisions.len()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        let total = (plan.epochs * decisions.len()) as f32;
        let (mut done, mut told, mut steps) = (0_usize, 0_usize, 0_usize);
        let mut likelihood = 0.0;
        for _ in 0..plan.epochs {
            order.shuffle(&mut rng);
            for batch in order.chunks(plan.batch) {
                let share = 1.0 / batch.len() as f32;
                for index in batch {
                    likelihood += f64::from(self.learn(&decisions[*index], share));
                }
                done += batch.len();
                let cosine = (std::f32::consts::PI * done as f32 / total).cos();
                // The first steps are small: Adam knows nothing yet of how steep each weight is.
                let warm = (steps as f32 / WARM_UP).min(1.0);
                steps += 1;
                let rate = plan.rate * warm * (0.505 + 0.495 * cosine);
                self.adam.descend(&mut self.weights, &self.gradient, rate);
                self.gradient.fill(0.0);
                if (done - told) * 4 > decisions.len() || done as f32 >= total {
                    progress(done as f32 / total, likelihood / (done - told) as f64);
                    (told, likelihood) = (done, 0.0);
                }
            }
        }
    }

    /// Adds one decision to the gradient and returns the log-likelihood of the move played.
    fn learn(&mut self, decision: &Decision, share: f32) -> f32 {
        let encoded = &decision.encoded;
        let position_units = self.forward(decision);
        let scratch = std::mem::take(&mut self.scratch);
        let mut chances = scratch.scores.clone();
        normalise(&mut chances);
        let likelihood = chances[decision.played].max(1e-12).ln();
        forget_unlikely(&mut chances, decision.played);
        let mut base_slope = [0.0; MOVE_UNITS];
        for (index, rows) in encoded.rows_by_move().enumerate() {
            let error = chances[index] - f32::from(u8::from(index == decision.played));
            if error == 0.0 {
                continue;
            }
            let slope = self.back(error * share, &scratch.weighs[index], &scratch.looks[index]);
            for row in rows {
                let gradient = array_mut::<MOVE_UNITS>(&mut self.gradient, MOVES, usize::from(*row));
                accumulate(gradient, &slope, 1.0);
            }
            accumulate(&mut base_slope, &slope, 1.0);
        }
        self.back_to_position(decision, &position_units, &base_slope);
        self.scratch = scratch;
        likelihood
    }

    /// Scores every move; the numbers between stay in the scratch.
    fn forward(&mut self, decision: &Decision) -> [f32; POSITION_UNITS] {
        let (encoded, weights) = (&decision.encoded, &self.weights);
        let mut position_units = *array::<POSITION_UNITS>(weights, POSITION_BIAS, 0);
        for row in &encoded.position {
            accumulate(
                &mut position_units,
                array(weights, POSITION, usize::from(*row)),
                1.0,
            );
        }
        let ([low, high], share) = encoded.rating;
        accumulate(
            &mut position_units,
            array(weights, POSITION, usize::from(low)),
            1.0 - share,
        );
        accumulate(
            &mut position_units,
            array(weights, POSITION, usize::from(high)),
            share,
        );
        let mut base = *array::<MOVE_UNITS>(weights, MOVE_BIAS, 0);
        for (index, value) in position_units
            .iter()
            .enumerate()
            .filter(|(_, value)| **value > 0.0)
        {
            accumulate(&mut base, array(weights, JOIN, index), *value);
        }
        self.scratch.looks.clear();
        self.scratch.weighs.clear();
        self.scratch.scores.clear();
        for rows in encoded.rows_by_move() {
            let mut move_units = base;
            for row in rows {
                accumulate(&mut move_units, array(weights, MOVES, usize::from(*row)), 1.0);
            }
            let mut hidden_units = *array::<HIDDEN_UNITS>(weights, HIDDEN_BIAS, 0);
            for (index, value) in move_units.iter().enumerate() {
                accumulate(&mut hidden_units, array(weights, HIDDEN, index), value.max(0.0));
            }
            let score = array::<HIDDEN_UNITS>(weights, SCORE, 0);
            let sum = hidden_units
                .iter()
                .zip(score)
                .map(|(value, weight)| value.max(0.0) * weight)
                .sum();
            self.scratch.looks.push(move_units);
            self.scratch.weighs.push(hidden_units);
            self.scratch.scores.push(sum);
        }
        position_units
    }

    /// From a score's slope to the slope of the move's numbers, adding to the layers between.
    fn back(
        &mut self,
        error: f32,
        hidden_units: &[f32; HIDDEN_UNITS],
        move_units: &[f32; MOVE_UNITS],
    ) -> [f32; MOVE_UNITS] {
        let score = array::<HIDDEN_UNITS>(&self.weights, SCORE, 0);
        let mut weigh_slope = [0.0; HIDDEN_UNITS];
        for ((slope, value), weight) in weigh_slope.iter_mut().zip(hidden_units).zip(score) {
            *slope = if *value > 0.0 { error * weight } else { 0.0 };
        }
        let gradient = array_mut::<HIDDEN_UNITS>(&mut self.gradient, SCORE, 0);
        for (gradient, value) in gradient.iter_mut().zip(hidden_units) {
            *gradient += error * value.max(0.0);
        }
        accumulate(
            array_mut::<HIDDEN_UNITS>(&mut self.gradient, HIDDEN_BIAS, 0),
            &weigh_slope,
            1.0,
        );
        let mut look_slope = [0.0; MOVE_UNITS];
        for (index, value) in move_units.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let row = array::<HIDDEN_UNITS>(&self.weights, HIDDEN, index);
            look_slope[index] = row.iter().zip(&weigh_slope).map(|(a, b)| a * b).sum();
            accumulate(
                array_mut::<HIDDEN_UNITS>(&mut self.gradient, HIDDEN, index),
                &weigh_slope,
                *value,
            );
        }
        look_slope
    }

    /// From the moves' common slope to the position's rows.
    fn back_to_position(
        &mut self,
        decision: &Decision,
        position_units: &[f32; POSITION_UNITS],
        slope: &[f32; MOVE_UNITS],
    ) {
        accumulate(
            array_mut::<MOVE_UNITS>(&mut self.gradient, MOVE_BIAS, 0),
            slope,
            1.0,
        );
        let mut glance_slope = [0.0; POSITION_UNITS];
        for (index, value) in position_units
            .iter()
            .enumerate()
            .filter(|(_, value)| **value > 0.0)
        {
            let row = array::<MOVE_UNITS>(&self.weights, JOIN, index);
            glance_slope[index] = row.iter().zip(slope).map(|(a, b)| a * b).sum();
            accumulate(
                array_mut::<MOVE_UNITS>(&mut self.gradient, JOIN, index),
                slope,
                *value,
            );
        }
        accumulate(
            array_mut::<POSITION_UNITS>(&mut self.gradient, POSITION_BIAS, 0),
            &glance_slope,
            1.0,
        );
        let ([low, high], share) = decision.encoded.rating;
        let shares = [(low, 1.0 - share), (high, share)];
        let rows = decision
            .encoded
            .position
            .iter()
            .map(|row| (*row, 1.0))
            .chain(shares);
        for (row, share) in rows {
            let gradient = array_mut::<POSITION_UNITS>(&mut self.gradient, POSITION, usize::from(row));
            accumulate(gradient, &glance_slope, share);
        }
    }
}

/// Sets the chances of unlikely moves to zero and gives theirs to the move that was played, if that is not enough to
/// make it certain. The sum stays 1: otherwise all scores would drift together, which the likelihood does not notice
/// and Adam does.
fn forget_unlikely(chances: &mut [f32], played: usize) {
    let mut forgotten = 0.0;
    for (index, chance) in chances.iter_mut().enumerate() {
        if index != played && *chance < NEGLIGIBLE {
            forgotten += std::mem::take(chance);
        }
    }
    chances[played] += forgotten;
}

fn array<const WIDTH: usize>(weights: &[f32], part: Part, row: usize) -> &[f32; WIDTH] {
    let start = part.start + row * WIDTH;
    weights[start..start + WIDTH].as_array().unwrap_or(&[0.0; WIDTH])
}

fn array_mut<const WIDTH: usize>(weights: &mut [f32], part: Part, row: usize) -> &mut [f32; WIDTH] {
    let start = part.start + row * WIDTH;
    let Some(array) = weights[start..start + WIDTH].as_mut_array() else {
        unreachable!("a slice of this length is an array of this length")
    };
    array
}

fn accumulate<const WIDTH: usize>(sum: &mut [f32; WIDTH], row: &[f32; WIDTH], share: f32) {
    for (sum, weight) in sum.iter_mut().zip(row) {
        *sum += share * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{GameHistory, Variant};
    use sparring_personality::human_model::{
        TimePressure,
        network::{EncodedPosition, MoveContext, PARTS},
    };

    fn decision(moves: &str, played: usize) -> Decision {
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        Decision {
            encoded: EncodedPosition::new(MoveContext::of(&line), 1300.0, TimePressure::Calm),
            played,
            rating: 1300.0,
        }
    }

    fn likelihood(net: &Net, decision: &Decision) -> f64 {
        let mut scores = net.scores(&decision.encoded);
        normalise(&mut scores);
        f64::from(scores[decision.played]).ln()
    }

    #[test]
    fn the_trainer_scores_as_the_net_does() {
        let mut trainer = Trainer::new(3);
        let decision = decision("e2e4 e7e5", 5);
        trainer.forward(&decision);
        let net = trainer.net().unwrap();
        for (ours, theirs) in trainer.scratch.scores.iter().zip(net.scores(&decision.encoded)) {
            assert!((ours - theirs).abs() < 1e-4, "{ours} against {theirs}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_likelihood() {
        let mut trainer = Trainer::new(3);
        let decision = decision("e2e4 e7e5 g1f3 b8c6", 7);
        trainer.learn(&decision, 1.0);
        // The steepest weights of each part, against a small step each way.
        for part in PARTS {
            let steepest = (part.start..part.end())
                .max_by(|a, b| trainer.gradient[*a].abs().total_cmp(&trainer.gradient[*b].abs()))
                .unwrap();
            let at = |change: f32| {
                let mut weights = trainer.weights.clone();
                weights[steepest] += change;
                likelihood(&Net::new(weights).unwrap(), &decision)
            };
            let slope = -(at(1e-2) - at(-1e-2)) / 2e-2;
            let found = f64::from(trainer.gradient[steepest]);
            assert!(
                (slope - found).abs() < 0.05 * slope.abs().max(0.02),
                "{slope} against {found}"
            );
        }
    }

    #[test]
    fn what_is_played_again_and_again_becomes_likely() {
        let decisions: Vec<Decision> = (0..40).map(|_| decision("d2d4 g8f6", 3)).collect();
        let mut trainer = Trainer::new(1);
        let plan = TrainingPlan {
            epochs: 30,
            batch: 4,
            rate: 0.002,
            seed: 1,
        };
        let before = likelihood(&trainer.net().unwrap(), &decisions[0]);
        trainer.fit(&decisions, plan, |_, _| {});
        let after = likelihood(&trainer.net().unwrap(), &decisions[0]);
        assert!(before < -2.0 && after > -0.2, "{before} became {after}");
    }
}

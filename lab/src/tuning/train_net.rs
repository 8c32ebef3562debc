//! Trains the NNUE correction of the classical evaluation by gradient descent.
//!
//! What the evaluation with the net's correction predicts of a position is to come near what the search found when the
//! position was played, and near what came of it later in the game. The classical weights stay as they are, so that a net that has
//! learned nothing changes nothing.
//! Source: the half-and-half layout of efficiently updatable nets (Nasu, 2018).

use std::thread;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    dataset::{Dataset, Labelled},
    optimizer::{Adam, mean_error, points},
    texel::Errors,
};
use sparring_engine::nnue::{BIAS, HIDDEN, NET_CENTIPAWNS, NetSample, NetWeights, OUTPUT_BIASES, OUTPUTS};

/// How to train. Equal values on equal positions give equal nets, whatever the machine's cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetTrainer {
    /// Passes over all positions.
    pub passes: usize,
    /// Positions a step.
    pub batch: usize,
    /// How far a number moves at a step at first; falls to nothing during the passes.
    pub rate: f32,
    /// Weight decay per step, times the rate.
    pub decay: f32,
    /// How much what came later in the game counts in what is to be foretold, from 0 to 1; the rest is the score of the
    /// search at the position itself.
    pub later_share: f32,
    /// Scale K of the sigmoid 1 / (1 + exp(-K E)).
    pub k: f32,
    /// Orders the positions and makes the first numbers.
    pub seed: u64,
}

impl Default for NetTrainer {
    fn default() -> Self {
        Self {
            passes: 12,
            batch: 8192,
            rate: 1.5e-3,
            decay: 0.2,
            later_share: 0.5,
            k: 0.0068,
            seed: 1,
        }
    }
}

/// Result of training.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// Error of the classical evaluation alone.
    pub before: Errors,
    /// With the net.
    pub after: Errors,
    /// The net.
    pub weights: NetWeights,
}

/// A position with the inputs of the net.
type Position = Labelled<NetSample>;

/// A batch is shared out to so many threads, always as many, so that sums are added in the same order everywhere.
const PARTS: usize = 2;

impl NetTrainer {
    /// Trains a net from scratch. Reports number (from 1) and errors of each pass.
    pub fn train(&self, set: &Dataset<NetSample>, tell: &mut dyn FnMut(usize, Errors)) -> Trained {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut weights = first_weights(&mut rng);
        let silent = vec![0.0; NetWeights::COUNT];
        let before = self.errors(set, &silent);
        let mut order: Vec<u32> = (0..).take(set.training.len()).collect();
        let mut adam = Adam::new(NetWeights::COUNT);
        let mut gradients = vec![silent; PARTS];
        let batch = self.batch.max(1);
        let steps = self.passes * order.len().div_ceil(batch);
        let mut step = 0;
        let mut after = before;
        for pass in 1..=self.passes {
            order.shuffle(&mut rng);
            for chosen in order.chunks(batch) {
                let slopes = self.slopes(set, chosen, &weights, &mut gradients);
                let rate = self.rate * (1.0 - step as f32 / steps as f32);
                step += 1;
                weights
                    .iter_mut()
                    .for_each(|weight| *weight *= 1.0 - rate * self.decay);
                adam.descend(&mut weights, slopes, rate);
                for (place, weight) in weights.iter_mut().enumerate() {
                    let most = NetWeights::largest(place);
                    *weight = weight.clamp(-most, most);
                }
            }
            after = self.errors(set, &weights);
            tell(pass, after);
        }
        Trained {
            before,
            after,
            weights: NetWeights(weights),
        }
    }

    /// The gradient of a batch's mean squared error, made in as many parts as there are gradients.
    fn slopes<'g>(
        &self,
        set: &Dataset<NetSample>,
        chosen: &[u32],
        weights: &[f32],
        gradients: &'g mut [Vec<f32>],
    ) -> &'g [f32] {
        let share = chosen.len().div_ceil(PARTS).max(1);
        thread::scope(|scope| {
            for (part, gradient) in gradients.iter_mut().enumerate() {
                let from = (part * share).min(chosen.len());
                let part = &chosen[from..(from + share).min(chosen.len())];
                scope.spawn(move || {
                    gradient.fill(0.0);
                    for index in part {
                        let position = &set.training[*index as usize];
                        let seen = Seen::of(&position.sample, weights);
                        let slope = self.slope(position, seen.value) / chosen.len() as f32;
                        seen.add_slopes(&position.sample, weights, slope, gradient);
                    }
                });
            }
        });
        let Some((sum, parts)) = gradients.split_first_mut() else {
            return &[];
        };
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, slope)| *sum += *slope);
        }
        sum
    }

    /// How the squared error of a position grows with the net's value.
    fn slope(&self, position: &Position, value: f32) -> f32 {
        let sample = &position.sample;
        let foretold = self.foretold(sample, value);
        let error = foretold - self.target(position);
        2.0 * error * foretold * (1.0 - foretold) * self.k * sample.share * NET_CENTIPAWNS
    }

    /// The points that evaluation and net predict for the side to move.
    fn foretold(&self, sample: &NetSample, value: f32) -> f32 {
        points(self.k * (sample.classical + sample.share * NET_CENTIPAWNS * value))
    }

    /// The target for the side to move.
    fn target(&self, position: &Position) -> f32 {
        let white = position.target(self.k, self.later_share);
        if position.sample.white_moves {
            white
        } else {
            1.0 - white
        }
    }

    fn errors(&self, set: &Dataset<NetSample>, weights: &[f32]) -> Errors {
        let error = |position: &Position| {
            let value = Seen::of(&position.sample, weights).value;
            self.foretold(&position.sample, value) - self.target(position)
        };
        // As many training positions as held-out ones suffice, some of each file.
        let every = set.training.len() / set.held_out.len().max(1);
        Errors {
            training: mean_error(set.training.iter().step_by(every.max(1)), error),
            held_out: mean_error(set.held_out.iter(), error),
        }
    }
}

/// Small numbers for the inputs, and outputs that add up to almost nothing.
fn first_weights(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut weights = vec![0.0; NetWeights::COUNT];
    weights[..BIAS].fill_with(|| 0.15 * (2.0 * rng.random::<f32>() - 1.0));
    weights[BIAS..OUTPUTS].fill(0.3);
    weights
}

/// Forward pass of a position: both halves of the hidden layer, and the output.
struct Seen {
    halves: [[f32; HIDDEN]; 2],
    value: f32,
}

impl Seen {
    fn of(sample: &NetSample, weights: &[f32]) -> Self {
        let mut halves = [[0.0; HIDDEN]; 2];
        let mut value = weights[OUTPUT_BIASES + usize::from(sample.bucket)];
        for (side, half) in halves.iter_mut().enumerate() {
            half.copy_from_slice(&weights[BIAS..OUTPUTS]);
            for input in &sample.inputs[side] {
                let row = &weights[usize::from(*input) * HIDDEN..][..HIDDEN];
                for (value, weight) in half.iter_mut().zip(row) {
                    *value += weight;
                }
            }
            let output = &weights[output(sample, side)..][..HIDDEN];
            for (neuron, weight) in half.iter().zip(output) {
                let clipped = neuron.clamp(0.0, 1.0);
                value += weight * clipped * clipped;
            }
        }
        Self { halves, value }
    }

    /// Adds `slope` times the gradient of the value.
    fn add_slopes(&self, sample: &NetSample, weights: &[f32], slope: f32, gradient: &mut [f32]) {
        gradient[OUTPUT_BIASES + usize::from(sample.bucket)] += slope;
        for (side, half) in self.halves.iter().enumerate() {
            let at = output(sample, side);
            let mut slopes = [0.0; HIDDEN];
            let output = &weights[at..][..HIDDEN];
            let learned = &mut gradient[at..][..HIDDEN];
            for (((neuron, weight), learned), below) in half.iter().zip(output).zip(learned).zip(&mut slopes)
            {
                let clipped = neuron.clamp(0.0, 1.0);
                *learned += slope * clipped * clipped;
                let is_free = *neuron > 0.0 && *neuron < 1.0;
                *below = if is_free {
                    2.0 * slope * weight * clipped
                } else {
                    0.0
                };
            }
            let add = |row: &mut [f32]| {
                for (learned, slope) in row.iter_mut().zip(&slopes) {
                    *learned += slope;
                }
            };
            add(&mut gradient[BIAS..OUTPUTS]);
            for input in &sample.inputs[side] {
                add(&mut gradient[usize::from(*input) * HIDDEN..][..HIDDEN]);
            }
        }
    }
}

/// Where the weights of the output that judges a position begin, for a half.
fn output(sample: &NetSample, side: usize) -> usize {
    OUTPUTS + (usize::from(sample.bucket) * 2 + side) * HIDDEN
}

#[cfg(test)]
mod tests {
    use shakmaty::Bitboard;

    use super::*;
    use crate::tuning::SelfPlay;
    use sparring_chess::{Rules as _, Variant, units::Nodes};
    use sparring_engine::{Engine, nnue::Sampler};

    const SMALL: NetTrainer = NetTrainer {
        passes: 10,
        batch: 64,
        rate: 2e-3,
        decay: 3.0,
        later_share: 0.0,
        k: 0.0068,
        seed: 3,
    };

    const WHITE_CORNERS: Bitboard = Bitboard(0x81);
    const BLACK_CORNERS: Bitboard = Bitboard(0x81 << 56);

    /// Positions of some games, in which the search is said to have found that a rook which has not left its corner is worth a pawn less.
    fn with_slow_rooks() -> Dataset<NetSample> {
        let rules = SelfPlay {
            variant: Variant::Standard,
            nodes: Nodes(30),
            openings: Vec::new(),
            random_plies: 9,
            seed: 5,
        };
        let (mut engine, mut sampler) = (Engine::new(1), Sampler::default());
        let mut set = Dataset::default();
        for number in 0..24 {
            let game = rules.play(number, &mut engine).unwrap();
            for (pos, _) in game.quiet() {
                let sample = sampler.sample(&pos).unwrap();
                let slow = |home| (pos.board().rooks() & home).count() as f32;
                let white = if sample.white_moves { 1.0 } else { -1.0 } * sample.classical;
                set.training.push(Labelled {
                    score: white + 100.0 * (slow(BLACK_CORNERS) - slow(WHITE_CORNERS)),
                    points: 0.5,
                    sample,
                });
            }
        }
        // Every fifth is held out, from among those of its own game: so few games teach nothing of others.
        let positions = std::mem::take(&mut set.training);
        for (place, position) in positions.into_iter().enumerate() {
            if place % 5 == 0 {
                set.held_out.push(position);
            } else {
                set.training.push(position);
            }
        }
        set
    }

    #[test]
    fn what_the_evaluation_misses_is_learned_and_again_in_the_same_way() {
        let set = with_slow_rooks();
        let mut told = 0;
        let trained = SMALL.train(&set, &mut |_, _| told += 1);
        assert_eq!(told, SMALL.passes);
        let Trained { before, after, .. } = trained;
        // On average they are worth nothing, so it takes inputs of both sides to learn it.
        assert!(after.held_out < before.held_out / 3.0, "{before:?} {after:?}");
        assert!(after.training < before.training / 3.0, "{before:?} {after:?}");
        assert_eq!(trained, SMALL.train(&set, &mut |_, _| ()));
        let other = NetTrainer { seed: 4, ..SMALL };
        assert_ne!(trained.weights, other.train(&set, &mut |_, _| ()).weights);
        assert!(trained.weights.to_bytes().is_ok());
    }

    #[test]
    fn a_net_that_has_learned_nothing_changes_nothing() {
        let set = with_slow_rooks();
        let silent = NetTrainer { passes: 0, ..SMALL }.train(&set, &mut |_, _| ());
        let weights = silent.weights.0;
        assert!(
            set.held_out
                .iter()
                .all(|position| Seen::of(&position.sample, &weights).value == 0.0)
        );
    }

    #[test]
    fn slopes_are_those_of_the_value() {
        let set = with_slow_rooks();
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut weights = first_weights(&mut rng);
        weights[OUTPUTS..].fill_with(|| rng.random::<f32>() - 0.5);
        let sample = &set.held_out[7].sample;
        let mut gradient = vec![0.0; weights.len()];
        Seen::of(sample, &weights).add_slopes(sample, &weights, 1.0, &mut gradient);
        // Neurons that are neither silent nor at their most.
        let lively = |from: usize| (from..from + HIDDEN).find(|at| gradient[*at] != 0.0).unwrap();
        for at in [
            lively(usize::from(sample.inputs[1][2]) * HIDDEN),
            lively(BIAS),
            lively(output(sample, 1)),
            OUTPUT_BIASES + usize::from(sample.bucket),
        ] {
            let moved = |by: f32| {
                let mut weights = weights.clone();
                weights[at] += by;
                Seen::of(sample, &weights).value
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            let off = (slope / gradient[at] - 1.0).abs();
            assert!(off < 0.05, "{at}: {slope}, {}", gradient[at]);
        }
        assert!(gradient.iter().filter(|slope| **slope != 0.0).count() > 500);
    }

    #[test]
    fn an_error_grows_as_its_slope_says() {
        let mut position = with_slow_rooks().held_out.swap_remove(7);
        position.sample.share = 0.5;
        // Where it is nearly decided, whatever the game brought, the slope would be too small to be measured.
        position.sample.classical = 80.0;
        let squared = |value: f32| {
            let foretold = f64::from(SMALL.foretold(&position.sample, value));
            (foretold - f64::from(SMALL.target(&position))).powi(2)
        };
        for value in [-0.7, 0.4] {
            let seen = (squared(value + 0.01) - squared(value - 0.01)) / 0.02;
            let told = f64::from(SMALL.slope(&position, value));
            assert!(
                told != 0.0 && (seen / told - 1.0).abs() < 0.02,
                "{value}: {seen}, {told}"
            );
        }
    }
}

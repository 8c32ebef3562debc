//! Texel's method by gradient descent: weights are moved until the evaluation predicts results best.
//!
//! An evaluation E in centipawns predicts 1 / (1 + exp(-K E)) points. K is fitted once to the weights as they are,
//! so that tuning keeps the meaning of a centipawn, on which the search's margins rest.
//! Source: Peter Österlund's method (chessprogramming.org/Texel's_Tuning_Method).

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    dataset::{Dataset, Labelled},
    optimizer::{Adam, mean_error, points},
};
use sparring_engine::{EvalSample, VariantSample, WeightPair};

/// A position as a function of weights.
pub trait Tunable {
    /// The evaluation with these weights, in centipawns from White's view.
    fn evaluate(&self, weights: &[WeightPair]) -> f32;

    /// Adds `slope` times the gradient of the evaluation to `gradient`.
    fn add_gradient(&self, weights: &[WeightPair], slope: f32, gradient: &mut [WeightPair]);
}

impl Tunable for EvalSample {
    fn evaluate(&self, weights: &[WeightPair]) -> f32 {
        Self::evaluate(self, weights)
    }

    fn add_gradient(&self, weights: &[WeightPair], slope: f32, gradient: &mut [WeightPair]) {
        Self::add_gradient(self, weights, slope, gradient);
    }
}

impl Tunable for VariantSample {
    fn evaluate(&self, weights: &[WeightPair]) -> f32 {
        Self::evaluate(self, weights)
    }

    fn add_gradient(&self, _: &[WeightPair], slope: f32, gradient: &mut [WeightPair]) {
        Self::add_gradient(self, slope, gradient);
    }
}

/// How to tune. Equal values on equal positions give equal weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuner {
    /// Passes over all positions.
    pub passes: usize,
    /// Positions a step.
    pub batch: usize,
    /// Centipawns that a weight may move at a step at first; falls to nothing during the passes.
    pub rate: f32,
    /// Share (0 to 1) of the game's result in the target; the rest is the search score.
    pub result_share: f32,
    /// How much a weight is drawn to where it was: what a move by 100 centipawns adds to the error. Keeps weights
    /// that few positions use from following those few anywhere.
    pub pull: f32,
    /// How much of what is learned is what the weights as they were predict, from 0 to 1. Near the optimum that is as good as
    /// having the positions they were fitted to: of N old ones and n new ones, N / (N + n) stands for the old.
    pub keep: f32,
    /// The K to use instead of fitting it, in points a centipawn: makes the errors of two runs comparable.
    pub k: Option<f32>,
    /// Orders the positions.
    pub seed: u64,
}

impl Default for Tuner {
    fn default() -> Self {
        Self {
            passes: 40,
            batch: 8192,
            rate: 1.5,
            result_share: 0.15,
            pull: 1e-4,
            keep: 0.0,
            k: None,
            seed: 1,
        }
    }
}

/// Mean squared error of the predictions, in squared points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// On the positions learned from.
    pub training: f64,
    /// On those held out.
    pub held_out: f64,
}

/// Result of tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The fitted K: see the module.
    pub k: f32,
    /// With the weights as they were.
    pub before: Errors,
    /// With the weights found.
    pub after: Errors,
    /// The weights found, in the order of the table, rounded to whole centipawns.
    pub weights: Vec<[i32; 2]>,
}

impl Tuner {
    /// Tunes weights from `start`. Reports number (from 1) and errors of each pass.
    pub fn tune<S: Tunable>(
        &self,
        set: &Dataset<S>,
        start: &[WeightPair],
        tell: &mut dyn FnMut(usize, Errors),
    ) -> Tuned {
        let k = self.k.unwrap_or_else(|| fit_k(&set.training, start));
        let before = self.errors(set, start, k);
        let weights = self.descend(set, start, k, tell);
        let rounded: Vec<[i32; 2]> = weights
            .iter()
            .map(|pair| pair.map(|half| half.round() as i32))
            .collect();
        let as_played: Vec<WeightPair> = rounded.iter().map(|pair| pair.map(|half| half as f32)).collect();
        Tuned {
            k,
            before,
            after: self.errors(set, &as_played, k),
            weights: rounded,
        }
    }

    /// Descends over shuffled batches.
    fn descend<S: Tunable>(
        &self,
        set: &Dataset<S>,
        start: &[WeightPair],
        k: f32,
        tell: &mut dyn FnMut(usize, Errors),
    ) -> Vec<WeightPair> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut order: Vec<usize> = (0..set.training.len()).collect();
        let mut weights = start.to_vec();
        let zeros = vec![[0.0; 2]; weights.len()];
        let mut adam = Adam::new(2 * weights.len());
        let batch = self.batch.max(1);
        let steps = self.passes * order.len().div_ceil(batch);
        let mut step = 0;
        for pass in 1..=self.passes {
            order.shuffle(&mut rng);
            for chosen in order.chunks(batch) {
                let mut gradient = zeros.clone();
                for index in chosen {
                    let position = &set.training[*index];
                    let aim = self.aim(position, start, k);
                    add_slope(position, aim, &weights, k, chosen.len(), &mut gradient);
                }
                for ((slope, weight), start) in gradient.iter_mut().zip(&weights).zip(start) {
                    for half in 0..2 {
                        slope[half] += 2e-4 * self.pull * (weight[half] - start[half]);
                    }
                }
                let rate = self.rate * (1.0 - step as f32 / steps as f32);
                step += 1;
                adam.descend(weights.as_flattened_mut(), gradient.as_flattened(), rate);
            }
            tell(pass, self.errors(set, &weights, k));
        }
        weights
    }

    /// The target of a position: its label blended with the prediction of the initial weights.
    fn aim<S: Tunable>(&self, position: &Labelled<S>, start: &[WeightPair], k: f32) -> f32 {
        let target = position.target(k, self.result_share);
        if self.keep <= 0.0 {
            return target;
        }
        self.keep * points(k * position.sample.evaluate(start)) + (1.0 - self.keep) * target
    }

    fn errors<S: Tunable>(&self, set: &Dataset<S>, weights: &[WeightPair], k: f32) -> Errors {
        let of = |positions: &[Labelled<S>]| {
            mean_error(positions.iter(), |position| {
                points(k * position.sample.evaluate(weights)) - position.target(k, self.result_share)
            })
        };
        Errors {
            training: of(&set.training),
            held_out: of(&set.held_out),
        }
    }
}

/// Adds a position's part in the gradient of the mean squared error of `count` positions.
fn add_slope<S: Tunable>(
    position: &Labelled<S>,
    aim: f32,
    weights: &[WeightPair],
    k: f32,
    count: usize,
    gradient: &mut [WeightPair],
) {
    let foretold = points(k * position.sample.evaluate(weights));
    let slope = 2.0 * (foretold - aim) * foretold * (1.0 - foretold) * k / count as f32;
    position.sample.add_gradient(weights, slope, gradient);
}

/// The K with which these weights predict the games' results best, by halving intervals.
fn fit_k<S: Tunable>(positions: &[Labelled<S>], weights: &[WeightPair]) -> f32 {
    let evaluations: Vec<(f32, f32)> = positions
        .iter()
        .map(|position| (position.sample.evaluate(weights), position.points))
        .collect();
    let error = |k: f32| -> f64 {
        evaluations
            .iter()
            .map(|(value, result)| f64::from(points(k * value) - result).powi(2))
            .sum()
    };
    let (mut low, mut high) = (0.000_5_f32, 0.02_f32);
    for _ in 0..30 {
        let third = (high - low) / 3.0;
        if error(low + third) < error(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    f32::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::SelfPlay;
    use sparring_chess::{Rules as _, Variant, units::Nodes};
    use sparring_engine::{Engine, weight_rows, weights_in_use};

    /// Positions of some games, labelled with the evaluation of `weights`.
    fn labelled_by(weights: &[WeightPair], k: f32) -> Dataset {
        let rules = SelfPlay {
            variant: Variant::Standard,
            nodes: Nodes(40),
            openings: Vec::new(),
            random_plies: 8,
            seed: 4,
        };
        let mut engine = Engine::new(1);
        let mut set = Dataset::default();
        for number in 0..30 {
            let game = rules.play(number, &mut engine).unwrap();
            for (pos, score) in game.quiet().filter(|(pos, _)| !pos.is_check()) {
                let sample = EvalSample::of(&pos);
                set.training.push(Labelled {
                    points: points(k * sample.evaluate(weights)),
                    score: score as f32,
                    sample,
                });
            }
        }
        set.held_out = set.training.split_off(set.training.len() * 9 / 10);
        set
    }

    fn place_of(name: &str) -> usize {
        weight_rows().iter().find(|row| row.name == name).unwrap().first
    }

    #[test]
    fn a_weight_that_was_changed_is_found_again_and_the_error_falls() {
        let mut wanted = weights_in_use();
        // Who is to move has nothing to do with what else there is, so nothing else can stand in for it.
        let pair = place_of("THE_MOVE");
        wanted[pair][0] += 60.0;
        wanted[pair][1] += 60.0;
        let set = labelled_by(&wanted, 0.004);
        let tuner = Tuner {
            passes: 60,
            batch: 256,
            result_share: 1.0,
            pull: 0.0,
            ..Tuner::default()
        };
        let mut told = 0;
        let tuned = tuner.tune(&set, &weights_in_use(), &mut |_, _| told += 1);
        assert_eq!(told, 60);
        assert!(tuned.after.training < tuned.before.training / 4.0, "{tuned:?}");
        assert!(tuned.after.held_out < tuned.before.held_out / 3.0, "{tuned:?}");
        let in_use = weights_in_use();
        let moved: f32 = (0..2)
            .map(|half| tuned.weights[pair][half] as f32 - in_use[pair][half])
            .sum();
        assert!((moved - 120.0).abs() < 40.0, "moved by {moved} instead of 120");
        assert!((tuned.k - 0.004).abs() < 0.001, "{}", tuned.k);
    }

    #[test]
    fn the_same_seed_finds_the_same_and_a_strong_pull_holds_everything() {
        let set = labelled_by(&weights_in_use(), 0.005);
        let tuner = Tuner {
            passes: 2,
            batch: 200,
            ..Tuner::default()
        };
        let tune = |tuner: Tuner| tuner.tune(&set, &weights_in_use(), &mut |_, _| ());
        assert_eq!(tune(tuner), tune(tuner));
        let free = tune(tuner).weights;
        let held = tune(Tuner { pull: 1e6, ..tuner }).weights;
        let far = |weights: &[[i32; 2]]| -> f32 {
            let in_use = weights_in_use();
            let pairs = weights.iter().zip(&in_use);
            pairs
                .map(|(pair, start)| (pair[0] as f32 - start[0]).abs() + (pair[1] as f32 - start[1]).abs())
                .sum()
        };
        assert!(far(&held) < far(&free) / 2.0, "{} {}", far(&held), far(&free));
        // With the initial predictions as the only target there is nothing to learn.
        let kept = tune(Tuner { keep: 1.0, ..tuner }).weights;
        assert_eq!(far(&kept), 0.0);
    }
}

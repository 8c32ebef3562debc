//! Fits the think-time model and measures its error.

use super::{
    games::HumanGame,
    linear::solve,
    scored_moves::{BANDS, band},
};
use sparring_chess::{GameHistory, Move, units::Millis};
use sparring_personality::{
    human_model::Model,
    think_time::{
        Clock, Obviousness, SpeedModels, ThinkTimeContext,
        features::{FEATURES, features, shares, speed},
        speed_model::{INSTANT_LIMIT, QUANTILES, SpeedModel, ZERO_SECONDS_LIMIT},
    },
};

/// One move with the time that it took.
pub struct Thought {
    /// Which model it belongs to.
    pub speed: usize,
    /// The mover's rating.
    pub level: f32,
    /// The features.
    pub features: [f32; FEATURES],
    /// Whole seconds, as clocks show them.
    pub seconds: f32,
}

impl Thought {
    /// The fitted quantity, `ln(t + 0.5)`.
    pub fn log(&self) -> f32 {
        (self.seconds + 0.5).ln()
    }
}

/// The timed moves of a game, but for the first of each side; none of a game without clocks.
///
/// # Errors
/// When the game has an illegal move.
pub fn thoughts(game: &HumanGame, model: &Model) -> anyhow::Result<Vec<Thought>> {
    let whole = game.line()?;
    let mut line = GameHistory::from_position(whole.variant(), whole.start().clone());
    let mut thoughts = Vec::new();
    for mv in whole.moves() {
        thoughts.extend(thought(game, &line, *mv, model));
        line.play(*mv);
    }
    Ok(thoughts)
}

/// Features and time of a legal move after `line`, the beginning of a game. `None` for the first move of each side, without
/// clocks, and after a berserk.
#[must_use]
pub fn thought(game: &HumanGame, line: &GameHistory, mv: Move, model: &Model) -> Option<Thought> {
    let (clocks, [initial, increment]) = (game.clk.as_ref()?, game.tc?);
    // Berserk halves the time and drops the increment.
    if clocks.iter().take(2).any(|left| *left + 1 < initial) {
        return None;
    }
    let spent = |ply: usize| {
        let (before, after) = (clocks.get(ply.checked_sub(2)?)?, clocks.get(ply)?);
        Some((before + increment).saturating_sub(*after))
    };
    let ply = line.ply();
    let (seconds, before) = (spent(ply)?, clocks.get(ply.checked_sub(2)?)?);
    let last = |plies: usize| Some(Millis::from_secs(u64::from(spent(ply.checked_sub(plies)?)?)));
    let context = ThinkTimeContext {
        opponent_last: last(1),
        own_last: last(2),
        ..ThinkTimeContext::with_obviousness(line, mv, Obviousness::of(model, line, mv))
    };
    let clock = Clock {
        initial: Millis::from_secs(initial.into()),
        increment: Millis::from_secs(increment.into()),
        remaining: Millis::from_secs((*before).into()),
    };
    let level = game.mover(ply);
    Some(Thought {
        speed: speed(clock.budget()),
        level,
        features: features(&context, clock, level),
        seconds: seconds as f32,
    })
}

/// The model of each speed.
#[must_use]
pub fn fit(thoughts: &[Thought]) -> SpeedModels {
    SpeedModels(std::array::from_fn(|speed| {
        let thoughts: Vec<&Thought> = thoughts.iter().filter(|thought| thought.speed == speed).collect();
        fit_speed(&thoughts)
    }))
}

/// Logistic regressions for instant moves; for the others least squares for the expectation, then for the spread, then the
/// residuals as they are.
fn fit_speed(thoughts: &[&Thought]) -> SpeedModel {
    let (at_once, slow): (Vec<&Thought>, Vec<&Thought>) = thoughts
        .iter()
        .partition(|thought| thought.seconds < INSTANT_LIMIT);
    let mut model = SpeedModel {
        instant: logistic(
            thoughts
                .iter()
                .map(|thought| (thought.features, thought.seconds < INSTANT_LIMIT)),
        ),
        zero_seconds: logistic(
            at_once
                .iter()
                .map(|thought| (thought.features, thought.seconds < ZERO_SECONDS_LIMIT)),
        ),
        weights: least_squares(slow.iter().map(|thought| (thought.features, thought.log()))),
        ..SpeedModel::NONE
    };
    let residual =
        |model: &SpeedModel, thought: &Thought| thought.log() - model.expected_log_time(&thought.features);
    // The mean of a normal distribution's absolute value is its spread times this.
    let share = (2.0 / std::f32::consts::PI).sqrt();
    let rows = slow
        .iter()
        .map(|thought| (shares(thought.level), residual(&model, thought).abs() / share));
    model.spread = least_squares(rows);
    let mut residuals: Vec<f32> = slow
        .iter()
        .map(|thought| residual(&model, thought) / model.spread(thought.level))
        .collect();
    residuals.sort_by(f32::total_cmp);
    let at = |index: usize| {
        residuals
            .get((2 * index + 1) * residuals.len() / (2 * QUANTILES))
            .copied()
    };
    model.residuals = std::array::from_fn(|index| at(index).unwrap_or(0.0));
    model
}

/// Maximum-likelihood weights of a logistic regression, slightly regularised.
fn logistic<const SIZE: usize>(rows: impl Iterator<Item = ([f32; SIZE], bool)> + Clone) -> [f32; SIZE] {
    const STEPS: usize = 25;
    let mut weights = [0.0_f64; SIZE];
    for _ in 0..STEPS {
        let mut bend = Box::new([[0.0_f64; SIZE]; SIZE]);
        let mut slope = weights.map(|weight| -weight);
        for (index, row) in bend.iter_mut().enumerate() {
            row[index] = 1.0;
        }
        for (row, is_so) in rows.clone() {
            let row = row.map(f64::from);
            let odds: f64 = row
                .iter()
                .zip(weights)
                .map(|(value, weight)| value * weight)
                .sum();
            let chance = 1.0 / (1.0 + (-odds).exp());
            let miss = f64::from(u8::from(is_so)) - chance;
            for (index, left) in row.iter().enumerate() {
                for (sum, right) in bend[index].iter_mut().zip(row) {
                    *sum += chance * (1.0 - chance) * left * right;
                }
                slope[index] += miss * left;
            }
        }
        let Some(step) = solve(&mut bend, slope) else {
            break;
        };
        weights
            .iter_mut()
            .zip(step)
            .for_each(|(weight, step)| *weight += step);
    }
    weights.map(|weight| weight as f32)
}

/// Weights under which the rows come closest to their values, pulled a little towards zero.
fn least_squares<const SIZE: usize>(rows: impl Iterator<Item = ([f32; SIZE], f32)>) -> [f32; SIZE] {
    let mut matrix = Box::new([[0.0_f64; SIZE]; SIZE]);
    for (index, row) in matrix.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    let mut right = [0.0_f64; SIZE];
    for (row, value) in rows {
        for (index, left) in row.iter().enumerate() {
            for (sum, other) in matrix[index].iter_mut().zip(row) {
                *sum += f64::from(left * other);
            }
            right[index] += f64::from(left * value);
        }
    }
    solve(&mut matrix, right).map_or([0.0; SIZE], |weights| weights.map(|weight| weight as f32))
}

/// How often a time is drawn for each move, so that it is people's sample alone that chance has a part in.
const DRAWS: usize = 16;

/// How close a model comes to people it was not fitted on.
pub struct Fitness {
    /// Timed moves.
    pub count: usize,
    /// The rank correlation of the expected time with people's.
    pub spearman: f64,
    /// By band: moves, the Wasserstein distance of `ln(t + 0.5)`, drawn against people's, and the shares of moves
    /// in at most a second, people's and drawn, in percent.
    pub bands: [(usize, f64, [f64; 2]); BANDS],
}

/// Measures one speed. `luck` gives shares from 0 to 1 for the draws.
pub fn measure(model: &SpeedModel, thoughts: &[&Thought], mut luck: impl FnMut() -> f32) -> Fitness {
    let expected: Vec<f32> = thoughts
        .iter()
        .map(|thought| model.expected(&thought.features))
        .collect();
    let real: Vec<f32> = thoughts.iter().map(|thought| thought.seconds).collect();
    let mut pairs: [(Vec<f32>, Vec<f32>); BANDS] = Default::default();
    for thought in thoughts {
        let (people, drawn) = &mut pairs[band(thought.level)];
        people.push(thought.log());
        drawn.extend((0..DRAWS).map(|_| {
            let seconds = model.seconds(&thought.features, thought.level, luck()).round();
            (seconds + 0.5).ln()
        }));
    }
    let quick = |logs: &[f32]| {
        let count = logs.iter().filter(|log| **log < 1.6_f32.ln()).count();
        super::accuracy::percent(count as f64, logs.len())
    };
    Fitness {
        count: thoughts.len(),
        spearman: correlation(&ranks(&expected), &ranks(&real)),
        bands: pairs.map(|(mut people, mut drawn)| {
            let shares = [quick(&people), quick(&drawn)];
            (people.len(), distance(&mut people, &mut drawn), shares)
        }),
    }
}

/// The Wasserstein distance of two samples: how far one must be moved to become the other. 0 where one is empty.
pub fn distance(left: &mut [f32], right: &mut [f32]) -> f64 {
    left.sort_by(f32::total_cmp);
    right.sort_by(f32::total_cmp);
    let steps = left.len().max(right.len());
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    // The middles of equal shares: exact for samples of one size.
    let at = |sample: &[f32], step: usize| sample[(2 * step + 1) * sample.len() / (2 * steps)];
    let sum: f64 = (0..steps)
        .map(|step| f64::from((at(left, step) - at(right, step)).abs()))
        .sum();
    sum / steps as f64
}

/// Ranks from 0; equal values share the mean of theirs.
fn ranks(values: &[f32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for run in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = start as f64 + (run.len() - 1) as f64 / 2.0;
        run.iter().for_each(|index| ranks[*index] = rank);
        start += run.len();
    }
    ranks
}

fn correlation(left: &[f64], right: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (left_mean, right_mean) = (mean(left), mean(right));
    let mut sums = [0.0; 3];
    for (a, b) in left.iter().zip(right) {
        let (a, b) = (a - left_mean, b - right_mean);
        sums[0] += a * b;
        sums[1] += a * a;
        sums[2] += b * b;
    }
    sums[0] / (sums[1] * sums[2]).sqrt().max(1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
    }

    #[test]
    fn an_order_turned_around_correlates_by_minus_one() {
        let (up, down) = (ranks(&[1.0, 2.0, 5.0, 9.0]), ranks(&[8.0, 4.0, 2.0, 1.0]));
        assert!((correlation(&up, &up) - 1.0).abs() < 1e-9);
        assert!((correlation(&up, &down) + 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_shifted_sample_is_as_far_away_as_the_shift() {
        assert!((distance(&mut [1.0, 4.0, 2.0], &mut [2.5, 3.5, 5.5]) - 1.5).abs() < 1e-6);
        assert!((distance(&mut [1.0, 4.0], &mut [2.0, 2.0, 6.0, 6.0]) - 1.5).abs() < 1e-6);
        assert!(distance(&mut [], &mut [1.0]).abs() < 1e-6);
    }

    #[test]
    fn a_fit_finds_the_model_that_made_the_times() {
        let thoughts: Vec<Thought> = (0..4000_u32)
            .map(|index| {
                let mut features = [0.0; FEATURES];
                features[0] = 1.0;
                features[5] = (index % 7) as f32 / 3.0;
                let noise = ((index * 7919 % 1000) as f32 / 1000.0 - 0.5) * 2.0;
                Thought {
                    speed: 1,
                    level: 1000.0,
                    features,
                    seconds: (2.5 + 0.4 * features[5] + noise).exp() - 0.5,
                }
            })
            .collect();
        let model = *fit(&thoughts).get(1);
        assert!((model.weights[0] - 2.5).abs() < 0.06, "{}", model.weights[0]);
        assert!((model.weights[5] - 0.4).abs() < 0.06, "{}", model.weights[5]);
        let mut luck = (0..).map(|index: u32| (index * 7907 % 1009) as f32 / 1009.0);
        let fitness = measure(&model, &thoughts.iter().collect::<Vec<_>>(), || {
            luck.next().unwrap_or(0.5)
        });
        assert!(fitness.bands[2].1 < 0.1, "{}", fitness.bands[2].1);
    }
}

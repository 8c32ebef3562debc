//! Fits the Elo cost of each style axis from scores.

use crate::human::linear::solve;
use sparring_match_runner::Elo;
use sparring_personality::style::{Axis, Style};

const AXES: usize = Axis::ALL.len();

/// Standard deviation of what a step of one axis is expected to cost beyond its price, before any game, in Elo.
const EXPECTED: f64 = 30.0;

/// Standard deviations in a 95 % error.
const NORMAL: f64 = 1.96;

/// The price of each axis in Elo a step: those in force and what the games say is missing from them, by least squares with a
/// pull towards what is in force.
pub fn prices(scores: &[(Style, Elo)]) -> [f64; AXES] {
    let mut matrix = [[0.0; AXES]; AXES];
    let mut right = [0.0; AXES];
    for (axis, row) in matrix.iter_mut().enumerate() {
        row[axis] = EXPECTED.powi(-2);
    }
    for (style, elo) in scores {
        let steps: [f64; AXES] = std::array::from_fn(|axis| f64::from(style.on(Axis::ALL[axis].axis)));
        let weight = (NORMAL / elo.error.max(1.0)).powi(2);
        for (axis, row) in matrix.iter_mut().enumerate() {
            for (value, other) in row.iter_mut().zip(steps) {
                *value += weight * steps[axis] * other;
            }
            right[axis] -= weight * steps[axis] * elo.difference;
        }
    }
    // The pull keeps the system from being singular.
    let missing = solve(&mut matrix, right).unwrap_or([0.0; AXES]);
    std::array::from_fn(|axis| f64::from(Axis::ALL[axis].axis.elo_cost()) + missing[axis])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_games_say_is_missing_goes_to_the_axes_that_explain_it() {
        let with = |axis, value| Style::default().with(axis, value);
        let elo = |difference| Elo {
            difference,
            error: 1.0,
        };
        let now = |axis: Axis| f64::from(axis.elo_cost());
        let found = prices(&[
            (with(Axis::Attack, 2), elo(-40.0)),
            (with(Axis::Attack, 1).with(Axis::Greed, 2), elo(40.0)),
        ]);
        for (axis, missing) in [(Axis::Attack, 20.0), (Axis::Greed, -30.0), (Axis::Queen, 0.0)] {
            let found = found[axis as usize] - now(axis);
            assert!((found - missing).abs() < 0.5, "{axis:?}: {found}");
        }
    }
}

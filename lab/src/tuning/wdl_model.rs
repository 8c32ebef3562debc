//! How often a score ends as a win, a draw or a loss: two constants fitted to games by maximum likelihood.

use std::collections::BTreeMap;

use super::dataset::Labelled;

/// A logistic curve for wins, its mirror image for losses, and draws between the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WdlModel {
    /// The score at which half of the games are won, in centipawns.
    pub even: f64,
    /// How slowly chances change with the score, in centipawns.
    pub spread: f64,
}

/// How often scores came with which result: wins, draws and losses of the side that the score is of.
struct Tally(BTreeMap<i32, [f64; 3]>);

impl WdlModel {
    /// The curve under which the results of these positions are likeliest. Every position counts for both sides.
    #[must_use]
    pub fn fit<S>(positions: &[Labelled<S>]) -> Self {
        let tally = Tally::of(positions);
        let mut best = Self {
            even: 150.0,
            spread: 100.0,
        };
        let mut step = 32.0;
        while step > 0.1 {
            let loss = tally.loss(best);
            let neighbours =
                [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)].map(|(even, spread)| Self {
                    even: (best.even + even).max(1.0),
                    spread: (best.spread + spread).max(1.0),
                });
            match neighbours.into_iter().find(|next| tally.loss(*next) < loss) {
                Some(next) => best = next,
                None => step /= 2.0,
            }
        }
        best
    }

    /// The mean surprise at the results of these positions, in nats: less is better.
    #[must_use]
    pub fn loss<S>(self, positions: &[Labelled<S>]) -> f64 {
        Tally::of(positions).loss(self)
    }

    /// Chances of win, draw and loss at a score in centipawns.
    #[must_use]
    pub fn at(self, score: f64) -> [f64; 3] {
        let share = |score: f64| 1.0 / (1.0 + ((self.even - score) / self.spread).exp());
        let (win, loss) = (share(score), share(-score));
        [win, (1.0 - win - loss).max(0.0), loss]
    }
}

impl Tally {
    fn of<S>(positions: &[Labelled<S>]) -> Self {
        let mut tally = BTreeMap::new();
        for position in positions {
            let result = if position.points > 0.75 {
                0
            } else if position.points > 0.25 {
                1
            } else {
                2
            };
            let score = position.score.round() as i32;
            for (score, result) in [(score, result), (-score, 2 - result)] {
                tally.entry(score).or_insert([0.0; 3])[result] += 1.0;
            }
        }
        Self(tally)
    }

    fn loss(&self, chances: WdlModel) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (score, results) in &self.0 {
            for (seen, chance) in results.iter().zip(chances.at(f64::from(*score))) {
                sum -= seen * chance.max(1e-6).ln();
                count += seen;
            }
        }
        sum / f64::max(count, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;
    use sparring_engine::EvalSample;

    #[test]
    fn the_curve_that_made_the_results_is_found_again() {
        let truth = WdlModel {
            even: 180.0,
            spread: 70.0,
        };
        let sample = EvalSample::of(&Variant::Standard.start());
        let mut positions = Vec::new();
        for score in (-500..=500).step_by(20) {
            for (chance, points) in truth.at(f64::from(score)).into_iter().zip([1.0, 0.5, 0.0]) {
                let labelled = Labelled {
                    sample: sample.clone(),
                    score: score as f32,
                    points,
                };
                positions.extend(std::iter::repeat_n(labelled, (chance * 200.0).round() as usize));
            }
        }
        let found = WdlModel::fit(&positions);
        assert!((found.even - truth.even).abs() < 4.0, "{found:?}");
        assert!((found.spread - truth.spread).abs() < 4.0, "{found:?}");
        let worse = WdlModel { even: 100.0, ..found };
        assert!(worse.loss(&positions) > found.loss(&positions));
    }
}

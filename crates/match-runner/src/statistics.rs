//! Match statistics: Elo with its error and the likelihood of superiority from pairs of games, and the sequential
//! probability ratio test (SPRT).

use std::fmt;

/// Counts of pairs by the points the first engine took: 0, ½, 1, 1½, 2.
///
/// Two games of a pair share their opening, so they are not independent; counting pairs keeps the error honest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u32; 5]);

/// A difference of strength with its 95 % error, both in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elo {
    /// The estimate; infinite when one side took every point.
    pub difference: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

impl Pentanomial {
    /// Counts one pair by the points of the first engine in half points, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        if let Some(count) = self.0.get_mut(half_points) {
            *count += 1;
        }
    }

    /// Pairs played.
    #[must_use]
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The share of points that the first engine took, 0 to 1; half before the first pair.
    #[must_use]
    pub fn score(&self) -> f64 {
        let pairs = self.pairs();
        if pairs == 0 {
            return 0.5;
        }
        let points: f64 = self
            .0
            .iter()
            .zip(Self::SHARES)
            .map(|(count, share)| f64::from(*count) * share)
            .sum();
        points / f64::from(pairs)
    }

    const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// Half a pair, spread over all outcomes: a few pairs that came out alike do not prove that all will.
    const UNSEEN: f64 = 0.5;

    /// Variance of the share of one pair.
    fn variance(&self) -> f64 {
        let mean = self.score();
        let counts = self.0.map(|count| f64::from(count) + Self::UNSEEN / 5.0);
        let squares = counts
            .iter()
            .zip(Self::SHARES)
            .map(|(count, share)| count * (share - mean).powi(2));
        squares.sum::<f64>() / counts.iter().sum::<f64>()
    }

    /// Standard deviation of the score.
    fn deviation(&self) -> f64 {
        (self.variance() / (f64::from(self.pairs()) + Self::UNSEEN)).sqrt()
    }

    /// How likely it is that the first engine is the stronger one, 0 to 1, by the normal approximation over pairs: what
    /// others call LOS. Half before the first pair.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        normal_share((self.score() - 0.5) / self.deviation())
    }

    /// The difference of strength that the score means, with its error.
    #[must_use]
    pub fn elo(&self) -> Elo {
        let mean = self.score();
        let deviation = self.deviation();
        let (low, high) = (
            elo_of_score(mean - 1.96 * deviation),
            elo_of_score(mean + 1.96 * deviation),
        );
        Elo {
            difference: elo_of_score(mean),
            error: (high - low) / 2.0,
        }
    }
}

/// The logistic difference of strength at which this share of points is expected.
fn elo_of_score(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    400.0 * (share / (1.0 - share)).log10()
}

/// The share of points expected at a logistic difference of strength.
fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The share of a normal distribution below this many standard deviations from its mean, to seven places.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17.
fn normal_share(deviations: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * deviations.abs());
    let powers = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let polynomial = powers.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let density = (-deviations * deviations / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let above = density * polynomial;
    if deviations < 0.0 { above } else { 1.0 - above }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.error.is_finite() {
            write!(f, "{:+.1} +- {:.1}", self.difference, self.error)
        } else {
            // So one-sided that nothing bounds it, or nothing was played.
            write!(f, "{:+.1} +- ?", self.difference)
        }
    }
}

/// A sequential probability ratio test: is the difference `elo1` rather than `elo0`?
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// The null hypothesis, in Elo.
    pub elo0: f64,
    /// The alternative, in Elo, above `elo0`.
    pub elo1: f64,
    /// Accepted share of false alarms and of misses.
    pub error: f64,
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The alternative holds: the change is good.
    Accepted,
    /// The null hypothesis holds.
    Rejected,
    /// Play on.
    Open,
}

impl Sprt {
    /// The log-likelihood ratio of the hypotheses, by the normal approximation over pairs.
    ///
    /// Source: the generalised test that fishtest and its kin use (van den Bergh, "A practical introduction to
    /// the GSPRT"), with the variance measured from the pairs themselves.
    #[must_use]
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        let variance = pairs.variance();
        let (score0, score1) = (score_of_elo(self.elo0), score_of_elo(self.elo1));
        f64::from(pairs.pairs()) * (score1 - score0) * (2.0 * pairs.score() - score0 - score1)
            / (2.0 * variance)
    }

    /// The bound that the ratio has to cross on either side.
    #[must_use]
    pub fn bound(&self) -> f64 {
        ((1.0 - self.error) / self.error).ln()
    }

    /// The verdict on these pairs.
    #[must_use]
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let llr = self.llr(pairs);
        if llr >= self.bound() {
            Verdict::Accepted
        } else if llr <= -self.bound() {
            Verdict::Rejected
        } else {
            Verdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_become_elo_with_an_error() {
        let even = Pentanomial([10, 20, 40, 20, 10]);
        assert!(even.elo().difference.abs() < 1e-9);
        // 400 * log10(0.64 / 0.36) by hand.
        let better = Pentanomial([4, 12, 36, 20, 28]);
        assert!((better.score() - 0.64).abs() < 1e-9);
        assert!((better.elo().difference - 99.95).abs() < 0.05, "{}", better.elo());
        let ten_times = Pentanomial(better.0.map(|count| count * 10));
        assert!(ten_times.elo().error < better.elo().error / 3.0);
    }

    #[test]
    fn a_few_pairs_that_came_out_alike_prove_little() {
        let one = Pentanomial([0, 0, 0, 1, 0]).elo();
        assert!(one.error > 200.0, "{one}");
        let equal = Pentanomial([0, 0, 30, 0, 0]).elo();
        assert!(equal.error > 3.0 && equal.error < 30.0, "{equal}");
        assert_eq!(Pentanomial([0, 0, 0, 0, 9]).elo().to_string(), "+inf +- ?");
    }

    #[test]
    fn all_points_are_no_finite_difference() {
        assert_eq!(Pentanomial([0, 0, 0, 0, 9]).elo().difference, f64::INFINITY);
        assert!((Pentanomial::default().score() - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn the_share_of_a_normal_distribution_is_that_of_the_tables() {
        for (deviations, share) in [(0.0, 0.5), (1.0, 0.841_345), (-1.96, 0.024_998), (3.0, 0.998_650)] {
            let found = normal_share(deviations);
            assert!((found - share).abs() < 1e-6, "{deviations}: {found}");
        }
        assert!(normal_share(-40.0) >= 0.0 && normal_share(40.0) <= 1.0);
    }

    #[test]
    fn who_is_stronger_is_the_likelier_the_more_was_won() {
        assert!((Pentanomial::default().superiority() - 0.5).abs() < 1e-6);
        assert!((Pentanomial([10, 20, 40, 20, 10]).superiority() - 0.5).abs() < 1e-6);
        // 4 % above half, with a deviation of 2.797 %: 1.43 deviations.
        let better = Pentanomial([8, 18, 38, 22, 14]);
        let likely = better.superiority();
        assert!((likely - 0.923_6).abs() < 1e-4, "{likely}");
        let mirrored = Pentanomial([14, 22, 38, 18, 8]).superiority();
        assert!((likely + mirrored - 1.0).abs() < 1e-6);
        assert!(Pentanomial(better.0.map(|count| count * 10)).superiority() > 0.9999);
        assert!(Pentanomial([0, 0, 0, 0, 9]).superiority() > 0.99);
    }

    #[test]
    fn the_sequential_test_stops_on_either_side_and_not_before() {
        let test = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            error: 0.05,
        };
        assert!((test.bound() - 2.944).abs() < 0.001);
        assert_eq!(test.verdict(&Pentanomial([1, 2, 3, 2, 1])), Verdict::Open);
        assert_eq!(
            test.verdict(&Pentanomial([200, 600, 1000, 800, 400])),
            Verdict::Accepted
        );
        assert_eq!(
            test.verdict(&Pentanomial([400, 800, 1000, 600, 200])),
            Verdict::Rejected
        );
    }
}

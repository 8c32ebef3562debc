//! The score of a book move, and the weight that follows from it.

use super::Outcome;
use sparring_chess::units::Centipawns;

/// A game against a move that scored so is as strong as so many real ones: few games say little.
const DOUBT: f64 = 8.0;

/// A weight changes by at most this factor at a time, up or down.
const BOLDEST: f64 = 2.0;

/// What a move scored.
#[derive(Debug, Clone, Default)]
pub(super) struct Score {
    /// Games in which it was played.
    pub(super) games: u32,
    /// Points that the ratings promised.
    pub(super) expected: f64,
    half_points: u32,
    /// The sum of all verdicts, and how many there are.
    verdicts: (i64, u32),
}

impl Score {
    /// Counts a game.
    pub(super) fn add(&mut self, outcome: &Outcome<'_>) {
        self.games += 1;
        self.half_points += outcome.half_points;
        self.expected += outcome.expected;
        if let Some(verdict) = outcome.verdict {
            self.verdicts.0 += i64::from(verdict.0);
            self.verdicts.1 += 1;
        }
    }

    /// Points scored.
    pub(super) fn points(&self) -> f64 {
        f64::from(self.half_points) / 2.0
    }

    /// The mean of the verdicts, if there is any.
    pub(super) fn verdict(&self) -> Option<Centipawns> {
        let (sum, count) = self.verdicts;
        let mean = (sum as f64 / f64::from(count)).round();
        (count > 0).then_some(Centipawns(mean as i32))
    }

    /// A weight after so many games: it grows with points above expectation and shrinks with points below, the more the
    /// more games there are, and never to nothing.
    pub(super) fn advise(&self, weight: i64) -> i64 {
        if weight <= 0 {
            return weight;
        }
        ((weight as f64 * self.factor()).round() as i64).max(1)
    }

    /// What a weight is multiplied by after so many games, from a half to two.
    pub(super) fn factor(&self) -> f64 {
        let surplus = (self.points() - self.expected) / (f64::from(self.games) + DOUBT);
        // Half a point a game more than promised doubles the weight.
        (2.0 * surplus).exp2().clamp(1.0 / BOLDEST, BOLDEST)
    }
}

/// What a player rated so is to score against another, from 0 to 1, by the usual formula of Elo.
#[must_use]
pub fn expected_score(own: u32, other: u32) -> f64 {
    1.0 / (1.0 + 10_f64.powf((f64::from(other) - f64::from(own)) / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_score_makes_a_weight_vanish_or_explode() {
        let score = |half_points| Score {
            games: 100_000,
            half_points,
            expected: 50_000.0,
            ..Score::default()
        };
        assert_eq!(score(0).advise(100), 50);
        assert_eq!(score(200_000).advise(100), 200);
        assert_eq!(score(0).advise(1), 1);
        assert_eq!(score(200_000).advise(0), 0);
    }

    #[test]
    fn equal_ratings_promise_half_a_point() {
        assert!((expected_score(1500, 1500) - 0.5).abs() < 1e-9);
        assert!((expected_score(1900, 1500) - 10.0 / 11.0).abs() < 1e-9);
    }
}

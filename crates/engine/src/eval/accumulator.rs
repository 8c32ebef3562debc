//! Accumulator of evaluation terms: their sum in play, their coefficients when tuning.

use super::{
    king_danger,
    score_pair::{ScorePair, t},
    squares::{self, Kings},
    weight::Weight,
    weight_overrides::WeightOverrides,
    weights::TABLE,
};
use sparring_chess::{Role, Square};

/// A sum of weights.
pub(super) trait EvalAccumulator: Clone {
    /// The source of the weights, where the type does not fix it.
    type Weights: Copy;

    /// An empty sum.
    fn empty(weights: Self::Weights) -> Self;

    /// Adds a weight `times` times.
    fn add(&mut self, weight: Weight, times: i32);

    /// Adds a constant that no weight covers.
    fn add_fixed(&mut self, score: ScorePair);

    /// Adds another sum `times` times.
    fn add_all(&mut self, other: &Self, times: i32);

    /// Subtracts the cost of a sum of king danger, which is a curve of it.
    fn subtract_danger(&mut self, danger: Self);

    /// The score of the sum.
    fn score(&self) -> ScorePair;

    /// Adds a piece on a square as its own side sees it, with these kings on its wing.
    fn add_piece(&mut self, role: Role, square: Square, kings: Kings) {
        for weight in squares::weights(role, square, kings) {
            self.add(weight, 1);
        }
    }
}

impl EvalAccumulator for ScorePair {
    type Weights = ();

    fn empty((): ()) -> Self {
        Self::ZERO
    }

    fn add(&mut self, weight: Weight, times: i32) {
        *self += TABLE[weight.index()] * times;
    }

    fn add_fixed(&mut self, score: ScorePair) {
        *self += score;
    }

    fn add_all(&mut self, other: &Self, times: i32) {
        *self += *other * times;
    }

    fn subtract_danger(&mut self, danger: Self) {
        *self -= t(
            king_danger::curve_mg(danger.mg()),
            king_danger::curve_eg(danger.eg()),
        );
    }

    fn score(&self) -> ScorePair {
        *self
    }

    fn add_piece(&mut self, role: Role, square: Square, kings: Kings) {
        *self += squares::piece_score(role, square, kings);
    }
}

/// A score by overridden weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct OverriddenScore<'w> {
    weights: &'w WeightOverrides,
    pub score: ScorePair,
}

impl<'w> OverriddenScore<'w> {
    /// A score computed before.
    pub fn new(weights: &'w WeightOverrides, score: ScorePair) -> Self {
        Self { weights, score }
    }
}

impl<'w> EvalAccumulator for OverriddenScore<'w> {
    type Weights = &'w WeightOverrides;

    fn empty(weights: &'w WeightOverrides) -> Self {
        Self::new(weights, ScorePair::ZERO)
    }

    fn add(&mut self, weight: Weight, times: i32) {
        self.score += self.weights.value(weight) * times;
    }

    fn add_fixed(&mut self, score: ScorePair) {
        self.score += score;
    }

    fn add_all(&mut self, other: &Self, times: i32) {
        self.score += other.score * times;
    }

    fn subtract_danger(&mut self, danger: Self) {
        self.score.subtract_danger(danger.score);
    }

    fn score(&self) -> ScorePair {
        self.score
    }
}

/// How often each weight is used: the evaluation as a function of its weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Coefficients {
    /// Indices in the table and how often each counts, in order and without zeros.
    pub counts: Vec<(u16, i16)>,
    /// The constant part.
    pub fixed: ScorePair,
    /// Sums of danger, each with how often its curve counts.
    pub dangers: Vec<(Coefficients, i32)>,
}

impl EvalAccumulator for Coefficients {
    type Weights = ();

    fn empty((): ()) -> Self {
        Self::default()
    }

    fn add(&mut self, weight: Weight, times: i32) {
        let place = weight.index() as u16;
        match self.counts.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(found) => {
                self.counts[found].1 += times as i16;
                if self.counts[found].1 == 0 {
                    self.counts.remove(found);
                }
            }
            Err(_) if times == 0 => {}
            Err(gap) => self.counts.insert(gap, (place, times as i16)),
        }
    }

    fn add_fixed(&mut self, score: ScorePair) {
        self.fixed += score;
    }

    fn add_all(&mut self, other: &Self, times: i32) {
        for (place, count) in &other.counts {
            self.add(Weight::row(usize::from(*place), 1), i32::from(*count) * times);
        }
        self.fixed += other.fixed * times;
        let dangers = other.dangers.iter();
        self.dangers
            .extend(dangers.map(|(danger, count)| (danger.clone(), count * times)));
    }

    fn subtract_danger(&mut self, danger: Self) {
        self.dangers.push((danger, -1));
    }

    fn score(&self) -> ScorePair {
        self.score_by(|place| TABLE[place])
    }
}

impl Coefficients {
    /// The score by overridden weights.
    pub fn score_with(&self, weights: &WeightOverrides) -> ScorePair {
        self.score_by(|place| weights.value(Weight::row(place, 1)))
    }

    fn score_by(&self, weight: impl Fn(usize) -> ScorePair + Copy) -> ScorePair {
        let counts = self.counts.iter();
        let sum = counts.fold(self.fixed, |sum, (place, count)| {
            sum + weight(usize::from(*place)) * i32::from(*count)
        });
        self.dangers.iter().fold(sum, |sum, (danger, count)| {
            let danger = danger.score_by(weight);
            sum + t(
                king_danger::curve_mg(danger.mg()),
                king_danger::curve_eg(danger.eg()),
            ) * *count
        })
    }
}

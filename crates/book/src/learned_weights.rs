//! Learned weight factors: game results make a book move more or less likely. The book's text stays unchanged.

use std::collections::HashMap;

use sparring_chess::{Move, Variant, write_uci};

/// Shares count in thousandths where any move of the position has a factor: whole shares would be too coarse.
const WHOLE: u64 = 1000;

/// By what the results of games multiply the weight of a book move.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightFactor {
    /// The position it is played in, by [`chess::key`](sparring_chess::key).
    pub key: u64,
    /// The move in UCI notation, castling as in orthodox chess where that cannot be another move.
    pub uci: String,
    /// Games in which it was played.
    pub games: u32,
    /// Points scored in them.
    pub points: f64,
    /// Points that the ratings promised.
    pub expected: f64,
    /// Its share is multiplied by so many thousandths.
    pub permille: u32,
}

impl WeightFactor {
    /// In words, as in `learned ×0.75 from 6 games: 0.0 points of 3.0`.
    #[must_use]
    pub fn words(&self) -> String {
        let games = if self.games == 1 { "game" } else { "games" };
        format!(
            "learned ×{:.2} from {} {games}: {:.1} points of {:.1}",
            f64::from(self.permille) / 1000.0,
            self.games,
            self.points,
            self.expected
        )
    }
}

/// The UCI notation of a move in a [`WeightFactor`].
pub(super) fn uci(mv: Move) -> String {
    write_uci(mv, Variant::Standard)
}

/// The weight factors of a book, by position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearnedWeights(HashMap<u64, Vec<WeightFactor>>);

impl FromIterator<WeightFactor> for LearnedWeights {
    fn from_iter<I: IntoIterator<Item = WeightFactor>>(all: I) -> Self {
        let mut weights = Self::default();
        for factor in all {
            weights.0.entry(factor.key).or_default().push(factor);
        }
        weights
    }
}

impl LearnedWeights {
    /// How many moves have a factor.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Whether no move has a factor.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The factor of a move, if it has one.
    pub(super) fn get(&self, key: u64, mv: Move) -> Option<&WeightFactor> {
        let here = self.0.get(&key)?;
        let uci = uci(mv);
        here.iter().find(|factor| factor.uci == uci)
    }

    /// A share times its factor. All shares of a position have to be asked for, since they come in another unit.
    pub(super) fn apply(&self, key: u64, mv: Move, share: u64) -> u64 {
        if !self.0.contains_key(&key) {
            return share;
        }
        let permille = self
            .get(key, mv)
            .map_or(WHOLE, |factor| u64::from(factor.permille));
        // What is played may become rare, and is never forbidden by results alone.
        share.saturating_mul(permille).max(u64::from(share > 0))
    }
}

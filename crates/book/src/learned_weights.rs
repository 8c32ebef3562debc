//! Learned weight factors: game results make a book move more or less likely. The book's text stays unchanged.

use std::collections::HashMap;

use sparring_chess::{Move, Variant, write_uci};

/// What a thousandth of a share is counted in where anything leans: whole shares would be too coarse.
const WHOLE: u64 = 1000;

/// How a move of a book leans.
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
    /// In words, as in `leans ×0.75 by 6 games: 0.0 points of 3.0`.
    #[must_use]
    pub fn words(&self) -> String {
        let games = if self.games == 1 { "game" } else { "games" };
        format!(
            "leans ×{:.2} by {} {games}: {:.1} points of {:.1}",
            f64::from(self.permille) / 1000.0,
            self.games,
            self.points,
            self.expected
        )
    }
}

/// What a move is called in a [`Lean`].
pub(super) fn uci(mv: Move) -> String {
    write_uci(mv, Variant::Standard)
}

/// The leans of a book, by position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearnedWeights(HashMap<u64, Vec<WeightFactor>>);

impl FromIterator<WeightFactor> for LearnedWeights {
    fn from_iter<I: IntoIterator<Item = WeightFactor>>(all: I) -> Self {
        let mut leans = Self::default();
        for lean in all {
            leans.0.entry(lean.key).or_default().push(lean);
        }
        leans
    }
}

impl LearnedWeights {
    /// How many moves lean.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Whether no move leans.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How a move leans, if it does.
    pub(super) fn of(&self, key: u64, mv: Move) -> Option<&WeightFactor> {
        let here = self.0.get(&key)?;
        let uci = uci(mv);
        here.iter().find(|lean| lean.uci == uci)
    }

    /// A share as it leans. All shares of a position have to be asked for, since they come in another unit.
    pub(super) fn bend(&self, key: u64, mv: Move, share: u64) -> u64 {
        if !self.0.contains_key(&key) {
            return share;
        }
        let permille = self.of(key, mv).map_or(WHOLE, |lean| u64::from(lean.permille));
        // What is played may become rare, and is never forbidden by results alone.
        share.saturating_mul(permille).max(u64::from(share > 0))
    }
}

//! Weight overrides: the evaluation weights with some rows changed, for personalities that evaluate otherwise.

use std::fmt;

use thiserror::Error;

use super::{
    score_pair::{ScorePair, t},
    weight::{Weight, WeightRow},
    weights::{COUNT, TABLE},
};
use crate::handicap::mix;

/// The evaluation weights of one player; the engine's unless changed.
#[derive(Clone, PartialEq, Eq)]
pub struct WeightOverrides(Box<[ScorePair; COUNT]>);

/// A change of a row of weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WeightChange {
    /// A percentage of the engine's weights.
    Percent(i32),
    /// Middle game and endgame in centipawns, as many pairs as the row is long.
    Pairs(Vec<[i32; 2]>),
}

/// An amount that a row of weights cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WeightChangeError {
    /// Fewer or more pairs than the row has.
    #[error("{given} pairs where {needed} are needed")]
    Length {
        /// How many were given.
        given: usize,
        /// How many the row has.
        needed: usize,
    },
    /// Beyond what sums of weights have room for.
    #[error("{value} is not within {} to {}", -.most, .most)]
    Range {
        /// What was given.
        value: i32,
        /// The greatest, and negated the least.
        most: i32,
    },
}

impl WeightChange {
    /// The greatest percentage; negated, the least.
    pub const MOST_PERCENT: i32 = 300;
    /// The greatest weight in centipawns; negated, the least. Nine queens still fit the sixteen bits of a sum; such weights
    /// in many rows at once, or in one that counts more often as that of attackers of a king does, may overflow it, and what
    /// comes out means nothing.
    pub const MOST: i32 = 2000;
}

impl WeightOverrides {
    /// Changes a row.
    ///
    /// # Errors
    /// [`WeightChangeError`] for a change that the row cannot have; nothing changes then.
    pub fn set(&mut self, row: &WeightRow, amount: &WeightChange) -> Result<(), WeightChangeError> {
        let within = |value: i32, most: i32| match value.abs() <= most {
            true => Ok(()),
            false => Err(WeightChangeError::Range { value, most }),
        };
        let places = row.first..row.first + row.length;
        match amount {
            WeightChange::Percent(percent) => {
                within(*percent, WeightChange::MOST_PERCENT)?;
                let part =
                    |score: i32| (score * percent / 100).clamp(-WeightChange::MOST, WeightChange::MOST);
                for (own, engines) in self.0[places.clone()].iter_mut().zip(&TABLE[places]) {
                    *own = t(part(engines.mg()), part(engines.eg()));
                }
            }
            WeightChange::Pairs(pairs) if pairs.len() == row.length => {
                pairs
                    .iter()
                    .flatten()
                    .try_for_each(|score| within(*score, WeightChange::MOST))?;
                for (own, [mg, eg]) in self.0[places].iter_mut().zip(pairs) {
                    *own = t(*mg, *eg);
                }
            }
            WeightChange::Pairs(pairs) => {
                return Err(WeightChangeError::Length {
                    given: pairs.len(),
                    needed: row.length,
                });
            }
        }
        Ok(())
    }

    /// The value of a weight.
    pub(super) fn value(&self, weight: Weight) -> ScorePair {
        self.0[weight.index()]
    }

    /// Whether they are the engine's.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self.0 == TABLE
    }

    /// Mixed into the keys of the transposition table, which keeps evaluations: other weights, another number.
    pub(crate) fn salt(&self) -> u64 {
        self.0.iter().fold(1, |salt, score| {
            mix(salt ^ u64::from(score.mg().cast_unsigned()) ^ u64::from(score.eg().cast_unsigned()) << 32)
        })
    }
}

impl Default for WeightOverrides {
    /// The engine's.
    fn default() -> Self {
        Self(Box::new(TABLE))
    }
}

impl fmt::Debug for WeightOverrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.0.iter().zip(&TABLE).filter(|(own, engines)| own != engines);
        write!(f, "Weights({} of {COUNT} changed)", others.count())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        eval::{Evaluator, PawnTable, weight_rows},
        node::Node,
    };
    use sparring_chess::{Position, Rules as _, Variant, parse_fen};

    fn row(name: &str) -> &'static WeightRow {
        weight_rows().iter().find(|row| row.name == name).unwrap()
    }

    fn value(pos: &Position, own: Option<&WeightOverrides>) -> i32 {
        value_with(&mut PawnTable::new(), pos, own)
    }

    fn value_with(table: &mut PawnTable, pos: &Position, own: Option<&WeightOverrides>) -> i32 {
        Evaluator::for_variant(Variant::Standard)
            .with_weights(own)
            .evaluate(&Node::new(pos, Variant::Standard.traits()), table)
    }

    proptest! {
        #[test]
        fn the_engines_weights_read_as_ones_own_judge_alike(choices in prop::collection::vec(any::<usize>(), 1..160)) {
            let mut pos = Variant::Standard.start();
            let own = WeightOverrides::default();
            let (mut table, mut other) = (PawnTable::new(), PawnTable::new());
            for choice in choices {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos.play_unchecked(moves[choice % moves.len()]);
                prop_assert_eq!(value_with(&mut table, &pos, Some(&own)), value_with(&mut other, &pos, None));
            }
        }
    }

    #[test]
    fn a_changed_row_changes_what_it_is_about_and_nothing_else() {
        let mut own = WeightOverrides::default();
        own.set(row("BISHOP_PAIR"), &WeightChange::Percent(300)).unwrap();
        let standard = |fen| parse_fen(Variant::Standard, fen).unwrap();
        let pair = standard("4k3/pppp4/8/8/8/8/PPPP4/2B1KB2 w - - 0 1");
        let single = standard("4k3/pppp4/8/8/8/8/PPPP4/2B1KN2 w - - 0 1");
        assert_eq!(value(&single, Some(&own)), value(&single, None));
        assert!(value(&pair, Some(&own)) > value(&pair, None) + 20);
        own.set(row("BISHOP_PAIR"), &WeightChange::Percent(100)).unwrap();
        assert!(own.is_default());
    }

    #[test]
    fn material_and_squares_can_be_changed_too() {
        let mut own = WeightOverrides::default();
        let knights = [[100, 100], [600, 600], [300, 300], [500, 500], [900, 900]];
        own.set(row("MATERIAL"), &WeightChange::Pairs(knights.to_vec()))
            .unwrap();
        let pos = parse_fen(Variant::Standard, "1n2k3/pppp4/8/8/8/8/PPPP4/2B1K3 w - - 0 1").unwrap();
        assert!(value(&pos, Some(&own)) < value(&pos, None) - 200);
    }

    #[test]
    fn what_a_row_cannot_have_is_refused_whole() {
        let mut own = WeightOverrides::default();
        let error = own
            .set(row("MATERIAL"), &WeightChange::Pairs(vec![[100, 100]]))
            .unwrap_err();
        assert_eq!(error.to_string(), "1 pairs where 5 are needed");
        let error = own
            .set(row("BISHOP_PAIR"), &WeightChange::Pairs(vec![[0, 2001]]))
            .unwrap_err();
        assert_eq!(error.to_string(), "2001 is not within -2000 to 2000");
        assert!(own.set(row("BISHOP_PAIR"), &WeightChange::Percent(-301)).is_err());
        assert!(own.is_default());
    }

    #[test]
    fn other_weights_never_meet_in_the_table() {
        let mut own = WeightOverrides::default();
        let before = own.salt();
        own.set(row("THE_MOVE"), &WeightChange::Percent(90)).unwrap();
        assert_ne!(own.salt(), before);
    }
}

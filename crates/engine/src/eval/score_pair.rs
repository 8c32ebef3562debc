//! Score pairs: middle game and endgame, added together.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Two numbers of 16 bits in one word: the middle game's in the low half, the endgame's in the high half. Adding
/// words adds both, with the carry of a negative low half undone on reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ScorePair(i32);

/// A pair of a middle game and an endgame score, in centipawns.
pub(crate) const fn t(mg: i32, eg: i32) -> ScorePair {
    ScorePair((eg << 16).wrapping_add(mg))
}

impl ScorePair {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The middle game score.
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame score.
    pub const fn eg(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }

    /// Both added, as a constant.
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The tapered score at a phase from 0 (bare endgame) to `full` (all pieces), both halves scaled in sixty-fourths.
    pub const fn blend(self, phase: i32, full: i32, [mg, eg]: [i32; 2]) -> i32 {
        (self.mg() * phase * mg + self.eg() * (full - phase) * eg) / (full * 64)
    }
}

impl Add for ScorePair {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl AddAssign for ScorePair {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for ScorePair {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl SubAssign for ScorePair {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Neg for ScorePair {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl Mul<i32> for ScorePair {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        Self(self.0.wrapping_mul(factor))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_halves_add_up_by_themselves(a in -5000..5000, b in -5000..5000, c in -5000..5000, d in -5000..5000, k in -3..4) {
            let (x, y) = (t(a, b), t(c, d));
            prop_assert_eq!(((x + y).mg(), (x + y).eg()), (a + c, b + d));
            prop_assert_eq!(((x - y).mg(), (x - y).eg()), (a - c, b - d));
            prop_assert_eq!(((x * k).mg(), (x * k).eg()), (a * k, b * k));
            prop_assert_eq!(-x, ScorePair::ZERO - x);
        }
    }

    #[test]
    fn blending_goes_from_one_end_to_the_other() {
        let pair = t(100, -40);
        assert_eq!(pair.blend(24, 24, [64, 64]), 100);
        assert_eq!(pair.blend(0, 24, [64, 64]), -40);
        assert_eq!(pair.blend(0, 24, [64, 16]), -10);
        assert_eq!(pair.blend(12, 24, [64, 64]), 30);
        assert_eq!(pair.blend(12, 24, [8, 64]), -13);
    }
}

//! Units as newtypes: milliseconds, centipawns, plies, depth, nodes, Elo.

use std::{
    fmt,
    ops::{Add, AddAssign, Neg, Sub},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A span of time in whole milliseconds, as lichess counts clocks. Never negative: subtraction stops at zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Millis(pub u64);

impl Millis {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of whole seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// This share of the span, `factor` being at least 0; not a number counts as 0.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor.max(0.0)) as u64)
    }

    /// The span in seconds, for showing it to people.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// A moment of the calendar as lichess writes it: since the start of 1970, UTC. What lies before is the start.
    #[must_use]
    pub fn since_1970(moment: SystemTime) -> Self {
        moment.duration_since(UNIX_EPOCH).map_or(Self::ZERO, Self::from)
    }
}

impl Add for Millis {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Millis {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Millis {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl From<Duration> for Millis {
    fn from(span: Duration) -> Self {
        Self(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<Millis> for Duration {
    fn from(span: Millis) -> Self {
        Self::from_millis(span.0)
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1000 {
            write!(f, "{} ms", self.0)
        } else {
            write!(f, "{:.1} s", self.as_secs_f64())
        }
    }
}

/// A score in hundredths of a pawn, from the point of view of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Centipawns(pub i32);

impl Neg for Centipawns {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Centipawns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", f64::from(self.0) / 100.0)
    }
}

/// Half moves, counted from a start that the context names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Ply(pub u32);

/// How many plies a search looks ahead before quiescence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Depth(pub u32);

/// Positions visited by a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Nodes(pub u64);

/// A playing strength on the scale of lichess ratings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Elo(pub u32);

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A monotonic clock that is passed in, so that the caller controls time: tests pass a clock that they advance by hand.
pub trait TimeSource {
    /// Time since a fixed moment of this clock's choice.
    fn elapsed(&self) -> Millis;
}

/// The real clock: elapsed time since it was made.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts counting now.
    #[must_use]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }
}

impl TimeSource for Stopwatch {
    fn elapsed(&self) -> Millis {
        self.0.elapsed().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_never_wrap_around() {
        assert_eq!(Millis(5) - Millis(7), Millis::ZERO);
        assert_eq!(Millis(u64::MAX) + Millis(1), Millis(u64::MAX));
        assert_eq!(Millis(100).scaled(-3.0), Millis::ZERO);
        assert_eq!(Millis(100).scaled(f64::NAN), Millis::ZERO);
    }

    #[test]
    fn units_read_well() {
        assert_eq!(Millis(420).to_string(), "420 ms");
        assert_eq!(Millis(61_250).to_string(), "61.2 s");
        assert_eq!(Centipawns(-134).to_string(), "-1.34");
    }
}

//! Describes a personality's strength in a few words.

use std::fmt;

use sparring_chess::units::Elo;

/// Where a personality's strength comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// A level.
    Level(Elo),
    /// The likeliest moves of a network of its own.
    Network,
    /// Parameters set by hand.
    ByHand,
    /// No handicap.
    Full,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "level {level}"),
            Self::Network => write!(f, "a network's moves"),
            Self::ByHand => write!(f, "strength set by hand"),
            Self::Full => write!(f, "full strength"),
        }
    }
}

//! What a search says of a position: so many centipawns, or mate in so many moves.

use std::fmt;

use crate::units::Centipawns;

/// A verdict for the side to move at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// An estimate.
    Cp(Centipawns),
    /// Mate in this many moves of the winner: positive when the side to move wins, negative when it loses.
    Mate(i32),
}

impl fmt::Display for Score {
    /// As UCI writes it: `cp 31` or `mate -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(cp) => write!(f, "cp {}", cp.0),
            Self::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

//! Why a game of a match ended, and the words for it in journals and PGN.

use sparring_chess::Outcome;

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The rules ended it.
    Rules(Outcome),
    /// It was decided, or too long.
    Adjudicated,
    /// The loser overstepped the time.
    Time,
    /// The loser played what is no legal move.
    IllegalMove,
    /// The loser crashed or fell silent.
    Crash,
}

impl Reason {
    /// Whether the loser lost by its plumbing and not by its chess.
    #[must_use]
    pub fn is_forfeit(self) -> bool {
        matches!(self, Self::Time | Self::IllegalMove | Self::Crash)
    }

    /// The PGN standard's word for it.
    pub(super) fn termination(self) -> &'static str {
        match self {
            Self::Rules(_) => "normal",
            Self::Adjudicated => "adjudication",
            Self::Time => "time forfeit",
            Self::IllegalMove => "rules infraction",
            Self::Crash => "abandoned",
        }
    }

    /// A word for records, and a tag of PGN.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rules(Outcome::Mate(_)) => "mate",
            Self::Rules(Outcome::Stalemate) => "stalemate",
            Self::Rules(Outcome::InsufficientMaterial) => "material",
            Self::Rules(Outcome::Threefold | Outcome::Fivefold) => "repetition",
            Self::Rules(Outcome::FiftyMoves) => "fifty",
            Self::Rules(Outcome::Variant(_)) => "variant",
            Self::Adjudicated => "adjudication",
            Self::Time => "time",
            Self::IllegalMove => "illegal",
            Self::Crash => "crash",
        }
    }
}

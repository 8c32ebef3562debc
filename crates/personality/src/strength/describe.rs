//! Describes a personality's strength in a few words.

use std::fmt;

use super::{LevelParams, level_params};
use crate::Personality;
use sparring_chess::units::Elo;

/// What a personality's strength comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// A level.
    Level(Elo),
    /// Numbers of its own, which no level stands for.
    ByHand,
    /// Nothing holds it back.
    Full,
}

impl Strength {
    /// The strength of a personality of which no other level is asked. How far it stays in its books is no strength.
    #[must_use]
    pub fn of(profile: &Personality) -> Self {
        let unbounded_by_books = LevelParams {
            book_plies: None,
            ..level_params(profile, None, true)
        };
        match profile.level {
            Some(level) => Self::Level(level),
            None if profile.setup.is_none() && unbounded_by_books == LevelParams::default() => Self::Full,
            None => Self::ByHand,
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "level {level}"),
            Self::ByHand => write!(f, "strength set by hand"),
            Self::Full => write!(f, "full strength"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Nodes;

    #[test]
    fn few_nodes_are_not_full_strength() {
        let mut profile = Personality::new("x");
        profile.book_plies = Some(4);
        assert_eq!(Strength::of(&profile).to_string(), "full strength");
        profile.nodes = Some(Nodes(50));
        assert_eq!(Strength::of(&profile).to_string(), "strength set by hand");
        profile.level = Some(Elo(1400));
        assert_eq!(Strength::of(&profile).to_string(), "level 1400");
    }
}

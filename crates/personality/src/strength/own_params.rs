//! Parameters that a personality plays with: those of its level, with its own overrides.

use std::sync::Arc;

use super::{
    describe::Strength,
    levels::{HumanChoice, LevelParams, Levels},
};
use crate::{NetworkFile, Personality, human_model::Model};
use sparring_chess::{Variant, units::Elo};
use sparring_engine::EngineOverrides;

/// The power that a network's chances are raised to: its likeliest move is played, or one that is about as likely.
const SHARPNESS: f64 = 64.0;
/// The rating that a network of ours plays at without a level.
const RATING: Elo = Elo(1500);

/// The level parameters of a personality: those of its level or full strength, with its own overrides.
/// Variants that the human model does not know have levels of their own.
///
/// A requested level (`requested`) ignores the overrides.
#[must_use]
pub fn level_params(profile: &Personality, requested: Option<Elo>, variant: Variant) -> LevelParams {
    let of_level = |level| match variant.traits().human_model {
        true => Levels::shipped().params(level),
        false => Levels::shipped().variant_params(level),
    };
    if let Some(level) = requested {
        return of_level(level);
    }
    let base = profile.level.map(of_level).unwrap_or_default();
    if own_model(profile, None, variant).is_some() {
        return LevelParams {
            choice: Some(HumanChoice {
                rating: profile.level.unwrap_or(RATING),
                sharpness: SHARPNESS,
                blunder_check: None,
            }),
            book_plies: profile.book_plies.or(base.book_plies),
            ..LevelParams::default()
        };
    }
    LevelParams {
        choice: base.choice,
        nodes: profile.nodes.or(base.nodes),
        depth: profile.depth.or(base.depth),
        noise: profile.noise.unwrap_or(base.noise),
        blunder_rate: profile.blunder_rate.unwrap_or(base.blunder_rate),
        book_plies: profile.book_plies.or(base.book_plies),
    }
}

/// The network that a personality plays instead of the built-in human model; `None` at a requested level and in variants that
/// networks do not know.
#[must_use]
pub fn own_model(profile: &Personality, requested: Option<Elo>, variant: Variant) -> Option<&Arc<Model>> {
    let model = profile.network.as_ref().and_then(NetworkFile::model);
    model.filter(|_| requested.is_none() && variant.traits().human_model)
}

/// The engine overrides of a personality; `None` at a requested level.
#[must_use]
pub fn engine_overrides(profile: &Personality, requested: Option<Elo>) -> Option<&Arc<EngineOverrides>> {
    profile.engine_overrides.as_ref().filter(|_| requested.is_none())
}

impl Strength {
    /// The strength of a personality, or of the level that was requested instead. Book length does not count.
    #[must_use]
    pub fn of(profile: &Personality, requested: Option<Elo>) -> Self {
        if requested.is_none() && profile.network.is_some() {
            return Self::Network;
        }
        if let Some(level) = requested.or(profile.level) {
            return Self::Level(level);
        }
        let params = LevelParams {
            book_plies: None,
            ..level_params(profile, None, Variant::Standard)
        };
        if profile.engine_overrides.is_none() && params == LevelParams::default() {
            Self::Full
        } else {
            Self::ByHand
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
        assert_eq!(Strength::of(&profile, None).to_string(), "full strength");
        profile.nodes = Some(Nodes(50));
        assert_eq!(Strength::of(&profile, None).to_string(), "strength set by hand");
        profile.level = Some(Elo(1400));
        assert_eq!(Strength::of(&profile, None).to_string(), "level 1400");
        assert_eq!(Strength::of(&profile, Some(Elo(900))).to_string(), "level 900");
    }
}

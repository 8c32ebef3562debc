//! When the NNUE correction is used: standard chess, full strength, default weights.

use crate::{overrides::EngineOverrides, params::Params, search_request::SearchRequest};

impl SearchRequest {
    /// Whether the net corrects the evaluation, where the engine's own parameters are `params`: only in orthodox chess,
    /// without a handicap and with the default weights, as it was trained on nothing else.
    pub(crate) fn uses_net(&self, params: &Params) -> bool {
        let overrides = self.overrides.as_deref();
        let params = overrides.map_or(params, EngineOverrides::params);
        let own_weights = overrides.is_some_and(|overrides| overrides.weights().is_some());
        let is_known =
            self.line.variant().traits().standard_eval && !own_weights && !self.handicap.is_active();
        is_known && !self.classical_only && params.net > 0
    }
}

/// Mixed into the table keys of a search without the net: zero with it.
pub(crate) fn salt(uses_net: bool) -> u64 {
    const BY_TERMS: u64 = 0x6e0f_52a1_94c3_7d38;
    if uses_net { 0 } else { BY_TERMS }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Handicap, Limits, WeightChange, WeightOverrides, weight_rows};
    use sparring_chess::{GameHistory, Variant, units::Centipawns};

    #[test]
    fn the_net_is_used_only_in_standard_chess_at_full_strength() {
        let of = |variant| SearchRequest::new(GameHistory::new(variant), Limits::default());
        let (plain, off) = (
            Params::default(),
            Params {
                net: 0,
                ..Params::default()
            },
        );
        for variant in Variant::ALL {
            assert_eq!(
                of(variant).uses_net(&plain),
                variant.traits().standard_eval,
                "{variant}"
            );
        }
        let standard = || of(Variant::Standard);
        let mut own = WeightOverrides::default();
        own.set(&weight_rows()[0], &WeightChange::Percent(101)).unwrap();
        let with = |params: &Params, weights| SearchRequest {
            overrides: Some(Arc::new(EngineOverrides::new(params.clone(), weights))),
            ..standard()
        };
        let erring = |handicap| SearchRequest {
            handicap,
            ..standard()
        };
        let noise = Handicap {
            noise: Centipawns(1),
            ..Handicap::default()
        };
        let blindness = Handicap {
            blindness: 0.01,
            ..Handicap::default()
        };
        let classical_only = SearchRequest {
            classical_only: true,
            ..standard()
        };
        for search in [
            with(&plain, own),
            with(&off, WeightOverrides::default()),
            erring(noise),
            erring(blindness),
            classical_only,
        ] {
            assert!(!search.uses_net(&plain), "{search:?}");
        }
        assert!(!standard().uses_net(&off));
        // Overridden parameters replace the engine's.
        assert!(with(&plain, WeightOverrides::default()).uses_net(&off));
    }
}

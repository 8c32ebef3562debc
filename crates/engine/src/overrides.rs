//! Overrides of search parameters and evaluation weights.

use super::{Params, WeightOverrides};

/// Search parameters and evaluation weights that differ from the engine's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOverrides {
    params: Params,
    weights: Option<WeightOverrides>,
    salt: u64,
}

impl EngineOverrides {
    /// These parameters and weights.
    #[must_use]
    pub fn new(params: Params, weights: WeightOverrides) -> Self {
        // The engine's own weights are constants of the program, and faster.
        let weights = Some(weights).filter(|weights| !weights.is_default());
        Self {
            params,
            salt: weights.as_ref().map_or(0, WeightOverrides::salt),
            weights,
        }
    }

    /// The search parameters.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The weights; none for the engine's.
    pub(super) fn weights(&self) -> Option<&WeightOverrides> {
        self.weights.as_ref()
    }

    /// Mixed into the keys of the transposition table: zero for the engine's weights.
    pub(super) fn salt(&self) -> u64 {
        self.salt
    }
}

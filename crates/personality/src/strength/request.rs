//! Search requests with the handicaps of a level.

use std::sync::Arc;

use super::{
    levels::{HumanChoice, LevelParams},
    own_params::{engine_overrides, level_params, own_model},
};
use crate::{
    Personality,
    human_model::{Model, RootScores},
    style::Style,
};
use sparring_chess::{
    GameHistory,
    units::{Elo, Millis, Nodes},
};
use sparring_engine::{Handicap, Limits, SearchRequest, StyleBonus, Tablebase};

/// A search with a level's handicaps.
#[derive(Debug, Clone)]
pub struct StrengthRequest {
    /// The search; of all root moves if `choice` is set.
    pub search: SearchRequest,
    /// Whose chances the choice goes by; `None` for the built-in human model.
    pub model: Option<Arc<Model>>,
    /// How to choose among its moves; `None` for the best one.
    pub choice: Option<HumanChoice>,
    /// Limits of each of the two searches of the blunder check.
    pub check_limits: Option<Limits>,
    /// Node limit of all searches together.
    pub node_limit: Option<Nodes>,
    /// The style.
    pub style: Style,
    /// Seed of the choice; names the game.
    pub seed: u64,
}

impl StrengthRequest {
    /// The same request in a style. For a human choice the search gets the style's draw bonus only: the style then acts
    /// on the chances and needs unbiased scores for that.
    #[must_use]
    pub fn in_style(mut self, style: Style) -> Self {
        let bonus = style.search_bonus();
        self.search.style_bonus = match self.choice {
            None => bonus,
            Some(_) => StyleBonus {
                draws: bonus.draws,
                ..StyleBonus::default()
            },
        };
        Self { style, ..self }
    }

    /// The same request with endgame tables, which only the best move uses, not a human choice.
    #[must_use]
    pub fn with_tablebase(mut self, tablebase: Option<Arc<Tablebase>>) -> Self {
        self.search.tablebase = tablebase.filter(|_| self.choice.is_none());
        self
    }
}

impl From<SearchRequest> for StrengthRequest {
    /// The best move of a search.
    fn from(search: SearchRequest) -> Self {
        Self {
            seed: search.handicap.seed,
            search,
            model: None,
            choice: None,
            check_limits: None,
            node_limit: None,
            style: Style::default(),
        }
    }
}

/// The request of a personality for its next move.
///
/// `requested` is a level that replaces the profile's own strength, `budget` the soft and hard time limit. `seed` names
/// the game: equal seeds and positions give equal errors.
#[must_use]
pub fn request(
    profile: &Personality,
    requested: Option<Elo>,
    line: GameHistory,
    budget: Option<(Millis, Millis)>,
    seed: u64,
) -> StrengthRequest {
    let params = level_params(profile, requested, line.variant());
    let mut request = request_with(&params, line, budget, seed).in_style(profile.style);
    request.search.overrides = engine_overrides(profile, requested).cloned();
    request.model = own_model(profile, requested, request.search.line.variant()).cloned();
    request
}

/// As [`request`], for explicit level parameters.
#[must_use]
pub fn request_with(
    params: &LevelParams,
    line: GameHistory,
    budget: Option<(Millis, Millis)>,
    seed: u64,
) -> StrengthRequest {
    let limits = Limits {
        depth: params.depth,
        nodes: params.nodes,
        mate: None,
        // A human choice searches every move to the level's depth: with a soft limit, which ends a search early, the level
        // would be weaker with a clock than without.
        soft: budget.map(|(soft, _)| soft).filter(|_| params.choice.is_none()),
        hard: budget.map(|(_, hard)| hard),
    };
    let handicap = Handicap {
        noise: params.noise,
        blindness: params.blunder_rate as f32,
        seed,
    };
    let search = SearchRequest {
        handicap,
        classical_only: params.weaken(),
        ..SearchRequest::new(line, limits)
    };
    match params.choice {
        None => StrengthRequest::from(search),
        Some(choice) => StrengthRequest {
            search: SearchRequest {
                multi_pv: usize::MAX,
                limits: Limits {
                    depth: Some(
                        limits
                            .depth
                            .map_or(RootScores::DEEP, |depth| depth.min(RootScores::DEEP)),
                    ),
                    // Without a blunder check, a node limit set by hand applies to this search.
                    nodes: limits.nodes.filter(|_| choice.blunder_check.is_none()),
                    ..limits
                },
                ..search
            },
            model: None,
            choice: Some(choice),
            check_limits: choice.blunder_check.map(|_| limits),
            node_limit: None,
            style: Style::default(),
            seed,
        },
    }
}

//! `[tournaments]`: the tournaments that the bot joins.

use super::value_types::{ArenaForm, TeamForm};
use sparring_config_schema::{Bool, List, Section};
use sparring_lichess::model::{ArenaId, TeamId};

/// The arenas to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournaments {
    /// Whether to join any.
    pub enabled: bool,
    /// Ids of arenas.
    pub arenas: Vec<ArenaId>,
    /// Teams whose arenas to join.
    pub teams: Vec<TeamId>,
}

impl Tournaments {
    /// The OAuth scopes that this needs besides those of every bot.
    #[must_use]
    pub fn scopes(&self) -> &'static [&'static str] {
        match (self.enabled, self.teams.is_empty()) {
            (false, _) => &[],
            (true, true) => &["tournament:write"],
            (true, false) => &["tournament:write", "team:write"],
        }
    }
}

/// Declares the section's keys.
pub(super) fn declare(section: &mut Section<'_>) -> Tournaments {
    let read = Tournaments {
        enabled: section.key(
            "enabled",
            Bool,
            false,
            "Plays in arenas that allow bots. The token has to allow tournament:write, and team:write for teams.",
        ),
        arenas: section.key(
            "arenas",
            List(ArenaForm),
            Vec::new(),
            "Arenas to play in, by the last part of their address.",
        ),
        teams: section.key(
            "teams",
            List(TeamForm),
            Vec::new(),
            "Teams whose arenas are played as well, by the last part of their address. The bot becomes a member.",
        ),
    };
    if read.enabled && read.arenas.is_empty() && read.teams.is_empty() {
        section.warning(
            "enabled",
            "neither arenas nor teams are named",
            "no arena will be joined",
        );
    }
    read
}

//! Arena tournaments.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::IgnoredAny};

use super::{ArenaId, Speed, TeamId};
use sparring_chess::{Variant, units::Millis};

/// An arena tournament: the fields of `GET /api/tournament/{id}` that a player needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tournament {
    /// Its id.
    pub id: ArenaId,
    /// Its name.
    #[serde(default)]
    pub full_name: String,
    /// Whether bots may join.
    #[serde(default)]
    pub bots_allowed: bool,
    /// Duration in minutes.
    #[serde(default)]
    pub minutes: u64,
    /// Key of the variant; missing for standard chess.
    #[serde(default)]
    pub variant: Option<String>,
    /// The clock of its games.
    #[serde(default)]
    pub clock: Option<ArenaClock>,
    /// Seconds until it begins; missing once it has.
    #[serde(default)]
    pub seconds_to_start: Option<u64>,
    /// Seconds until it ends; missing before it begins.
    #[serde(default)]
    pub seconds_to_finish: Option<u64>,
    /// Whether it is over.
    #[serde(default)]
    pub is_finished: bool,
    /// The teams of a team battle; a player joins for one of them.
    #[serde(default)]
    pub team_battle: Option<TeamBattle>,
}

/// The clock of a tournament's games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct ArenaClock {
    /// Initial time in seconds.
    #[serde(default, with = "super::lenient::seconds")]
    pub limit: Millis,
    /// Increment in seconds.
    #[serde(default, with = "super::lenient::seconds")]
    pub increment: Millis,
}

/// A team battle.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TeamBattle {
    /// The teams.
    #[serde(default, deserialize_with = "names")]
    pub teams: Vec<TeamId>,
}

impl Tournament {
    /// Whether the bot API can play its games: a variant that is known, and not ultrabullet.
    #[must_use]
    pub fn is_playable(&self) -> bool {
        let is_known = |key: &str| key.parse::<Variant>().is_ok();
        let is_slow = |clock: ArenaClock| Speed::of_clock(clock.limit, clock.increment) >= Speed::Bullet;
        self.variant.as_deref().is_none_or(is_known) && self.clock.is_none_or(is_slow)
    }

    /// Time until it begins; zero once it has.
    #[must_use]
    pub fn begins_in(&self) -> Millis {
        Millis::from_secs(self.seconds_to_start.unwrap_or(0))
    }

    /// Time until it ends.
    #[must_use]
    pub fn ends_in(&self) -> Millis {
        let whole = self.begins_in() + Millis::from_secs(self.minutes.saturating_mul(60));
        self.seconds_to_finish.map_or(whole, Millis::from_secs)
    }
}

/// A tournament in the list of a team. The list lacks whether bots may join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedTournament {
    /// Its id.
    pub id: ArenaId,
    /// 10 before it begins, 20 while it runs, 30 when it is over.
    #[serde(default)]
    pub status: u32,
}

impl ListedTournament {
    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status >= 30
    }
}

/// The keys of a map by team id; keys that are no team id are skipped.
fn names<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<TeamId>, D::Error> {
    let teams = BTreeMap::<String, IgnoredAny>::deserialize(deserializer)?;
    Ok(teams.into_keys().filter_map(|team| team.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_says_when_it_runs_and_who_may_play() {
        let read = |text: &str| serde_json::from_str::<Tournament>(text).unwrap();
        let soon = read(
            r#"{"id":"may24lta","fullName":"Titled Arena May 2024","minutes":120,"secondsToStart":90,
                "isFinished":false,"clock":{"limit":60,"increment":0},"variant":"standard","nbPlayers":3,"stats":{}}"#,
        );
        assert!(!soon.bots_allowed, "who does not say so means people only");
        assert_eq!(
            (soon.begins_in(), soon.ends_in()),
            (Millis::from_secs(90), Millis::from_secs(90 + 7200))
        );
        let running = read(
            r#"{"id":"abcd1234","botsAllowed":true,"minutes":60,"secondsToFinish":600,
                "teamBattle":{"teams":{"coders":["Coders",null],"?":[]},"nbLeaders":5}}"#,
        );
        assert!(running.bots_allowed);
        let played = |rest: &str| read(&format!(r#"{{"id":"abcd1234",{rest}}}"#)).is_playable();
        assert!(played(
            r#""variant":"chess960","clock":{"limit":30,"increment":0}"#
        ));
        assert!(played(r#""variant":"atomic""#));
        assert!(!played(r#""variant":"fogOfWar""#), "newer than this program");
        assert!(
            !played(r#""clock":{"limit":15,"increment":0}"#),
            "too fast for bots"
        );
        assert_eq!(
            (running.begins_in(), running.ends_in()),
            (Millis::ZERO, Millis::from_secs(600))
        );
        assert_eq!(running.team_battle.unwrap().teams, ["coders".parse().unwrap()]);
    }
}

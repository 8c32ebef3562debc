//! Responses of plain requests: accounts, tokens, running games, chat history.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{GameEventInfo, UserId, event};
use sparring_chess::units::Elo;

/// `GET /api/account` and `/api/user/{name}`, as far as a bot cares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The id.
    pub id: UserId,
    /// The name as its owner writes it.
    pub username: String,
    /// `BOT`, `GM` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Ratings by perf key (`blitz`, `chess960`); puzzle modes without a rating are kept with `None`.
    #[serde(default)]
    pub perfs: BTreeMap<String, PerfRating>,
    /// How many games were played with it; missing where accounts are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<GameCount>,
    /// Closed by its owner or by moderators.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

impl Account {
    /// Whether lichess has marked the account as a bot.
    #[must_use]
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }

    /// Number of games. Puzzles have none.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.count.map_or(0, |count| count.all)
    }

    /// The rating under a perf key.
    #[must_use]
    pub fn rating(&self, perf: &str) -> Option<Elo> {
        self.perfs.get(perf).and_then(|perf| perf.rating)
    }
}

/// The games of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCount {
    /// All of them.
    pub all: u32,
}

/// One rating of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerfRating {
    /// Games played; under `puzzle` the puzzles solved.
    #[serde(default)]
    pub games: u32,
    /// The rating; missing for puzzle storms and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Elo>,
    /// Not yet settled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prov: bool,
}

/// One row of `POST /api/token/test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenInfo {
    /// The user of the token.
    pub user_id: UserId,
    /// Scopes, separated by commas.
    pub scopes: String,
    /// Epoch milliseconds, or never.
    pub expires: Option<u64>,
}

impl TokenInfo {
    /// Whether the token allows this scope.
    #[must_use]
    pub fn allows(&self, scope: &str) -> bool {
        self.scopes.split(',').any(|allowed| allowed.trim() == scope)
    }
}

/// `GET /api/account/playing`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NowPlaying {
    /// How many of them wait for me; missing in old answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nb_my_turn: Option<u32>,
    /// My running games. Of a row that does not fit the id is kept, so that the game is played all the same.
    #[serde(deserialize_with = "event::games")]
    pub now_playing: Vec<GameEventInfo>,
}

/// One line of `GET .../chat`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// The text.
    pub text: String,
    /// The author; `lichess` for the server.
    pub user: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_are_no_games() {
        let text = r#"{"id": "fresh", "username": "Fresh", "count": {"all": 0, "rated": 0},
                       "perfs": {"blitz": {"games": 0, "rating": 1500}, "puzzle": {"games": 31, "rating": 1649}}}"#;
        let account: Account = serde_json::from_str(text).unwrap();
        assert_eq!(account.games(), 0);
        let text = text.replace(r#"{"all": 0"#, r#"{"all": 3"#);
        let account: Account = serde_json::from_str(&text).unwrap();
        assert_eq!(account.games(), 3);
    }
}

//! The event stream: games that start and end, challenges that come and go.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{
    Challenge, Compat, DecodeError, GameId, PartialDecode, Side, Speed, StatusInfo, UserId, VariantInfo,
    decode_line, kind, lenient,
};
use sparring_chess::units::{Elo, Millis};

/// One line of `GET /api/stream/event`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Event {
    /// A game of mine runs: it began, or the stream was opened while it ran. Can come twice.
    GameStart {
        /// The game.
        game: Box<GameEventInfo>,
    },
    /// A game of mine is over.
    GameFinish {
        /// The game.
        game: Box<GameEventInfo>,
    },
    /// A challenge to me or by me. Can come twice.
    Challenge {
        /// The challenge.
        challenge: Box<Challenge>,
        /// Missing when the stream repeats it after opening.
        #[serde(skip_serializing_if = "Option::is_none")]
        compat: Option<Compat>,
    },
    /// The challenger canceled it.
    ChallengeCanceled {
        /// The challenge.
        challenge: Box<Challenge>,
        /// Only with offers to repeat a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        compat: Option<Compat>,
    },
    /// A challenge of mine was refused.
    ChallengeDeclined {
        /// The challenge.
        challenge: Box<Challenge>,
    },
    /// A kind newer than this program.
    #[serde(untagged)]
    Unknown {
        /// Its name.
        #[serde(rename = "type")]
        kind: String,
    },
}

impl Event {
    /// Reads one line.
    ///
    /// # Errors
    /// [`DecodeError`] when the line is not JSON, or of a known kind and does not fit it.
    pub fn decode(line: &str) -> Result<Self, DecodeError> {
        #[derive(Deserialize)]
        struct OfGame {
            game: Box<GameEventInfo>,
        }
        #[derive(Deserialize)]
        struct OfChallenge {
            challenge: Box<Challenge>,
            #[serde(default)]
            compat: Option<Compat>,
        }
        let kind = kind(line)?;
        let game = || decode_line::<OfGame>(&kind, line).map(|payload| payload.game);
        let challenge = || decode_line::<OfChallenge>(&kind, line);
        Ok(match kind.as_str() {
            "gameStart" => Self::GameStart { game: game()? },
            "gameFinish" => Self::GameFinish { game: game()? },
            "challenge" => {
                let OfChallenge { challenge, compat } = challenge()?;
                Self::Challenge { challenge, compat }
            }
            "challengeCanceled" => {
                let OfChallenge { challenge, compat } = challenge()?;
                Self::ChallengeCanceled { challenge, compat }
            }
            "challengeDeclined" => Self::ChallengeDeclined {
                challenge: challenge()?.challenge,
            },
            _ => Self::Unknown { kind },
        })
    }
}

/// A game as the event stream and `nowPlaying` show it. Old captures carry nothing but the id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameEventInfo {
    /// The id under its name of today; see [`game`](Self::game).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_id: Option<GameId>,
    /// The id under its oldest name, which lists of running games lack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<GameId>,
    /// The id with my private part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_id: Option<String>,
    /// The current position, not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// My side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Side>,
    /// The last move, castling written king-takes-rook in every variant; empty at first.
    #[serde(default)]
    pub last_move: String,
    /// How the game came about, as in `friend`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusInfo>,
    /// The variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<VariantInfo>,
    /// The class of the clock, if this program knows it.
    #[serde(
        default,
        deserialize_with = "lenient::optional_speed",
        skip_serializing_if = "Option::is_none"
    )]
    pub speed: Option<Speed>,
    /// The key of the rating that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perf: Option<String>,
    /// Whether ratings change.
    #[serde(default)]
    pub rated: bool,
    /// Whether I have moved.
    #[serde(default)]
    pub has_moved: bool,
    /// The opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<Opponent>,
    /// Whether it is my turn.
    #[serde(default)]
    pub is_my_turn: bool,
    /// My remaining time, if there is a clock.
    #[serde(
        default,
        with = "lenient::optional_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub seconds_left: Option<Millis>,
    /// The winner, once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// Which interfaces may play it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat: Option<Compat>,
    /// The tournament that it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_id: Option<String>,
}

impl GameEventInfo {
    /// Which game it is, under whichever name the id came.
    #[must_use]
    pub fn game(&self) -> Option<&GameId> {
        self.game_id.as_ref().or(self.id.as_ref())
    }

    /// Whether lichess marks the opponent as a bot: the title stands before the name, and no name has a space.
    #[must_use]
    pub fn is_against_bot(&self) -> bool {
        let opponent = self.opponent.as_ref();
        opponent.is_some_and(|opponent| opponent.username.starts_with("BOT "))
    }

    /// A game of which only the id is known.
    #[must_use]
    pub fn of(id: GameId) -> Self {
        Self {
            game_id: Some(id.clone()),
            id: Some(id),
            full_id: None,
            fen: None,
            color: None,
            last_move: String::new(),
            source: None,
            status: None,
            variant: None,
            speed: None,
            perf: None,
            rated: false,
            has_moved: false,
            opponent: None,
            is_my_turn: false,
            seconds_left: None,
            winner: None,
            compat: None,
            tournament_id: None,
        }
    }
}

/// A list of games in which a field that does not decode costs at most its row. A row with a valid id is kept.
pub(super) fn games<'de, D: Deserializer<'de>>(wire: D) -> Result<Vec<GameEventInfo>, D::Error> {
    let rows = Vec::<Value>::deserialize(wire)?;
    Ok(rows.into_iter().filter_map(game).collect())
}

fn game(row: Value) -> Option<GameEventInfo> {
    let id = ["gameId", "id"]
        .iter()
        .find_map(|key| GameId::deserialize(row.get(key)?).ok());
    let read = PartialDecode::<GameEventInfo>::deserialize(row).ok();
    let read = read.map(|PartialDecode(game)| game);
    read.filter(|game| game.game().is_some())
        .or(id.map(GameEventInfo::of))
}

/// The other player of a game on the event stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opponent {
    /// The id; missing for anonymous players and lichess' own computer.
    pub id: Option<UserId>,
    /// The name with the title before it, as in `BOT maia1`: for people, not for telling users apart.
    #[serde(default)]
    pub username: String,
    /// The rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Elo>,
    /// The level of lichess' own computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ai: Option<u8>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::NowPlaying;

    #[test]
    fn bots_are_recognised_by_title_not_by_name() {
        let against = |name: &str| GameEventInfo {
            opponent: Some(Opponent {
                id: None,
                username: name.to_owned(),
                rating: None,
                ai: None,
            }),
            ..GameEventInfo::of("abcd1234".parse().unwrap())
        };
        assert!(against("BOT maia1").is_against_bot());
        for person in ["GM Ana", "Ana", "BOTvinnik", ""] {
            assert!(!against(person).is_against_bot(), "{person}");
        }
    }

    #[test]
    fn f31_a_running_game_that_cannot_be_read_costs_no_other_and_is_known_by_its_id() {
        let list: NowPlaying = serde_json::from_value(json!({"nowPlaying": [
            {"gameId": "abcd0001", "color": "purple"}, 7, {"gameId": 8},
            {"gameId": "abcd0002", "opponent": {"id": "ana"}, "isMyTurn": true},
        ]}))
        .unwrap();
        let games: Vec<_> = list.now_playing.iter().map(GameEventInfo::game).collect();
        assert_eq!(
            games,
            ["abcd0001", "abcd0002"]
                .map(|id| id.parse().ok())
                .each_ref()
                .map(Option::as_ref)
        );
        assert!(list.now_playing[1].is_my_turn);
    }
}

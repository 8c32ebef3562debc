//! Types of the lichess API, for both ends of the wire: bot and sandbox.
//!
//! Decoding is lenient: unknown kinds and enum values are kept as unknown, unknown fields are ignored, and missing optional
//! fields have lichess' meaning. Writing follows lichess' published specification.

mod account;
mod challenge;
mod decline_reason;
mod error;
mod event;
mod game;
mod ids;
mod lenient;
mod partial_decode;
mod speed;
mod status;
mod tournament;

pub use account::{Account, ChatMessage, GameCount, NowPlaying, PerfRating, TokenInfo};
pub use challenge::{
    Challenge, ChallengeColor, ChallengeDone, ChallengeRequest, ChallengeStatus, Compat, Perf, TimeControl,
    User, VariantInfo,
};
pub use decline_reason::DeclineReason;
pub use error::{DecodeError, ErrorBody, RateLimit};
pub use event::{Event, GameEventInfo, Opponent};
pub use game::{ChatLine, ClockInfo, GameEvent, GameFull, GameState, OpponentGone, Player, Room};
pub use ids::{ArenaId, BadId, GameId, TeamId, UserId};
pub use partial_decode::PartialDecode;
pub use speed::Speed;
pub use status::{Status, StatusInfo};
pub use tournament::{ArenaClock, ListedTournament, TeamBattle, Tournament};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use sparring_chess::Color;

/// A side, spelled `white` or `black` on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first player.
    White,
    /// The second player.
    Black,
}

impl Side {
    /// The side that plays against this one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        color.fold_wb(Self::White, Self::Black)
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        Self::from_white(side == Side::White)
    }
}

/// The `type` of a stream's line, read before the rest of it.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

fn kind(line: &str) -> Result<String, DecodeError> {
    let Kind { kind } = decode("line", line)?;
    Ok(kind)
}

/// Decodes a line of a stream. An optional field that does not decode counts as missing.
///
/// # Errors
/// [`DecodeError`] when the line is not JSON or a required field does not decode.
pub fn decode_line<T: DeserializeOwned>(kind: &str, line: &str) -> Result<T, DecodeError> {
    decode(kind, line).or_else(|error| {
        let Ok(value) = serde_json::from_str(line) else {
            return Err(error);
        };
        partial_decode::decode_partially(kind, value).map_err(|misfit| DecodeError {
            field: misfit.field,
            source: misfit.source,
            ..error
        })
    })
}

/// Decodes one JSON value; the error has the path of the bad field and the text.
///
/// # Errors
/// [`DecodeError`] when the text is not JSON or does not fit the type.
pub fn decode<T: DeserializeOwned>(kind: &str, text: &str) -> Result<T, DecodeError> {
    let misfit = |field: String, source| DecodeError {
        kind: kind.to_owned(),
        field,
        line: text.to_owned(),
        source,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| misfit(error.path().to_string(), error.into_inner()))?;
    json.end().map_err(|error| misfit(".".to_owned(), error))?;
    Ok(value)
}

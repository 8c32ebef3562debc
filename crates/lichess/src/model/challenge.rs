//! Challenges: players, variant, clock and status.

use serde::{Deserialize, Serialize};

use super::{GameId, Side, Speed, UserId, lenient};
use sparring_chess::{
    UnknownVariant, Variant,
    units::{Elo, Millis},
};

/// A challenge, as streams and requests show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// Its id, and that of the game it may become.
    pub id: GameId,
    /// Its page.
    #[serde(default)]
    pub url: String,
    /// The status.
    #[serde(default)]
    pub status: ChallengeStatus,
    /// The challenger; missing for anonymous and open challenges.
    #[serde(default)]
    pub challenger: Option<User>,
    /// The challenged user; missing for open challenges.
    #[serde(default)]
    pub dest_user: Option<User>,
    /// The variant; an unreadable one decodes as an unknown variant.
    #[serde(default)]
    pub variant: VariantInfo,
    /// Whether ratings change.
    #[serde(default)]
    pub rated: bool,
    /// The class of the clock, for showing; one that is newer than this program counts as classical.
    #[serde(default = "lenient::some_speed", deserialize_with = "lenient::speed")]
    pub speed: Speed,
    /// The clock; an unreadable one decodes as [`TimeControl::Unknown`].
    #[serde(default)]
    pub time_control: TimeControl,
    /// The color that the challenger requested.
    #[serde(default)]
    pub color: ChallengeColor,
    /// Which side the challenger will get, already drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_color: Option<Side>,
    /// The rating that counts, for showing.
    #[serde(default)]
    pub perf: Perf,
    /// `in` or `out`, in answers to requests only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The start, where it is not the usual one. Not trusted: the game's first line has the position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_fen: Option<String>,
    /// The game that this is a rematch of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
    /// Special rules such as `noAbort`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Why it was declined, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decline_reason: Option<String>,
    /// Why it was declined: a [`DeclineReason`] key in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decline_reason_key: Option<String>,
}

/// Parameters of a challenge to a user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChallengeRequest {
    /// Whether ratings change.
    pub rated: bool,
    /// Initial time and increment; `None` for no clock.
    pub clock: Option<(Millis, Millis)>,
    /// My side.
    pub color: ChallengeColor,
    /// The variant.
    pub variant: Variant,
    /// The start, for games from a position.
    pub fen: Option<String>,
}

impl ChallengeRequest {
    /// The fields of lichess' form. Clocks are whole seconds there.
    #[must_use]
    pub fn form(&self) -> Vec<(&'static str, String)> {
        let color = match self.color {
            ChallengeColor::White => "white",
            ChallengeColor::Black => "black",
            ChallengeColor::Random => "random",
        };
        let mut form = vec![
            ("rated", self.rated.to_string()),
            ("color", color.to_owned()),
            ("variant", self.variant.key().to_owned()),
        ];
        if let Some((limit, increment)) = self.clock {
            form.push(("clock.limit", (limit.0 / 1000).to_string()));
            form.push(("clock.increment", (increment.0 / 1000).to_string()));
        }
        form.extend(self.fen.clone().map(|fen| ("fen", fen)));
        form
    }
}

/// A user as challenges show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The id.
    pub id: UserId,
    /// The name as its owner writes it.
    #[serde(default)]
    pub name: String,
    /// The rating that counts for this challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Elo>,
    /// `BOT`, `GM` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether the rating is not yet settled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// Whether they are there now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub online: bool,
}

impl User {
    /// Whether lichess has marked the account as a bot.
    #[must_use]
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

/// A variant on the wire, kept even when it is newer than this program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantInfo {
    /// The key, as in `kingOfTheHill`.
    pub key: String,
    /// The name, as in `King of the Hill`.
    #[serde(default)]
    pub name: String,
    /// The abbreviation, as in `KotH`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
}

impl VariantInfo {
    /// The variant, if this program knows it.
    ///
    /// # Errors
    /// [`UnknownVariant`] otherwise.
    pub fn variant(&self) -> Result<Variant, UnknownVariant> {
        self.key.parse()
    }
}

impl From<Variant> for VariantInfo {
    fn from(variant: Variant) -> Self {
        Self {
            key: variant.key().to_owned(),
            name: variant.name().to_owned(),
            short: Some(variant.short().to_owned()),
        }
    }
}

/// The clock of a challenge. Seconds on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", from = "Control")]
pub enum TimeControl {
    /// A chess clock.
    Clock {
        /// Initial time.
        #[serde(serialize_with = "lenient::seconds::serialize")]
        limit: Millis,
        /// Increment.
        #[serde(serialize_with = "lenient::seconds::serialize")]
        increment: Millis,
        /// For people, as in `5+2` or `½+0`.
        show: String,
    },
    /// So many days for each move.
    #[serde(rename_all = "camelCase")]
    Correspondence {
        /// Days.
        days_per_turn: u32,
    },
    /// No clock.
    Unlimited,
    /// A kind newer than this program, or one with missing fields.
    #[default]
    Unknown,
}

/// All fields of a clock as optional, so that a bad one costs only itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Control {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default, with = "lenient::optional_seconds")]
    limit: Option<Millis>,
    #[serde(default, with = "lenient::optional_seconds")]
    increment: Option<Millis>,
    #[serde(default)]
    show: String,
    #[serde(default)]
    days_per_turn: Option<u32>,
}

impl From<Control> for TimeControl {
    fn from(control: Control) -> Self {
        let Control {
            limit,
            increment,
            show,
            days_per_turn,
            ..
        } = control;
        match (control.kind.as_str(), limit.zip(increment), days_per_turn) {
            ("clock", Some((limit, increment)), _) => Self::Clock {
                limit,
                increment,
                show,
            },
            ("correspondence", _, Some(days_per_turn)) => Self::Correspondence { days_per_turn },
            ("unlimited", ..) => Self::Unlimited,
            _ => Self::Unknown,
        }
    }
}

impl TimeControl {
    /// The class it belongs to.
    #[must_use]
    pub fn speed(&self) -> Speed {
        match self {
            Self::Clock { limit, increment, .. } => Speed::of_clock(*limit, *increment),
            Self::Correspondence { .. } | Self::Unlimited | Self::Unknown => Speed::Correspondence,
        }
    }
}

/// The color that a challenger requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChallengeColor {
    /// White.
    White,
    /// Black.
    Black,
    /// Either.
    #[default]
    #[serde(other)]
    Random,
}

/// Status of a challenge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChallengeStatus {
    /// Waiting for an answer.
    #[default]
    Created,
    /// Waiting, but the challenger is offline.
    Offline,
    /// Taken back by the challenger.
    Canceled,
    /// Refused.
    Declined,
    /// Now a game.
    Accepted,
    /// A status newer than this program.
    #[serde(other)]
    Unknown,
}

impl ChallengeStatus {
    /// The outcome in words; `None` while the challenge may still be answered. An offline challenger may come back, and an
    /// unknown status may mean that the challenge is open.
    #[must_use]
    pub fn outcome(self) -> Option<&'static str> {
        match self {
            Self::Created | Self::Offline | Self::Unknown => None,
            Self::Canceled => Some("taken back"),
            Self::Declined => Some("declined"),
            Self::Accepted => Some("accepted"),
        }
    }
}

/// The rating category of a challenge, for showing only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Perf {
    /// A character of lichess' icon font.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The name, possibly translated.
    #[serde(default)]
    pub name: String,
}

/// Which interfaces may play a game or challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compat {
    /// The bot interface.
    pub bot: bool,
    /// The board interface.
    #[serde(default)]
    pub board: bool,
}

/// Outcome of a challenge: the last line of its keep-alive stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChallengeDone {
    /// It is a game.
    Accepted,
    /// It was refused.
    Declined,
    /// It was taken back.
    Canceled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_seconds_on_the_wire() {
        let wire = r#"{"type":"clock","limit":300,"increment":2,"show":"5+2"}"#;
        let clock: TimeControl = serde_json::from_str(wire).unwrap();
        assert_eq!(
            clock,
            TimeControl::Clock {
                limit: Millis::from_secs(300),
                increment: Millis::from_secs(2),
                show: "5+2".into()
            }
        );
        assert_eq!(serde_json::to_string(&clock).unwrap(), wire);
        let strange: TimeControl = serde_json::from_str(r#"{"type":"hourglass"}"#).unwrap();
        assert_eq!(strange, TimeControl::Unknown);
    }
}

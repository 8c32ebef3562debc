//! Names of games and users, checked before they can become part of a path.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{text}\" is not a {what} id")]
pub struct BadId {
    /// The kind of id.
    pub what: &'static str,
    /// The text.
    pub text: String,
}

/// Eight letters or digits that name a game, and the challenge that it came from.
///
/// lichess' full ids (12 characters) carry a player's private part, which is cut off.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GameId(String);

impl GameId {
    /// The eight characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GameId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        if matches!(text.len(), 8 | 12) && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            Ok(Self(text[..8].to_owned()))
        } else {
            Err(BadId {
                what: "game",
                text: text.to_owned(),
            })
        }
    }
}

impl TryFrom<String> for GameId {
    type Error = BadId;

    fn try_from(text: String) -> Result<Self, BadId> {
        text.parse()
    }
}

impl From<GameId> for String {
    fn from(id: GameId) -> Self {
        id.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A user's id: the name in lower case, at most 30 letters, digits, `_` or `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UserId(String);

impl UserId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl UserId {
    /// Reads a name as people write it: with the `@` of chats and comments, or as the address of the user's page.
    ///
    /// # Errors
    /// [`BadId`] if it is no valid name.
    pub fn parse_written(text: &str) -> Result<Self, BadId> {
        let written = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let page = ["https://", "http://"].iter().find_map(|scheme| {
            let (host, name) = written.strip_prefix(scheme)?.split_once("/@/")?;
            host.ends_with("lichess.org").then_some(name)
        });
        let name = match page.or_else(|| written.strip_prefix("lichess.org/@/")) {
            Some(name) => name.split(['/', '?', '#']).next().unwrap_or_default(),
            None => written.strip_prefix('@').unwrap_or(written),
        };
        name.parse()
    }
}

impl FromStr for UserId {
    type Err = BadId;

    /// Reads an id or a name; names become ids by lower case.
    fn from_str(text: &str) -> Result<Self, BadId> {
        let fits = (1..=30).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if fits {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(BadId {
                what: "user",
                text: text.to_owned(),
            })
        }
    }
}

impl TryFrom<String> for UserId {
    type Error = BadId;

    fn try_from(text: String) -> Result<Self, BadId> {
        text.parse()
    }
}

impl From<UserId> for String {
    fn from(id: UserId) -> Self {
        id.0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names that stand in paths as they are: a tournament's eight letters, a team's words.
macro_rules! name_in_paths {
    ($(#[$doc:meta])* $name:ident, $what:literal, $longest:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
                if (1..=$longest).contains(&text.len()) && text.bytes().all(fits) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(BadId {
                        what: $what,
                        text: text.to_owned(),
                    })
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;

            fn try_from(text: String) -> Result<Self, BadId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_in_paths! {
    /// An arena tournament: the last part of its address, at most 20 letters, digits, `_` or `-`.
    ArenaId, "arena", 20
}

name_in_paths! {
    /// A team: the last part of its address, at most 80 letters, digits, `_` or `-`.
    TeamId, "team", 80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_id_loses_its_private_part() {
        assert_eq!("0FgNPGRzhDaW".parse::<GameId>().unwrap().as_str(), "0FgNPGRz");
    }

    #[test]
    fn ids_that_would_change_a_path_are_refused() {
        for text in ["", "../../ab", "abcdefg", "abcdefgh/", "abcdéfg"] {
            assert!(text.parse::<GameId>().is_err(), "{text}");
        }
        for text in ["", "a b", "a/../b", "ä", "x".repeat(31).as_str()] {
            assert!(text.parse::<UserId>().is_err(), "{text}");
        }
        assert_eq!("Ana-Lena_1".parse::<UserId>().unwrap().as_str(), "ana-lena_1");
        assert!("@ana".parse::<UserId>().is_err(), "the server says what it means");
    }

    #[test]
    fn names_are_read_as_people_write_them() {
        for written in [
            "Ana",
            "@Ana",
            " @ana\u{a0}",
            "\u{feff}Ana",
            "https://lichess.org/@/Ana",
            "https://lichess.org/@/Ana/all?page=2",
            "lichess.org/@/ana",
        ] {
            assert_eq!(
                UserId::parse_written(written).unwrap().as_str(),
                "ana",
                "{written}"
            );
        }
        for text in [
            "",
            "@",
            "@@ana",
            "https://lichess.org/ana",
            "https://evil.example/@/ana",
            "ana boris",
        ] {
            assert!(UserId::parse_written(text).is_err(), "{text}");
        }
    }
}

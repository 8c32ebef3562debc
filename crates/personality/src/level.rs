//! Levels: a fixed lichess rating, or one that follows the opponent's.

use std::{fmt, ops::RangeInclusive};

use toml::{Spanned, de::DeValue};

use sparring_chess::units::Elo;
use sparring_config_schema::{Int, TypeError, ValueType};
use sparring_diagnostics::nearest;

/// A level on the scale of lichess ratings: a whole number.
#[derive(Debug, Clone, Copy)]
pub struct Level;

impl Level {
    /// Levels with parameters.
    pub const RANGE: RangeInclusive<u32> = 600..=2800;
}

impl ValueType for Level {
    type Value = Elo;

    fn describe(&self) -> String {
        Int(Self::RANGE, "on the scale of lichess ratings").describe()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Elo, Vec<TypeError>> {
        let read = Int(Self::RANGE, "").read(value).map(Elo);
        let follows = value
            .get_ref()
            .as_str()
            .is_some_and(|text| LevelSetting::parse(text).is_some());
        read.map_err(|mut misfits| {
            if let Some(misfit) = misfits.first_mut().filter(|_| follows) {
                misfit.help = Some(
                    "write a number here; levels of rules and of personalities may follow the opponent"
                        .to_owned(),
                );
            }
            misfits
        })
    }

    fn write(&self, value: &Elo) -> String {
        value.to_string()
    }
}

/// The level of a rule or personality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelSetting {
    /// Always this level.
    Fixed(Elo),
    /// The opponent's rating plus an offset, in casual games.
    Opponent(i32),
    /// The opponent's rating clamped to a range, in casual games.
    Within(Elo, Elo),
    /// The level of the last casual game with the opponent, in casual games.
    Last,
}

/// What a level depends on in a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LevelContext {
    /// The opponent's rating in the game's category.
    pub opponent: Option<Elo>,
    /// The level of the last casual game with the opponent.
    pub last: Option<Elo>,
    /// Whether the game is rated.
    pub rated: bool,
}

/// Largest offset from the opponent's rating.
const FARTHEST: i32 = 1000;

/// Keyword for the opponent's rating.
const OPPONENT: &str = "opponent";
/// Keyword for the level of the last game.
const LAST: &str = "last";

/// The level when the opponent's rating is unknown.
const DEFAULT_LEVEL: Elo = Elo(1500);

impl LevelSetting {
    /// Reads `opponent`, `opponent+100`, `opponent-200`, `1200 to 1600` or `last`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == LAST {
            return Some(Self::Last);
        }
        if let Some((least, most)) = text.split_once(" to ") {
            let level = |text: &str| {
                text.trim()
                    .parse()
                    .ok()
                    .filter(|level| Level::RANGE.contains(level))
            };
            let (least, most): (u32, u32) = (level(least)?, level(most)?);
            return (least <= most).then_some(Self::Within(Elo(least), Elo(most)));
        }
        let offset = text.strip_prefix(OPPONENT)?.replace(' ', "");
        let offset = match offset.as_str() {
            "" => 0,
            // The sign is required: "opponent100" is ambiguous.
            signed if signed.starts_with(['+', '-']) => signed.parse().ok()?,
            _ => return None,
        };
        (-FARTHEST..=FARTHEST)
            .contains(&offset)
            .then_some(Self::Opponent(offset))
    }

    /// The level in a game. `None` if what it follows is unknown or the game is rated: rated strength must be the same for all.
    #[must_use]
    pub fn resolve(self, game: LevelContext) -> Option<Elo> {
        match self {
            Self::Fixed(level) => Some(level),
            _ if game.rated => None,
            Self::Opponent(offset) => {
                let level = game.opponent?.0.saturating_add_signed(offset);
                Some(Elo(level.clamp(*Level::RANGE.start(), *Level::RANGE.end())))
            }
            Self::Within(least, most) => Some(game.opponent?.clamp(least, most)),
            Self::Last => game.last,
        }
    }

    /// The level when [`resolve`](Self::resolve) gives `None`.
    #[must_use]
    pub fn fallback(self) -> Elo {
        match self {
            Self::Fixed(level) => level,
            Self::Opponent(_) | Self::Last => DEFAULT_LEVEL,
            Self::Within(least, most) => Elo(u32::midpoint(least.0, most.0)),
        }
    }
}

impl fmt::Display for LevelSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(level) => write!(f, "{level}"),
            Self::Opponent(0) => write!(f, "\"{OPPONENT}\""),
            Self::Opponent(offset) => write!(f, "\"{OPPONENT}{offset:+}\""),
            Self::Within(least, most) => write!(f, "\"{least} to {most}\""),
            Self::Last => write!(f, "\"{LAST}\""),
        }
    }
}

/// Value type of a [`LevelSetting`].
#[derive(Debug, Clone, Copy)]
pub struct LevelForm;

impl ValueType for LevelForm {
    type Value = LevelSetting;

    fn describe(&self) -> String {
        format!(
            "{}, \"opponent\", \"opponent+100\", \"1200 to 1600\" for the opponent's rating within a range, or \"last\" for \
             the level of the last casual game with them",
            Level.describe()
        )
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<LevelSetting, Vec<TypeError>> {
        let DeValue::String(text) = value.get_ref() else {
            return Level.read(value).map(LevelSetting::Fixed);
        };
        LevelSetting::parse(text).ok_or_else(|| {
            let quoted = toml::Value::String(text.to_string());
            let message = format!("{quoted} is not a level; write {}", self.describe());
            let misfit = TypeError::new(value, message);
            let word = text.split(['+', '-']).next().unwrap_or_default().trim();
            vec![match nearest(word, [OPPONENT, LAST]) {
                Some(word) if !text.starts_with(OPPONENT) => {
                    misfit.with_help(format!("did you mean \"{word}\"?"))
                }
                _ => misfit,
            }]
        })
    }

    fn write(&self, value: &LevelSetting) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opponents_rating_is_followed_in_casual_games_only() {
        let more = LevelSetting::parse("opponent+100").unwrap();
        assert_eq!(more.resolve(casual(1500)), Some(Elo(1600)));
        assert_eq!(more.resolve(rated(1500)), None);
        assert_eq!(more.resolve(LevelContext::default()), None);
        assert_eq!(more.resolve(casual(3100)), Some(Elo(2800)));
        let less = LevelSetting::parse("opponent - 200").unwrap();
        assert_eq!(less.resolve(casual(700)), Some(Elo(600)));
        assert_eq!(LevelSetting::Fixed(Elo(900)).resolve(rated(1500)), Some(Elo(900)));
    }

    #[test]
    fn the_level_of_the_last_casual_game_goes_on_in_casual_games_only() {
        let last = LevelSetting::parse("last").unwrap();
        let after = |meeting| LevelContext {
            last: Some(Elo(1230)),
            ..meeting
        };
        assert_eq!(last.resolve(after(casual(1500))), Some(Elo(1230)));
        assert_eq!(last.resolve(after(rated(1500))), None);
        assert_eq!(last.resolve(casual(1500)), None, "nothing was played yet");
    }

    fn casual(rating: u32) -> LevelContext {
        LevelContext {
            opponent: Some(Elo(rating)),
            ..LevelContext::default()
        }
    }

    fn rated(rating: u32) -> LevelContext {
        LevelContext {
            rated: true,
            ..casual(rating)
        }
    }

    #[test]
    fn a_range_keeps_the_opponents_rating_within_it() {
        let range = LevelSetting::parse("1200 to 1600").unwrap();
        let against = |rating| range.resolve(casual(rating)).map(|level| level.0);
        assert_eq!(
            [900, 1300, 2400].map(against),
            [Some(1200), Some(1300), Some(1600)]
        );
        assert_eq!((range.resolve(rated(900)), range.fallback()), (None, Elo(1400)));
        for text in ["1600 to 1200", "100 to 1600", "1200 to", "1200 to 9000"] {
            assert_eq!(LevelSetting::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back_and_nonsense_does_not() {
        for text in ["opponent", "opponent+100", "opponent-200", "1200 to 1600", "last"] {
            let setting = LevelSetting::parse(text).unwrap();
            assert_eq!(setting.to_string(), format!("\"{text}\""));
        }
        for text in ["", "opponents", "opponent100", "opponent+", "opponent+5000", "me"] {
            assert_eq!(LevelSetting::parse(text), None, "{text}");
        }
    }
}

//! The level that a rule asks for: a number, or as strong as whoever sits on the other side.

use std::fmt;

use toml::{Spanned, de::DeValue};

use crate::{
    personality::Level,
    settings::{Choice, Form, Misfit, nearest},
    units::Elo,
};

/// How strong a rule wants the bot to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelWish {
    /// Always this level.
    Fixed(Elo),
    /// The opponent's rating and so much more, or less, in casual games.
    Opponent(i32),
}

/// How the level of casual games follows the opponent. Rated games keep one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adapt {
    /// It does not.
    #[default]
    Off,
    /// From game to game, by the results of the day.
    Rematches,
    /// From move to move, by how the game stands.
    Coach,
}

impl Adapt {
    pub(super) const FORM: Choice<Self> = Choice(&[
        ("off", Self::Off),
        ("rematches", Self::Rematches),
        ("coach", Self::Coach),
    ]);

    pub(super) const DOC: &str = "In casual games a level may follow the opponent: \"rematches\" makes it 30 higher for each game of the day \
        that they are ahead and 30 lower for each that they are behind, up to 200; \"coach\" plays the better the worse it stands. They are told.";
}

/// How far from the opponent's rating a level may be asked for.
const FARTHEST: i32 = 1000;

/// The word for the opponent's rating.
const OPPONENT: &str = "opponent";

impl LevelWish {
    /// Reads `opponent`, `opponent+100` or `opponent-200`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let offset = text.strip_prefix(OPPONENT)?.replace(' ', "");
        let offset = match offset.as_str() {
            "" => 0,
            // A sign is a must, so that nobody takes "opponent100" for something.
            signed if signed.starts_with(['+', '-']) => signed.parse().ok()?,
            _ => return None,
        };
        (-FARTHEST..=FARTHEST)
            .contains(&offset)
            .then_some(Self::Opponent(offset))
    }

    /// The level in one game. None where the opponent's rating is asked for and unknown, or where the game is rated:
    /// there the bot's strength has to stay the same for everybody.
    #[must_use]
    pub fn resolve(self, opponent: Option<Elo>, rated: bool) -> Option<Elo> {
        match self {
            Self::Fixed(level) => Some(level),
            Self::Opponent(_) if rated => None,
            Self::Opponent(offset) => {
                let level = opponent?.0.saturating_add_signed(offset);
                Some(Elo(level.clamp(*Level::RANGE.start(), *Level::RANGE.end())))
            }
        }
    }
}

impl fmt::Display for LevelWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(level) => write!(f, "{level}"),
            Self::Opponent(0) => write!(f, "\"{OPPONENT}\""),
            Self::Opponent(offset) => write!(f, "\"{OPPONENT}{offset:+}\""),
        }
    }
}

/// [`LevelWish`] as a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelForm;

impl Form for LevelForm {
    type Value = LevelWish;

    fn describe(&self) -> String {
        format!("{}, \"opponent\" or \"opponent+100\"", Level.describe())
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<LevelWish, Vec<Misfit>> {
        let DeValue::String(text) = value.get_ref() else {
            return Level.read(value).map(LevelWish::Fixed);
        };
        LevelWish::parse(text).ok_or_else(|| {
            let quoted = toml::Value::String(text.to_string());
            let message = format!("{quoted} is not a level; write {}", self.describe());
            let misfit = Misfit::new(value, message);
            let word = text.split(['+', '-']).next().unwrap_or_default().trim();
            vec![match nearest(word, [OPPONENT]) {
                Some(word) if !text.starts_with(OPPONENT) => {
                    misfit.with_help(format!("did you mean \"{word}\"?"))
                }
                _ => misfit,
            }]
        })
    }

    fn write(&self, value: &LevelWish) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opponents_rating_is_followed_in_casual_games_only() {
        let more = LevelWish::parse("opponent+100").unwrap();
        assert_eq!(more.resolve(Some(Elo(1500)), false), Some(Elo(1600)));
        assert_eq!(more.resolve(Some(Elo(1500)), true), None);
        assert_eq!(more.resolve(None, false), None);
        assert_eq!(more.resolve(Some(Elo(3100)), false), Some(Elo(2800)));
        let less = LevelWish::parse("opponent - 200").unwrap();
        assert_eq!(less.resolve(Some(Elo(700)), false), Some(Elo(600)));
        assert_eq!(LevelWish::Fixed(Elo(900)).resolve(None, true), Some(Elo(900)));
    }

    #[test]
    fn what_is_written_reads_back_and_nonsense_does_not() {
        for text in ["opponent", "opponent+100", "opponent-200"] {
            let wish = LevelWish::parse(text).unwrap();
            assert_eq!(wish.to_string(), format!("\"{text}\""));
        }
        for text in ["", "opponents", "opponent100", "opponent+", "opponent+5000", "me"] {
            assert_eq!(LevelWish::parse(text), None, "{text}");
        }
    }
}

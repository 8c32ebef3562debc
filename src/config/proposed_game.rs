//! A game that the bot proposes to others: `5+3 chess960 rated 2`.

use std::fmt;

use toml::{Spanned, de::DeValue};

use super::{conditions::Mode, value_types::TimeControlLimit};
use sparring_chess::Variant;
use sparring_config_schema::{Choice, TypeError, ValueType, quote};
use sparring_diagnostics::nearest;

/// The variants of challenges: all but From Position, which would need a position.
pub(super) const VARIANTS: Choice<Variant> = Choice(&KEYS);

const KEYS: [(&str, Variant); Variant::ALL.len() - 1] = {
    let mut rows = [("", Variant::Standard); Variant::ALL.len() - 1];
    let (mut from, mut to) = (0, 0);
    while from < Variant::ALL.len() {
        let variant = Variant::ALL[from];
        if !matches!(variant, Variant::FromPosition) {
            rows[to] = (variant.key(), variant);
            to += 1;
        }
        from += 1;
    }
    rows
};
/// How often a game comes up where it does not say.
const USUAL_WEIGHT: u32 = 1;
/// The largest weight.
const HEAVIEST: u32 = 10_000;

/// A game to propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProposedGame {
    /// The clock.
    pub clock: TimeControlLimit,
    /// What to play.
    pub variant: Variant,
    /// Rated or casual; none for what the section says.
    pub mode: Option<Mode>,
    /// How often it comes up beside the others, from 1 to 10,000.
    pub weight: u32,
}

impl ProposedGame {
    /// Reads a clock and the words behind it, in any order.
    ///
    /// # Errors
    /// What is wrong, and what to write instead.
    pub fn parse(text: &str) -> Result<Self, (String, String)> {
        let mut words = text.split_whitespace();
        let clock = words.next().and_then(TimeControlLimit::parse);
        let clock = clock.ok_or_else(|| {
            (
                format!("{} does not begin with a clock", quote(text)),
                "write minutes and seconds first, as in \"5+3 chess960\"".to_owned(),
            )
        })?;
        let (mut variant, mut mode, mut weight) = (None, None, None);
        for word in words {
            let is_new = match word {
                "rated" => mode.replace(Mode::Rated).is_none(),
                "casual" => mode.replace(Mode::Casual).is_none(),
                word if variant_of(word).is_some() => {
                    let is_first = variant.is_none();
                    variant = variant_of(word);
                    is_first
                }
                number => match number.parse() {
                    Ok(number) if (1..=HEAVIEST).contains(&number) => weight.replace(number).is_none(),
                    Ok(_) => {
                        return Err((
                            format!("{} is no weight", quote(number)),
                            format!("write a whole number from 1 to {HEAVIEST}"),
                        ));
                    }
                    Err(_) => return Err(unknown(word)),
                },
            };
            if !is_new {
                return Err((
                    format!("{} says two things at once", quote(text)),
                    format!("leave out {}, or write two games", quote(word)),
                ));
            }
        }
        Ok(Self {
            clock,
            variant: variant.unwrap_or_default(),
            mode,
            weight: weight.unwrap_or(USUAL_WEIGHT),
        })
    }
}

fn variant_of(word: &str) -> Option<Variant> {
    let known = KEYS.into_iter().find(|(key, _)| *key == word);
    known.map(|(_, variant)| variant)
}

/// What to say of a word that means nothing.
fn unknown(word: &str) -> (String, String) {
    let words = KEYS.into_iter().map(|(key, _)| key);
    let help = match nearest(word, words.chain(["rated", "casual"])) {
        Some(near) => format!("did you mean {}?", quote(near)),
        None => "behind the clock stand a variant as \"chess960\", \"rated\" or \"casual\", and a weight"
            .to_owned(),
    };
    (format!("{} is not known here", quote(word)), help)
}

impl fmt::Display for ProposedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.clock)?;
        if self.variant != Variant::Standard {
            write!(f, " {}", self.variant.key())?;
        }
        match self.mode {
            Some(Mode::Rated) => write!(f, " rated")?,
            Some(Mode::Casual) => write!(f, " casual")?,
            None => {}
        }
        if self.weight != USUAL_WEIGHT {
            write!(f, " {}", self.weight)?;
        }
        Ok(())
    }
}

/// [`ProposedGame`] as a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProposedGameForm;

impl ValueType for ProposedGameForm {
    type Value = ProposedGame;

    fn describe(&self) -> String {
        "a game, as in \"3+2\" or \"5+3 chess960 rated 2\"".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<ProposedGame, Vec<TypeError>> {
        let DeValue::String(text) = value.get_ref() else {
            return Err(vec![TypeError::new(value, "this is not a game")]);
        };
        ProposedGame::parse(text).map_err(|(why, help)| vec![TypeError::new(value, why).with_help(help)])
    }

    fn write(&self, value: &ProposedGame) -> String {
        format!("\"{value}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_words_may_stand_in_any_order() {
        for text in [
            "3+2",
            "5+3 kingOfTheHill",
            "1+0 casual 40",
            "10+5 chess960 rated 2",
        ] {
            assert_eq!(ProposedGame::parse(text).unwrap().to_string(), text);
        }
        let turned = ProposedGame::parse(" 10+5  2 rated chess960 ").unwrap();
        assert_eq!(turned.to_string(), "10+5 chess960 rated 2");
        assert_eq!(ProposedGame::parse("3+2 standard 1").unwrap().to_string(), "3+2");
    }

    #[test]
    fn what_is_wrong_with_a_game_is_said() {
        let said = |text| {
            let (why, help) = ProposedGame::parse(text).unwrap_err();
            format!("{why}; {help}")
        };
        assert_eq!(
            said("5+3 ches960"),
            "\"ches960\" is not known here; did you mean \"chess960\"?"
        );
        assert_eq!(
            said("5+3 kingofthehill"),
            "\"kingofthehill\" is not known here; did you mean \"kingOfTheHill\"?"
        );
        assert!(said("5+3 horde atomic").contains("two things at once; leave out \"atomic\""));
        assert!(said("5+3 bughouse-and-more").ends_with("and a weight"));
        assert!(said("chess960").starts_with("\"chess960\" does not begin with a clock"));
        assert!(said("").starts_with("\"\" does not begin with a clock"));
        assert!(said("5+3 rated casual").contains("two things at once; leave out \"casual\""));
        assert_eq!(
            said("5+3 0"),
            "\"0\" is no weight; write a whole number from 1 to 10000"
        );
    }
}

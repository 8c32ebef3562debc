//! An option of a UCI engine, and the values it accepts.

use std::fmt;

/// An option that an engine offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UciOption {
    /// As the engine writes it.
    pub name: String,
    takes: Values,
}

/// The values that an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Values {
    Numbers {
        min: i64,
        max: i64,
    },
    Switch,
    Words(Vec<String>),
    /// Text, a button, or an unknown type: the engine decides.
    Anything,
}

impl UciOption {
    /// Reads `option name Move Overhead type spin default 20 min 0 max 5000`; none where a line offers nothing.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let rest = format!("{} ", rest.trim());
        let kind = rest.split(' ').next().unwrap_or_default();
        let number = |key: &str| {
            let (_, after) = rest.split_once(&format!(" {key} "))?;
            after.split(' ').next()?.parse().ok()
        };
        let takes = match kind {
            "spin" => Values::Numbers {
                min: number("min").unwrap_or(i64::MIN),
                max: number("max").unwrap_or(i64::MAX),
            },
            "check" => Values::Switch,
            "combo" => {
                let words = rest.split(" var ").skip(1);
                Values::Words(words.map(|word| word.trim().to_owned()).collect())
            }
            _ => Values::Anything,
        };
        let name = name.trim().to_owned();
        Some(Self { name, takes })
    }

    /// A value in the engine's own spelling, as some engines compare words by case; none where the option does not accept
    /// it, as far as the engine has declared.
    #[must_use]
    pub fn spell<'a>(&'a self, value: &'a str) -> Option<&'a str> {
        match &self.takes {
            Values::Numbers { min, max } => value
                .parse::<i64>()
                .is_ok_and(|number| (*min..=*max).contains(&number))
                .then_some(value),
            Values::Switch => ["true", "false"]
                .into_iter()
                .find(|word| word.eq_ignore_ascii_case(value)),
            Values::Words(_) => self
                .words()
                .find(|word| *word == value)
                .or_else(|| self.words().find(|word| word.eq_ignore_ascii_case(value))),
            Values::Anything => Some(value),
        }
    }

    /// The number nearest to this one that it takes; none where it takes no numbers.
    #[must_use]
    pub fn nearest(&self, number: i64) -> Option<i64> {
        match self.takes {
            // An engine may declare any bounds, and `clamp` panics where they cross.
            Values::Numbers { min, max } => Some(number.min(max).max(min)),
            _ => None,
        }
    }

    /// The words that it takes; none where it takes others than words of a list.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let words = match &self.takes {
            Values::Words(words) => words.as_slice(),
            _ => &[],
        };
        words.iter().map(String::as_str)
    }
}

impl fmt::Display for UciOption {
    /// What it accepts, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.takes {
            Values::Numbers { min, max } => write!(f, "a number from {min} to {max}"),
            Values::Switch => f.write_str("true or false"),
            Values::Words(words) => write!(f, "one of {}", words.join(", ")),
            Values::Anything => f.write_str("anything"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_take_what_they_are_offered_with() {
        for (line, taken, refused) in [
            (
                "option name UCI_Elo type spin default 1350 min 1350 max 2850",
                &["1350", "2850"][..],
                &["1349", "2851", "much", ""][..],
            ),
            (
                "option name Ponder type check default false",
                &["true", "False"],
                &["yes", "1"],
            ),
            (
                "option name Style type combo default Very solid var Very solid var risky",
                &["Very solid", "Risky"],
                &["solid", "Very"],
            ),
            ("option name Clear Hash type button", &["", "now"], &[]),
            ("option name BookFile type string default <empty>", &["/a b"], &[]),
            ("option name Odd type spin default 3", &["-7"], &["x"]),
        ] {
            let offer = UciOption::read(line).unwrap();
            assert!(taken.iter().all(|value| offer.spell(value).is_some()), "{line}");
            assert!(refused.iter().all(|value| offer.spell(value).is_none()), "{line}");
        }
        let style =
            UciOption::read("option name Style type combo default Solid var Solid var risky").unwrap();
        assert_eq!(style.spell("RISKY"), Some("risky"));
        let switch = UciOption::read("option name Ponder type check default false").unwrap();
        assert_eq!(switch.spell("True"), Some("true"));
        assert_eq!(
            UciOption::read("option name Clear Hash type button")
                .unwrap()
                .name,
            "Clear Hash"
        );
        assert_eq!(UciOption::read("info string option name X type check"), None);
    }
}

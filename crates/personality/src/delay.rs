//! The delay of a move, and how a personality file writes it.

use toml::{Spanned, de::DeValue};

use sparring_chess::units::Millis;
use sparring_config_schema::{self as schema, TypeError, ValueType};
use sparring_diagnostics::nearest;

/// Delay of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    /// None: the search time only.
    Off,
    /// This long, with the search.
    Fixed(Millis),
    /// Drawn from this range for each move.
    Between(Millis, Millis),
    /// Drawn from the think-time model; see [`think_time`](super::think_time).
    Human,
}

/// Longest delay: lichess aborts games whose first move does not come within about 30 s.
const LONGEST_DELAY: Millis = Millis::from_secs(20);

impl ValueType for Delay {
    type Value = Self;

    fn describe(&self) -> String {
        format!(
            "\"off\", \"human\", a span of time as \"800ms\" or a range as \"1s to 4s\", up to {}",
            schema::write_duration(LONGEST_DELAY)
        )
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Self, Vec<TypeError>> {
        let DeValue::String(text) = value.get_ref() else {
            return Err(vec![TypeError::new(value, "a delay is written as text")]);
        };
        let span = |text: &str| schema::parse_duration(text).filter(|span| *span <= LONGEST_DELAY);
        let delay = match text.as_ref() {
            "off" => Some(Self::Off),
            "human" => Some(Self::Human),
            range => match range.split_once(" to ") {
                None => span(range).map(Self::Fixed),
                Some((from, to)) => span(from)
                    .zip(span(to))
                    .filter(|(from, to)| from <= to)
                    .map(|(from, to)| Self::Between(from, to)),
            },
        };
        delay.ok_or_else(|| {
            let quoted = toml::Value::String(text.to_string());
            let misfit = TypeError::new(value, format!("{quoted} is not a delay"));
            vec![match nearest(text, ["off", "human"]) {
                Some(word) => misfit.with_help(format!("did you mean \"{word}\"?")),
                None => misfit,
            }]
        })
    }

    fn write(&self, value: &Self) -> String {
        match value {
            Self::Off => "\"off\"".to_owned(),
            Self::Human => "\"human\"".to_owned(),
            Self::Fixed(span) => format!("\"{}\"", schema::write_duration(*span)),
            Self::Between(from, to) => {
                format!(
                    "\"{} to {}\"",
                    schema::write_duration(*from),
                    schema::write_duration(*to)
                )
            }
        }
    }
}

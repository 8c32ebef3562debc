//! Durations written as a number with its unit: `"300ms"`, `"5m"`.

use std::ops::RangeInclusive;

use toml::{Spanned, de::DeValue};

use super::value_types::{TypeError, ValueType, quote, shown};
use sparring_chess::units::Millis;

/// A span of time within a range, written as text with its unit.
#[derive(Debug, Clone)]
pub struct DurationType(pub RangeInclusive<Millis>);

impl ValueType for DurationType {
    type Value = Millis;

    fn describe(&self) -> String {
        format!(
            "a span of time from {} to {}",
            self.write(self.0.start()),
            self.write(self.0.end())
        )
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Millis, Vec<TypeError>> {
        let DeValue::String(text) = value.get_ref() else {
            let misfit = match value.get_ref() {
                DeValue::Integer(number) => TypeError::new(value, format!("{number} has no unit"))
                    .with_help(format!("write \"{number}ms\" or \"{number}s\"")),
                _ => TypeError::new(value, format!("{} is not a span of time", shown(value.get_ref()))),
            };
            return Err(vec![misfit]);
        };
        let misfit = |why: String| Err(vec![TypeError::new(value, why)]);
        let Some(span) = parse_duration(text) else {
            return Err(vec![
                TypeError::new(value, format!("{} is not a span of time", quote(text)))
                    .with_help("write a number and its unit: \"300ms\", \"1.5s\", \"5m\", \"2h\""),
            ]);
        };
        if span < *self.0.start() {
            return misfit(format!(
                "{} is less than {}",
                quote(text),
                self.write(self.0.start())
            ));
        }
        if span > *self.0.end() {
            return misfit(format!(
                "{} is more than {}",
                quote(text),
                self.write(self.0.end())
            ));
        }
        Ok(span)
    }

    fn write(&self, value: &Millis) -> String {
        format!("\"{}\"", write_duration(*value))
    }
}

/// Reads a span of time: `300ms`, `1.5s`, `5m`, `1h 30m`. Nothing for other text, or for less than no time.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Millis> {
    // jiff also takes `PT5M` and clock faces as in `5:00`, which read like something else in a settings file.
    if text.contains([':', '+', '-']) || text.trim_start().starts_with(['P', 'p']) {
        return None;
    }
    let span: jiff::SignedDuration = text.trim().parse().ok()?;
    u64::try_from(span.as_millis()).ok().map(Millis)
}

/// Writes a span of time in the largest unit that it is whole in, so that [`parse_span`] reads it back.
#[must_use]
pub fn write_duration(span: Millis) -> String {
    if span == Millis::ZERO {
        return "0s".to_owned();
    }
    const UNITS: [(u64, &str); 3] = [(3_600_000, "h"), (60_000, "m"), (1000, "s")];
    UNITS
        .into_iter()
        .find(|(unit, _)| span.0.is_multiple_of(*unit))
        .map_or_else(
            || format!("{}ms", span.0),
            |(unit, name)| format!("{}{name}", span.0 / unit),
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        let millis = |text| parse_duration(text).map(|span| span.0);
        assert_eq!(millis("300ms"), Some(300));
        assert_eq!(millis("1.5s"), Some(1500));
        assert_eq!(millis("5m"), Some(300_000));
        assert_eq!(millis("1h 30m"), Some(5_400_000));
        assert_eq!(millis("2 minutes"), Some(120_000));
        for nonsense in [
            "",
            "5",
            "soon",
            "-5s",
            "5:00",
            "PT5M",
            "5x",
            "1e9h",
            "99999999999999999999h",
        ] {
            assert_eq!(millis(nonsense), None, "{nonsense}");
        }
    }

    proptest! {
        #[test]
        fn spans_survive_being_written(millis in 0..1_000_000_000_000_u64) {
            prop_assert_eq!(parse_duration(&write_duration(Millis(millis))), Some(Millis(millis)));
        }
    }
}

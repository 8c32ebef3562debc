//! Value types of rules: clocks, hours of the day, users.

use std::fmt;

use toml::{Spanned, de::DeValue};

use sparring_chess::units::Millis;
use sparring_config_schema::{TypeError, ValueType, quote};
use sparring_lichess::model::{ArenaId, TeamId, UserId};

/// A clock as people say it: `5+3` is five minutes, and three seconds with each move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControlLimit {
    /// What each side starts with.
    pub initial: Millis,
    /// What each move adds.
    pub increment: Millis,
}

impl TimeControlLimit {
    /// Reads minutes, a plus and seconds; minutes may be `1.5` or lichess' `½`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (minutes, seconds) = text.split_once('+')?;
        let minutes = match minutes.trim() {
            "¼" => 0.25,
            "½" => 0.5,
            "¾" => 0.75,
            number => number.parse::<f64>().ok()?,
        };
        let seconds: u64 = seconds.trim().parse().ok()?;
        let fits = (0.0..=180.0).contains(&minutes) && seconds <= 180;
        fits.then(|| Self {
            initial: Millis::from_secs(60).scaled(minutes),
            increment: Millis::from_secs(seconds),
        })
    }
}

impl fmt::Display for TimeControlLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.initial.as_secs_f64() / 60.0;
        write!(f, "{minutes}+{}", self.increment.0 / 1000)
    }
}

/// [`Control`] as a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct ControlForm;

impl ValueType for ControlForm {
    type Value = TimeControlLimit;

    fn describe(&self) -> String {
        "minutes and seconds, as in \"5+3\"".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<TimeControlLimit, Vec<TypeError>> {
        text_as(value, "a clock", TimeControlLimit::parse)
    }

    fn write(&self, value: &TimeControlLimit) -> String {
        format!("\"{value}\"")
    }
}

/// A part of the day, UTC, that may run over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// The first minute of the day that belongs to it.
    from: u32,
    /// The first that does not any more.
    to: u32,
}

/// Minutes of a day.
const DAY: u32 = 24 * 60;

impl Hours {
    /// Reads `22:00-06:30`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let minute = |text: &str| {
            let (hour, minute) = text.trim().split_once(':')?;
            let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
            let minutes = hour.checked_mul(60)?.checked_add(minute)?;
            (minute < 60 && minutes <= DAY).then_some(minutes)
        };
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from)?, minute(to)?);
        (from != to && from < DAY).then_some(Self { from, to })
    }

    /// Whether a minute of the day, from 0, belongs to it.
    #[must_use]
    pub fn has(&self, minute: u32) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(
            f,
            "{:02}:{:02}-{:02}:{:02}",
            from / 60,
            from % 60,
            to / 60,
            to % 60
        )
    }
}

/// [`Hours`] as a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct HoursForm;

impl ValueType for HoursForm {
    type Value = Hours;

    fn describe(&self) -> String {
        "a part of the day, as in \"22:00-06:00\"".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Hours, Vec<TypeError>> {
        text_as(value, "a part of the day", Hours::parse)
    }

    fn write(&self, value: &Hours) -> String {
        format!("\"{value}\"")
    }
}

/// A user as a setting, in any case.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserForm;

impl ValueType for UserForm {
    type Value = UserId;

    fn describe(&self) -> String {
        "the name of a user".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<UserId, Vec<TypeError>> {
        text_as(value, "the name of a user", |text| {
            UserId::parse_written(text).ok()
        })
    }

    fn remarks(&self, value: &Spanned<DeValue<'_>>) -> Vec<TypeError> {
        let DeValue::String(text) = value.get_ref() else {
            return Vec::new();
        };
        match UserId::parse_written(text) {
            Ok(user) if text.parse() != Ok(user.clone()) => {
                let misfit = TypeError::new(value, format!("{} is read as \"{user}\"", quote(text)));
                vec![misfit.with_help(format!(
                    "write the name alone, without the @: {}",
                    self.write(&user)
                ))]
            }
            _ => Vec::new(),
        }
    }

    fn write(&self, value: &UserId) -> String {
        format!("\"{value}\"")
    }
}

/// An arena, by the last part of its address.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArenaForm;

impl ValueType for ArenaForm {
    type Value = ArenaId;

    fn describe(&self) -> String {
        "the last part of an arena's address".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<ArenaId, Vec<TypeError>> {
        text_as(value, "the last part of an arena's address", |text| {
            text.parse().ok()
        })
    }

    fn write(&self, value: &ArenaId) -> String {
        format!("\"{value}\"")
    }
}

/// A team, by the last part of its address.
#[derive(Debug, Clone, Copy)]
pub(super) struct TeamForm;

impl ValueType for TeamForm {
    type Value = TeamId;

    fn describe(&self) -> String {
        "the last part of a team's address".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<TeamId, Vec<TypeError>> {
        text_as(value, "the last part of a team's address", |text| {
            text.parse().ok()
        })
    }

    fn write(&self, value: &TeamId) -> String {
        format!("\"{value}\"")
    }
}

fn text_as<T>(
    value: &Spanned<DeValue<'_>>,
    what: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Vec<TypeError>> {
    let written = match value.get_ref() {
        DeValue::String(text) => match read(text) {
            Some(read) => return Ok(read),
            None => quote(text),
        },
        _ => "this".to_owned(),
    };
    Err(vec![TypeError::new(value, format!("{written} is not {what}"))])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn clocks_are_read_as_lichess_shows_them() {
        let secs = |text| {
            TimeControlLimit::parse(text)
                .map(|control| (control.initial.0 / 1000, control.increment.0 / 1000))
        };
        assert_eq!(secs("5+3"), Some((300, 3)));
        assert_eq!(secs("½+0"), Some((30, 0)));
        assert_eq!(secs("1.5+1"), Some((90, 1)));
        for nonsense in ["", "5", "5+", "+3", "-1+0", "5+3+1", "nan+1", "999+0", "5 min"] {
            assert_eq!(TimeControlLimit::parse(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_part_of_the_day_may_run_over_midnight() {
        let night = Hours::parse("22:00-06:30").unwrap();
        for (minute, inside) in [(0, true), (389, true), (390, false), (1319, false), (1320, true)] {
            assert_eq!(night.has(minute), inside, "{minute}");
        }
        assert!(Hours::parse("08:00-24:00").unwrap().has(1439));
        for nonsense in [
            "8-9",
            "08:00",
            "08:00-08:00",
            "25:00-01:00",
            "08:60-09:00",
            "24:00-01:00",
        ] {
            assert_eq!(Hours::parse(nonsense), None, "{nonsense}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(quarters in 0..720_u32, increment in 0..=180_u64, from in 0..1440_u32, to in 0..1440_u32) {
            let control = TimeControlLimit { initial: Millis::from_secs(u64::from(quarters) * 15), increment: Millis::from_secs(increment) };
            prop_assert_eq!(TimeControlLimit::parse(&control.to_string()), Some(control));
            prop_assume!(from != to);
            let hours = Hours { from, to };
            prop_assert_eq!(Hours::parse(&hours.to_string()), Some(hours));
        }
    }
}

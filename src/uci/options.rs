//! The options that graphical interfaces show: declared once, listed and set from the same table.

use std::fmt;

use thiserror::Error;

use crate::{
    engine::{ParamError, Params},
    units::Millis,
};

/// A change that a setting asks the engine for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing but the settings changed.
    None,
    /// Another size of the hash table, in mebibytes.
    Hash(usize),
    /// Forget everything.
    Clear,
    /// Other numbers for the search.
    Params(Params),
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub hash: usize,
    pub multi_pv: usize,
    pub overhead: Millis,
    pub chess960: bool,
    pub params: Params,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash: 16,
            multi_pv: 1,
            overhead: Millis(20),
            chess960: false,
            params: Params::default(),
        }
    }
}

/// A setting that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum OptionError {
    #[error("there is no option \"{0}\"")]
    Unknown(String),
    #[error("option \"{name}\" needs a number from {min} to {max}, not \"{text}\"")]
    Spin {
        name: &'static str,
        text: String,
        min: u64,
        max: u64,
    },
    #[error("option \"{name}\" needs true or false, not \"{text}\"")]
    Check { name: &'static str, text: String },
    #[error(transparent)]
    Param(#[from] ParamError),
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Spin { default: u64, min: u64, max: u64 },
    Check { default: bool },
    Button,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Hash,
    ClearHash,
    MultiPv,
    Overhead,
    Chess960,
    /// Accepted because interfaces send them; they change nothing here.
    Ignored,
}

const OPTIONS: [(&str, Which, Kind); 8] = [
    (
        "Hash",
        Which::Hash,
        Kind::Spin {
            default: 16,
            min: 1,
            max: 65_536,
        },
    ),
    ("Clear Hash", Which::ClearHash, Kind::Button),
    (
        "Threads",
        Which::Ignored,
        Kind::Spin {
            default: 1,
            min: 1,
            max: 1,
        },
    ),
    (
        "MultiPV",
        Which::MultiPv,
        Kind::Spin {
            default: 1,
            min: 1,
            max: 256,
        },
    ),
    (
        "Move Overhead",
        Which::Overhead,
        Kind::Spin {
            default: 20,
            min: 0,
            max: 10_000,
        },
    ),
    ("Ponder", Which::Ignored, Kind::Check { default: false }),
    ("UCI_Chess960", Which::Chess960, Kind::Check { default: false }),
    ("UCI_AnalyseMode", Which::Ignored, Kind::Check { default: false }),
];

/// The lines that tell an interface of the options.
pub(super) fn listing() -> impl Iterator<Item = String> {
    OPTIONS
        .iter()
        .map(|(name, _, kind)| format!("option name {name} type {kind}"))
}

/// The numbers of the search as OpenBench's tuner reads them: name, type, value, least, greatest, step, rate.
pub(super) fn tuning_listing(params: &Params) -> impl Iterator<Item = String> {
    let defaults = Params::default() == *params;
    Params::LIST.iter().map(move |param| {
        let step = f64::from(param.max - param.min) / 20.0;
        let note = if defaults { "" } else { " # some are set otherwise" };
        format!(
            "{}, int, {}.0, {}.0, {}.0, {step:.2}, 0.002{note}",
            param.name, param.default, param.min, param.max
        )
    })
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            Self::Check { default } => write!(f, "check default {default}"),
            Self::Button => write!(f, "button"),
        }
    }
}

impl Settings {
    /// Sets an option by its name, in any case of letters; numbers of the search by their exact name.
    ///
    /// # Errors
    /// [`OptionError`] for a name or a value that cannot be; the settings are then unchanged.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, OptionError> {
        let text = value.unwrap_or("");
        let Some((name, which, kind)) = OPTIONS
            .into_iter()
            .find(|option| option.0.eq_ignore_ascii_case(name))
        else {
            return self.set_param(name, text);
        };
        let (number, flag) = read(name, kind, text)?;
        match which {
            Which::Hash => {
                self.hash = number as usize;
                return Ok(Change::Hash(self.hash));
            }
            Which::ClearHash => return Ok(Change::Clear),
            Which::MultiPv => self.multi_pv = number as usize,
            Which::Overhead => self.overhead = Millis(number),
            Which::Chess960 => self.chess960 = flag,
            Which::Ignored => {}
        }
        Ok(Change::None)
    }

    fn set_param(&mut self, name: &str, text: &str) -> Result<Change, OptionError> {
        let Some(param) = Params::LIST.iter().find(|param| param.name == name) else {
            return Err(OptionError::Unknown(name.to_owned()));
        };
        let value = text.parse().map_err(|_| OptionError::Spin {
            name: param.name,
            text: text.to_owned(),
            min: u64::try_from(param.min).unwrap_or(0),
            max: u64::try_from(param.max).unwrap_or(0),
        })?;
        self.params.set(name, value)?;
        Ok(Change::Params(self.params.clone()))
    }
}

/// The value as a number and as a flag; whichever does not apply is zero or false.
fn read(name: &'static str, kind: Kind, text: &str) -> Result<(u64, bool), OptionError> {
    match kind {
        Kind::Spin { min, max, .. } => match text.trim().parse() {
            Ok(number) if (min..=max).contains(&number) => Ok((number, false)),
            _ => Err(OptionError::Spin {
                name,
                text: text.to_owned(),
                min,
                max,
            }),
        },
        Kind::Check { .. } => match text.trim() {
            "true" => Ok((0, true)),
            "false" => Ok((0, false)),
            _ => Err(OptionError::Check {
                name,
                text: text.to_owned(),
            }),
        },
        Kind::Button => Ok((0, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_by_name_in_any_case() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("hash", Some("64")), Ok(Change::Hash(64)));
        assert_eq!(settings.set("move overhead", Some("55")), Ok(Change::None));
        assert_eq!(settings.set("UCI_Chess960", Some("true")), Ok(Change::None));
        assert_eq!(settings.set("Clear Hash", None), Ok(Change::Clear));
        assert!(settings.chess960 && settings.overhead == Millis(55) && settings.hash == 64);
        assert!(matches!(
            settings.set("rfp_margin", Some("80")),
            Ok(Change::Params(_))
        ));
    }

    #[test]
    fn what_cannot_be_set_is_told_and_changes_nothing() {
        let mut settings = Settings::default();
        for (name, value, message) in [
            (
                "Hash",
                "0",
                "option \"Hash\" needs a number from 1 to 65536, not \"0\"",
            ),
            (
                "Hash",
                "many",
                "option \"Hash\" needs a number from 1 to 65536, not \"many\"",
            ),
            (
                "Ponder",
                "yes",
                "option \"Ponder\" needs true or false, not \"yes\"",
            ),
            ("Contempt", "3", "there is no option \"Contempt\""),
            (
                "rfp_margin",
                "9999",
                "9999 is not within 20 to 200 for \"rfp_margin\"",
            ),
        ] {
            assert_eq!(settings.set(name, Some(value)).unwrap_err().to_string(), message);
        }
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn the_defaults_listed_are_the_defaults_in_force() {
        let fresh = Settings::default();
        for (name, _, kind) in OPTIONS {
            let value = match kind {
                Kind::Spin { default, .. } => default.to_string(),
                Kind::Check { default } => default.to_string(),
                Kind::Button => continue,
            };
            let mut settings = fresh.clone();
            settings.set(name, Some(&value)).unwrap();
            assert_eq!(settings, fresh, "{name}");
        }
    }
}

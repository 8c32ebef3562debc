//! Current option values.

use std::path::PathBuf;

#[cfg(feature = "personality")]
use super::options::DEFAULT_ELO;
#[cfg(feature = "personality")]
use super::resources::NO_PERSONALITY;
use super::{
    options::{EMPTY, LOG_FILE, OPTIONS, OptionError, OptionId, Value, find, read},
    resources::{StrengthSetting, UciResources},
};
#[cfg(feature = "personality")]
use sparring_chess::units::Elo;
use sparring_chess::units::{Centipawns, Millis};
use sparring_diagnostics::did_you_mean;
use sparring_engine::{Handicap, Params};

/// What else has to change with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing but the settings.
    None,
    /// Another size of the hash table, in mebibytes.
    Hash(usize),
    /// Another number of threads.
    Threads(usize),
    /// Clear all tables.
    Clear,
    /// Other search parameters.
    Params(Box<Params>),
    /// Another book, or none.
    Book(Option<PathBuf>),
    /// Endgame tables of other folders, or none.
    Tablebase(Vec<PathBuf>),
    /// The log begins, goes to another file, or ends.
    Log,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub hash: usize,
    pub multi_pv: usize,
    pub overhead: Millis,
    /// The GUI ponders, so a search may take more time.
    pub ponder: bool,
    pub own_book: bool,
    pub verify_book: bool,
    #[cfg(feature = "personality")]
    pub limit_strength: bool,
    #[cfg(feature = "personality")]
    pub elo: Elo,
    #[cfg(feature = "personality")]
    pub personality: Option<String>,
    /// Standard deviation of the evaluation noise in centipawns; zero to leave it to level and personality.
    pub noise: Centipawns,
    /// Chance in percent to overlook a kind of move; zero to leave it to level and personality.
    pub blunder_percent: u32,
    /// The seed of the first game; zero for a random one each run.
    pub seed: u64,
    /// The least time for an answer, if the clock allows it.
    pub delay: Millis,
    pub chess960: bool,
    pub show_wdl: bool,
    /// Plain engine: no book, level, personality or handicap.
    pub analyse: bool,
    pub log: bool,
    pub log_file: PathBuf,
    pub params: Params,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash: 64,
            multi_pv: 1,
            overhead: Millis(20),
            ponder: false,
            own_book: false,
            verify_book: false,
            #[cfg(feature = "personality")]
            limit_strength: false,
            #[cfg(feature = "personality")]
            elo: Elo(DEFAULT_ELO),
            #[cfg(feature = "personality")]
            personality: None,
            noise: Centipawns(0),
            blunder_percent: 0,
            seed: 0,
            delay: Millis::ZERO,
            chess960: false,
            show_wdl: false,
            analyse: false,
            log: false,
            log_file: LOG_FILE.into(),
            params: Params::default(),
        }
    }
}

impl Settings {
    /// Sets an option or a search parameter by its name, in any case of letters.
    ///
    /// # Errors [`OptionError`] for an unknown name or an invalid value; the settings are then unchanged.
    pub fn set(
        &mut self,
        resources: &UciResources,
        name: &str,
        value: Option<&str>,
    ) -> Result<Change, OptionError> {
        let text = value.unwrap_or("");
        let Some(&(name, which, kind)) = find(name) else {
            return self.set_param(name, text);
        };
        Ok(match read(resources, name, kind, text)? {
            Value::Number(number) => self.set_number(which, number),
            Value::Flag(flag) => self.set_flag(which, flag),
            Value::Text(text) => self.set_text(name, which, text)?,
            Value::None => Change::Clear,
        })
    }

    fn set_number(&mut self, which: OptionId, number: u64) -> Change {
        // Every range fits into the machine's own size.
        let size = usize::try_from(number).unwrap_or(usize::MAX);
        match which {
            OptionId::Hash => {
                self.hash = size;
                return Change::Hash(size);
            }
            OptionId::Threads => return Change::Threads(size),
            OptionId::MultiPv => self.multi_pv = size,
            OptionId::Overhead => self.overhead = Millis(number),
            OptionId::EvalNoise => self.noise = Centipawns(i32::try_from(number).unwrap_or(i32::MAX)),
            OptionId::BlunderPercent => self.blunder_percent = u32::try_from(number).unwrap_or(u32::MAX),
            OptionId::Seed => self.seed = number,
            OptionId::MoveDelay => self.delay = Millis(number),
            #[cfg(feature = "personality")]
            OptionId::Elo => self.elo = Elo(u32::try_from(number).unwrap_or(u32::MAX)),
            _ => unreachable!("{which:?} is no number"),
        }
        Change::None
    }

    fn set_flag(&mut self, which: OptionId, flag: bool) -> Change {
        let slot = match which {
            OptionId::Ponder => &mut self.ponder,
            OptionId::OwnBook => &mut self.own_book,
            OptionId::VerifyBook => &mut self.verify_book,
            #[cfg(feature = "personality")]
            OptionId::LimitStrength => &mut self.limit_strength,
            OptionId::Chess960 => &mut self.chess960,
            OptionId::ShowWdl => &mut self.show_wdl,
            OptionId::Analyse => &mut self.analyse,
            OptionId::Log => &mut self.log,
            _ => unreachable!("{which:?} is no flag"),
        };
        *slot = flag;
        if which == OptionId::Log {
            Change::Log
        } else {
            Change::None
        }
    }

    fn set_text(&mut self, name: &'static str, which: OptionId, text: String) -> Result<Change, OptionError> {
        let is_empty = text.is_empty() || text == EMPTY;
        Ok(match which {
            OptionId::BookFile => Change::Book((!is_empty).then(|| text.into())),
            OptionId::SyzygyPath => {
                let folders = std::env::split_paths(&text).filter(|_| !is_empty);
                Change::Tablebase(folders.collect())
            }
            OptionId::LogFile if is_empty => return Err(OptionError::File { name }),
            OptionId::LogFile => {
                self.log_file = text.into();
                Change::Log
            }
            #[cfg(feature = "personality")]
            OptionId::Personality => {
                self.personality = (text != NO_PERSONALITY).then_some(text);
                Change::None
            }
            _ => unreachable!("{which:?} is no text"),
        })
    }

    fn set_param(&mut self, name: &str, text: &str) -> Result<Change, OptionError> {
        let mut params = Params::LIST.iter();
        let Some(param) = params.find(|param| param.name.eq_ignore_ascii_case(name)) else {
            let options = OPTIONS.iter().map(|option| option.0);
            let hint = did_you_mean(name, options.chain(Params::LIST.iter().map(|param| param.name)));
            let name = name.to_owned();
            return Err(OptionError::Unknown { name, hint });
        };
        let value = text.trim().parse().map_err(|_| OptionError::Spin {
            name: param.name,
            text: text.to_owned(),
            min: u64::try_from(param.min).unwrap_or(0),
            max: u64::try_from(param.max).unwrap_or(0),
        })?;
        self.params.set(param.name, value)?;
        Ok(Change::Params(Box::new(self.params.clone())))
    }

    /// The handicap set by options, in the game of this seed.
    pub fn handicap(&self, seed: u64) -> Handicap {
        if self.analyse {
            return Handicap::default();
        }
        Handicap {
            noise: self.noise,
            blindness: self.blunder_percent as f32 / 100.0,
            seed,
        }
    }

    /// The strength to play at.
    pub fn strength(&self) -> StrengthSetting {
        if self.analyse {
            return StrengthSetting::default();
        }
        StrengthSetting {
            #[cfg(feature = "personality")]
            level: self.limit_strength.then_some(self.elo),
            #[cfg(feature = "personality")]
            personality: self.personality.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Kind;

    #[test]
    fn options_are_set_by_name_in_any_case() {
        let resources = UciResources::default();
        let mut settings = Settings::default();
        assert_eq!(settings.set(&resources, "hash", Some("96")), Ok(Change::Hash(96)));
        assert_eq!(
            settings.set(&resources, "move overhead", Some("55")),
            Ok(Change::None)
        );
        assert_eq!(
            settings.set(&resources, "UCI_Chess960", Some("true")),
            Ok(Change::None)
        );
        assert_eq!(settings.set(&resources, "Clear Hash", None), Ok(Change::Clear));
        assert!(settings.chess960 && settings.overhead == Millis(55) && settings.hash == 96);
        for (name, value) in [("rfp_margin", 80), ("RFP_Margin", 90)] {
            let change = settings.set(&resources, name, Some(&value.to_string()));
            assert!(matches!(change, Ok(Change::Params(_))), "{name}: {change:?}");
            assert_eq!(settings.params.rfp_margin, value);
        }
    }

    #[test]
    fn invalid_options_are_reported_and_change_nothing() {
        let resources = UciResources::default();
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
            ("Hahs", "3", "there is no option \"Hahs\"; did you mean \"Hash\"?"),
            (
                "rfp-margn",
                "50",
                "there is no option \"rfp-margn\"; did you mean \"rfp_margin\"?",
            ),
            (
                "rfp_margin",
                "9999",
                "9999 is not within 20 to 200 for \"rfp_margin\"",
            ),
        ] {
            assert_eq!(
                settings
                    .set(&resources, name, Some(value))
                    .unwrap_err()
                    .to_string(),
                message
            );
        }
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn the_defaults_listed_are_the_defaults_in_force() {
        let fresh = Settings::default();
        let resources = UciResources::default();
        for (name, _, kind) in OPTIONS {
            let value = match kind {
                Kind::Spin { default, .. } => default.to_string(),
                Kind::Check { default } => default.to_string(),
                Kind::Text { default } => (*default).to_owned(),
                #[cfg(feature = "personality")]
                Kind::Personality => NO_PERSONALITY.to_owned(),
                Kind::Button => continue,
            };
            let mut settings = fresh.clone();
            settings.set(&resources, name, Some(&value)).unwrap();
            assert_eq!(settings, fresh, "{name}");
        }
    }
}

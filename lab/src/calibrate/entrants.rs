//! Entrants of the calibration: levels, places on the parameter path, and external engines.

use std::{fmt, str::FromStr};

use thiserror::Error;

use sparring_chess::units::Elo;
use sparring_files as files;
use sparring_journal::fnv64;
use sparring_match_runner::{BuiltinEngine, ExternalEngine, Participant, TimeControl};
use sparring_personality::strength::Levels;
use sparring_uci_client::{EngineSpec, UciError};

/// An entrant.
#[derive(Debug, Clone, PartialEq)]
pub enum Entrant {
    /// A level as everybody gets it, without books.
    Level(Elo),
    /// A place on the path of knobs, from 0.
    Place(f64),
    /// An engine from outside.
    External(EntrantEngine),
}

/// An external engine with a rating setting.
#[derive(Debug, Clone, PartialEq)]
pub struct EntrantEngine {
    /// The program.
    pub program: String,
    /// Its `UCI_Elo`.
    pub elo: u32,
    /// Its time control.
    pub control: TimeControl,
    /// The level it is about as strong as, to find it opponents.
    pub about: f64,
    /// What tells its build from others; none for what is looked for in the path of programs.
    pub build: Option<u32>,
}

/// Text that is no external engine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadVisitor {
    /// Not in the form.
    #[error(
        "\"{0}\" is no external engine: write PROGRAM:UCI_ELO:CONTROL:ABOUT, as in stockfish:1700:depth=5:1600"
    )]
    Form(String),
    /// Games of a ladder have no clocks.
    #[error(
        "\"{0}\" has a clock, and nobody keeps one here: write depth=5, nodes=20000 or movetime=100 instead"
    )]
    Clock(String),
}

impl FromStr for EntrantEngine {
    type Err = BadVisitor;

    fn from_str(text: &str) -> Result<Self, BadVisitor> {
        let bad = || BadVisitor::Form(text.to_owned());
        let mut parts = text.split(':');
        let mut next = || parts.next().filter(|part| !part.is_empty()).ok_or_else(bad);
        let external = Self {
            program: next()?.to_owned(),
            elo: next()?.parse().map_err(|_| bad())?,
            control: next()?.parse().map_err(|_| bad())?,
            about: next()?.parse().map_err(|_| bad())?,
            build: None,
        };
        if parts.next().is_some() {
            return Err(bad());
        }
        if let TimeControl::Clock { .. } = external.control {
            return Err(BadVisitor::Clock(text.to_owned()));
        }
        let program = external.program.split_ascii_whitespace().next();
        let bytes = program.and_then(|program| files::read(program.as_ref(), files::DATA).ok());
        Ok(Self {
            build: bytes.map(|bytes| fnv64(&bytes) as u32),
            ..external
        })
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "{level}"),
            Self::Place(place) => write!(f, "at {place}"),
            Self::External(EntrantEngine {
                program,
                elo,
                control,
                build,
                ..
            }) => {
                let name = program.rsplit('/').next().unwrap_or(program);
                write!(f, "{name} {elo}, {control}")?;
                build.map_or(Ok(()), |build| write!(f, ", build {build:08x}"))
            }
        }
    }
}

impl Entrant {
    /// About how strong it should be on the scale of levels.
    pub fn nominal(&self, levels: &Levels) -> f64 {
        match self {
            Self::Level(level) => f64::from(level.0),
            Self::Place(place) => levels.level_at(*place),
            Self::External(external) => external.about,
        }
    }

    /// Where on the path of knobs it is; none for external engines.
    pub fn place(&self, levels: &Levels) -> Option<f64> {
        match self {
            Self::Level(level) => Some(levels.place(*level)),
            Self::Place(place) => Some(*place),
            Self::External(_) => None,
        }
    }

    /// The entrant ready to play.
    ///
    /// # Errors
    /// [`UciError`] when a program cannot be started.
    pub fn sit_down(&self, levels: &Levels) -> Result<Box<dyn Participant>, UciError> {
        let name = self.to_string();
        Ok(match self {
            Self::Level(level) => Box::new(BuiltinEngine::new(&name, levels.params(*level))),
            Self::Place(place) => Box::new(BuiltinEngine::new(&name, levels.params_at(*place))),
            Self::External(external) => {
                let spec = EngineSpec {
                    name,
                    command: external
                        .program
                        .split_ascii_whitespace()
                        .map(str::to_owned)
                        .collect(),
                    // An engine without levels plays at the strength of its time control.
                    if_offered: vec![
                        ("UCI_LimitStrength".to_owned(), "true".to_owned()),
                        ("UCI_Elo".to_owned(), external.elo.to_string()),
                    ],
                    ..EngineSpec::default()
                };
                Box::new(ExternalEngine::start(&spec, external.control)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_engines_are_read_and_bad_ones_quoted() {
        let external: EntrantEngine = "no/such/stockfish:1700:depth=5:1600".parse().unwrap();
        assert_eq!(external.elo, 1700);
        assert_eq!(Entrant::External(external).to_string(), "stockfish 1700, depth=5");
        // Another build is another entrant.
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("engine");
        let named = |build: &str| {
            std::fs::write(&program, build).unwrap();
            let text = format!("{}:1700:depth=5:1600", program.display());
            Entrant::External(text.parse().unwrap()).to_string()
        };
        let one = named("one build");
        assert!(one.starts_with("engine 1700, depth=5, build "), "{one}");
        assert_ne!(named("another build"), one);
        let clocked = "stockfish:1700:10+0.1:1600".parse::<EntrantEngine>().unwrap_err();
        assert!(clocked.to_string().contains("nobody keeps one here"), "{clocked}");
        for text in [
            "",
            "stockfish",
            "stockfish:1700:depth=5",
            "s:1700:depth=x:1",
            "s:1:depth=5:1:1",
        ] {
            let error = text.parse::<EntrantEngine>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("\"{text}\"")), "{error}");
        }
    }
}

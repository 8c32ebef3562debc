//! UCI options: one table that is listed and read.

use std::fmt;

use thiserror::Error;

#[cfg(feature = "personality")]
use super::resources::NO_PERSONALITY;
use super::resources::UciResources;
use sparring_engine::{MAX_THREADS, ParamError, Params};
#[cfg(feature = "personality")]
use sparring_personality::Level;

/// A setting that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum OptionError {
    #[error("there is no option \"{name}\"{hint}")]
    Unknown {
        name: String,
        /// The end of the sentence: what may have been meant.
        hint: String,
    },
    #[error("option \"{name}\" needs a number from {min} to {max}, not \"{text}\"")]
    Spin {
        name: &'static str,
        text: String,
        min: u64,
        max: u64,
    },
    #[error("option \"{name}\" needs true or false, not \"{text}\"")]
    Check { name: &'static str, text: String },
    #[cfg(feature = "personality")]
    #[error("option \"{name}\" needs one of {choices}, not \"{text}\"")]
    Combo {
        name: &'static str,
        text: String,
        choices: String,
    },
    #[error("option \"{name}\" needs the name of a file")]
    File { name: &'static str },
    #[error(transparent)]
    Param(#[from] ParamError),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Spin {
        default: u64,
        min: u64,
        max: u64,
    },
    Check {
        default: bool,
    },
    Text {
        default: &'static str,
    },
    /// One of the personalities.
    #[cfg(feature = "personality")]
    Personality,
    Button,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionId {
    Hash,
    ClearHash,
    Threads,
    MultiPv,
    Overhead,
    Ponder,
    OwnBook,
    BookFile,
    VerifyBook,
    SyzygyPath,
    #[cfg(feature = "personality")]
    LimitStrength,
    #[cfg(feature = "personality")]
    Elo,
    #[cfg(feature = "personality")]
    Personality,
    EvalNoise,
    BlunderPercent,
    Seed,
    MoveDelay,
    Chess960,
    ShowWdl,
    Analyse,
    Log,
    LogFile,
}

/// How the protocol writes a text that is not there.
pub(super) const EMPTY: &str = "<empty>";

pub(super) const LOG_FILE: &str = "sparring-uci.log";

#[cfg(feature = "personality")]
pub(super) const DEFAULT_ELO: u32 = 1500;

const fn spin(default: u64, min: u64, max: u64) -> Kind {
    Kind::Spin { default, min, max }
}

const OFF: Kind = Kind::Check { default: false };

pub(super) const OPTIONS: &[(&str, OptionId, Kind)] = &[
    ("Hash", OptionId::Hash, spin(64, 1, 65_536)),
    ("Clear Hash", OptionId::ClearHash, Kind::Button),
    ("Threads", OptionId::Threads, spin(1, 1, MAX_THREADS as u64)),
    ("MultiPV", OptionId::MultiPv, spin(1, 1, 256)),
    ("Move Overhead", OptionId::Overhead, spin(20, 0, 10_000)),
    ("Ponder", OptionId::Ponder, OFF),
    ("OwnBook", OptionId::OwnBook, OFF),
    ("BookFile", OptionId::BookFile, Kind::Text { default: EMPTY }),
    ("VerifyBook", OptionId::VerifyBook, OFF),
    ("SyzygyPath", OptionId::SyzygyPath, Kind::Text { default: EMPTY }),
    #[cfg(feature = "personality")]
    ("UCI_LimitStrength", OptionId::LimitStrength, OFF),
    #[cfg(feature = "personality")]
    (
        "UCI_Elo",
        OptionId::Elo,
        spin(
            DEFAULT_ELO as u64,
            *Level::RANGE.start() as u64,
            *Level::RANGE.end() as u64,
        ),
    ),
    #[cfg(feature = "personality")]
    ("Personality", OptionId::Personality, Kind::Personality),
    ("EvalNoise", OptionId::EvalNoise, spin(0, 0, 1000)),
    ("BlunderPercent", OptionId::BlunderPercent, spin(0, 0, 100)),
    // Interfaces hold numbers in 32 bits with a sign.
    ("Seed", OptionId::Seed, spin(0, 0, 2_147_483_647)),
    ("MoveDelay", OptionId::MoveDelay, spin(0, 0, 20_000)),
    ("UCI_Chess960", OptionId::Chess960, OFF),
    ("UCI_ShowWDL", OptionId::ShowWdl, OFF),
    ("UCI_AnalyseMode", OptionId::Analyse, OFF),
    ("Log", OptionId::Log, OFF),
    ("LogFile", OptionId::LogFile, Kind::Text { default: LOG_FILE }),
];

/// What an option does, for the reference in docs/uci.md.
const fn meaning(which: OptionId) -> &'static str {
    match which {
        OptionId::Hash => {
            "size of the transposition table in MB. When memory lacks, a smaller table is used and an `info string` says so. `isready` is answered when the whole table is in memory, which takes seconds for thousands of MB"
        }
        OptionId::ClearHash => "clears the transposition table and the history tables",
        OptionId::Threads => "search threads, which share the table (lazy SMP)",
        OptionId::MultiPv => "number of best lines to report",
        OptionId::Overhead => {
            "milliseconds lost with each move between engine and clock. If the clock fell by more than the engine took, more than once in the last twenty moves, the engine keeps that much and 10 more instead, a second at most. Of `movetime` it keeps no more than a tenth"
        }
        OptionId::Ponder => "the interface will let the engine ponder: a move may take a quarter more time",
        OptionId::OwnBook => {
            "plays moves of the opening book at once, and reports file, line and chance: `info string book move e2e4: books/main.book:7, 48%`"
        }
        OptionId::BookFile => {
            "an opening book as text, or a Polyglot book when the name ends in `.bin` (lines are then those of what `sparring book import` writes; entries left out are reported). Without it, the books of the personality count, and else `main`. `sparring-uci` carries no books"
        }
        OptionId::VerifyBook => {
            "checks each book move by two searches of 20,000 nodes. A move more than 60 cp worse than the best is not played, and the next one drawn is checked, for up to a quarter of the time of the move, which the search that follows loses. A personality with `book-verify` uses its own margin"
        }
        OptionId::SyzygyPath => {
            "folders of Syzygy endgame tables, with colons between them (semicolons on Windows). If they cannot be used, the earlier ones stay"
        }
        #[cfg(feature = "personality")]
        OptionId::LimitStrength => "plays at the level of `UCI_Elo` (only `sparring uci`)",
        #[cfg(feature = "personality")]
        OptionId::Elo => {
            "the level, on the scale of lichess ratings, measured against engines (only `sparring uci`)"
        }
        #[cfg(feature = "personality")]
        OptionId::Personality => {
            "strength and books of a personality: one of the folder in `bot.toml`, else a shipped one (only `sparring uci`)"
        }
        OptionId::EvalNoise => {
            "misjudges positions by about this many centipawns, the same position in the same game always alike. 0 leaves it to level and personality"
        }
        OptionId::BlunderPercent => {
            "chance to overlook a kind of move for a whole search. Recaptures, pawn captures and ways out of check are always seen. 0 leaves it to level and personality"
        }
        OptionId::Seed => {
            "seed of the first game for everything random: book moves, choices of levels, errors. Each `ucinewgame` adds one. 0 draws a new seed when the program starts"
        }
        OptionId::MoveDelay => {
            "least time for an answer, in milliseconds. It never exceeds the time for the move, and `stop` ends it"
        }
        OptionId::Chess960 => {
            "positions and moves of Chess960: castling is written as king takes own rook. Castling from other files than in standard chess is written so without it too"
        }
        OptionId::ShowWdl => {
            "adds chances of win, draw and loss to each score, in thousandths. They were fitted to 18,958 games of self-play at 2,000 nodes a move, so to players who err"
        }
        OptionId::Analyse => "plain engine: no book, level, personality or weakness",
        OptionId::Log => "appends every line of both sides to `LogFile`, with milliseconds since the start",
        OptionId::LogFile => "file of the log",
    }
}

/// Every option as the cells of a table row: name, default, range, meaning.
pub(super) fn reference() -> Vec<[String; 4]> {
    let rows = OPTIONS.iter().map(|(name, which, kind)| {
        let (default, range) = match kind {
            Kind::Spin { default, min, max } => (default.to_string(), format!("{min} to {max}")),
            Kind::Check { default } => (default.to_string(), "true or false".to_owned()),
            Kind::Text { default } => {
                let form = if *which == OptionId::SyzygyPath {
                    "folders"
                } else {
                    "file"
                };
                (format!("`{default}`"), form.to_owned())
            }
            #[cfg(feature = "personality")]
            Kind::Personality => (NO_PERSONALITY.to_owned(), "a personality".to_owned()),
            Kind::Button => (String::new(), "button".to_owned()),
        };
        [format!("`{name}`"), default, range, meaning(*which).to_owned()]
    });
    rows.collect()
}

/// The `option` lines in answer to `uci`.
///
/// With the feature `tune` the search parameters are among them, as SPSA tuners that speak UCI need it.
pub(super) fn listing(resources: &UciResources) -> Vec<String> {
    let mut lines: Vec<String> = OPTIONS
        .iter()
        .map(|(name, _, kind)| format!("option name {name} type {}", Listed(*kind, resources)))
        .collect();
    if cfg!(feature = "tune") {
        lines.extend(Params::LIST.iter().map(|param| {
            format!(
                "option name {} type spin default {} min {} max {}",
                param.name, param.default, param.min, param.max
            )
        }));
    }
    lines
}

/// The search parameters as OpenBench's SPSA tuner reads them: name, type, value, min, max, step, rate. Switches are left
/// out, and the range is the one worth tuning.
pub(super) fn tuning_listing(params: &Params) -> impl Iterator<Item = String> {
    Params::LIST.iter().filter_map(|param| {
        let (least, greatest) = param.tuned?;
        let value = params.value(param.name).unwrap_or(param.default);
        // Below a half, rounding would leave the number as it is.
        let step = (f64::from(greatest - least) / 20.0).max(0.5);
        Some(format!(
            "{}, int, {value}.0, {least}.0, {greatest}.0, {step:.2}, 0.002",
            param.name
        ))
    })
}

/// A kind of option as the protocol lists it.
struct Listed<'a>(Kind, &'a UciResources);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(kind, resources) = self;
        match kind {
            Kind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            Kind::Check { default } => write!(f, "check default {default}"),
            Kind::Text { default } => write!(f, "string default {default}"),
            #[cfg(feature = "personality")]
            Kind::Personality => {
                write!(f, "combo default {NO_PERSONALITY} var {NO_PERSONALITY}")?;
                resources
                    .personalities()
                    .try_for_each(|name| write!(f, " var {name}"))
            }
            Kind::Button => {
                let _ = resources; // only personalities ask for it
                write!(f, "button")
            }
        }
    }
}

/// A value that fits its option.
pub(super) enum Value {
    Number(u64),
    Flag(bool),
    Text(String),
    None,
}

/// The option of a name, in any case of letters, with its name as it is listed.
pub(super) fn find(name: &str) -> Option<&'static (&'static str, OptionId, Kind)> {
    OPTIONS.iter().find(|option| option.0.eq_ignore_ascii_case(name))
}

/// Parses the value of an option.
pub(super) fn read(
    resources: &UciResources,
    name: &'static str,
    kind: Kind,
    text: &str,
) -> Result<Value, OptionError> {
    let text = text.trim();
    match kind {
        Kind::Spin { min, max, .. } => match text.parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
            _ => Err(OptionError::Spin {
                name,
                text: text.to_owned(),
                min,
                max,
            }),
        },
        Kind::Check { .. } => match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Value::Flag(true)),
            "false" => Ok(Value::Flag(false)),
            _ => Err(OptionError::Check {
                name,
                text: text.to_owned(),
            }),
        },
        Kind::Text { .. } => Ok(Value::Text(text.to_owned())),
        #[cfg(feature = "personality")]
        Kind::Personality => {
            let choices = || std::iter::once(NO_PERSONALITY).chain(resources.personalities());
            let alike = || choices().find(|choice| choice.eq_ignore_ascii_case(text));
            match choices().find(|choice| *choice == text).or_else(alike) {
                Some(choice) => Ok(Value::Text(choice.to_owned())),
                None => Err(OptionError::Combo {
                    name,
                    text: text.to_owned(),
                    choices: choices().collect::<Vec<_>>().join(", "),
                }),
            }
        }
        Kind::Button => {
            let _ = resources; // only personalities ask for it
            Ok(Value::None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuner_gets_ranges_it_can_walk_and_no_switches() {
        let lines: Vec<String> = tuning_listing(&Params::default()).collect();
        let line = |name: &str| lines.iter().find(|line| line.starts_with(&format!("{name},")));
        assert_eq!(
            line("aspiration").unwrap(),
            "aspiration, int, 15.0, 5.0, 60.0, 2.75, 0.002"
        );
        assert_eq!(
            line("rfp_depth").unwrap(),
            "rfp_depth, int, 8.0, 0.0, 16.0, 0.80, 0.002"
        );
        assert_eq!((line("lmr_sliding"), line("killers")), (None, None));
    }
}

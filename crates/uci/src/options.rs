//! UCI options, each declared once: how it is listed, what it sets, what it means.

use std::{fmt, path::PathBuf};

use super::{
    option_error::OptionError,
    resources::UciResources,
    settings::{Change, LOG_FILE, Settings},
};
#[cfg(feature = "personality")]
use super::{resources::NO_PERSONALITY, settings::DEFAULT_ELO};
#[cfg(feature = "personality")]
use sparring_chess::units::Elo;
use sparring_chess::{
    Variant,
    units::{Centipawns, Millis},
};
use sparring_engine::{MAX_THREADS, Params};
#[cfg(feature = "personality")]
use sparring_personality::Level;

/// An option: how it is listed and read, and what it sets.
#[derive(Debug, Clone, Copy)]
pub(super) struct UciOption {
    pub name: &'static str,
    pub kind: Kind,
    /// What it does, for the reference in docs/uci.md.
    pub meaning: &'static str,
}

/// The type of an option, with the function that puts its value into the settings.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Spin {
        default: u64,
        min: u64,
        max: u64,
        set: fn(&mut Settings, u64) -> Change,
    },
    Check {
        default: bool,
        set: fn(&mut Settings, bool) -> Change,
    },
    Text {
        default: &'static str,
        /// What the text names, for the reference.
        form: &'static str,
        /// Takes none for an empty text.
        set: fn(&mut Settings, Option<String>) -> Result<Change, OptionError>,
    },
    /// One of the personalities.
    #[cfg(feature = "personality")]
    Personality {
        set: fn(&mut Settings, Option<String>) -> Change,
    },
    /// One of the variants.
    Variant {
        set: fn(&mut Settings, Variant) -> Change,
    },
    Button {
        change: fn() -> Change,
    },
}

/// How the protocol writes a text that is not there.
pub(super) const EMPTY: &str = "<empty>";

const fn spin(default: u64, min: u64, max: u64, set: fn(&mut Settings, u64) -> Change) -> Kind {
    Kind::Spin {
        default,
        min,
        max,
        set,
    }
}

/// Sets a field of the settings with which nothing else has to change.
macro_rules! field {
    ($field:ident) => {
        field!($field, std::convert::identity)
    };
    ($field:ident, $convert:expr) => {
        |settings, value| {
            settings.$field = $convert(value);
            Change::None
        }
    };
}

/// A number of a range within the machine's own size.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A number of a range within 31 bits.
fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// All options, as they are listed.
pub(super) const OPTIONS: &[UciOption] = &[
    UciOption {
        name: "Hash",
        kind: spin(64, 1, 65_536, |settings, number| {
            settings.hash = size(number);
            Change::Hash(settings.hash)
        }),
        meaning: "size of the transposition table in MB. When memory lacks, a smaller table is used and an `info string` says so. `isready` is answered when the whole table is in memory, which takes seconds for thousands of MB",
    },
    UciOption {
        name: "Clear Hash",
        kind: Kind::Button {
            change: || Change::Clear,
        },
        meaning: "clears the transposition table and the history tables",
    },
    UciOption {
        name: "Threads",
        kind: spin(1, 1, MAX_THREADS as u64, |_, number| {
            Change::Threads(size(number))
        }),
        meaning: "search threads, which share the table (lazy SMP)",
    },
    UciOption {
        name: "MultiPV",
        kind: spin(1, 1, 256, field!(multi_pv, size)),
        meaning: "number of best lines to report",
    },
    UciOption {
        name: "Move Overhead",
        kind: spin(20, 0, 10_000, field!(overhead, Millis)),
        meaning: "milliseconds lost with each move between engine and clock. If the clock fell by more than the engine took, more than once in the last twenty moves, the engine keeps that much and 10 more instead, a second at most. Of `movetime` it keeps no more than a tenth",
    },
    UciOption {
        name: "Ponder",
        kind: Kind::Check {
            default: false,
            set: field!(ponder),
        },
        meaning: "the interface will let the engine ponder: a move may take a quarter more time",
    },
    UciOption {
        name: "OwnBook",
        kind: Kind::Check {
            default: false,
            set: field!(own_book),
        },
        meaning: "plays moves of the opening book at once, and reports file, line and chance: `info string book move e2e4: books/main.book:7, 48%`",
    },
    UciOption {
        name: "BookFile",
        kind: Kind::Text {
            default: EMPTY,
            form: "file",
            set: |_, text| Ok(Change::Book(text.map(PathBuf::from))),
        },
        meaning: "an opening book as text, or a Polyglot book when the name ends in `.bin` (lines are then those of what `sparring book import` writes; entries left out are reported). Without it, the books of the personality count, and else `main`. `sparring-uci` carries no books",
    },
    UciOption {
        name: "VerifyBook",
        kind: Kind::Check {
            default: false,
            set: field!(verify_book),
        },
        meaning: "checks each book move by two searches of 20,000 nodes. A move more than 60 cp worse than the best is not played, and the next one drawn is checked, for up to a quarter of the time of the move, which the search that follows loses. A personality with `book-verify` uses its own margin",
    },
    UciOption {
        name: "SyzygyPath",
        kind: Kind::Text {
            default: EMPTY,
            form: "folders",
            set: |_, text| {
                let folders = text.iter().flat_map(std::env::split_paths);
                Ok(Change::Tablebase(folders.collect()))
            },
        },
        meaning: "folders of Syzygy endgame tables, with colons between them (semicolons on Windows). If they cannot be used, the earlier ones stay",
    },
    #[cfg(feature = "personality")]
    UciOption {
        name: "UCI_LimitStrength",
        kind: Kind::Check {
            default: false,
            set: field!(limit_strength),
        },
        meaning: "plays at the level of `UCI_Elo` (only `sparring uci`)",
    },
    #[cfg(feature = "personality")]
    UciOption {
        name: "UCI_Elo",
        kind: spin(
            DEFAULT_ELO as u64,
            *Level::RANGE.start() as u64,
            *Level::RANGE.end() as u64,
            field!(elo, |number| Elo(small(number))),
        ),
        meaning: "the level, on the scale of lichess ratings, measured against engines (only `sparring uci`)",
    },
    #[cfg(feature = "personality")]
    UciOption {
        name: "Personality",
        kind: Kind::Personality {
            set: field!(personality),
        },
        meaning: "strength and books of a personality: one of the folder in `bot.toml`, else a shipped one (only `sparring uci`)",
    },
    UciOption {
        name: "EvalNoise",
        kind: spin(
            0,
            0,
            1000,
            field!(noise, |number| Centipawns(small(number).cast_signed())),
        ),
        meaning: "misjudges positions by about this many centipawns, the same position in the same game always alike. 0 leaves it to level and personality",
    },
    UciOption {
        name: "BlunderPercent",
        kind: spin(0, 0, 100, field!(blunder_percent, small)),
        meaning: "chance to overlook a kind of move for a whole search. Recaptures, pawn captures and ways out of check are always seen. 0 leaves it to level and personality",
    },
    // Interfaces hold numbers in 32 bits with a sign.
    UciOption {
        name: "Seed",
        kind: spin(0, 0, 2_147_483_647, field!(seed)),
        meaning: "seed of the first game for everything random: book moves, choices of levels, errors. Each `ucinewgame` adds one. 0 draws a new seed when the program starts",
    },
    UciOption {
        name: "MoveDelay",
        kind: spin(0, 0, 20_000, field!(delay, Millis)),
        meaning: "least time for an answer, in milliseconds. It never exceeds the time for the move, and `stop` ends it",
    },
    UciOption {
        name: "UCI_Variant",
        kind: Kind::Variant {
            set: |settings, variant| {
                if settings.variant == variant {
                    return Change::None;
                }
                settings.variant = variant;
                Change::Variant
            },
        },
        meaning: "what is played, as Fairy-Stockfish spells it: another one begins at its own start with empty tables. [Variants](#variants) says what serves standard chess alone",
    },
    UciOption {
        name: "UCI_Chess960",
        kind: Kind::Check {
            default: false,
            set: field!(chess960),
        },
        meaning: "positions and moves of Chess960: castling is written as king takes own rook. Castling from other files than in standard chess is written so without it too",
    },
    UciOption {
        name: "UCI_ShowWDL",
        kind: Kind::Check {
            default: false,
            set: field!(show_wdl),
        },
        meaning: "adds chances of win, draw and loss to each score, in thousandths. They were fitted to 18,958 games of self-play at 2,000 nodes a move, so to players who err",
    },
    UciOption {
        name: "UCI_AnalyseMode",
        kind: Kind::Check {
            default: false,
            set: field!(analyse),
        },
        meaning: "plain engine: no book, level, personality or weakness",
    },
    UciOption {
        name: "Log",
        kind: Kind::Check {
            default: false,
            set: |settings, log| {
                settings.log = log;
                Change::Log
            },
        },
        meaning: "appends every line of both sides to `LogFile`, with milliseconds since the start",
    },
    UciOption {
        name: "LogFile",
        kind: Kind::Text {
            default: LOG_FILE,
            form: "file",
            set: |settings, text| {
                settings.log_file = text.ok_or(OptionError::File { name: "LogFile" })?.into();
                Ok(Change::Log)
            },
        },
        meaning: "file of the log",
    },
];

/// Every option as the cells of a table row: name, default, range, meaning.
pub(super) fn reference() -> Vec<[String; 4]> {
    let rows = OPTIONS.iter().map(|option| {
        let (default, range) = match option.kind {
            Kind::Spin {
                default, min, max, ..
            } => (default.to_string(), format!("{min} to {max}")),
            Kind::Check { default, .. } => (default.to_string(), "true or false".to_owned()),
            Kind::Text { default, form, .. } => (format!("`{default}`"), form.to_owned()),
            #[cfg(feature = "personality")]
            Kind::Personality { .. } => (NO_PERSONALITY.to_owned(), "a personality".to_owned()),
            Kind::Variant { .. } => (
                Variant::Standard.uci_name().to_owned(),
                Variant::of_uci()
                    .map(Variant::uci_name)
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
            Kind::Button { .. } => (String::new(), "button".to_owned()),
        };
        [
            format!("`{}`", option.name),
            default,
            range,
            option.meaning.to_owned(),
        ]
    });
    rows.collect()
}

/// The `option` lines in answer to `uci`.
///
/// With the feature `tune` the search parameters are among them, as SPSA tuners that speak UCI need it.
pub(super) fn listing(resources: &UciResources) -> Vec<String> {
    let mut lines: Vec<String> = OPTIONS
        .iter()
        .map(|option| {
            format!(
                "option name {} type {}",
                option.name,
                Listed(option.kind, resources)
            )
        })
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
            Kind::Spin {
                default, min, max, ..
            } => write!(f, "spin default {default} min {min} max {max}"),
            Kind::Check { default, .. } => write!(f, "check default {default}"),
            Kind::Text { default, .. } => write!(f, "string default {default}"),
            #[cfg(feature = "personality")]
            Kind::Personality { .. } => {
                write!(f, "combo default {NO_PERSONALITY} var {NO_PERSONALITY}")?;
                resources
                    .personalities()
                    .try_for_each(|name| write!(f, " var {name}"))
            }
            Kind::Variant { .. } => {
                write!(f, "combo default {}", Variant::Standard.uci_name())?;
                Variant::of_uci().try_for_each(|variant| write!(f, " var {}", variant.uci_name()))
            }
            Kind::Button { .. } => {
                let _ = resources; // only personalities ask for it
                write!(f, "button")
            }
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

//! Engines against engines: games in pairs with colours swapped, honest clocks, and statistics with error bars.
//!
//! A change to the engine's play carries a match, so this is a working tool and not an ornament: [`Match`] is what
//! `sparring-lab match` runs. It starts the engines itself, speaks UCI to them, judges the games by the rules of
//! [`sparring_chess`], and can be killed and resumed, for each finished game is a line in its record.

mod adjudication;
mod epd;
mod game;
mod go_result;
mod journal;
mod openings;
mod participant;
mod scheduler;
mod statistics;
mod suite;
mod time_control;
mod uci_option;
mod uci_process;

pub use adjudication::Adjudication;
pub use epd::read_file as read_epd;
pub use game::{Finished, Reason, Referee};
pub use go_result::GoResult;
pub use journal::{Journal, JournalRow, RecordError};
pub use openings::{
    Opening, OpeningSet, OpeningsError, human as human_opening, read as read_openings,
    read_file as read_openings_file,
};
pub use participant::{BuiltinEngine, ExternalEngine, Participant};
pub use scheduler::{Latest, Match, MatchError, Progress, progress};
pub use statistics::{Elo, Pentanomial, Sprt, Verdict};
pub use suite::{Attempt, Goal, Problem, read_suite};
pub use time_control::{BadTimeControl, TimeControl};
pub use uci_process::{Clocks, EngineSpec, PlayerError, UciProcess};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

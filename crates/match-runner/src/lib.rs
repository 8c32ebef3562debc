//! Match runner for UCI engines: games in pairs with colours swapped, clocks, SPRT, and Elo with error bars.
//!
//! [`Match`] is what `sparring-lab match` runs. It starts the engines, speaks UCI to them and adjudicates the games by the
//! rules of [`sparring_chess`]. Each finished game is a row of its [`MatchJournal`], so that a killed match can be resumed.

mod adjudication;
mod epd;
mod game;
mod journal;
mod openings;
mod participant;
mod reason;
mod scheduler;
mod statistics;
mod suite;
mod time_control;

pub use adjudication::Adjudication;
pub use epd::read_file as read_epd;
pub use game::{Finished, Referee};
pub use journal::{JournalRow, MatchJournal};
pub use openings::{
    Opening, OpeningOptions, OpeningSet, OpeningsError, human as human_opening, read as read_openings,
    read_file as read_openings_file,
};
pub use participant::{BuiltinEngine, ExternalEngine, Participant};
pub use reason::Reason;
pub use scheduler::{Latest, Match, MatchError, Progress, progress};
pub use statistics::{Elo, Pentanomial, Sprt, Verdict};
pub use suite::{Attempt, Goal, Problem, read_suite};
pub use time_control::{BadTimeControl, TimeControl};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

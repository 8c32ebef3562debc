//! Engines against engines: games in pairs with colours swapped, honest clocks, and statistics with error bars.
//!
//! A change to the engine's play carries a match, so this is a working tool and not an ornament: [`Match`] is what
//! `sparring match` runs. It starts the engines itself, speaks UCI to them, judges the games by the rules of
//! [`crate::chess`], and can be killed and resumed, for each finished game is a line in its record.

mod adjudication;
mod answer;
mod epd;
mod game;
mod mover;
mod offer;
mod openings;
mod player;
mod record;
mod schedule;
mod statistics;
mod suite;
mod time_control;

pub use adjudication::Adjudication;
pub use answer::Answer;
pub use epd::read_file as read_epd;
pub use game::{Finished, Reason, Referee};
pub use mover::{Guest, Mover, Resident};
pub use openings::{
    Opening, OpeningSet, OpeningsError, human as human_opening, read as read_openings,
    read_file as read_openings_file,
};
pub use player::{Clocks, EngineSpec, Player, PlayerError};
pub use record::{Record, RecordError, Row};
pub use schedule::{Latest, Match, MatchError, Progress, progress};
pub use statistics::{Elo, Pentanomial, Sprt, Verdict};
pub use suite::{Attempt, Goal, Problem, read_suite};
pub use time_control::{BadTimeControl, TimeControl};

//! The archive: games, moves and verdicts in SQLite, written on a thread of its own and read by whoever asks.
//!
//! Nothing waits for it: a game is played whether or not its rows can be written. Every row has a key of its own, so
//! writing again does no harm.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod archive;
mod damage;
mod explanation;
mod home;
mod writer;
mod learned_weights;
mod pgn;
mod record;
mod salvage;
#[cfg(test)]
pub(crate) mod test_fixtures;

#[cfg(test)]
use crate::{
    lichess::model::Side,
    units::{Elo, Millis},
};

pub use rusqlite::InterruptHandle;

pub use archive::{ALWAYS, Archive, ChallengeFilter, Filter, GameResult, StoreError};
pub use explanation::{
    BookChance, BookChoice, MoveExplanation, StyleBias, HumanChoice, SearchExplanation, PvLine, ScoreJson, permille,
};
pub use home::{Hold, Home};
pub use writer::ArchiveWriter;
pub use pgn::pgn;
pub use record::{RequestedPersona, ChallengeRecord, End, GameFlags, GameRecord, MoveRecord, ChallengeCooldown, Source, OpponentScore, Thought};
pub use salvage::read_damaged;

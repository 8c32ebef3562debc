//! The archive: games, moves and verdicts in SQLite, written on a thread of its own and read by whoever asks.
//!
//! Nothing waits for it: a game is played whether or not its rows can be written. Every row has a key of its own, so
//! writing again does no harm.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod archive;
mod damage;
mod grounds;
mod home;
mod keeper;
mod leans;
mod pgn;
mod record;
mod salvage;
#[cfg(test)]
pub(crate) mod sample;

#[cfg(test)]
use crate::{
    lichess::model::Side,
    units::{Elo, Millis},
};

pub use rusqlite::InterruptHandle;

pub use archive::{ALWAYS, Archive, ChallengeFilter, Filter, GameResult, StoreError};
pub use grounds::{
    BookChance, BookGrounds, Grounds, Leaning, People, SearchGrounds, SeenLine, Worth, permille,
};
pub use home::{Hold, Home};
pub use keeper::Store;
pub use pgn::pgn;
pub use record::{Asked, ChallengeRecord, End, Favour, GameRecord, MoveRecord, Rest, Source, Tally, Thought};
pub use salvage::read_damaged;

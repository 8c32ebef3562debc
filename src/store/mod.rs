//! The archive of games, moves and challenges in SQLite, written by a thread of its own.
//!
//! No game waits for a write. Every row has a key, so that a write may be repeated.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod archive;
mod book_outcome;
#[cfg(feature = "postgres")]
mod common_archive;
mod damage;
mod explanation;
mod home;
mod json;
mod learned_weights;
mod online_cache;
mod pgn;
mod record;
mod salvage;
#[cfg(test)]
pub(crate) mod test_fixtures;
mod verdict_cache;
mod writer;

#[cfg(test)]
use sparring_chess::units::{Elo, Millis};
#[cfg(test)]
use sparring_lichess::model::Side;

pub use rusqlite::InterruptHandle;

pub use archive::{ALWAYS, Archive, ChallengeFilter, Filter, StoreError};
pub(crate) use book_outcome::{book_outcome, move_origins};
#[cfg(feature = "postgres")]
pub use common_archive::{Address, BATCH, CommonArchive, PushError, Pushed};
pub use explanation::{
    BookChance, BookChoice, HumanChoice, LikelyMove, MoveExplanation, OnlineChoice, PvLine, ScoreJson,
    SearchExplanation, StyleBias, permille,
};
pub use home::{ArchivePath, Hold};
pub use json::{challenge_json, game_json, game_with_moves_json};
pub use online_cache::OnlineCache;
pub use pgn::pgn;
pub use record::{
    ChallengeCooldown, ChallengeRecord, End, GameFlags, GameRecord, GameResult, MoveRecord, MoveSource,
    OpponentScore, RequestedPersona, Thought,
};
pub use salvage::read_damaged;
pub use verdict_cache::VerdictCache;
pub use writer::ArchiveWriter;

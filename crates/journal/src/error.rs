//! Errors of journals.

use std::path::PathBuf;

use thiserror::Error;

use super::shard::Shard;

/// A journal that cannot be read, written or merged.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be used.
    #[error("the record {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Another program writes to the file.
    #[error("the record {} is in use: another run writes to it", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The first line is no heading.
    #[error("{}:1: this is no heading of a record", path.display())]
    NoHeading {
        /// The file.
        path: PathBuf,
    },
    /// The heading belongs to another run.
    #[error("{} is the record of another run: {difference}", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// A line is no row of the run.
    #[error("{}:{line}: {why}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Of several journals, one is a whole run.
    #[error("{} is the record of a whole run, not of a shard", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
    },
    /// Journals of different divisions.
    #[error("{} holds shard {found}, which is no part of the division of {}", path.display(), first.display())]
    OtherDivision {
        /// The file.
        path: PathBuf,
        /// Its shard.
        found: Shard,
        /// The file with the first shard.
        first: PathBuf,
    },
    /// Two journals of one shard.
    #[error("{} and {} both hold shard {shard}", first.display(), second.display())]
    Twice {
        /// The shard.
        shard: Shard,
        /// A file.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// Shards of which there is no journal.
    #[error("missing: {}", listed(shards))]
    Missing {
        /// The shards.
        shards: Vec<Shard>,
    },
    /// No journals were named.
    #[error("there is nothing to merge")]
    Nothing,
}

/// The first ten shards, and how many more.
fn listed(shards: &[Shard]) -> String {
    let mut words: Vec<String> = shards
        .iter()
        .take(10)
        .map(|shard| format!("shard {shard}"))
        .collect();
    if shards.len() > words.len() {
        words.push(format!("and {} more", shards.len() - words.len()));
    }
    words.join(", ")
}

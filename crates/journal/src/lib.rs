//! Journals of long runs: a heading, and a row of JSON for each finished task. A run can be killed and resumed, divided into
//! shards, and merged.

mod error;
mod heading;
mod journal;
mod merge;
mod shard;

pub use error::JournalError;
pub use heading::Heading;
pub use journal::{FinishedTask, Journal, TaskId};
pub use merge::{Merged, merge};
pub use shard::{BadShard, Shard};

/// 64-bit FNV-1a: the same number on every machine. For units of a run that have names instead of numbers.
#[must_use]
pub fn fnv64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Shards: equal parts of a run.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of the parts of a run, written `3/8`: the third of eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// From 1.
    number: u64,
    count: u64,
}

/// More shards than any run has: each is a process and a file.
const MOST: u64 = 100_000;

/// A text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{0}\" is no shard: write 3/8 for the third of eight, from 1/8 to 8/8, of at most {MOST}")]
pub struct BadShard(String);

impl Shard {
    /// Whether a unit of the run, counted from 0, belongs to this shard.
    #[must_use]
    pub fn owns(self, unit: u64) -> bool {
        unit % self.count == self.number - 1
    }

    /// Whether two shards are of the same division.
    pub(crate) fn is_beside(self, other: Self) -> bool {
        self.count == other.count
    }

    /// All shards of the run, in order.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.count).map(move |number| Self { number, ..self })
    }
}

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let parts = text.split_once('/');
        let numbers =
            parts.and_then(|(number, count)| Some((number.parse::<u64>().ok()?, count.parse::<u64>().ok()?)));
        match numbers {
            Some((number, count)) if (1..=count.min(MOST)).contains(&number) && count <= MOST => {
                Ok(Self { number, count })
            }
            _ => Err(BadShard(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = BadShard;

    fn try_from(text: String) -> Result<Self, BadShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_one_owner() {
        let shards: Vec<Shard> = "1/8".parse::<Shard>().unwrap().all().collect();
        assert_eq!(shards.len(), 8);
        for unit in [0, 1, 7, 8, 1_000_003, u64::MAX] {
            assert_eq!(
                shards.iter().filter(|shard| shard.owns(unit)).count(),
                1,
                "{unit}"
            );
        }
    }

    #[test]
    fn shards_count_from_one() {
        for text in ["1/1", "8/8", "3/8"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in [
            "", "3", "0/8", "9/8", "1/0", "a/8", "3/8/2", "-1/8", "3/", "1/100001",
        ] {
            let refused = text.parse::<Shard>().unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("\"{text}\" is no shard")),
                "{refused}"
            );
        }
    }
}

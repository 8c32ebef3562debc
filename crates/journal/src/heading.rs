//! The first line of a journal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::shard::Shard;

/// What must agree for rows to count together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// What was run: `match`, `calibrate`.
    journal: String,
    /// Which part of the run; none for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard: Option<Shard>,
    /// Builds, settings, seed, by name.
    facts: BTreeMap<String, String>,
}

impl Heading {
    /// The heading of a run without facts.
    #[must_use]
    pub fn new(journal: &str, shard: Option<Shard>) -> Self {
        Self {
            journal: journal.to_owned(),
            shard,
            facts: BTreeMap::new(),
        }
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.facts.insert(name.to_owned(), value.to_string());
        self
    }

    /// What was run.
    #[must_use]
    pub fn journal(&self) -> &str {
        &self.journal
    }

    /// Which part of the run; none for the whole.
    #[must_use]
    pub fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// A fact; none where the heading does not name it.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    /// The heading of the whole run.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self {
            shard: None,
            ..self.clone()
        }
    }

    /// What tells the run of another heading from this one, shards apart; none for the same run.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.journal != other.journal {
            return Some(format!("it is of {}, not of {}", other.journal, self.journal));
        }
        let said = |heading: &Self, name: &str| {
            heading
                .fact(name)
                .map_or("not said".to_owned(), |it| format!("{it:?}"))
        };
        self.facts
            .keys()
            .chain(other.facts.keys())
            .find(|name| self.fact(name) != other.fact(name))
            .map(|name| {
                format!(
                    "{name} is {} there and {} here",
                    said(other, name),
                    said(self, name)
                )
            })
    }

    /// Reads a first line; none where it is no heading.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// The line, without its end. Strings cannot fail to be written.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_a_line_of_json() {
        let heading = Heading::new("match", "3/8".parse().ok()).with("seed", 7);
        assert_eq!(
            heading.line(),
            r#"{"journal":"match","shard":"3/8","facts":{"seed":"7"}}"#
        );
        assert_eq!(Heading::read(&heading.line()), Some(heading.clone()));
        assert_eq!(
            heading.whole().line(),
            r#"{"journal":"match","facts":{"seed":"7"}}"#
        );
        assert_eq!(Heading::read("# some other file"), None);
    }

    #[test]
    fn the_difference_of_two_runs_is_named() {
        let one = Heading::new("match", None).with("build", "a").with("seed", 1);
        let other = Heading::new("match", "1/2".parse().ok())
            .with("build", "b")
            .with("seed", 1);
        assert_eq!(one.difference(&one.clone()), None);
        assert_eq!(
            one.difference(&other).unwrap(),
            r#"build is "b" there and "a" here"#
        );
        let less = Heading::new("match", None).with("seed", 1);
        assert_eq!(
            one.difference(&less).unwrap(),
            r#"build is not said there and "a" here"#
        );
        let calibration = Heading::new("calibrate", None);
        assert_eq!(
            one.difference(&calibration).unwrap(),
            "it is of calibrate, not of match"
        );
    }
}

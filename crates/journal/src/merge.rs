//! Merging the journals of all shards into that of the whole run.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    error::JournalError,
    heading::Heading,
    journal::{Lines, TaskId, text_of},
    shard::Shard,
};
use sparring_files::atomic_file::{Readers, replace};

/// The journal of a whole run.
#[derive(Debug)]
pub struct Merged {
    heading: Heading,
    /// Each row as its shard has it.
    rows: BTreeMap<TaskId, String>,
    /// How many rows each shard has, in order.
    shards: Vec<usize>,
}

/// Merges the journals of all shards of a run. Of each shard there must be one, with the same heading and only rows of its own; rows may
/// lack, which the whole run does when it goes on. A last line that was cut off by a kill is left out.
///
/// # Errors
/// [`JournalError`] when a file cannot be read or the journals do not belong together.
pub fn merge(paths: &[PathBuf]) -> Result<Merged, JournalError> {
    let mut merged: Option<Merged> = None;
    let mut shards: BTreeMap<Shard, &Path> = BTreeMap::new();
    let mut counts: BTreeMap<Shard, usize> = BTreeMap::new();
    for path in paths {
        let text = text_of(path)?;
        let lines =
            Lines::read(path, &text)?.ok_or_else(|| JournalError::NoHeading { path: path.clone() })?;
        let shard = lines
            .heading
            .shard()
            .ok_or_else(|| JournalError::Whole { path: path.clone() })?;
        let rows = lines.rows(|line| Ok(line.to_owned()))?;
        counts.insert(shard, rows.len());
        match &mut merged {
            None => {
                let heading = lines.heading.whole();
                merged = Some(Merged {
                    heading,
                    rows,
                    shards: Vec::new(),
                });
            }
            Some(merged) => {
                if let Some(difference) = merged.heading.difference(&lines.heading) {
                    let difference = format!("{difference}, in {}", paths[0].display());
                    let path = path.clone();
                    return Err(JournalError::OtherRun { path, difference });
                }
                merged.rows.extend(rows);
            }
        }
        if let Some(first) = shards.insert(shard, path) {
            let (first, second) = (first.to_owned(), path.clone());
            return Err(JournalError::Twice { shard, first, second });
        }
    }
    let merged = merged.ok_or(JournalError::Nothing)?;
    complete(&shards)?;
    Ok(Merged {
        shards: counts.into_values().collect(),
        ..merged
    })
}

/// Checks that there is a journal of every shard.
fn complete(shards: &BTreeMap<Shard, &Path>) -> Result<(), JournalError> {
    let Some((division, first)) = shards.first_key_value() else {
        return Err(JournalError::Nothing);
    };
    if let Some((found, path)) = shards.iter().find(|(shard, _)| !shard.is_beside(*division)) {
        return Err(JournalError::OtherDivision {
            path: (*path).to_owned(),
            found: *found,
            first: (*first).to_owned(),
        });
    }
    let missing = division.all().filter(|shard| !shards.contains_key(shard));
    let missing: Vec<Shard> = missing.collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(JournalError::Missing { shards: missing }),
    }
}

impl Merged {
    /// What was run.
    #[must_use]
    pub fn journal(&self) -> &str {
        self.heading.journal()
    }

    /// How many tasks are finished.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no task is finished.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many of them each shard has finished, in order: one that was killed shows.
    #[must_use]
    pub fn shards(&self) -> &[usize] {
        &self.shards
    }

    /// The text: the heading of the whole run, and the rows in order.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.heading.line() + "\n";
        for row in self.rows.values() {
            text.push_str(row);
            text.push('\n');
        }
        text
    }

    /// Writes the journal, whole or not at all. A file that is there is replaced.
    ///
    /// # Errors
    /// [`JournalError::File`] when it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), JournalError> {
        replace(path, self.text().as_bytes(), Readers::All).map_err(|source| JournalError::File {
            path: path.to_owned(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes journals and merges them: the text of the whole, or the error with file names alone.
    fn merged(journals: &[(&str, &str, &[u64])]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (name, heading, units) in journals {
            let rows: String = units
                .iter()
                .map(|unit| format!("{{\"unit\":{unit},\"is\":\"{name}\"}}\n"))
                .collect();
            let path = folder.path().join(name);
            fs::write(&path, format!("{heading}\n{rows}")).unwrap();
            paths.push(path);
        }
        let inside = format!("{}/", folder.path().display());
        merge(&paths)
            .map(|whole| whole.text())
            .map_err(|error| error.to_string().replace(&inside, ""))
    }

    fn of(shard: &str) -> String {
        Heading::new("datagen", shard.parse().ok()).with("seed", 1).line()
    }

    #[test]
    fn shards_become_the_whole_run_in_order() {
        let (one, two) = (of("1/2"), of("2/2"));
        let whole = merged(&[("b", &two, &[3, 1]), ("a", &one, &[0, 2])]).unwrap();
        let rows: Vec<&str> = whole.lines().collect();
        assert_eq!(rows[0], of(""));
        assert_eq!(
            rows[1..],
            [
                r#"{"unit":0,"is":"a"}"#,
                r#"{"unit":1,"is":"b"}"#,
                r#"{"unit":2,"is":"a"}"#,
                r#"{"unit":3,"is":"b"}"#
            ]
        );
    }

    #[test]
    fn what_does_not_belong_together_is_named() {
        let other = Heading::new("datagen", "2/2".parse().ok()).with("seed", 2).line();
        for (journals, expected) in [
            (vec![], "there is nothing to merge"),
            (vec![("a", of("1/3")), ("c", of("3/3"))], "missing: shard 2/3"),
            (
                vec![("a", of("1/100"))],
                "missing: shard 2/100, shard 3/100, shard 4/100, shard 5/100, shard 6/100, shard 7/100, shard 8/100, shard 9/100, \
                 shard 10/100, shard 11/100, and 89 more",
            ),
            (
                vec![("a", of("1/2")), ("b", of("1/2"))],
                "a and b both hold shard 1/2",
            ),
            (
                vec![("a", of("1/2")), ("b", of("2/3"))],
                "b holds shard 2/3, which is no part of the division of a",
            ),
            (
                vec![("a", of("1/2")), ("b", other)],
                r#"b is the record of another run: seed is "2" there and "1" here, in a"#,
            ),
            (
                vec![("a", of(""))],
                "a is the record of a whole run, not of a shard",
            ),
            (
                vec![("a", "e2e4 e7e5".to_owned())],
                "a:1: this is no heading of a record",
            ),
        ] {
            let journals: Vec<(&str, &str, &[u64])> = journals
                .iter()
                .map(|(name, heading)| (*name, heading.as_str(), &[] as &[u64]))
                .collect();
            assert_eq!(merged(&journals).unwrap_err(), expected);
        }
        let (one, two) = (of("1/2"), of("2/2"));
        assert_eq!(
            merged(&[("a", &one, &[0, 2]), ("b", &two, &[1, 2])]).unwrap_err(),
            "b:3: unit 2 does not belong to shard 2/2"
        );
    }
}

//! A journal of finished tasks.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    error::JournalError,
    heading::Heading,
    shard::{Shard, owns},
};
use sparring_files as files;

/// Where in its run a row belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// What shards divide: a pair of games, a game, a square. A unit is never split.
    pub unit: u64,
    /// Tells the rows of a unit apart; 0 where it has one row.
    #[serde(default)]
    pub part: u64,
}

impl Place {
    /// The place of a unit with one row.
    #[must_use]
    pub fn of(unit: u64) -> Self {
        Self { unit, part: 0 }
    }
}

/// A finished task. Its JSON must have [`Place`] in it, as `unit` and, where it is not 0, `part`.
pub trait Row: Serialize + DeserializeOwned {
    /// Where in the run it belongs.
    fn place(&self) -> Place;
}

/// All finished tasks of a run or of one of its shards, kept in a file when there is one.
#[derive(Debug)]
pub struct Journal<R> {
    rows: BTreeMap<Place, R>,
    shard: Option<Shard>,
    file: Option<(PathBuf, File)>,
}

impl<R> Default for Journal<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Journal<R> {
    /// A journal of a whole run, in memory only.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rows: BTreeMap::new(),
            shard: None,
            file: None,
        }
    }

    /// All finished tasks, in order.
    pub fn rows(&self) -> impl Iterator<Item = &R> {
        self.rows.values()
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

    /// A finished task.
    #[must_use]
    pub fn get(&self, place: Place) -> Option<&R> {
        self.rows.get(&place)
    }

    /// Whether a task is still to be done, and by this run: finished ones are not, nor those of other shards.
    #[must_use]
    pub fn lacks(&self, place: Place) -> bool {
        owns(self.shard, place.unit) && !self.rows.contains_key(&place)
    }
}

impl<R: Row> Journal<R> {
    /// Opens or creates a journal file. A last line that was cut off by a kill is dropped.
    ///
    /// # Errors
    /// [`JournalError`] when the file cannot be used, belongs to another run or shard, or has a line that is no row. The file is
    /// then unchanged.
    pub fn open(path: &Path, heading: &Heading) -> Result<Self, JournalError> {
        let failed = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let text = match path.exists() {
            true => files::read_text(path, files::DATA).map_err(failed)?,
            false => String::new(),
        };
        // A cut line would run into the next one.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let rows = match Lines::read(path, &text[..whole])? {
            Some(lines) => {
                if let Some(difference) = heading.difference(&lines.heading) {
                    let path = path.to_owned();
                    return Err(JournalError::OtherRun { path, difference });
                }
                if lines.heading.shard() != heading.shard() {
                    let name = |shard: Option<Shard>| match shard {
                        Some(shard) => format!("shard {shard}"),
                        None => "the whole run".to_owned(),
                    };
                    let (path, found) = (path.to_owned(), name(lines.heading.shard()));
                    let difference = format!("it has {found}, this is {}", name(heading.shard()));
                    return Err(JournalError::OtherRun { path, difference });
                }
                lines.rows(|line| serde_json::from_str::<R>(line))?
            }
            // A kill may have cut the heading itself.
            None if heading.line().starts_with(&text) => BTreeMap::new(),
            None => {
                return Err(JournalError::NoHeading {
                    path: path.to_owned(),
                });
            }
        };
        let open = || -> io::Result<File> {
            let mut options = OpenOptions::new();
            let mut file = options.create(true).truncate(false).write(true).open(path)?;
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))?;
            if whole == 0 {
                writeln!(file, "{}", heading.line())?;
            }
            Ok(file)
        };
        Ok(Self {
            rows,
            shard: heading.shard(),
            file: Some((path.to_owned(), open().map_err(failed)?)),
        })
    }

    /// A journal of a shard or of a whole run, in memory only.
    #[must_use]
    pub fn in_memory(shard: Option<Shard>) -> Self {
        Self { shard, ..Self::new() }
    }

    /// Adds a finished task and writes its line at once.
    ///
    /// # Errors
    /// [`JournalError::File`] when it cannot be written.
    pub fn add(&mut self, row: R) -> Result<(), JournalError> {
        if let Some((path, file)) = &mut self.file {
            let written = serde_json::to_string(&row)
                .map_err(io::Error::from)
                .and_then(|line| file.write_all(format!("{line}\n").as_bytes()));
            written.map_err(|source| JournalError::File {
                path: path.clone(),
                source,
            })?;
        }
        self.rows.insert(row.place(), row);
        Ok(())
    }
}

/// The text of a journal.
pub(crate) struct Lines<'a> {
    path: &'a Path,
    pub(crate) heading: Heading,
    text: &'a str,
}

impl<'a> Lines<'a> {
    /// Reads the heading; none in an empty text.
    pub(crate) fn read(path: &'a Path, text: &'a str) -> Result<Option<Self>, JournalError> {
        let Some(first) = text.lines().next() else {
            return Ok(None);
        };
        let heading = Heading::read(first).ok_or_else(|| JournalError::NoHeading {
            path: path.to_owned(),
        })?;
        Ok(Some(Self { path, heading, text }))
    }

    /// Reads the rows. Each must belong to the shard, and be there once.
    pub(crate) fn rows<T>(
        &self,
        mut read: impl FnMut(&'a str) -> serde_json::Result<T>,
    ) -> Result<BTreeMap<Place, T>, JournalError> {
        let mut rows = BTreeMap::new();
        for (number, line) in (1..).zip(self.text.lines()).skip(1) {
            let refused = |why: String| JournalError::Row {
                path: self.path.to_owned(),
                line: number,
                why,
            };
            let place: Place = serde_json::from_str(line)
                .map_err(|why| refused(format!("this is no row of a journal: {why}")))?;
            let row = read(line).map_err(|why| {
                refused(format!(
                    "this is no row of a journal of {}: {why}",
                    self.heading.journal()
                ))
            })?;
            if let Some(shard) = self.heading.shard().filter(|shard| !shard.owns(place.unit)) {
                return Err(refused(format!(
                    "unit {} does not belong to shard {shard}",
                    place.unit
                )));
            }
            if rows.insert(place, row).is_some() {
                return Err(refused(format!(
                    "unit {}, part {} is there twice",
                    place.unit, place.part
                )));
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Pair {
        unit: u64,
        part: u64,
        points: u32,
    }

    impl Row for Pair {
        fn place(&self) -> Place {
            Place {
                unit: self.unit,
                part: self.part,
            }
        }
    }

    fn pair(unit: u64, part: u64) -> Pair {
        Pair {
            unit,
            part,
            points: 1,
        }
    }

    fn heading(shard: &str) -> Heading {
        Heading::new("match", shard.parse().ok()).with("seed", 1)
    }

    fn refusal(path: &Path, text: &str, heading: &Heading) -> String {
        fs::write(path, text).unwrap();
        let refused = Journal::<Pair>::open(path, heading).unwrap_err().to_string();
        assert_eq!(fs::read_to_string(path).unwrap(), text, "{refused}");
        refused.split_once("j.ndjson").unwrap().1.to_owned()
    }

    #[test]
    fn a_killed_run_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.ndjson");
        let heading = heading("2/2");
        let mut journal = Journal::open(&path, &heading).unwrap();
        for row in [pair(1, 0), pair(1, 1), pair(3, 0)] {
            journal.add(row).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        // A kill may cut a row or the heading at any byte.
        for cut in 0..text.len() {
            fs::write(&path, &text[..cut]).unwrap();
            let mut again = Journal::open(&path, &heading).unwrap();
            for row in [pair(1, 0), pair(1, 1), pair(3, 0)] {
                if again.lacks(row.place()) {
                    again.add(row).unwrap();
                }
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "cut at {cut}");
        }
        let whole = Journal::<Pair>::open(&path, &heading).unwrap();
        assert_eq!(whole.len(), 3);
        assert!(!whole.lacks(Place::of(1)) && whole.lacks(Place { unit: 3, part: 1 }));
        assert!(!whole.lacks(Place::of(2)), "another shard's");
    }

    #[test]
    fn what_is_not_of_this_run_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.ndjson");
        let mine = heading("2/2");
        let first = mine.line();
        let other = mine.clone().with("seed", 2).line();
        for (text, expected) in [
            (
                format!("{other}\n"),
                r#" is the journal of another run: seed is "2" there and "1" here"#,
            ),
            (
                format!("{}\n", heading("1/2").line()),
                " is the journal of another run: it has shard 1/2, this is shard 2/2",
            ),
            (
                format!("{}\n", heading("").line()),
                " is the journal of another run: it has the whole run, this is shard 2/2",
            ),
            (
                "# games\ne2e4\n".to_owned(),
                ":1: this is no heading of a journal",
            ),
            ("half a".to_owned(), ":1: this is no heading of a journal"),
        ] {
            assert_eq!(refusal(&path, &text, &mine), expected);
        }
        for (line, expected) in [
            (
                r#"{"unit":2,"part":0,"points":1}"#,
                ":2: unit 2 does not belong to shard 2/2",
            ),
            (
                "{\"unit\":1,\"part\":0,\"points\":1}\n{\"unit\":1,\"part\":0,\"points\":2}",
                ":3: unit 1, part 0 is there twice",
            ),
        ] {
            assert_eq!(refusal(&path, &format!("{first}\n{line}\n"), &mine), expected);
        }
        for (line, expected) in [
            ("gibberish", ":2: this is no row of a journal: "),
            ("", ":2: this is no row of a journal: "),
            (
                r#"{"unit":1}"#,
                ":2: this is no row of a journal of match: missing field",
            ),
        ] {
            let refused = refusal(&path, &format!("{first}\n{line}\n"), &mine);
            assert!(refused.starts_with(expected), "{refused}");
        }
    }
}

//! A journal of finished tasks.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{error::JournalError, heading::Heading, shard::Shard};
use sparring_files as files;

/// Which task of a run a row is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId {
    /// What shards divide: a pair of games, a game, a square. A unit is never split.
    pub unit: u64,
    /// Tells the rows of a unit apart; 0 where it has one row.
    #[serde(default)]
    pub part: u64,
}

impl TaskId {
    /// The task of a unit that has one.
    #[must_use]
    pub fn of(unit: u64) -> Self {
        Self { unit, part: 0 }
    }
}

/// A finished task. Its JSON must have [`TaskId`] in it, as `unit` and, where it is not 0, `part`.
pub trait FinishedTask: Serialize + DeserializeOwned {
    /// Which task of the run it is.
    fn id(&self) -> TaskId;

    /// Drops what nobody asks the journal for once it is written, so that long runs fit into memory.
    fn forget(&mut self) {}
}

/// All finished tasks of a run or of one of its shards, kept in a file when there is one.
#[derive(Debug)]
pub struct Journal<R> {
    rows: BTreeMap<TaskId, R>,
    shard: Option<Shard>,
    file: Option<JournalFile>,
}

/// A file that this run alone writes to.
#[derive(Debug)]
struct JournalFile {
    path: PathBuf,
    file: File,
    /// Bytes up to the end of the last row.
    length: u64,
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

    /// Whether a task is still to be done, and by this run: finished ones are not, nor those of other shards.
    #[must_use]
    pub fn lacks(&self, task: TaskId) -> bool {
        self.shard.is_none_or(|shard| shard.owns(task.unit)) && !self.rows.contains_key(&task)
    }
}

impl<R: FinishedTask> Journal<R> {
    /// Opens or creates a journal file, and keeps other runs off it. A last line that was cut off by a kill is dropped.
    ///
    /// # Errors
    /// [`JournalError`] when the file cannot be used, is in use, belongs to another run or shard, or has a line that is no row. The
    /// file is then unchanged.
    pub fn open(path: &Path, heading: &Heading) -> Result<Self, JournalError> {
        let failed = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let mut file = own_file(path)?;
        let text = files::read_at_most(&file, files::DATA)
            .and_then(whole_lines)
            .map_err(failed)?;
        let rows = rows_of_run(path, &text, heading)?;
        let mut begin = || -> io::Result<u64> {
            // A cut line would run into the next one.
            file.set_len(text.len() as u64)?;
            file.seek(SeekFrom::End(0))?;
            if text.is_empty() {
                writeln!(file, "{}", heading.line())?;
            }
            file.stream_position()
        };
        let length = begin().map_err(failed)?;
        Ok(Self {
            rows,
            shard: heading.shard(),
            file: Some(JournalFile {
                path: path.to_owned(),
                file,
                length,
            }),
        })
    }

    /// Reads a journal file to add nothing to it.
    ///
    /// # Errors
    /// As [`open`](Self::open), but for a file in use.
    pub fn read(path: &Path, heading: &Heading) -> Result<Self, JournalError> {
        let text = text_of(path)?;
        Ok(Self {
            rows: rows_of_run(path, &text, heading)?,
            shard: heading.shard(),
            file: None,
        })
    }

    /// Adds a finished task and writes its line at once.
    ///
    /// # Errors
    /// [`JournalError::File`] when it cannot be written. No part of it is then in the file.
    pub fn add(&mut self, mut row: R) -> Result<(), JournalError> {
        if let Some(file) = &mut self.file {
            file.write(&row)?;
            row.forget();
        }
        self.rows.insert(row.id(), row);
        Ok(())
    }
}

impl JournalFile {
    fn write(&mut self, row: &impl Serialize) -> Result<(), JournalError> {
        let mut write = || -> io::Result<u64> {
            let line = serde_json::to_string(row)? + "\n";
            self.file.write_all(line.as_bytes())?;
            Ok(line.len() as u64)
        };
        match write() {
            Ok(written) => {
                self.length += written;
                Ok(())
            }
            Err(source) => {
                // Half a line would run into the next one. If that fails too, the next opening drops it.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::End(0));
                Err(JournalError::File {
                    path: self.path.clone(),
                    source,
                })
            }
        }
    }
}

/// Opens or creates a file for this run alone.
fn own_file(path: &Path) -> Result<File, JournalError> {
    let failed = |source| JournalError::File {
        path: path.to_owned(),
        source,
    };
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(false).read(true).write(true);
    let file = options.open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::new(ErrorKind::InvalidInput, "it is no file")));
    }
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse {
            path: path.to_owned(),
        }),
        // Some file systems of networks have no locks.
        Err(TryLockError::Error(why)) if why.kind() == ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(why)) => Err(failed(why)),
    }
}

/// The text of a journal that another run may write to.
pub(crate) fn text_of(path: &Path) -> Result<String, JournalError> {
    files::read(path, files::DATA)
        .and_then(whole_lines)
        .map_err(|source| JournalError::File {
            path: path.to_owned(),
            source,
        })
}

/// The lines that have an end. A kill may cut the last one, even inside of a character, or the heading itself.
fn whole_lines(mut bytes: Vec<u8>) -> io::Result<String> {
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => bytes.truncate(end + 1),
        None if bytes.starts_with(b"{") => bytes.clear(),
        None => {}
    }
    String::from_utf8(bytes).map_err(|why| io::Error::new(ErrorKind::InvalidData, why))
}

/// The rows of a text, which must be those of the run and shard of a heading; none in an empty text.
fn rows_of_run<R: FinishedTask>(
    path: &Path,
    text: &str,
    heading: &Heading,
) -> Result<BTreeMap<TaskId, R>, JournalError> {
    let Some(lines) = Lines::read(path, text)? else {
        return Ok(BTreeMap::new());
    };
    let name = |shard: Option<Shard>| match shard {
        Some(shard) => format!("shard {shard}"),
        None => "the whole run".to_owned(),
    };
    let (found, expected) = (lines.heading.shard(), heading.shard());
    let difference = heading.difference(&lines.heading).or_else(|| {
        (found != expected).then(|| format!("it has {}, this is {}", name(found), name(expected)))
    });
    if let Some(difference) = difference {
        let path = path.to_owned();
        return Err(JournalError::OtherRun { path, difference });
    }
    lines.rows(|line| {
        let mut row = serde_json::from_str::<R>(line)?;
        row.forget();
        Ok(row)
    })
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
    ) -> Result<BTreeMap<TaskId, T>, JournalError> {
        let mut rows = BTreeMap::new();
        for (number, line) in (1..).zip(self.text.lines()).skip(1) {
            let refused = |why: String| JournalError::Row {
                path: self.path.to_owned(),
                line: number,
                why,
            };
            let task: TaskId = serde_json::from_str(line)
                .map_err(|why| refused(format!("this is no row of a record: {why}")))?;
            let row = read(line).map_err(|why| {
                refused(format!(
                    "this is no row of a record of {}: {why}",
                    self.heading.journal()
                ))
            })?;
            if let Some(shard) = self.heading.shard().filter(|shard| !shard.owns(task.unit)) {
                return Err(refused(format!(
                    "unit {} does not belong to shard {shard}",
                    task.unit
                )));
            }
            if rows.insert(task, row).is_some() {
                return Err(refused(format!(
                    "unit {}, part {} is there twice",
                    task.unit, task.part
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

    impl FinishedTask for Pair {
        fn id(&self) -> TaskId {
            TaskId {
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
        let heading = heading("2/2").with("engine", "Noël");
        let mut journal = Journal::open(&path, &heading).unwrap();
        for row in [pair(1, 0), pair(1, 1), pair(3, 0)] {
            journal.add(row).unwrap();
        }
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        // A kill may cut a row or the heading at any byte, and a character in two.
        for cut in 0..text.len() {
            fs::write(&path, &text.as_bytes()[..cut]).unwrap();
            let mut again = Journal::open(&path, &heading).unwrap();
            for row in [pair(1, 0), pair(1, 1), pair(3, 0)] {
                if again.lacks(row.id()) {
                    again.add(row).unwrap();
                }
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "cut at {cut}");
        }
        let whole = Journal::<Pair>::open(&path, &heading).unwrap();
        assert_eq!(whole.len(), 3);
        assert!(!whole.lacks(TaskId::of(1)) && whole.lacks(TaskId { unit: 3, part: 1 }));
        assert!(!whole.lacks(TaskId::of(2)), "another shard's");
    }

    #[test]
    fn a_journal_is_written_by_one_run_and_read_by_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.ndjson");
        let mut first = Journal::open(&path, &heading("")).unwrap();
        let second = Journal::<Pair>::open(&path, &heading("")).unwrap_err();
        assert!(
            second
                .to_string()
                .ends_with("j.ndjson is in use: another run writes to it"),
            "{second}"
        );
        first.add(pair(0, 0)).unwrap();
        assert_eq!(Journal::<Pair>::read(&path, &heading("")).unwrap().len(), 1);
        drop(first);
        assert_eq!(Journal::<Pair>::open(&path, &heading("")).unwrap().len(), 1);
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
                r#" is the record of another run: seed is "2" there and "1" here"#,
            ),
            (
                format!("{}\n", heading("1/2").line()),
                " is the record of another run: it has shard 1/2, this is shard 2/2",
            ),
            (
                format!("{}\n", heading("").line()),
                " is the record of another run: it has the whole run, this is shard 2/2",
            ),
            ("# games\ne2e4\n".to_owned(), ":1: this is no heading of a record"),
            ("half a".to_owned(), ":1: this is no heading of a record"),
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
            ("gibberish", ":2: this is no row of a record: "),
            ("", ":2: this is no row of a record: "),
            (
                r#"{"unit":1}"#,
                ":2: this is no row of a record of match: missing field",
            ),
        ] {
            let refused = refusal(&path, &format!("{first}\n{line}\n"), &mine);
            assert!(refused.starts_with(expected), "{refused}");
        }
    }
}

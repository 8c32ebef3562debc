//! Match journal: one line of JSON a game, so that a match can be resumed and merged.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{BufReader, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::statistics::Pentanomial;
use sparring_files::{self as files, lines::Lines};

/// One finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalRow {
    /// The pair it belongs to, from 0: both games of a pair share the opening.
    pub pair: usize,
    /// The first game of a pair has the first engine as White, the second as Black.
    pub game: usize,
    /// Half points of the first engine: 0, 1 or 2.
    pub half_points: usize,
    /// Why it ended: [`super::Reason::word`].
    pub reason: String,
    /// Whether the loser forfeited: by time, an illegal move or a crash.
    pub forfeit: bool,
    /// Plies played.
    pub plies: usize,
}

#[cfg(test)]
impl JournalRow {
    /// A game that ended by mate after sixty plies.
    pub(super) fn mate(pair: usize, game: usize, half_points: usize) -> Self {
        Self {
            pair,
            game,
            half_points,
            reason: "mate".into(),
            forfeit: false,
            plies: 60,
        }
    }
}

/// A journal that cannot be read or written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be used.
    #[error("the journal {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The first line belongs to another match.
    #[error("{} is the journal of another match: it has {found}, this is {expected}", path.display())]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// Its first line.
        found: String,
        /// The first line of this match.
        expected: String,
    },
}

/// All finished games of a match, kept in a file when there is one.
#[derive(Debug, Default)]
pub struct Journal {
    rows: BTreeMap<(usize, usize), JournalRow>,
    file: Option<(PathBuf, File)>,
}

impl Journal {
    /// A journal in memory only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens or creates a journal file. `heading` names engines, time control, openings and seed: a file with another
    /// heading is refused. A last line cut off by a kill is dropped.
    ///
    /// # Errors [`JournalError`] when the file cannot be used or belongs to another match.
    pub fn open(path: &Path, heading: &str) -> Result<Self, JournalError> {
        let failed = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let mut rows = BTreeMap::new();
        let mut fresh = true;
        if path.exists() {
            let mut lines = Lines::new(BufReader::new(files::open(path).map_err(failed)?));
            if let Some(first) = lines.next_text().map_err(failed)? {
                if first != heading {
                    let (path, found, expected) = (path.to_owned(), first, heading.to_owned());
                    return Err(JournalError::OtherMatch {
                        path,
                        found,
                        expected,
                    });
                }
                fresh = false;
            }
            while let Some(line) = lines.next_text().map_err(failed)? {
                if let Ok(row) = serde_json::from_str::<JournalRow>(&line) {
                    rows.insert((row.pair, row.game), row);
                }
            }
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        // A cut line needs a line end; an empty line does no harm.
        writeln!(file, "{}", if fresh { heading } else { "" }).map_err(failed)?;
        Ok(Self {
            rows,
            file: Some((path.to_owned(), file)),
        })
    }

    /// Adds a finished game and writes its line at once.
    pub fn add(&mut self, row: JournalRow) -> Result<(), JournalError> {
        if let Some((path, file)) = &mut self.file {
            let line = serde_json::to_string(&row).unwrap_or_default();
            writeln!(file, "{line}")
                .and_then(|()| file.flush())
                .map_err(|source| JournalError::File {
                    path: path.clone(),
                    source,
                })?;
        }
        self.rows.insert((row.pair, row.game), row);
        Ok(())
    }

    /// Whether a game is done.
    #[must_use]
    pub fn has(&self, pair: usize, game: usize) -> bool {
        self.rows.contains_key(&(pair, game))
    }

    /// All finished games.
    pub fn rows(&self) -> impl Iterator<Item = &JournalRow> {
        self.rows.values()
    }

    /// The points by pairs; pairs with one game open do not count yet.
    #[must_use]
    pub fn pairs(&self) -> Pentanomial {
        let mut pairs = Pentanomial::default();
        for ((pair, game), row) in &self.rows {
            if let (0, Some(other)) = (game, self.rows.get(&(*pair, 1))) {
                pairs.add(row.half_points + other.half_points);
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_match_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.ndjson");
        let mut journal = Journal::open(&path, "a b 1+0").unwrap();
        journal.add(JournalRow::mate(0, 0, 2)).unwrap();
        journal.add(JournalRow::mate(0, 1, 1)).unwrap();
        journal.add(JournalRow::mate(1, 0, 0)).unwrap();
        drop(journal);
        // A kill cut the last line.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut again = Journal::open(&path, "a b 1+0").unwrap();
        assert!(again.has(0, 1) && !again.has(1, 0));
        assert_eq!(again.pairs(), Pentanomial([0, 0, 0, 1, 0]));
        again.add(JournalRow::mate(1, 0, 0)).unwrap();
        drop(again);
        assert_eq!(Journal::open(&path, "a b 1+0").unwrap().rows().count(), 3);
    }

    #[test]
    fn the_journal_of_another_match_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.ndjson");
        drop(Journal::open(&path, "a b 1+0").unwrap());
        assert!(matches!(
            Journal::open(&path, "a c 1+0"),
            Err(JournalError::OtherMatch { .. })
        ));
    }
}

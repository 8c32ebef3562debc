//! The games of a ladder, one line of JSON each, so that it can be killed, resumed and grown by more entrants.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{BufReader, Write as _},
    path::Path,
};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use sparring_files::{self as files, lines::Lines};

/// A finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// White.
    pub white: String,
    /// Black.
    pub black: String,
    /// Which of their games with these colors, from 0.
    pub round: usize,
    /// Half points of White: 0, 1 or 2.
    pub half_points: u8,
    /// Why it ended.
    pub reason: String,
    /// Half moves played after the opening.
    pub plies: usize,
    /// Time it took, in milliseconds.
    pub millis: u64,
}

/// Games by White, Black and round, kept in a file where there is one.
#[derive(Debug, Default)]
pub struct Record {
    rows: BTreeMap<(String, String, usize), GameRow>,
    file: Option<File>,
}

impl Record {
    /// Opens or begins a record. A file with another heading holds games that cannot be counted with these.
    ///
    /// # Errors
    /// When the file cannot be used, or belongs to another ladder.
    pub fn open(path: &Path, heading: &str) -> anyhow::Result<Self> {
        let mut record = Self::default();
        let mut fresh = true;
        if path.exists() {
            let file = files::open(path).with_context(|| format!("\"{}\"", path.display()))?;
            let mut lines = Lines::new(BufReader::new(file));
            while let Some(line) = lines
                .next_text()
                .with_context(|| format!("\"{}\"", path.display()))?
            {
                if fresh && line != heading {
                    bail!(
                        "{} is the record of another ladder: it has {line:?}, this is {heading:?}",
                        path.display()
                    );
                }
                fresh = false;
                // A line cut off by a kill is played again.
                if let Ok(row) = serde_json::from_str(&line) {
                    record.keep(row);
                }
            }
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("\"{}\"", path.display()))?;
        // After a cut line a new one has to begin; after a whole one an empty line does no harm.
        writeln!(file, "{}", if fresh { heading } else { "" })?;
        record.file = Some(file);
        Ok(record)
    }

    /// Adds a game and writes it down at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, row: GameRow) -> anyhow::Result<()> {
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(&row)?).context("the record cannot be written")?;
        }
        self.keep(row);
        Ok(())
    }

    fn keep(&mut self, row: GameRow) {
        let key = (row.white.clone(), row.black.clone(), row.round);
        self.rows.insert(key, row);
    }

    /// Whether a game is done.
    pub fn has(&self, white: &str, black: &str, round: usize) -> bool {
        self.rows
            .contains_key(&(white.to_owned(), black.to_owned(), round))
    }

    /// All games.
    pub fn rows(&self) -> impl Iterator<Item = &GameRow> {
        self.rows.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_ladder_goes_on_and_another_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.ndjson");
        let row = |round| GameRow {
            white: "1400".into(),
            black: "1600".into(),
            round,
            half_points: 1,
            reason: "mate".into(),
            plies: 80,
            millis: 900,
        };
        let mut record = Record::open(&path, "# one").unwrap();
        record.add(row(0)).unwrap();
        record.add(row(1)).unwrap();
        drop(record);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut record = Record::open(&path, "# one").unwrap();
        assert!(record.has("1400", "1600", 0) && !record.has("1400", "1600", 1));
        record.add(row(1)).unwrap();
        drop(record);
        assert_eq!(Record::open(&path, "# one").unwrap().rows().count(), 2);
        assert!(Record::open(&path, "# two").is_err());
    }
}

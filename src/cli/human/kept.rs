//! Searches that were done before, so that a second fit or a report need not wait for them again.

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{BufWriter, Write as _},
    path::Path,
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::{games::each_line, scored::Scorer};
use crate::{
    chess::{GameLine, Move},
    personality::choice::curve::Loss,
};

/// One position's losses as the file has them.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    ply: usize,
    deep: Vec<f32>,
    shallow: Vec<f32>,
}

/// Losses by game and ply, with an engine for what is not known yet.
///
/// They belong to one version of the engine and of the order of moves: a changed engine wants a new file.
pub struct Kept {
    known: HashMap<(String, usize), Vec<Loss>>,
    scorer: Scorer,
    file: Option<BufWriter<std::fs::File>>,
}

impl Kept {
    /// Reads what the file knows and will write what is new behind it; without a file nothing is kept.
    ///
    /// # Errors
    /// When the file cannot be read or opened.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let mut known = HashMap::new();
        let Some(path) = path else {
            return Ok(Self {
                known,
                scorer: Scorer::new(),
                file: None,
            });
        };
        if path.is_file() {
            each_line(path, |entry: Entry| {
                let losses = entry.deep.iter().zip(&entry.shallow);
                let losses = losses.map(|(deep, shallow)| Loss {
                    deep: *deep,
                    shallow: *shallow,
                });
                known.insert((entry.id, entry.ply), losses.collect());
            })?;
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("cannot write \"{}\"", path.display()))?;
        Ok(Self {
            known,
            scorer: Scorer::new(),
            file: Some(BufWriter::new(file)),
        })
    }

    /// What each move loses in the last position of a game's line, known or searched now.
    ///
    /// # Errors
    /// When what was found cannot be written.
    pub fn losses(&mut self, id: &str, line: &GameLine, moves: &[Move]) -> anyhow::Result<Vec<Loss>> {
        let place = (id.to_owned(), line.ply());
        if let Some(losses) = self
            .known
            .get(&place)
            .filter(|losses| losses.len() == moves.len())
        {
            return Ok(losses.clone());
        }
        let losses = self.scorer.losses(line, moves);
        if let Some(file) = &mut self.file {
            let rounded = |part: fn(&Loss) -> f32| {
                losses
                    .iter()
                    .map(|loss| (part(loss) * 100.0).round() / 100.0)
                    .collect()
            };
            let entry = Entry {
                id: place.0,
                ply: place.1,
                deep: rounded(|loss| loss.deep),
                shallow: rounded(|loss| loss.shallow),
            };
            serde_json::to_writer(&mut *file, &entry).context("kept searches")?;
            writeln!(file).context("kept searches")?;
        }
        Ok(losses)
    }
}

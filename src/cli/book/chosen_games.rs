//! Games that were chosen for a book, as rows of a journal: what `sparring book build --record` writes, and builds a book from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::common;
use crate::cli::exit::{Exit, Failure};
use sparring_book::BookBuilder;
use sparring_chess::{Color, GameHistory, Variant, write_fen};
use sparring_journal::{FinishedTask, Heading, Journal, TaskId};

/// What the heading of such a journal says.
pub const JOURNAL: &str = "book build";

/// The fact that games which begin elsewhere count.
pub const OTHER_POSITIONS: &str = "other positions";

/// A game, as far as its moves count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenGame {
    /// Its number in all files together, from 0.
    unit: u64,
    variant: String,
    start: String,
    /// In UCI notation.
    moves: String,
    /// Whose moves count: of both together, or of each of these.
    sides: Vec<ChosenSide>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ChosenSide {
    Both,
    White,
    Black,
}

impl FinishedTask for ChosenGame {
    fn id(&self) -> TaskId {
        TaskId::of(self.unit)
    }
}

impl ChosenGame {
    /// The row of a game, with the sides whose moves count; none stands for both together.
    pub fn new(number: u64, line: &GameHistory, sides: &[Option<Color>]) -> Self {
        Self {
            unit: number,
            variant: line.variant().key().to_owned(),
            start: write_fen(line.start()),
            moves: line.uci_moves(),
            sides: sides
                .iter()
                .map(|side| match side {
                    None => ChosenSide::Both,
                    Some(Color::White) => ChosenSide::White,
                    Some(Color::Black) => ChosenSide::Black,
                })
                .collect(),
        }
    }

    /// Counts the game.
    ///
    /// # Errors
    /// Names the game whose moves cannot be played.
    fn feed(&self, harvest: &mut BookBuilder) -> anyhow::Result<()> {
        let variant = self.variant.parse::<Variant>()?;
        let line = GameHistory::replay(variant, &self.start, &self.moves)?;
        for side in &self.sides {
            let side = match side {
                ChosenSide::Both => None,
                ChosenSide::White => Some(Color::White),
                ChosenSide::Black => Some(Color::Black),
            };
            harvest.add(&line, side, 1);
        }
        Ok(())
    }
}

/// The heading of a record, if a file begins with one.
pub fn heading(begin: &[u8]) -> Option<Heading> {
    let first = begin.split(|byte| *byte == b'\n').next()?;
    let heading = Heading::read(std::str::from_utf8(first).ok()?)?;
    Some(heading)
}

/// Counts the games of a journal, and says how many they are.
///
/// # Errors
/// When the journal cannot be read.
pub fn feed(path: &Path, heading: &Heading, harvest: &mut BookBuilder) -> anyhow::Result<u64> {
    if let Some(shard) = heading.shard() {
        common::say(&format!(
            "{} holds shard {shard} alone; `sparring merge` puts all together",
            path.display()
        ));
    }
    if heading.journal() != JOURNAL {
        let sentence = format!(
            "{} is a record of {}, not of {JOURNAL}",
            path.display(),
            heading.journal()
        );
        return Err(Failure::error(Exit::Usage, sentence));
    }
    if heading.fact(OTHER_POSITIONS) == Some("true") {
        *harvest = std::mem::take(harvest).from_positions();
    }
    let journal = Journal::<ChosenGame>::read(path, heading)?;
    for game in journal.rows() {
        game.feed(harvest).map_err(|why| {
            let sentence = format!("{}: game {}: {why}", path.display(), game.unit);
            Failure::error(Exit::Failed, sentence)
        })?;
    }
    Ok(journal.len() as u64)
}

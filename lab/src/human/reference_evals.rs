//! Stockfish evaluations of some of the games, read from a file: the baseline, and the reference for blunders.

use std::{collections::HashMap, path::Path};

use serde::Deserialize;

use super::games::{each_line, find};
use sparring_chess::units::Centipawns;
use sparring_engine::Score;
use sparring_personality::human_model::winning_chances;

/// The file's name.
const FILE: &str = "sf15-d8.jsonl";
/// Depths that the file has best moves for, from 1.
pub const DEPTHS: usize = 8;

/// Stockfish 15.1 on one game, ply by ply.
#[derive(Debug, Deserialize)]
pub struct ReferenceEvals {
    id: String,
    /// Centipawns for the side to move before every ply, or `#n` for mate in n.
    cp: Vec<Worth>,
    /// The best move at each depth; null once the game is over.
    top: Vec<Option<Vec<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Worth {
    Centipawns(i32),
    Mate(String),
}

impl Worth {
    fn chances(&self) -> f32 {
        let score = match self {
            Self::Centipawns(cp) => Score::Cp(Centipawns(*cp)),
            Self::Mate(text) if text.starts_with("#-") => Score::Mate(-1),
            Self::Mate(_) => Score::Mate(1),
        };
        winning_chances(score)
    }
}

impl ReferenceEvals {
    /// The best move at each depth from 1, in UCI notation.
    #[must_use]
    pub fn best(&self, ply: usize) -> Option<&[String]> {
        self.top.get(ply)?.as_deref()
    }

    /// Loss of the move played at a ply, in percentage points of winning chances.
    #[must_use]
    pub fn loss(&self, ply: usize) -> Option<f32> {
        let before = self.cp.get(ply)?.chances();
        let after = 100.0 - self.cp.get(ply + 1)?.chances();
        Some((before - after).max(0.0))
    }
}

/// All verdicts by the game's id.
///
/// # Errors
/// When the file is missing or a line does not fit.
pub fn read(folder: &Path) -> anyhow::Result<HashMap<String, ReferenceEvals>> {
    let mut all = HashMap::new();
    each_line(&find(folder, FILE)?, |verdicts: ReferenceEvals| {
        all.insert(verdicts.id.clone(), verdicts);
    })?;
    Ok(all)
}

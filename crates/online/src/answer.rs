//! What a source knows about a position, whatever it is.

use serde::{Deserialize, Serialize};
use sparring_chess::units::Millis;

/// What a source knows about a position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Its moves, in its order; none where it does not know the position.
    pub moves: Vec<OfferedMove>,
    /// All games with the position, of an explorer.
    #[serde(default)]
    pub games: u64,
}

/// A move that a source offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedMove {
    /// The move in UCI notation, with either spelling of castling; legal.
    pub uci: String,
    /// Why it is offered.
    pub evidence: Evidence,
}

/// Why a move is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// It was played in games.
    Games {
        /// How many.
        games: u64,
        /// Points of the side that moved, in permille of what could be had.
        permille: u16,
    },
    /// A search found it.
    Search {
        /// Its value for the side that moves.
        score: Evaluation,
        /// The depth in plies, where the source tells it.
        depth: Option<u32>,
    },
    /// An endgame table knows where it leads.
    Table(TableResult),
}

/// The value of a search for the side that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative for the side that moves.
    Mate(i32),
}

impl Evaluation {
    /// On one scale: mates lie beyond all centipawns, the quick ones farthest.
    #[must_use]
    pub fn scaled(self) -> i32 {
        const MATE: i32 = 1_000_000;
        match self {
            Self::Cp(cp) => cp.clamp(-MATE / 2, MATE / 2),
            Self::Mate(moves) if moves > 0 => MATE - moves.min(1000),
            Self::Mate(moves) => -MATE - moves.max(-1000),
        }
    }
}

/// The result of an endgame for the side that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableResult {
    /// Lost.
    Loss,
    /// Drawn, by the rule of fifty moves too.
    Draw,
    /// Won.
    Win,
}

impl TableResult {
    /// The result in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

impl Answer {
    /// How long a cache may keep it: moves for long, since they change slowly; an unknown position for a day.
    #[must_use]
    pub fn keeps_for(&self) -> Millis {
        const DAY: u64 = 24 * 3600;
        Millis::from_secs(if self.moves.is_empty() { DAY } else { 30 * DAY })
    }
}

//! The positions that games start from: EPD or FEN, one a line, drawn in a seeded order.

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use thiserror::Error;

use super::{Reason, epd};
use crate::{
    chess::{GameLine, Position, Variant, parse_fen, write_fen},
    engine::{Engine, Limits, Score, Search, Stop, Surroundings},
    personality::choice::{Haste, Model},
    units::{Elo, Nodes, Stopwatch},
};

/// A start for two games, one with each engine as White.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The position.
    pub position: Position,
    /// Its name, or its FEN if it has none.
    pub name: String,
}

/// A file of openings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpeningsError {
    /// A line holds no position.
    #[error("line {line}: {why}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Nothing but comments and empty lines.
    #[error("there is no opening in it")]
    Empty,
}

/// Reads openings, one a line as EPD or FEN; empty lines and those that begin with `#` do not count.
///
/// The order is shuffled by the seed, so that a short match and a long one begin alike.
///
/// # Errors
/// [`OpeningsError`] names the first line that is no position, or one without a game to play.
pub fn read(text: &str, seed: u64) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // What has too few fields is complained of as it was written.
        let (fen, rest) = epd::split(line).unwrap_or_else(|| (line.to_owned(), ""));
        let wrong = |why| OpeningsError::Line { line: index + 1, why };
        let position = parse_fen(Variant::Standard, &fen).map_err(|error| wrong(error.to_string()))?;
        let game = GameLine::from_position(Variant::Standard, position.clone());
        if let Some(ending) = game.ending() {
            // Such a pair would count as played, and as even.
            return Err(wrong(format!(
                "the game is over there ({})",
                Reason::Rules(ending).word()
            )));
        }
        let name = rest.split("id \"").nth(1).and_then(|id| id.split('"').next());
        openings.push(Opening {
            name: name.map_or_else(|| write_fen(&position), str::to_owned),
            position,
        });
    }
    if openings.is_empty() {
        return Err(OpeningsError::Empty);
    }
    openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    Ok(openings)
}

/// An opening as people play it, another one for each number: eight half moves by the model of their choice, after
/// which neither side is more than a pawn ahead.
#[must_use]
pub fn human(seed: u64, number: u64) -> Opening {
    const PLIES: usize = 8;
    const PLAYERS: Elo = Elo(1800);
    let mut attempt = 0;
    loop {
        // Numbers and attempts stay apart: nobody plays so many pairs.
        let luck = seed ^ (number << 20 | attempt);
        attempt += 1;
        let mut line = GameLine::new(Variant::Standard);
        for _ in 0..PLIES {
            if let Some(chosen) = Model::shipped().choose(&line, PLAYERS, Haste::Calm, &[], luck) {
                line.play(chosen.mv);
            }
        }
        if is_balanced(&line) {
            return Opening {
                position: line.position().clone(),
                name: line.uci_moves(),
            };
        }
    }
}

fn is_balanced(line: &GameLine) -> bool {
    const LEVEL: i32 = 100;
    let limits = Limits {
        nodes: Some(Nodes(2000)),
        ..Limits::default()
    };
    let around = Surroundings {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    let report = Engine::new(1).search(&Search::new(line.clone(), limits), &around, &mut |_| {});
    matches!(report.lines.first().map(|line| line.score), Some(Score::Cp(cp)) if cp.0.abs() <= LEVEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# two\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"B00 King's Pawn\"; ce 20;\n\
                        8/8/8/8/8/4k3/8/4K2R w K - 3 40\n";

    #[test]
    fn epd_and_fen_are_read_and_the_seed_orders_them() {
        let openings = read(TEXT, 1).unwrap();
        let mut names: Vec<&str> = openings.iter().map(|opening| opening.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["8/8/8/8/8/4k3/8/4K2R w K - 3 40", "B00 King's Pawn"]);
        let order = |seed| {
            read(&TEXT.repeat(20), seed)
                .unwrap()
                .into_iter()
                .map(|o| o.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = read("\nnot a position\n", 0).unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
        let over = read("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", 0).unwrap_err();
        assert_eq!(over.to_string(), "line 1: the game is over there (stalemate)");
        assert_eq!(read("# nothing\n", 0).unwrap_err(), OpeningsError::Empty);
    }
}

//! Perft divide: leaves by root move.

use thiserror::Error;

use sparring_chess::{FenError, Position, Rules as _, Variant, parse_fen, write_uci};
use sparring_engine::{
    Stop,
    perft::{divide, perft as count},
};

/// Deeper than this would outlast any patience.
const DEEPEST: u32 = 10;

/// A position or a depth that no leaves are counted of.
#[derive(Debug, Error)]
pub enum PerftError {
    /// No playable position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Too deep.
    #[error("perft {0} would take too long, the most is {DEEPEST}")]
    TooDeep(u32),
}

/// The depth, unless it is too deep.
///
/// # Errors
/// [`PerftError::TooDeep`].
pub(super) fn bounded(depth: u32) -> Result<u32, PerftError> {
    if depth > DEEPEST {
        return Err(PerftError::TooDeep(depth));
    }
    Ok(depth)
}

/// Counts the leaves at a depth below each move of a position, one line a move (`e2e4: 20`), and their sum last.
///
/// # Errors
/// [`PerftError`] for a text that is no playable position, or a depth beyond ten.
pub fn perft(fen: &str, depth: u32) -> Result<String, PerftError> {
    let depth = bounded(depth)?;
    let pos = parse_fen(Variant::Standard, fen)?;
    let variant = notation(&pos);
    let moves = divide(&pos, depth);
    let mut sum = u64::from(depth == 0);
    let mut table = String::new();
    for (mv, leaves) in moves {
        table += &format!("{}: {leaves}\n", write_uci(mv, variant));
        sum += leaves;
    }
    Ok(table + &sum.to_string())
}

/// Times our perft beside that of the rules library itself, best of five runs each, in turns. One line for each and
/// their ratio: millions of moves a second on one core.
///
/// # Errors
/// [`PerftError`] for a text that is no playable position, or a depth beyond ten.
pub fn perft_speed(fen: &str, depth: u32) -> Result<String, PerftError> {
    let depth = bounded(depth)?;
    let pos = parse_fen(Variant::Standard, fen)?;
    let (mut ours, mut library) = (0.0_f64, 0.0_f64);
    for _ in 0..RUNS {
        ours = ours.max(speed(|| count(&pos, depth)));
        library = library.max(speed(|| shakmaty::perft(&pos, depth)));
    }
    Ok(format!(
        "ours {ours:.1} million moves/s\nshakmaty's own {library:.1} million moves/s\nratio {:.2}",
        ours / library.max(f64::MIN_POSITIVE)
    ))
}

/// How castling is written: as in Chess960 only where kings or rooks stand on other files than in standard chess.
fn notation(pos: &Position) -> Variant {
    if pos.castles().mode().is_chess960() {
        Variant::Chess960
    } else {
        Variant::Standard
    }
}

/// Runs of each. The best counts, so that other work on the machine does not.
const RUNS: u32 = 5;

fn speed(count: impl FnOnce() -> u64) -> f64 {
    let started = std::time::Instant::now();
    let leaves = count();
    leaves as f64 / started.elapsed().as_secs_f64().max(1e-9) / 1e6
}

/// Up to this depth perft runs without polling the stop flag: a moment at most.
const MOMENT: u32 = 3;

/// The number of legal lines of `depth` moves; none when it was stopped.
pub(super) fn perft_until(pos: &Position, depth: u32, stop: &Stop) -> Option<u64> {
    if stop.is_set() {
        return None;
    }
    if depth <= MOMENT {
        return Some(count(pos, depth));
    }
    pos.legal_moves().into_iter().try_fold(0, |sum: u64, mv| {
        let mut child = pos.clone();
        child.play_unchecked(mv);
        Some(sum + perft_until(&child, depth - 1, stop)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_stands_last() {
        let table = perft("startpos", 2).unwrap();
        assert_eq!(table.lines().count(), 21);
        assert_eq!(table.lines().last(), Some("400"));
        assert_eq!(perft("startpos", 0).unwrap(), "1");
        assert!(matches!(perft("rubbish", 1), Err(PerftError::Fen(_))));
        let deep = perft("startpos", 5000).unwrap_err().to_string();
        assert_eq!(deep, "perft 5000 would take too long, the most is 10");
        assert!(perft_speed("startpos", 11).is_err());
        let has = |fen: &str, mv: &str| perft(fen, 1).unwrap().contains(mv);
        assert!(has("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1: 1"));
        assert!(has("r4k1r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", "f1h1: 1"));
        assert!(perft_speed("startpos", 2).unwrap().contains("ratio"));
    }
}

//! Perft as people compare it: the leaves behind each move, then the sum.

use crate::{
    chess::{FenError, Variant, parse_fen, write_uci},
    engine::perft::divide,
};

/// Counts the leaves at a depth below each move of a position, one line a move (`e2e4: 20`), and their sum last.
///
/// # Errors
/// [`FenError`] for a text that is no playable position.
pub fn perft(fen: &str, depth: u32) -> Result<String, FenError> {
    // The reading of chess960 covers orthodox castling too.
    let pos = parse_fen(Variant::Chess960, fen)?;
    let moves = divide(&pos, depth);
    let mut sum = u64::from(depth == 0);
    let mut table = String::new();
    for (mv, leaves) in moves {
        table += &format!("{}: {leaves}\n", write_uci(mv, Variant::Chess960));
        sum += leaves;
    }
    Ok(table + &sum.to_string())
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
        assert!(perft("rubbish", 1).is_err());
    }
}

//! Positions as people type them: `startpos`, a FEN, or moves from the start in SAN or UCI notation.

use sparring_chess::{GameHistory, PlayError, SanError, Variant, parse_san, parse_uci};
use thiserror::Error;

use crate::tree_view::moves_of;

/// Why a text is no position.
#[derive(Debug, Error)]
pub enum PositionError {
    /// The FEN is malformed or no legal position.
    #[error(transparent)]
    Fen(#[from] PlayError),
    /// A word is no legal move.
    #[error("{source}, {place}")]
    Move {
        /// `at the start`, or `after` the moves before it.
        place: String,
        /// What is wrong with the word.
        source: SanError,
    },
}

/// Parses `startpos`, a FEN, or moves from the start in SAN or UCI notation, with or without move numbers. An empty text is the
/// start.
///
/// # Errors
/// [`PositionError`] for a bad FEN, and for a word that is no legal move.
pub fn parse_position(text: &str, variant: Variant) -> Result<GameHistory, PositionError> {
    let text = text.trim();
    if text.is_empty() || text == "startpos" {
        return Ok(GameHistory::new(variant));
    }
    // Only a FEN has slashes.
    if text.contains('/') {
        return Ok(GameHistory::replay(variant, text, "")?);
    }
    let mut line = GameHistory::new(variant);
    for word in text.split_whitespace() {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() && word.contains('.'));
        let word = word.trim_start_matches('.');
        if word.is_empty() {
            continue;
        }
        let pos = line.position();
        let mv = match parse_uci(pos, word) {
            Ok(mv) => mv,
            Err(_) => parse_san(pos, word).map_err(|source| {
                let before = moves_of(&line);
                let place = if before.is_empty() {
                    "at the start".to_owned()
                } else {
                    format!("after {before}")
                };
                PositionError::Move { place, source }
            })?,
        };
        line.play(mv);
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::write_fen;

    fn fen(text: &str) -> String {
        write_fen(parse_position(text, Variant::Standard).unwrap().position())
    }

    #[test]
    fn the_same_position_as_san_uci_and_fen() {
        let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        for text in ["1. e4 c5", "e4 c5", "1.e4 c5", "e2e4 c7c5", sicilian] {
            assert_eq!(fen(text), sicilian, "{text}");
        }
        assert_eq!(fen(""), fen("startpos"));
    }

    #[test]
    fn an_error_names_the_moves_before_it() {
        let error = |text| parse_position(text, Variant::Standard).unwrap_err().to_string();
        assert!(error("1. e4 e5 2. Nf9").ends_with(", after 1. e4 e5"));
        assert!(error("1. e9").ends_with(", at the start"));
    }
}

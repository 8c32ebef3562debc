//! Game history: start position, moves, and how often each position occurred.

use thiserror::Error;

use super::{
    Color, Move, NotationError, Position, Rules as _, Variant, key, parse_uci, variant::FenError, write_uci,
};

/// A game's history: a start, the moves, and the position they lead to. What engines and rules of repetition need.
///
/// ```
/// use sparring_chess::{GameHistory, Variant};
///
/// let mut line = GameHistory::new(Variant::Standard);
/// line.play_uci("e2e4").unwrap();
/// assert_eq!(line.ply(), 1);
/// assert_eq!(line.uci_moves(), "e2e4");
/// ```
#[derive(Debug, Clone)]
pub struct GameHistory {
    variant: Variant,
    start: Position,
    position: Position,
    moves: Vec<Move>,
    /// Keys of all positions from the start to the current one: one more than there are moves.
    keys: Vec<u64>,
}

/// A history that cannot have happened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlayError {
    /// The start is not a position.
    #[error(transparent)]
    Start(#[from] FenError),
    /// A move of the list does not fit.
    #[error("move {} of the game: {source}", index + 1)]
    Move {
        /// Its place in the list, from 0.
        index: usize,
        /// What is wrong with it.
        source: NotationError,
    },
}

impl GameHistory {
    /// A game of the variant, before the first move.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        Self::from_position(variant, variant.start())
    }

    /// A game that starts from a given position.
    #[must_use]
    pub fn from_position(variant: Variant, start: Position) -> Self {
        Self {
            variant,
            keys: vec![key(&start)],
            position: start.clone(),
            start,
            moves: Vec::new(),
        }
    }

    /// Rebuilds a game from a FEN (or `startpos`) and its moves in UCI notation, separated by spaces.
    ///
    /// # Errors
    /// [`PlayError`] names the FEN or the first move that cannot be.
    pub fn replay(variant: Variant, fen: &str, moves: &str) -> Result<Self, PlayError> {
        let mut line = Self::from_position(variant, super::parse_fen(variant, fen)?);
        for (index, text) in moves.split_ascii_whitespace().enumerate() {
            line.play_uci(text)
                .map_err(|source| PlayError::Move { index, source })?;
        }
        Ok(line)
    }

    /// Plays a move given as text in either spelling of castling.
    ///
    /// # Errors
    /// [`NotationError`] when it is not a legal move; the line is then unchanged.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, NotationError> {
        let mv = parse_uci(&self.position, text)?;
        self.play(mv);
        Ok(mv)
    }

    /// Plays a move, which must be legal in the current position.
    pub fn play(&mut self, mv: Move) {
        self.position.play_unchecked(mv);
        self.moves.push(mv);
        self.keys.push(key(&self.position));
    }

    /// Drops all moves after the first `plies`.
    pub fn truncate(&mut self, plies: usize) {
        if plies >= self.moves.len() {
            return;
        }
        let kept = self.moves[..plies].to_vec();
        *self = Self::from_position(self.variant, self.start.clone());
        for mv in kept {
            self.play(mv);
        }
    }

    /// The variant being played.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Where the game started.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// All moves since the start.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How many half moves were played since the start of this line.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// Whether a move recaptures: it captures on the target square of the last capture.
    #[must_use]
    pub fn is_recapture(&self, mv: Move) -> bool {
        let last = self.moves.last();
        mv.is_capture() && last.is_some_and(|last| last.is_capture() && last.to() == mv.to())
    }

    /// Whose turn it is.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// Keys of all positions from the start to the current one, which comes last.
    #[must_use]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How often the current position occurred in this game, this time included.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        // An irreversible move resets the count, and the half-move clock says how far back that is. Where captured
        // pieces are dropped again, no capture is irreversible.
        let reversible = match self.variant.traits().drops {
            true => self.keys.len(),
            false => self.position.halfmoves() as usize + 1,
        };
        let current = self.keys[self.keys.len() - 1];
        self.keys
            .iter()
            .rev()
            .take(reversible)
            .filter(|key| **key == current)
            .count()
    }

    /// All moves in UCI notation with the variant's castling, separated by spaces; empty at the start.
    #[must_use]
    pub fn uci_moves(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(|mv| write_uci(*mv, self.variant)).collect();
        moves.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_fen;

    #[test]
    fn knights_that_go_home_repeat_the_start() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "g1f3 g8f6 f3g1 f6g8").unwrap();
        assert_eq!(line.repetitions(), 2);
        let twice = line.uci_moves() + " " + &line.uci_moves();
        let line = GameHistory::replay(Variant::Standard, "startpos", &twice).unwrap();
        assert_eq!(line.repetitions(), 3);
    }

    #[test]
    fn a_takeback_leaves_the_line_as_if_never_played() {
        let whole = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3").unwrap();
        let mut line = whole.clone();
        line.truncate(1);
        let fresh = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
        assert_eq!(line.keys(), fresh.keys());
        assert_eq!(write_fen(line.position()), write_fen(fresh.position()));
        line.truncate(7);
        assert_eq!(line.ply(), 1);
    }

    #[test]
    fn a_false_move_is_named_by_its_place() {
        let error = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 e4e5").unwrap_err();
        assert_eq!(
            error.to_string(),
            "move 3 of the game: \"e4e5\" is not legal here"
        );
    }
}

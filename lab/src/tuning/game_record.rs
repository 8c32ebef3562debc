//! A game of self-play as a line of text: start, result, moves, and the scores of the quiet positions.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use sparring_chess::{GameHistory, PlayError, Position, UnknownVariant, Variant, write_fen};
use sparring_journal::{FinishedTask, Heading, TaskId};

/// A game in a journal of self-play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// Its number in the run.
    unit: u64,
    /// A [`GameRecord`].
    pub game: String,
}

impl GameRow {
    /// The row of a game.
    pub(super) fn new(number: u64, game: &GameRecord) -> Self {
        Self {
            unit: number,
            game: game.to_string(),
        }
    }
}

impl FinishedTask for GameRow {
    fn id(&self) -> TaskId {
        TaskId::of(self.unit)
    }

    fn forget(&mut self) {
        self.game = String::new();
    }
}

/// Result of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameOutcome {
    /// White won.
    White,
    /// A draw.
    Draw,
    /// Black won.
    Black,
}

impl GameOutcome {
    /// White's points: 1, a half, or 0.
    #[must_use]
    pub fn points(self) -> f64 {
        match self {
            Self::White => 1.0,
            Self::Draw => 0.5,
            Self::Black => 0.0,
        }
    }

    /// As PGN writes it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::White => "1-0",
            Self::Draw => "1/2-1/2",
            Self::Black => "0-1",
        }
    }
}

/// One game, as it is kept: `FEN | RESULT | MOVE[:SCORE] ...`.
///
/// A score stands behind a move when the position before it was quiet: not in check, the best move no capture and no
/// promotion, no side far ahead. It is the search's, in centipawns from White's view.
///
/// ```
/// use sparring_chess::Variant;
/// use sparring_lab::tuning::GameRecord;
///
/// let text = "8/8/8/8/8/2k5/8/K1q5 w - - 0 1 | 0-1 | a1a2:-950";
/// let game = GameRecord::read(text, Variant::Standard).unwrap();
/// assert_eq!(game.quiet().next().unwrap().1, -950);
/// assert_eq!(game.to_string(), text);
/// ```
#[derive(Debug, Clone)]
pub struct GameRecord {
    /// Start and moves.
    pub line: GameHistory,
    /// A score for each move whose position was quiet.
    pub scores: Vec<Option<i32>>,
    /// How the game ended.
    pub outcome: GameOutcome,
}

/// A line that is no game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The line is no row of a journal of games.
    #[error("this is no game of `sparring-lab datagen`")]
    Row(String),
    /// It has not three fields.
    #[error("\"{0}\" is not FEN | RESULT | MOVES")]
    Fields(String),
    /// The result is none.
    #[error("\"{0}\" is not 1-0, 0-1 or 1/2-1/2")]
    Outcome(String),
    /// A score is no number.
    #[error("\"{0}\" is not MOVE:SCORE with the score in centipawns")]
    Score(String),
    /// The games are of another variant.
    #[error("these are games of {found}, not of {expected}")]
    Variant {
        /// Of the file.
        found: Variant,
        /// Of the data set.
        expected: Variant,
    },
    /// The heading names none.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownVariant),
    /// The moves cannot have been played.
    #[error(transparent)]
    Moves(#[from] PlayError),
}

/// The variant that the heading of a journal names; none for another line.
pub(super) fn variant_of(line: &str) -> Option<Result<Variant, UnknownVariant>> {
    Some(Heading::read(line)?.fact("variant")?.parse())
}

impl GameRecord {
    /// Reads a line of a file of games of this variant.
    ///
    /// # Errors
    /// [`RecordError`] quotes what is no game.
    pub fn read(text: &str, variant: Variant) -> Result<Self, RecordError> {
        let fields: Vec<&str> = text.split('|').map(str::trim).collect();
        let [fen, outcome, moves] = fields[..] else {
            return Err(RecordError::Fields(text.to_owned()));
        };
        let outcome = [GameOutcome::White, GameOutcome::Draw, GameOutcome::Black]
            .into_iter()
            .find(|known| known.word() == outcome)
            .ok_or_else(|| RecordError::Outcome(outcome.to_owned()))?;
        let (mut played, mut scores) = (String::new(), Vec::new());
        for word in moves.split_ascii_whitespace() {
            let (mv, score) = match word.split_once(':') {
                Some((mv, score)) => {
                    let score = score.parse().map_err(|_| RecordError::Score(word.to_owned()))?;
                    (mv, Some(score))
                }
                None => (word, None),
            };
            played.push_str(mv);
            played.push(' ');
            scores.push(score);
        }
        Ok(Self {
            line: GameHistory::replay(variant, fen, &played)?,
            scores,
            outcome,
        })
    }

    /// The quiet positions, each with its score in centipawns from White's view.
    pub fn quiet(&self) -> impl Iterator<Item = (Position, i32)> {
        let mut line = GameHistory::from_position(self.line.variant(), self.line.start().clone());
        self.line
            .moves()
            .iter()
            .zip(&self.scores)
            .filter_map(move |(mv, score)| {
                let quiet = score.map(|score| (line.position().clone(), score));
                line.play(*mv);
                quiet
            })
    }
}

impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} |", write_fen(self.line.start()), self.outcome.word())?;
        for (mv, score) in self.line.uci_moves().split_ascii_whitespace().zip(&self.scores) {
            write!(f, " {mv}")?;
            if let Some(score) = score {
                write!(f, ":{score}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_read_as_it_was_written() {
        let text =
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 1/2-1/2 | e2e4:31 e7e5 g1f3:-7";
        let game = GameRecord::read(text, Variant::Standard).unwrap();
        assert_eq!(game.to_string(), text);
        let quiet: Vec<(String, i32)> = game
            .quiet()
            .map(|(pos, score)| (write_fen(&pos), score))
            .collect();
        assert_eq!(quiet.len(), 2);
        assert!(
            quiet[1].0.contains(" w ") && quiet[1].1 == -7,
            "the position before the move: {quiet:?}"
        );
    }

    #[test]
    fn a_game_of_another_variant_is_replayed_by_its_rules() {
        let text = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR/Pp w KQkq - 0 3 | 1-0 | P@e4:-12 d5e4";
        let game = GameRecord::read(text, Variant::Crazyhouse).unwrap();
        assert_eq!(game.line.uci_moves(), "P@e4 d5e4");
        let second = game.line.position();
        assert!(write_fen(second).contains("[pp]"), "{}", write_fen(second));
        assert!(GameRecord::read(text, Variant::Standard).is_err());
    }

    #[test]
    fn the_heading_names_the_variant() {
        let of = |variant| {
            let heading = Heading::new("datagen", None).with("variant", variant);
            variant_of(&heading.line()).map(|read| read.map_err(|error| error.to_string()))
        };
        assert_eq!(of("horde"), Some(Ok(Variant::Horde)));
        assert!(of("hord").unwrap().unwrap_err().contains("\"horde\""));
        assert_eq!(variant_of("# a remark"), None);
    }

    #[test]
    fn what_is_no_game_is_quoted() {
        let error = |text: &str| {
            let read = GameRecord::read(text, Variant::Standard);
            read.unwrap_err().to_string()
        };
        assert!(error("hello").contains("\"hello\""));
        assert!(error("8/8/8/8/8/2k5/8/K1q5 w - - 0 1 | 2-0 |").contains("\"2-0\""));
        assert!(error("8/8/8/8/8/2k5/8/K1q5 w - - 0 1 | 0-1 | a1a2:x").contains("\"a1a2:x\""));
        assert!(error("8/8/8/8/8/2k5/8/K1q5 w - - 0 1 | 0-1 | a1a4").contains("move 1"));
    }
}

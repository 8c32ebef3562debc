//! Outcomes by rule alone, as lichess applies them.

use super::{Color, GameHistory, Rules as _};

/// How a game ends by rule, without resignation or agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Checkmate, won by this side.
    Mate(Color),
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// The same position for the third time. lichess ends the game at once only when a bot plays.
    Threefold,
    /// The same position for the fifth time.
    Fivefold,
    /// Fifty moves of each side without a capture or a pawn's move.
    FiftyMoves,
    /// The variant's own end; won by this side, or drawn.
    Variant(Option<Color>),
}

impl Outcome {
    /// The winner; none for a draw.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Mate(winner) => Some(winner),
            Self::Variant(winner) => winner,
            _ => None,
        }
    }
}

impl GameHistory {
    /// The outcome of the current position by rule, if any. Mate comes before all draws.
    ///
    /// [`Outcome::Threefold`] is reported last, and only where nothing else ends the game: callers that need a claim for
    /// it ignore it.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let pos = self.position();
        if pos.is_variant_end() {
            return Some(Outcome::Variant(pos.variant_outcome().winner()));
        }
        if pos.legal_moves().is_empty() {
            return Some(if pos.is_check() {
                Outcome::Mate(pos.turn().other())
            } else {
                Outcome::Stalemate
            });
        }
        if pos.is_insufficient_material() {
            return Some(Outcome::InsufficientMaterial);
        }
        match self.repetitions() {
            5.. => Some(Outcome::Fivefold),
            _ if pos.halfmoves() >= 100 => Some(Outcome::FiftyMoves),
            3.. => Some(Outcome::Threefold),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    fn ending(fen: &str, moves: &str) -> Option<Outcome> {
        GameHistory::replay(Variant::Standard, fen, moves)
            .unwrap()
            .outcome()
    }

    #[test]
    fn each_end_is_recognised() {
        assert_eq!(
            ending("startpos", "f2f3 e7e5 g2g4 d8h4"),
            Some(Outcome::Mate(Color::Black))
        );
        assert_eq!(
            ending("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", ""),
            Some(Outcome::Stalemate)
        );
        assert_eq!(
            ending("7k/8/8/8/8/8/8/KB6 w - - 0 1", ""),
            Some(Outcome::InsufficientMaterial)
        );
        assert_eq!(
            ending("7k/8/8/8/8/8/8/KR6 w - - 99 90", "b1b2"),
            Some(Outcome::FiftyMoves)
        );
        let dance = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
        assert_eq!(ending("startpos", &dance), Some(Outcome::Threefold));
        assert_eq!(ending("startpos", &dance.repeat(2)), Some(Outcome::Fivefold));
    }

    #[test]
    fn mate_on_the_hundredth_half_move_is_mate() {
        let fen = "7k/8/5KQ1/8/8/8/8/8 w - - 99 90";
        assert_eq!(ending(fen, "g6g7"), Some(Outcome::Mate(Color::White)));
    }
}

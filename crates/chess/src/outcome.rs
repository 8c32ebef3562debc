//! Outcomes by rule alone, as lichess applies them.

use shakmaty::{Bitboard, CastlingMode, Chess, EnPassantMode, FromSetup as _};

use super::{Color, GameHistory, Position, Rules as _, Variant};

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
    /// The outcome of the current position by rule, if any. Mate comes before the variant's own end, and both before
    /// all draws, as in scalachess.
    ///
    /// [`Outcome::Threefold`] is reported last, and only where nothing else ends the game: callers that need a claim for
    /// it ignore it.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let pos = self.position();
        if pos.is_variant_end() {
            return Some(if is_mate_too(pos) {
                Outcome::Mate(pos.turn().other())
            } else {
                Outcome::Variant(pos.variant_outcome().winner())
            });
        }
        if pos.legal_moves().is_empty() {
            // Whoever has no move in Antichess has won.
            return Some(match pos.variant_outcome().winner() {
                _ if pos.is_check() => Outcome::Mate(pos.turn().other()),
                Some(winner) => Outcome::Variant(Some(winner)),
                None => Outcome::Stalemate,
            });
        }
        if pos.is_insufficient_material() {
            return Some(Outcome::InsufficientMaterial);
        }
        match self.repetitions() {
            5.. => Some(Outcome::Fivefold),
            _ if pos.halfmoves() >= 100 && !self.variant().traits().drops => Some(Outcome::FiftyMoves),
            3.. => Some(Outcome::Threefold),
            _ => None,
        }
    }
}

impl GameHistory {
    /// How a game ends by its variant's own rule, in words, as in "the king reached the hill". It says something useful
    /// where [`GameHistory::outcome`] is [`Outcome::Variant`].
    #[must_use]
    pub fn variant_end(&self) -> &'static str {
        let pos = self.position();
        match self.variant() {
            Variant::KingOfTheHill => "the king reached the hill",
            Variant::ThreeCheck => "three checks",
            Variant::Antichess if pos.us().is_empty() => "all pieces are lost",
            Variant::Antichess => "no move is left",
            Variant::Atomic => "the king exploded",
            Variant::Horde => "the horde is gone",
            Variant::RacingKings if pos.variant_outcome().winner().is_none() => "both kings reached the goal",
            Variant::RacingKings => "the king reached the goal",
            Variant::Standard | Variant::Chess960 | Variant::FromPosition | Variant::Crazyhouse => {
                "the rules of the variant"
            }
        }
    }
}

/// Whether the move that ended the game by the variant's rule, as a third check, has also given mate.
fn is_mate_too(pos: &Position) -> bool {
    if !pos.is_check() {
        return false;
    }
    let mut setup = pos.to_setup(EnPassantMode::Always);
    setup.remaining_checks = None;
    // There is no castling out of check.
    setup.castling_rights = Bitboard::EMPTY;
    Chess::from_setup(setup, CastlingMode::Standard).is_ok_and(|chess| chess.is_checkmate())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn of_variant(variant: Variant, fen: &str, moves: &str) -> (Option<Outcome>, &'static str) {
        let line = GameHistory::replay(variant, fen, moves).unwrap();
        (line.outcome(), line.variant_end())
    }

    #[test]
    fn each_variant_ends_by_its_own_rule_and_says_so() {
        let white = Some(Outcome::Variant(Some(Color::White)));
        let black = Some(Outcome::Variant(Some(Color::Black)));
        let draw = Some(Outcome::Variant(None));
        for (variant, fen, moves, outcome, words) in [
            (
                Variant::KingOfTheHill,
                "7k/8/8/8/8/4K3/8/8 w - - 0 1",
                "e3e4",
                white,
                "the king reached the hill",
            ),
            (
                Variant::ThreeCheck,
                "7k/8/8/8/8/8/R7/K7 w - - 1+3 0 1",
                "a2h2",
                white,
                "three checks",
            ),
            (
                Variant::Antichess,
                "8/8/8/8/8/8/1p6/R7 b - - 0 1",
                "b2a1q",
                white,
                "all pieces are lost",
            ),
            (
                Variant::Antichess,
                "8/8/8/8/7p/8/7P/8 w - - 0 1",
                "h2h3",
                black,
                "no move is left",
            ),
            (
                Variant::Atomic,
                "4k3/4p3/8/8/8/8/8/4RK2 w - - 0 1",
                "e1e7",
                white,
                "the king exploded",
            ),
            (
                Variant::Horde,
                "4k3/8/8/8/8/3p4/4P3/8 b - - 0 1",
                "d3e2",
                black,
                "the horde is gone",
            ),
            (
                Variant::RacingKings,
                "k7/8/8/8/8/8/7K/8 b - - 0 1",
                "",
                black,
                "the king reached the goal",
            ),
            (
                Variant::RacingKings,
                "8/k6K/8/8/8/8/8/8 w - - 0 1",
                "h7h8 a7a8",
                draw,
                "both kings reached the goal",
            ),
        ] {
            // Where the position is over already, there is nothing to play.
            assert_eq!(
                of_variant(variant, fen, moves),
                (outcome, words),
                "{variant} {fen}"
            );
        }
    }

    #[test]
    fn a_mate_is_a_mate_even_if_it_is_the_third_check() {
        let (outcome, _) = of_variant(Variant::ThreeCheck, "7k/R7/8/8/8/8/1R6/K7 w - - 1+3 0 1", "b2b8");
        assert_eq!(outcome, Some(Outcome::Mate(Color::White)));
    }

    #[test]
    fn dropped_pieces_know_no_fifty_moves_and_no_irreversible_captures() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3[] w - - 99 90";
        assert_eq!(of_variant(Variant::Crazyhouse, fen, "e1d1").0, None);
        // Both knights are taken, and dropped where they were.
        let fen = "k7/8/7b/6n1/8/5N2/8/K7[] w - - 0 1";
        let round = "f3g5 h6g5 N@f3 g5h6 a1a2 N@g5 a2b1 a8b8 b1a1 b8a8";
        let line = GameHistory::replay(Variant::Crazyhouse, fen, round).unwrap();
        assert_eq!(line.repetitions(), 2);
    }
}

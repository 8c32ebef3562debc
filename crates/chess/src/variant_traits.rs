//! What each variant can do: the one table that the engine, the books, the levels and lichess' rules of rating ask.

use super::Variant;

/// How what a capture wins is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchanges {
    /// By what both sides take on its square in turn.
    Recaptures,
    /// By what it blows up.
    Blast,
    /// Not at all: what must be taken need not be worth it.
    Uncounted,
}

/// What the rules of a variant, and what Sparring has for it, let its callers assume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantTraits {
    /// The rules are those of orthodox chess, from whatever start: nothing but the moving piece and what it takes changes
    /// on the board, and games end by mate or a draw.
    pub orthodox_rules: bool,
    /// The evaluation is that of standard chess, by terms that can be told and tuned, corrected by the net.
    pub standard_eval: bool,
    /// The human model knows the positions, and levels are calibrated by it.
    pub human_model: bool,
    /// Books of standard chess fit, Polyglot's among them.
    pub standard_books: bool,
    /// lichess rates games by their speed. Other variants have one rating for all speeds.
    pub rated_by_speed: bool,
    /// How it is counted what a capture wins.
    pub exchanges: Exchanges,
    /// Passing would be worse than the best move, almost always.
    pub null_move: bool,
    /// A capture that is possible must be made.
    pub forced_captures: bool,
    /// The terms of the classical evaluation fit, beside what the goal rewards.
    pub classical_terms: bool,
    /// Kings are given check.
    pub checks: bool,
    /// Captures are those of orthodox chess.
    pub orthodox_captures: bool,
    /// Nothing but the moving piece and what it takes changes, on the board or beside it.
    pub plain_moves: bool,
    /// Both sides go up the board.
    pub same_direction: bool,
    /// The sides have different men and goals.
    pub uneven_sides: bool,
    /// Captured pieces are dropped again: nothing that is taken is gone, and fifty moves without a capture draw nothing.
    pub drops: bool,
    /// No side ever has more men on the board.
    pub most_men: usize,
    /// No side ever has more pawns on the board.
    pub most_pawns: usize,
}

/// Standard chess.
const STANDARD: VariantTraits = VariantTraits {
    orthodox_rules: true,
    standard_eval: true,
    human_model: true,
    standard_books: true,
    rated_by_speed: true,
    exchanges: Exchanges::Recaptures,
    null_move: true,
    forced_captures: false,
    classical_terms: true,
    checks: true,
    orthodox_captures: true,
    plain_moves: true,
    same_direction: false,
    uneven_sides: false,
    drops: false,
    most_men: 16,
    most_pawns: 8,
};

/// Another goal, with the moves of chess.
const OTHER_GOAL: VariantTraits = VariantTraits {
    orthodox_rules: false,
    standard_eval: false,
    human_model: false,
    standard_books: false,
    rated_by_speed: false,
    ..STANDARD
};

impl Variant {
    /// What the variant can do.
    #[must_use]
    pub const fn traits(self) -> VariantTraits {
        match self {
            Self::Standard | Self::FromPosition => STANDARD,
            Self::Chess960 => VariantTraits {
                rated_by_speed: false,
                ..STANDARD
            },
            Self::KingOfTheHill => OTHER_GOAL,
            Self::ThreeCheck => VariantTraits {
                plain_moves: false,
                ..OTHER_GOAL
            },
            Self::Horde => VariantTraits {
                classical_terms: false,
                uneven_sides: true,
                most_men: 36,
                most_pawns: 36,
                ..OTHER_GOAL
            },
            // A move that gives check is none, so that not every capture is one.
            Self::RacingKings => VariantTraits {
                classical_terms: false,
                checks: false,
                orthodox_captures: false,
                same_direction: true,
                ..OTHER_GOAL
            },
            Self::Crazyhouse => VariantTraits {
                classical_terms: false,
                plain_moves: false,
                drops: true,
                most_men: 32,
                most_pawns: 16,
                ..OTHER_GOAL
            },
            Self::Atomic => VariantTraits {
                classical_terms: false,
                exchanges: Exchanges::Blast,
                orthodox_captures: false,
                plain_moves: false,
                ..OTHER_GOAL
            },
            Self::Antichess => VariantTraits {
                classical_terms: false,
                exchanges: Exchanges::Uncounted,
                null_move: false,
                forced_captures: true,
                checks: false,
                orthodox_captures: false,
                ..OTHER_GOAL
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Color, Position, Rules as _};

    #[test]
    fn what_is_made_for_standard_chess_serves_only_its_rules() {
        for variant in Variant::ALL {
            let traits = variant.traits();
            let is_chess = matches!(variant.start(), Position::Chess(_));
            assert_eq!(traits.orthodox_rules, is_chess, "{variant}");
            assert!(traits.orthodox_rules || !traits.standard_eval, "{variant}");
            assert!(traits.orthodox_rules || !traits.standard_books, "{variant}");
            let board = variant.start().board().clone();
            for side in Color::ALL {
                assert!(board.by_color(side).count() <= traits.most_men, "{variant}");
                assert!(
                    (board.pawns() & board.by_color(side)).count() <= traits.most_pawns,
                    "{variant}"
                );
            }
            // A move that must be made cannot be passed.
            assert!(!(traits.forced_captures && traits.null_move), "{variant}");
        }
    }
}

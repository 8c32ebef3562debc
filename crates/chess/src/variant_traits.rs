//! What each variant can do: the one table that the engine, the books, the levels and lichess' rules of rating ask.

use super::Variant;

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
    /// Arenas can be joined.
    pub arenas: bool,
    /// lichess rates games by their speed. Other variants have one rating for all speeds.
    pub rated_by_speed: bool,
    /// Exchanges on a square can be counted.
    pub see: bool,
    /// Passing would be worse than the best move, almost always.
    pub null_move: bool,
    /// A capture that is possible must be made.
    pub forced_captures: bool,
}

/// Standard chess.
const STANDARD: VariantTraits = VariantTraits {
    orthodox_rules: true,
    standard_eval: true,
    human_model: true,
    standard_books: true,
    arenas: true,
    rated_by_speed: true,
    see: true,
    null_move: true,
    forced_captures: false,
};

/// Other rules, under which exchanges can still be counted.
const OTHER_RULES: VariantTraits = VariantTraits {
    orthodox_rules: false,
    standard_eval: false,
    human_model: false,
    standard_books: false,
    arenas: false,
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
            Self::KingOfTheHill | Self::ThreeCheck | Self::Horde | Self::RacingKings | Self::Crazyhouse => {
                OTHER_RULES
            }
            // Explosions and forced captures make nonsense of counting exchanges.
            Self::Atomic => VariantTraits {
                see: false,
                ..OTHER_RULES
            },
            Self::Antichess => VariantTraits {
                see: false,
                null_move: false,
                forced_captures: true,
                ..OTHER_RULES
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    #[test]
    fn what_is_made_for_standard_chess_serves_only_its_rules() {
        for variant in Variant::ALL {
            let traits = variant.traits();
            let is_chess = matches!(variant.start(), Position::Chess(_));
            assert_eq!(traits.orthodox_rules, is_chess, "{variant}");
            assert!(traits.orthodox_rules || !traits.standard_eval, "{variant}");
            assert!(traits.orthodox_rules || !traits.standard_books, "{variant}");
            // A move that must be made cannot be passed.
            assert!(!(traits.forced_captures && traits.null_move), "{variant}");
        }
    }
}

//! Variants of lichess, their keys, and positions read from and written to FEN.

use std::{fmt, str::FromStr};

use shakmaty::{
    Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup as _, Position as _, Setup, fen::Fen, variant,
};
use thiserror::Error;

use super::Position;
use sparring_diagnostics::did_you_mean;

/// A variant as lichess names it. "From position" is standard chess from another start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Orthodox chess from the usual start.
    #[default]
    Standard,
    /// Orthodox chess from a shuffled back rank; castling is written king-takes-rook.
    Chess960,
    /// Orthodox chess from any legal position.
    FromPosition,
    /// The king that reaches the centre wins.
    KingOfTheHill,
    /// The third check wins.
    ThreeCheck,
    /// Captures are compulsory and losing everything wins.
    Antichess,
    /// Captures explode.
    Atomic,
    /// White has only pawns, and many.
    Horde,
    /// Kings race to the eighth rank, without checks.
    RacingKings,
    /// Captured pieces change sides and are dropped.
    Crazyhouse,
}

impl Variant {
    /// Every variant, in lichess' order.
    pub const ALL: [Self; 10] = [
        Self::Standard,
        Self::Chess960,
        Self::FromPosition,
        Self::KingOfTheHill,
        Self::ThreeCheck,
        Self::Antichess,
        Self::Atomic,
        Self::Horde,
        Self::RacingKings,
        Self::Crazyhouse,
    ];

    /// The key on the wire, as in `kingOfTheHill`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.spelling().0
    }

    /// The name on the wire, as in `King of the Hill`. Clients of lichess parse it, so it is not translated.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spelling().1
    }

    /// The variant that a person means: by its key, name or abbreviation, in any case, with or without blanks and hyphens.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        let bare = |name: &str| name.to_lowercase().replace([' ', '-', '_', '\''], "");
        let wanted = bare(text);
        Self::ALL.into_iter().find(|variant| {
            [variant.key(), variant.name(), variant.short()]
                .map(bare)
                .contains(&wanted)
        })
    }

    /// The abbreviation on the wire, as in `KotH`.
    #[must_use]
    pub const fn short(self) -> &'static str {
        self.spelling().2
    }

    /// The name in the UCI option `UCI_Variant`, as Fairy-Stockfish spells it: `3check`. Whatever has the rules of orthodox
    /// chess is `chess` there; `UCI_Chess960` is an option of its own.
    #[must_use]
    pub fn uci_name(self) -> &'static str {
        self.spelling().3
    }

    /// The variants of the UCI option `UCI_Variant`: one for each [`uci_name`](Self::uci_name), standard chess first.
    pub fn of_uci() -> impl Iterator<Item = Self> {
        let others = Self::ALL
            .into_iter()
            .filter(|variant| !variant.traits().orthodox_rules);
        std::iter::once(Self::Standard).chain(others)
    }

    const fn spelling(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Standard => ("standard", "Standard", "Std", "chess"),
            Self::Chess960 => ("chess960", "Chess960", "960", "chess"),
            Self::FromPosition => ("fromPosition", "From Position", "FEN", "chess"),
            Self::KingOfTheHill => ("kingOfTheHill", "King of the Hill", "KotH", "kingofthehill"),
            Self::ThreeCheck => ("threeCheck", "Three-check", "3check", "3check"),
            Self::Antichess => ("antichess", "Antichess", "Anti", "antichess"),
            Self::Atomic => ("atomic", "Atomic", "Atom", "atomic"),
            Self::Horde => ("horde", "Horde", "Horde", "horde"),
            Self::RacingKings => ("racingKings", "Racing Kings", "Racing", "racingkings"),
            Self::Crazyhouse => ("crazyhouse", "Crazyhouse", "Crazy", "crazyhouse"),
        }
    }

    /// Whether moves are written with castling as king takes own rook.
    ///
    /// lichess writes so in chess960 and in games from a position (its source, read in 2025).
    #[must_use]
    pub fn castles_onto_rook(self) -> bool {
        matches!(self, Self::Chess960 | Self::FromPosition)
    }

    /// The position a game of this variant begins with when none is given.
    ///
    /// Chess960 has no single one; it gets the orthodox start, which is one of its 960.
    #[must_use]
    pub fn start(self) -> Position {
        Position::new(self.rules())
    }

    /// How many positions games of this variant may begin with when none is given.
    #[must_use]
    pub fn start_count(self) -> u32 {
        match self {
            Self::Chess960 => 960,
            _ => 1,
        }
    }

    /// One of these positions, in Chess960 by the usual numbering. Numbers wrap around.
    #[must_use]
    pub fn numbered_start(self, number: u32) -> Position {
        match self {
            Self::Chess960 => parse_fen(self, &chess960_fen(number)).unwrap_or_else(|_| self.start()),
            _ => self.start(),
        }
    }

    /// Castling rights follow chess960 rules wherever a FEN is given, so that any rook may hold them.
    fn castling_mode(self) -> CastlingMode {
        CastlingMode::from_chess960(self.castles_onto_rook())
    }

    fn rules(self) -> variant::Variant {
        match self {
            Self::Standard | Self::Chess960 | Self::FromPosition => variant::Variant::Chess,
            Self::KingOfTheHill => variant::Variant::KingOfTheHill,
            Self::ThreeCheck => variant::Variant::ThreeCheck,
            Self::Antichess => variant::Variant::Antichess,
            Self::Atomic => variant::Variant::Atomic,
            Self::Horde => variant::Variant::Horde,
            Self::RacingKings => variant::Variant::RacingKings,
            Self::Crazyhouse => variant::Variant::Crazyhouse,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No variant has this key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{0}\" is not a variant lichess knows{hint}", hint = did_you_mean(.0, Variant::ALL.map(Variant::key)))]
pub struct UnknownVariant(pub String);

impl FromStr for Variant {
    type Err = UnknownVariant;

    /// Reads the key as lichess writes it.
    fn from_str(key: &str) -> Result<Self, UnknownVariant> {
        Self::ALL
            .into_iter()
            .find(|variant| variant.key() == key)
            .ok_or_else(|| UnknownVariant(key.to_owned()))
    }
}

/// A FEN that is not a position one can play.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FenError {
    /// The text is not in the format.
    #[error("\"{fen}\" is not a FEN: {why}")]
    Syntax {
        /// The text as given.
        fen: String,
        /// shakmaty's message.
        why: String,
    },
    /// The format is right, but no game can be played from there.
    #[error("\"{fen}\" is not a playable position: {why}")]
    Unplayable {
        /// The text as given.
        fen: String,
        /// shakmaty's message.
        why: String,
    },
}

/// Reads a FEN, X-FEN or Shredder-FEN of a variant. `startpos` is the variant's own start.
///
/// Castling rights without a king or rook to use them, and en passant squares without a pawn, are dropped, as
/// lichess does; so are the objections to more material, or to more pieces giving check, than a game could bring
/// about: composed positions and test suites have both.
///
/// # Errors
/// [`FenError`] when the text is no FEN or the position cannot be played on, for example without a king.
#[expect(
    clippy::result_large_err,
    reason = "shakmaty hands the position back inside its error"
)]
pub fn parse_fen(variant: Variant, fen: &str) -> Result<Position, FenError> {
    if fen == "startpos" {
        return Ok(variant.start());
    }
    let setup = Fen::from_ascii(fen.trim().as_bytes())
        .map_err(|error| FenError::Syntax {
            fen: fen.to_owned(),
            why: error.to_string(),
        })?
        .into_setup();
    // A FEN of a standard game may still hold rights on other files; the chess960 reading covers both.
    let attempt = |mode| {
        Position::from_setup(variant.rules(), setup.clone(), mode)
            .or_else(|error| error.ignore_too_much_material())
    };
    attempt(variant.castling_mode())
        .or_else(|_| attempt(CastlingMode::Chess960))
        .or_else(|error| error.ignore_invalid_castling_rights())
        .or_else(|error| error.ignore_invalid_ep_square())
        .or_else(|error| match variant.traits().checks {
            true => error.ignore_impossible_check(),
            // The king could be captured next, and no move is made without one.
            false => Err(error),
        })
        .map_err(|error| FenError::Unplayable {
            fen: fen.to_owned(),
            why: error.to_string(),
        })
}

/// One of the 960 starts of Chess960 as X-FEN, by the usual numbering: 518 is the orthodox start. Numbers wrap around.
#[must_use]
pub fn chess960_fen(number: u32) -> String {
    format!("{} w KQkq - 0 1", Board::chess960(number % 960).board_fen())
}

/// The position of orthodox chess with these pieces, without castling or en passant rights; none where it is not legal.
#[must_use]
pub fn position_of(board: &Board, turn: Color) -> Option<Position> {
    let setup = Setup {
        board: board.clone(),
        turn,
        ..Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Standard)
        .ok()
        .map(Position::Chess)
}

/// Writes a position as X-FEN, with the en passant square only where a capture is legal.
#[must_use]
pub fn write_fen(pos: &Position) -> String {
    Fen::from_position(pos, EnPassantMode::Legal).to_string()
}

/// Writes a position as lichess does: pockets of Crazyhouse behind a slash and not in brackets, checks given in
/// Three-check at the end and not those left in the middle. [`parse_fen`] reads both. Source: scalachess.
#[must_use]
pub fn lichess_fen(pos: &Position) -> String {
    let fen = write_fen(pos);
    match pos {
        Position::Crazyhouse(_) => fen.replacen('[', "/", 1).replacen(']', "", 1),
        Position::ThreeCheck(_) => {
            let mut fields: Vec<&str> = fen.split(' ').collect();
            let left = pos.remaining_checks().copied().unwrap_or_default();
            let given = left.map(|left| 3_u32.saturating_sub(u32::from(left)));
            // Behind the en passant square.
            if fields.len() == 7 {
                fields.remove(4);
            }
            format!("{} +{}+{}", fields.join(" "), given.white, given.black)
        }
        _ => fen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_pockets_and_checks_are_one_position() {
        for (variant, ours, lichess) in [
            (
                Variant::Crazyhouse,
                "r~nbqk2r/8/8/8/8/8/8/4K3[Pnn] w kq - 0 9",
                "r~nbqk2r/8/8/8/8/8/8/4K3/Pnn w kq - 0 9",
            ),
            (
                Variant::ThreeCheck,
                "4k3/8/8/8/8/8/4P3/4K3 b - - 3+1 5 9",
                "4k3/8/8/8/8/8/4P3/4K3 b - - 5 9 +0+2",
            ),
            (
                Variant::Atomic,
                "4k3/8/8/8/8/8/4P3/4K3 b - - 5 9",
                "4k3/8/8/8/8/8/4P3/4K3 b - - 5 9",
            ),
        ] {
            for fen in [ours, lichess] {
                let pos = parse_fen(variant, fen).unwrap();
                assert_eq!(write_fen(&pos), ours);
                assert_eq!(lichess_fen(&pos), lichess);
            }
        }
    }

    #[test]
    fn every_key_reads_back() {
        for variant in Variant::ALL {
            assert_eq!(variant.key().parse(), Ok(variant));
        }
        let error = "Atomik".parse::<Variant>().unwrap_err().to_string();
        assert_eq!(
            error,
            "\"Atomik\" is not a variant lichess knows; did you mean \"atomic\"?"
        );
    }

    #[test]
    fn engines_spell_each_variant_in_one_way() {
        let names: Vec<&str> = Variant::of_uci().map(Variant::uci_name).collect();
        let spelled = "chess kingofthehill 3check antichess atomic horde racingkings crazyhouse";
        assert_eq!(names.join(" "), spelled);
        assert_eq!(Variant::Chess960.uci_name(), "chess");
    }

    #[test]
    fn both_spellings_of_pockets_and_checks_are_read() {
        let board = "r1bqk2r/ppp2p1p/2n1pnp1/8/3PP3/2N2N2/PPP2PPP/R2QKB1R";
        let fairy = format!("{board}[PBpb] w KQkq - 0 8");
        let lichess = format!("{board}/BPbp w KQkq - 0 8");
        for fen in [&fairy, &lichess] {
            assert_eq!(write_fen(&parse_fen(Variant::Crazyhouse, fen).unwrap()), fairy);
        }
        let promoted = "4k2Q~/8/8/8/8/8/8/4K3[] b - - 0 1";
        assert_eq!(
            write_fen(&parse_fen(Variant::Crazyhouse, promoted).unwrap()),
            promoted
        );
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for tail in ["2+3 0 1", "0 1 +1+0"] {
            let pos = parse_fen(Variant::ThreeCheck, &format!("{start} {tail}")).unwrap();
            assert_eq!(write_fen(&pos), format!("{start} 2+3 0 1"));
        }
    }

    #[test]
    fn fens_with_small_slips_are_accepted() {
        // Castling rights with the king gone from e1, and an en passant square behind nothing.
        let pos = parse_fen(Variant::FromPosition, "4k3/8/8/8/8/8/8/3K3R w KQ e3 0 1").unwrap();
        assert!(write_fen(&pos).starts_with("4k3/8/8/8/8/8/8/3K3R w "));
    }

    #[test]
    fn every_start_of_chess960_can_be_played_and_castles_both_ways() {
        assert_eq!(chess960_fen(518), write_fen(&Variant::Standard.start()));
        for number in 0..Variant::Chess960.start_count() {
            let fen = chess960_fen(number);
            let pos = parse_fen(Variant::Chess960, &fen).unwrap();
            assert_eq!(write_fen(&pos), fen);
            assert_eq!(Variant::Chess960.numbered_start(number), pos);
        }
        let atomic = Variant::Atomic;
        assert_eq!(atomic.numbered_start(7), atomic.start());
    }

    #[test]
    fn impossible_positions_are_refused_with_the_text() {
        let error = parse_fen(Variant::Standard, "8/8/8/8/8/8/8/8 w - - 0 1").unwrap_err();
        assert!(error.to_string().contains("8/8/8/8/8/8/8/8"), "{error}");
        assert!(matches!(error, FenError::Unplayable { .. }));
        // Racing kings has no checks.
        let check = "8/6K1/2k5/8/8/8/1q4N1/7R w - - 0 1";
        assert!(parse_fen(Variant::RacingKings, check).is_err());
        assert!(matches!(
            parse_fen(Variant::Standard, "rubbish"),
            Err(FenError::Syntax { .. })
        ));
    }
}

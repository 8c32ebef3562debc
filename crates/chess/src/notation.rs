//! Moves as text: UCI with both spellings of castling, and SAN.

use shakmaty::{
    san::{San, SanPlus},
    uci::UciMove,
};
use thiserror::Error;

use super::{File, Move, Position, Rank, Rules as _, Variant, san::named};

/// Text that is not a legal UCI move here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotationError {
    /// Not in the format.
    #[error("\"{0}\" is not a move in UCI notation")]
    Syntax(String),
    /// In the format, but not legal in this position.
    #[error("\"{0}\" is not legal here")]
    Illegal(String),
}

/// Text that does not name one legal move in SAN.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SanError {
    /// Not in the format.
    #[error("\"{0}\" is not a move")]
    Syntax(String),
    /// No legal move fits.
    #[error("\"{0}\" is not legal here")]
    Illegal(String),
    /// Several legal moves fit.
    #[error("\"{text}\" could be {}", list(candidates))]
    Ambiguous {
        /// The text as given.
        text: String,
        /// The legal moves that it could be, in unambiguous notation.
        candidates: Vec<String>,
    },
}

fn list(moves: &[String]) -> String {
    moves.join(" or ")
}

/// Reads a move in UCI notation, castling in either spelling whatever the variant.
///
/// A pawn that reaches the last rank without naming a piece becomes a queen, as lichess has it.
///
/// # Errors
/// [`NotationError`] for text that is no move or a move that is not legal.
pub fn parse_uci(pos: &Position, text: &str) -> Result<Move, NotationError> {
    let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| NotationError::Syntax(text.to_owned()))?;
    uci.to_move(pos)
        .or_else(|error| match uci {
            UciMove::Normal {
                from,
                to,
                promotion: None,
            } if matches!(to.rank(), Rank::First | Rank::Eighth) => UciMove::Normal {
                from,
                to,
                promotion: Some(shakmaty::Role::Queen),
            }
            .to_move(pos),
            _ => Err(error),
        })
        .map_err(|_| NotationError::Illegal(text.to_owned()))
}

/// Writes a move in UCI notation, castling as the variant does, or as king takes own rook where either stands on another
/// file than in standard chess: as a king move it could be an ordinary step, or castling with the corner rook.
#[must_use]
pub fn write_uci(mv: Move, variant: Variant) -> String {
    if variant.castles_onto_rook() || castles_from_elsewhere(mv) {
        UciMove::from_chess960(mv).to_string()
    } else {
        UciMove::from_standard(mv).to_string()
    }
}

fn castles_from_elsewhere(mv: Move) -> bool {
    match mv {
        Move::Castle { king, rook } => king.file() != File::E || !matches!(rook.file(), File::A | File::H),
        _ => false,
    }
}

/// Reads a move in SAN. Check marks and annotations are ignored, `0-0` is read as castling.
///
/// # Errors
/// [`SanError`] for text that is no move, fits no legal move, or fits several.
pub fn parse_san(pos: &Position, text: &str) -> Result<Move, SanError> {
    let bare = match text.as_bytes() {
        [.., b'1'..=b'8'] => text,
        _ => text.trim_end_matches(['+', '#', '!', '?']),
    };
    // Only castling has zeros; other moves need no copy.
    let san = if bare.starts_with('0') {
        bare.replace('0', "O").parse()
    } else {
        San::from_ascii(bare.as_bytes())
    };
    let san: San = san.map_err(|_| SanError::Syntax(text.to_owned()))?;
    if let Position::Chess(chess) = pos
        && let Some(mv) = named(chess, &san)
    {
        return Ok(mv);
    }
    san.to_move(pos).map_err(|error| match error {
        shakmaty::san::SanError::AmbiguousSan => SanError::Ambiguous {
            text: text.to_owned(),
            candidates: pos
                .legal_moves()
                .iter()
                .filter(|mv| san.matches(**mv))
                .map(|mv| San::from_move(pos, *mv).to_string())
                .collect(),
        },
        shakmaty::san::SanError::IllegalSan => SanError::Illegal(text.to_owned()),
    })
}

/// Writes a legal move in SAN, with check and mate marks.
#[must_use]
pub fn write_san(pos: &Position, mv: Move) -> String {
    SanPlus::from_move(pos.clone(), mv).to_string()
}

/// A text with typographic dashes, `½` and `×` replaced by ASCII; none where there are none.
#[must_use]
pub fn in_plain_signs(text: &str) -> Option<String> {
    const DASHES: [char; 7] = [
        '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
    ];
    if text.is_ascii() || !text.contains(DASHES) && !text.contains(['½', '×']) {
        return None;
    }
    Some(text.replace(DASHES, "-").replace('½', "1/2").replace('×', "x"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::parse_fen;

    fn after(fen: &str, text: &str) -> Result<Move, NotationError> {
        parse_uci(&parse_fen(Variant::Standard, fen).unwrap(), text)
    }

    #[test]
    fn both_spellings_of_castling_are_the_same_move() {
        let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(after(castles, "e1g1"), after(castles, "e1h1"));
        assert_eq!(after(castles, "e1c1"), after(castles, "e1a1"));
        let mv = after(castles, "e1g1").unwrap();
        assert_eq!(write_uci(mv, Variant::Standard), "e1g1");
        assert_eq!(write_uci(mv, Variant::Chess960), "e1h1");
        assert_eq!(write_uci(mv, Variant::FromPosition), "e1h1");
    }

    #[test]
    fn castling_from_other_files_is_never_written_like_a_step_of_the_king() {
        let pos = parse_fen(Variant::Standard, "r4k1r/8/8/8/8/8/8/R4K1R w KQkq - 0 1").unwrap();
        let moves = pos.legal_moves();
        let texts: HashSet<String> = moves.iter().map(|mv| write_uci(*mv, Variant::Standard)).collect();
        assert_eq!(texts.len(), moves.len());
        for mv in moves {
            assert_eq!(parse_uci(&pos, &write_uci(mv, Variant::Standard)), Ok(mv));
        }
    }

    #[test]
    fn a_neighbouring_rook_still_castles_in_chess960() {
        let pos = parse_fen(Variant::Chess960, "4k3/8/8/8/8/8/8/5KR1 w G - 0 1").unwrap();
        let mv = parse_uci(&pos, "f1g1").unwrap();
        assert!(mv.is_castle());
    }

    #[test]
    fn a_promotion_without_a_piece_makes_a_queen() {
        let mv = after("8/4P2k/8/8/8/8/8/K7 w - - 0 1", "e7e8").unwrap();
        assert_eq!(write_uci(mv, Variant::Standard), "e7e8q");
    }

    #[test]
    fn nonsense_and_illegal_moves_are_different_errors() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(after(start, "e9e4"), Err(NotationError::Syntax("e9e4".into())));
        assert_eq!(after(start, "e2e5"), Err(NotationError::Illegal("e2e5".into())));
        assert_eq!(after(start, "0000"), Err(NotationError::Illegal("0000".into())));
    }

    #[test]
    fn ambiguous_san_lists_what_it_could_be() {
        let pos = parse_fen(Variant::Standard, "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1").unwrap();
        let error = parse_san(&pos, "Nd2").unwrap_err();
        assert_eq!(error.to_string(), "\"Nd2\" could be Nbd2 or Nfd2");
        assert!(parse_san(&pos, "Nbd2!?").is_ok());
        assert!(matches!(parse_san(&pos, "Qd2"), Err(SanError::Illegal(_))));
        assert!(matches!(parse_san(&pos, "Nf9"), Err(SanError::Syntax(_))));
    }

    #[test]
    fn castling_may_be_written_with_zeros() {
        let pos = parse_fen(Variant::Standard, "4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        assert_eq!(parse_san(&pos, "0-0"), parse_san(&pos, "O-O"));
    }
}

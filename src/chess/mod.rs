//! The door to shakmaty: positions, moves and the line of a game, in the words of the rest of the house.
//!
//! Nobody else names shakmaty's variants or castling modes. Both spellings of castling (`e1g1` and the
//! king-takes-rook `e1h1`) are read everywhere; how a move is written depends on the [`Variant`].

mod ending;
mod line;
mod notation;
mod pgn;
mod variant;

pub use ending::Ending;
pub use line::{GameLine, PlayError};
pub use notation::{NotationError, SanError, parse_san, parse_uci, write_san, write_uci};
pub use pgn::Pgn;
pub use shakmaty::{
    ByColor, Color, File, KnownOutcome, Move, MoveList, Position as Rules, Rank, Role, Square,
    variant::VariantPosition as Position,
};
pub use variant::{FenError, UnknownVariant, Variant, chess960_fen, parse_fen, write_fen};

use shakmaty::{EnPassantMode, zobrist::Zobrist64};

/// The hash of a position: the Polyglot key for standard chess, extended by shakmaty for variants.
///
/// The en passant square counts only where a capture is legal, so transpositions meet.
#[must_use]
pub fn key(pos: &Position) -> u64 {
    pos.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

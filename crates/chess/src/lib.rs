//! Chess rules on top of shakmaty: positions, moves, notation, game histories and units.
//!
//! No other crate names shakmaty's variants or castling modes. Both spellings of castling (`e1g1` and the king-takes-rook
//! `e1h1`) are read everywhere; how a move is written depends on the [`Variant`].

mod epd;
#[cfg(feature = "pgn")]
mod games;
mod history;
mod material;
mod notation;
mod outcome;
mod pgn;
mod san;
pub mod units;
mod variant;
mod variant_traits;

pub use epd::split_epd;
#[cfg(feature = "pgn")]
pub use games::{Break, Games, RecordedGame};
pub use history::{GameHistory, PlayError};
pub use material::{is_tucked_away, material, men_near_king, pawnless_files, queens_out, ranks_advanced};
pub use notation::{NotationError, SanError, in_plain_signs, parse_san, parse_uci, write_san, write_uci};
pub use outcome::Outcome;
pub use pgn::Pgn;
pub use shakmaty::{
    ByColor, Color, File, KnownOutcome, Move, MoveList, Position as Rules, Rank, Role, Square,
    variant::VariantPosition as Position,
};
pub use variant::{
    FenError, UnknownVariant, Variant, chess960_fen, lichess_fen, parse_fen, position_of, write_fen,
};
pub use variant_traits::{Exchanges, VariantTraits};

use shakmaty::{
    EnPassantMode,
    zobrist::{Zobrist64, ZobristValue as _},
};

/// The hash of a position: the Polyglot key for standard chess, extended by shakmaty for variants.
///
/// The en passant square counts only where a capture is legal, so transpositions meet.
#[must_use]
pub fn key(pos: &Position) -> u64 {
    pos.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// The [`key`] of the position that a legal move leads to, given the one before it with its key. Quicker than from
/// scratch for most moves; `after` is the position after it.
#[must_use]
pub fn key_after(before: &Position, key_before: u64, mv: Move, after: &Position) -> u64 {
    let mode = EnPassantMode::Legal;
    let Position::Chess(chess) = before else {
        return before
            .update_zobrist_hash(Zobrist64(key_before), mv, mode)
            .map_or_else(|| key(after), |hash: Zobrist64| hash.0);
    };
    let rights = chess.castles().castling_rights();
    match mv {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } if role != Role::King && !rights.contains(from) && !rights.contains(to) => {
            let turn = chess.turn();
            let mut hash = Zobrist64(key_before);
            hash ^= Zobrist64::zobrist_for_white_turn();
            hash ^= Zobrist64::zobrist_for_piece(from, role.of(turn));
            hash ^= Zobrist64::zobrist_for_piece(to, promotion.unwrap_or(role).of(turn));
            if let Some(capture) = capture {
                hash ^= Zobrist64::zobrist_for_piece(to, capture.of(!turn));
            }
            for passed in [chess.ep_square(mode), after.ep_square(mode)]
                .into_iter()
                .flatten()
            {
                hash ^= Zobrist64::zobrist_for_en_passant_file(passed.file());
            }
            hash.0
        }
        _ => key(after),
    }
}

/// The Polyglot key of a position of orthodox chess.
///
/// It differs from [`key`] only where a pawn next to a double-stepped pawn may not capture en passant because it is
/// pinned: Polyglot ignores pins (its format description, by Michel Van den Bergh and Fabien Letouzey).
#[must_use]
pub fn polyglot_key(pos: &Position) -> u64 {
    pos.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's description.
    #[test]
    fn keys_are_those_of_polyglot() {
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            assert_eq!(polyglot_key(line.position()), expected, "{moves}");
            assert_eq!(key(line.position()), expected, "{moves}");
        }
    }

    #[test]
    fn keys_made_step_by_step_are_those_from_scratch() {
        let dance = "e2e4 d7d5 e4e5 f7f5 e5f6 g8f6 g1f3 b8c6 f1b5 c8g4 e1g1 d8d6 f1e1 e8c8 h2h3 g4h5 c2c4 d5c4 b1a3 h7h5";
        for variant in Variant::ALL
            .into_iter()
            .filter(|variant| *variant != Variant::Horde)
        {
            let mut pos = variant.start();
            let mut now = key(&pos);
            for word in dance.split(' ') {
                let Ok(mv) = parse_uci(&pos, word) else { break };
                let before = pos.clone();
                pos.play_unchecked(mv);
                now = key_after(&before, now, mv, &pos);
                assert_eq!(now, key(&pos), "{variant:?} {word}");
            }
        }
    }

    #[test]
    fn a_pinned_pawn_counts_for_polyglot_alone() {
        let fen = "8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1";
        let pinned = parse_fen(Variant::Standard, fen).unwrap();
        let plain = parse_fen(Variant::Standard, "8/8/8/8/k2Pp2Q/8/8/4K3 b - - 0 1").unwrap();
        assert_eq!(key(&pinned), key(&plain));
        assert_ne!(polyglot_key(&pinned), polyglot_key(&plain));
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

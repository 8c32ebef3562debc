//! `position`: completes FENs, and refuses impossible positions.

use shakmaty::{Bitboard, Board};
use thiserror::Error;

use sparring_chess::{Color, GameHistory, PlayError, Position, Role, Rules as _, Variant, VariantTraits};

/// Why a position is not set.
#[derive(Debug, Error)]
pub(super) enum PositionError {
    #[error(transparent)]
    Unplayable(#[from] PlayError),
    #[error(
        "\"{fen}\" is not a position of a game: {side} has {count} {men}, of which there are never more than {most}"
    )]
    Crowd {
        fen: String,
        side: Color,
        count: usize,
        men: &'static str,
        most: usize,
    },
    #[error(
        "\"{fen}\" is not a position of a game: {side}'s pawns left ({pawns}) and promoted (at least {promoted}) are more than {most}"
    )]
    Promotions {
        fen: String,
        side: Color,
        pawns: usize,
        promoted: usize,
        most: usize,
    },
}

/// A FEN of six fields from a board and the fields after it. As in Stockfish, missing fields are `w - - 0 1`, and what
/// comes after the counters, such as EPD operations, is dropped. Negative counters become 0.
pub(super) fn complete(board: &str, fields: &[&str]) -> String {
    let mut fields = fields.iter().copied().peekable();
    let turn = fields.next().unwrap_or("w").to_ascii_lowercase();
    let castling = fields.next_if(|field| !is_count(field)).unwrap_or("-");
    let en_passant = fields.next_if(|field| !is_count(field)).unwrap_or("-");
    // Checks left of three-check stand before the counters (`3+3`) or behind them, as checks given (`+0+0`).
    let left = fields.next_if(|field| is_checks(field));
    let mut count = |missing: &str| match fields.next_if(|field| is_count(field)) {
        Some(count) if count.starts_with('-') => missing.to_owned(),
        Some(count) => count.split('.').next().unwrap_or(missing).to_owned(),
        None => missing.to_owned(),
    };
    let (halfmoves, number) = (count("0"), count("1"));
    let given = fields.next_if(|field| is_checks(field));
    [
        Some(board),
        Some(&turn),
        Some(castling),
        Some(en_passant),
        left,
        Some(&halfmoves),
        Some(&number),
        given,
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" ")
}

fn is_checks(field: &str) -> bool {
    field.contains('+') && field.bytes().all(|byte| byte == b'+' || byte.is_ascii_digit())
}

/// Whether a field is a number, of whatever size.
fn is_count(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// A game from a FEN and its moves.
///
/// # Errors
/// [`PositionError`] names what cannot be.
pub(super) fn read(variant: Variant, fen: &str, moves: &[String]) -> Result<GameHistory, PositionError> {
    let line = GameHistory::replay(variant, fen, &moves.join(" "))?;
    let traits = variant.traits();
    refuse_crowds(fen, line.start(), traits)?;
    if !traits.drops {
        refuse_promotions(fen, line.start().board(), traits.most_pawns)?;
    }
    Ok(line)
}

fn refuse_crowds(fen: &str, pos: &Position, traits: VariantTraits) -> Result<(), PositionError> {
    let board = pos.board();
    for side in Color::ALL {
        let own = board.by_color(side);
        let pawns = own & board.by_role(Role::Pawn);
        for (squares, men, most) in [(own, "men", traits.most_men), (pawns, "pawns", traits.most_pawns)] {
            let count = squares.count();
            if count > most {
                let fen = fen.to_owned();
                return Err(PositionError::Crowd {
                    fen,
                    side,
                    count,
                    men,
                    most,
                });
            }
        }
    }
    Ok(())
}

/// Refuses pieces that more pawns have become than are missing.
fn refuse_promotions(fen: &str, board: &Board, most: usize) -> Result<(), PositionError> {
    for side in Color::ALL {
        let (pawns, promoted) = (board.by_piece(Role::Pawn.of(side)).count(), promoted(board, side));
        if pawns + promoted > most {
            let fen = fen.to_owned();
            return Err(PositionError::Promotions {
                fen,
                side,
                pawns,
                promoted,
                most,
            });
        }
    }
    Ok(())
}

/// How many pieces of a side have been pawns, at least: those beyond what the game begins with, which is a bishop for
/// each color of squares.
fn promoted(board: &Board, side: Color) -> usize {
    let own = |role: Role| board.by_piece(role.of(side));
    let bishops = own(Role::Bishop);
    [
        (own(Role::Queen), 1),
        (own(Role::Rook), 2),
        (own(Role::Knight), 2),
        (bishops & Bitboard::LIGHT_SQUARES, 1),
        (bishops & Bitboard::DARK_SQUARES, 1),
    ]
    .into_iter()
    .map(|(pieces, at_start)| pieces.count().saturating_sub(at_start))
    .sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_fen_is_completed_and_what_stands_behind_it_left_out() {
        for (fields, complete) in [
            ("", "w - - 0 1"),
            ("b", "b - - 0 1"),
            ("B", "b - - 0 1"),
            ("w KQ", "w KQ - 0 1"),
            ("w KQ e3", "w KQ e3 0 1"),
            ("w KQ - 7", "w KQ - 7 1"),
            ("w KQ - 7 9", "w KQ - 7 9"),
            ("w KQ 7 9", "w KQ - 7 9"),
            ("w 7 9", "w - - 7 9"),
            ("w KQ - -7 -9", "w KQ - 0 1"),
            ("w KQ - 7.5 9.0", "w KQ - 7 9"),
            ("w KQ - 99999999999999999999 9", "w KQ - 99999999999999999999 9"),
            ("w KQ - 3+3 7 9", "w KQ - 3+3 7 9"),
            ("w KQ - 3+3", "w KQ - 3+3 0 1"),
            ("w KQ - 7 9 +0+1", "w KQ - 7 9 +0+1"),
            ("w KQ - 7 9 c+ 5;", "w KQ - 7 9"),
            ("w KQ - 7 9 and more 5 of it", "w KQ - 7 9"),
            ("w KQ - bm Nf3; id \"5\";", "w KQ - 0 1"),
            ("w KQ - 7 acd 5;", "w KQ - 7 1"),
            // What is no such field is left to the reader of FENs to complain of.
            ("x KQ - 0 1", "x KQ - 0 1"),
            ("w KX - 0 1", "w KX - 0 1"),
            ("w KQ zz 0 1", "w KQ zz 0 1"),
        ] {
            let fields: Vec<&str> = fields.split_whitespace().collect();
            assert_eq!(super::complete("board", &fields), format!("board {complete}"));
        }
    }
}

//! The position that an interface sets: what no game can bring about is refused.

use shakmaty::{Bitboard, Board};
use thiserror::Error;

use crate::chess::{Color, GameLine, PlayError, Position, Role, Rules as _, Variant};

/// Men of a side at the start, and pawns among them: there are never more.
const MEN: usize = 16;
const PAWNS: usize = 8;

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
        "\"{fen}\" is not a position of a game: {side}'s pawns left ({pawns}) and promoted (at least {promoted}) are more than {PAWNS}"
    )]
    Promotions {
        fen: String,
        side: Color,
        pawns: usize,
        promoted: usize,
    },
}

/// A game from a FEN and its moves.
///
/// # Errors
/// [`PositionError`] names what cannot be.
pub(super) fn read(variant: Variant, fen: &str, moves: &[String]) -> Result<GameLine, PositionError> {
    let line = GameLine::replay(variant, fen, &moves.join(" "))?;
    refuse_crowds(fen, line.start())?;
    refuse_promotions(fen, line.start().board())?;
    Ok(line)
}

fn refuse_crowds(fen: &str, pos: &Position) -> Result<(), PositionError> {
    let board = pos.board();
    for side in Color::ALL {
        let own = board.by_color(side);
        let pawns = own & board.by_role(Role::Pawn);
        for (squares, men, most) in [(own, "men", MEN), (pawns, "pawns", PAWNS)] {
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
fn refuse_promotions(fen: &str, board: &Board) -> Result<(), PositionError> {
    for side in Color::ALL {
        let (pawns, promoted) = (board.by_piece(Role::Pawn.of(side)).count(), promoted(board, side));
        if pawns + promoted > PAWNS {
            let fen = fen.to_owned();
            return Err(PositionError::Promotions {
                fen,
                side,
                pawns,
                promoted,
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

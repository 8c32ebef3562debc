//! The position that an interface sets: what no game can bring about is refused.

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
}

/// A game from a FEN and its moves.
///
/// # Errors
/// [`PositionError`] names what cannot be.
pub(super) fn read(variant: Variant, fen: &str, moves: &[String]) -> Result<GameLine, PositionError> {
    let line = GameLine::replay(variant, fen, &moves.join(" "))?;
    refuse_crowds(fen, line.start())?;
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

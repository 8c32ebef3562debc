//! The position that an interface sets: what no game can bring about is refused, what is left out of it is told.

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

/// A game from a FEN and its moves, and what there is to say of it.
///
/// # Errors
/// [`PositionError`] names what cannot be.
pub(super) fn read(
    variant: Variant,
    fen: &str,
    moves: &[String],
) -> Result<(GameLine, Option<String>), PositionError> {
    let line = GameLine::replay(variant, fen, &moves.join(" "))?;
    refuse_crowds(fen, line.start())?;
    let remark = rights_left_out(fen, line.start());
    Ok((line, remark))
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

/// Castling rights that a FEN gives to kings and rooks that are not there.
fn rights_left_out(fen: &str, pos: &Position) -> Option<String> {
    let given = fen.split_ascii_whitespace().nth(2)?;
    let wanted = given.chars().filter(char::is_ascii_alphabetic).count();
    let kept = pos.castles().castling_rights().count();
    (kept < wanted).then(|| {
        format!("of the castling rights \"{given}\" only {kept} are kept: king or rook are not where they need one")
    })
}

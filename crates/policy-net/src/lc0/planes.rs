//! A game as lc0's classical 112 input planes.

use shakmaty::{Bitboard, CastlingSide, Position as _};
use sparring_chess::{GameHistory, Position, Role, Variant, key};

use crate::convolution::SQUARES;

/// How many planes there are.
pub(super) const PLANES: usize = 112;
/// Positions shown, the current one first.
const POSITIONS: usize = 8;
/// Planes of a position: six roles of the mover, six of the other side, and whether it occurred before.
const EACH: usize = 13;

/// `[plane][square]`, ranks mirrored if Black moves; `None` if the rules are not those of orthodox chess.
///
/// Before the first position of a game all is zero; before a set-up position, that position stands again, as lc0 has it.
pub(super) fn planes(game: &GameHistory) -> Option<Vec<f32>> {
    let Position::Chess(_) = game.position() else {
        return None;
    };
    let turn = game.turn();
    let mut planes = Planes {
        values: vec![0.0; PLANES * SQUARES],
        mirrored: turn.is_black(),
    };
    let positions = last_positions(game);
    let keys = game.keys();
    let set_up = keys.first() != Some(&key(&Variant::Standard.start()));
    for back in 0..POSITIONS {
        let Some(position) = positions
            .get(back)
            .or_else(|| positions.last().filter(|_| set_up))
        else {
            break;
        };
        for (side, color) in [turn, !turn].into_iter().enumerate() {
            for (at, role) in Role::ALL.into_iter().enumerate() {
                let pieces = position.board().by_piece(role.of(color));
                planes.set(back * EACH + side * 6 + at, pieces);
            }
        }
        let index = keys.len().saturating_sub(1 + back);
        if keys[..index].contains(&keys[index]) {
            planes.fill(back * EACH + 12, 1.0);
        }
    }
    let position = game.position();
    let mut plane = POSITIONS * EACH;
    for color in [turn, !turn] {
        for side in [CastlingSide::QueenSide, CastlingSide::KingSide] {
            if position.castles().has(color, side) {
                planes.fill(plane, 1.0);
            }
            plane += 1;
        }
    }
    planes.fill(108, if turn.is_black() { 1.0 } else { 0.0 });
    // Plies as they are; networks of this format know no other scale.
    planes.fill(109, position.halfmoves() as f32);
    planes.fill(111, 1.0);
    Some(planes.values)
}

/// The last positions of the game, the current one first.
fn last_positions(game: &GameHistory) -> Vec<Position> {
    let moves = game.moves();
    let first = moves.len().saturating_sub(POSITIONS - 1);
    let mut position = game.start().clone();
    let mut positions = Vec::with_capacity(POSITIONS);
    for (ply, &mv) in moves.iter().enumerate() {
        if ply >= first {
            positions.push(position.clone());
        }
        position.play_unchecked(mv);
    }
    positions.push(position);
    positions.reverse();
    positions
}

struct Planes {
    values: Vec<f32>,
    mirrored: bool,
}

impl Planes {
    fn fill(&mut self, plane: usize, value: f32) {
        self.values[plane * SQUARES..][..SQUARES].fill(value);
    }

    fn set(&mut self, plane: usize, squares: Bitboard) {
        for square in if self.mirrored {
            squares.flip_vertical()
        } else {
            squares
        } {
            self.values[plane * SQUARES + usize::from(square)] = 1.0;
        }
    }
}

//! What a piece is worth where it stands: material and piece squares.
//!
//! Squares are mirrored on the middle: thirty-two pairs a piece, from the edge to the middle and from the own first
//! rank on.

use shakmaty::{Bitboard, Board};

use super::{
    tally::Tally,
    tapered::Tapered,
    weight::Weight,
    weights::{
        BISHOP_PAIR, BISHOP_SQUARES, KING_SQUARES, KNIGHT_BY_PAWNS, KNIGHT_SQUARES, MATERIAL, PAWN_SQUARES,
        QUEEN_SQUARES, ROOK_BY_PAWNS, ROOK_SQUARES, TABLE_VALUES,
    },
};
use crate::chess::{ByColor, Role, Square};

/// The rows of squares, pawn to king.
const SQUARES: [Weight; 6] = [
    PAWN_SQUARES,
    KNIGHT_SQUARES,
    BISHOP_SQUARES,
    ROOK_SQUARES,
    QUEEN_SQUARES,
    KING_SQUARES,
];

/// Material and square together, by role and by square as the owner sees it.
static WORTH: [[Tapered; 64]; 6] = {
    let mut table = [[Tapered::ZERO; 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            let mut worth = TABLE_VALUES[SQUARES[role].at(mirrored(square)).index()];
            if role < 5 {
                worth = worth.plus(TABLE_VALUES[MATERIAL.at(role).index()]);
            }
            table[role][square] = worth;
            square += 1;
        }
        role += 1;
    }
    table
};

/// The place of a square in a row: four to a rank.
const fn mirrored(square: usize) -> usize {
    let file = square % 8;
    let from_edge = if file < 4 { file } else { 7 - file };
    square / 8 * 4 + from_edge
}

/// The worth of a piece on a square as its own side sees it.
pub(super) fn worth(role: Role, square: Square) -> Tapered {
    WORTH[role as usize - 1][square as usize]
}

/// The weights that make up [`worth`]; a king has no material.
pub(super) fn weights(role: Role, square: Square) -> (Option<Weight>, Weight) {
    let index = role as usize - 1;
    let material = (role != Role::King).then(|| MATERIAL.at(index));
    (material, SQUARES[index].at(mirrored(square as usize)))
}

/// All pieces of both sides where they stand, and the bishop pair.
pub(super) fn material<T: Tally>(board: &Board, ground: T::Ground) -> ByColor<T> {
    ByColor::new_with(|color| {
        let mut sum = T::empty(ground);
        let ours = board.by_color(color);
        for role in Role::ALL {
            for square in ours & board.by_role(role) {
                let square = color.fold_wb(square, square.flip_vertical());
                sum.add_piece(role, square);
            }
        }
        imbalance(board, ours, &mut sum);
        sum
    })
}

/// All pieces of both sides wherever they stand, and the bishop pair.
pub(super) fn bare_material<T: Tally>(board: &Board, ground: T::Ground) -> ByColor<T> {
    ByColor::new_with(|color| {
        let mut sum = T::empty(ground);
        let ours = board.by_color(color);
        for role in &Role::ALL[..5] {
            let count = (ours & board.by_role(*role)).count() as i32;
            sum.add(MATERIAL.at(*role as usize - 1), count);
        }
        imbalance(board, ours, &mut sum);
        sum
    })
}

/// What pieces are worth together: bishops in pairs; knights with many pawns, rooks with few (Kaufman's rules).
fn imbalance(board: &Board, ours: Bitboard, sum: &mut impl Tally) {
    if (ours & board.bishops()).more_than_one() {
        sum.add(BISHOP_PAIR, 1);
    }
    let pawns = (ours & board.pawns()).count();
    sum.add(KNIGHT_BY_PAWNS.at(pawns), (ours & board.knights()).count() as i32);
    sum.add(ROOK_BY_PAWNS.at(pawns), (ours & board.rooks()).count() as i32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Rules as _, Variant};

    #[test]
    fn squares_are_mirrored_on_the_middle_and_both_sides_begin_alike() {
        for role in Role::ALL {
            for square in Square::ALL {
                assert_eq!(worth(role, square), worth(role, square.flip_horizontal()));
            }
        }
        let start = material::<Tapered>(Variant::Standard.start().board(), ());
        assert_eq!(start.white, start.black);
    }

    #[test]
    fn knights_belong_in_the_middle_and_kings_in_the_corner_until_the_endgame() {
        let knight = |square| worth(Role::Knight, square);
        assert!(knight(Square::E5).mg() > knight(Square::A1).mg() + 40);
        let king = |square| worth(Role::King, square);
        assert!(king(Square::G1).mg() > king(Square::E4).mg() + 40);
        assert!(king(Square::E4).eg() > king(Square::G1).eg() + 20);
    }
}

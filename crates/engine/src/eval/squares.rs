//! Piece-square tables, with the material value of each piece.
//!
//! Files are mirrored, which leaves thirty-two squares, from the edge to the middle and from the own first rank on: a
//! pair for each, and another pair that is added where kings stand on the same wing, on files a to d or e to h.

use super::{
    score_pair::ScorePair,
    weight::Weight,
    weights::{
        BISHOP_BESIDE_KINGS, BISHOP_SQUARES, KING_BESIDE_KING, KING_SQUARES, KNIGHT_BESIDE_KINGS,
        KNIGHT_SQUARES, MATERIAL, PAWN_BESIDE_KINGS, PAWN_SQUARES, QUEEN_BESIDE_KINGS, QUEEN_SQUARES,
        ROOK_BESIDE_KINGS, ROOK_SQUARES, TABLE_VALUES,
    },
};
use sparring_chess::{Role, Square};

/// The rows of squares, pawn to king.
const SQUARES: [Weight; 6] = [
    PAWN_SQUARES,
    KNIGHT_SQUARES,
    BISHOP_SQUARES,
    ROOK_SQUARES,
    QUEEN_SQUARES,
    KING_SQUARES,
];

/// The weights added for kings on the same wing, pawn to king; for a king, only the other one.
const BESIDE_KINGS: [Weight; 6] = [
    PAWN_BESIDE_KINGS,
    KNIGHT_BESIDE_KINGS,
    BISHOP_BESIDE_KINGS,
    ROOK_BESIDE_KINGS,
    QUEEN_BESIDE_KINGS,
    KING_BESIDE_KING,
];

/// Which kings stand on the same wing as a piece: 1 for the enemy's plus 2 for its own.
pub(super) type Kings = usize;

/// Material plus piece square, by role, by kings on the wing and by square from the owner's view.
static PIECE_SCORES: [[[ScorePair; 64]; 4]; 6] = {
    let mut table = [[[ScorePair::ZERO; 64]; 4]; 6];
    let mut place = 0;
    while place < 6 * 4 * 64 {
        let (role, kings, square) = (place / 256, place / 64 % 4, place % 64);
        let mut score = TABLE_VALUES[SQUARES[role].at(mirrored(square)).index()];
        if let Some(beside) = beside(role, kings, square) {
            score = score.plus(TABLE_VALUES[beside.index()]);
        }
        if role < 5 {
            score = score.plus(TABLE_VALUES[MATERIAL.at(role).index()]);
        }
        table[role][kings][square] = score;
        place += 1;
    }
    table
};

/// The index of a square in a mirrored row: four to a rank.
pub(super) const fn mirrored(square: usize) -> usize {
    let file = square % 8;
    let from_edge = if file < 4 { file } else { 7 - file };
    square / 8 * 4 + from_edge
}

/// The weight that the kings on its wing add to a piece, pawn to king.
const fn beside(role: usize, kings: Kings, square: usize) -> Option<Weight> {
    // A king is always on its own wing.
    let kings = if role == 5 { kings & 1 } else { kings };
    if kings == 0 {
        return None;
    }
    Some(BESIDE_KINGS[role].at((kings - 1) * 32 + mirrored(square)))
}

/// The score of a piece on a square from its own side's view.
pub(super) fn piece_score(role: Role, square: Square, kings: Kings) -> ScorePair {
    PIECE_SCORES[role as usize - 1][kings][square as usize]
}

/// The weights that add up to [`piece_score`]: a king has no material, and not every wing a king.
pub(super) fn weights(role: Role, square: Square, kings: Kings) -> impl Iterator<Item = Weight> {
    let index = role as usize - 1;
    let material = (role != Role::King).then(|| MATERIAL.at(index));
    let place = SQUARES[index].at(mirrored(square as usize));
    let beside = beside(index, kings, square as usize);
    [Some(place), material, beside].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_mirrored_on_the_middle() {
        for role in Role::ALL {
            for (square, kings) in Square::ALL
                .into_iter()
                .flat_map(|square| [0, 1, 2, 3].map(|kings| (square, kings)))
            {
                assert_eq!(
                    piece_score(role, square, kings),
                    piece_score(role, square.flip_horizontal(), kings)
                );
            }
        }
    }

    #[test]
    fn knights_belong_in_the_middle_and_kings_in_the_corner_until_the_endgame() {
        for kings in 0..4 {
            let knight = |square| piece_score(Role::Knight, square, kings);
            assert!(knight(Square::E5).mg() > knight(Square::A1).mg() + 40);
            let king = |square| piece_score(Role::King, square, kings);
            assert!(king(Square::G1).mg() > king(Square::E4).mg() + 40);
            assert!(king(Square::E4).eg() > king(Square::G1).eg() + 20);
        }
    }
}

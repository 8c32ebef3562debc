//! Material and piece-square tables.
//!
//! Squares are mirrored on the middle, thirty-two of them, from the edge to the middle and from the own first rank on: a pair
//! for each, and one more for each that is added where kings stand on the same wing, on files a to d or e to h.

use shakmaty::{Bitboard, Board, File};

use super::{
    accumulator::EvalAccumulator,
    score_pair::ScorePair,
    weight::Weight,
    weights::{
        BISHOP_BESIDE_KINGS, BISHOP_PAIR, BISHOP_SQUARES, KING_BESIDE_KING, KING_SQUARES,
        KNIGHT_BESIDE_KINGS, KNIGHT_BY_PAWNS, KNIGHT_SQUARES, MATERIAL, PAWN_BESIDE_KINGS, PAWN_SQUARES,
        QUEEN_BESIDE_KINGS, QUEEN_SQUARES, ROOK_BESIDE_KINGS, ROOK_BY_PAWNS, ROOK_SQUARES, TABLE_VALUES,
    },
};
use sparring_chess::{ByColor, Color, Role, Square};

/// The rows of squares, pawn to king.
const SQUARES: [Weight; 6] = [
    PAWN_SQUARES,
    KNIGHT_SQUARES,
    BISHOP_SQUARES,
    ROOK_SQUARES,
    QUEEN_SQUARES,
    KING_SQUARES,
];

/// What kings on the same wing add, pawn to king; to a king, only the other one.
const BESIDE_KINGS: [Weight; 6] = [
    PAWN_BESIDE_KINGS,
    KNIGHT_BESIDE_KINGS,
    BISHOP_BESIDE_KINGS,
    ROOK_BESIDE_KINGS,
    QUEEN_BESIDE_KINGS,
    KING_BESIDE_KING,
];

/// Which kings stand on the wing of a piece, its half of the files: 1 for the enemy's, 2 for its own, added up.
pub(super) type Kings = usize;

/// Material and square together, by role, by kings on the wing and by square as the owner sees it.
static WORTH: [[[ScorePair; 64]; 4]; 6] = {
    let mut table = [[[ScorePair::ZERO; 64]; 4]; 6];
    let mut place = 0;
    while place < 6 * 4 * 64 {
        let (role, kings, square) = (place / 256, place / 64 % 4, place % 64);
        let mut worth = TABLE_VALUES[SQUARES[role].at(mirrored(square)).index()];
        if let Some(beside) = beside(role, kings, square) {
            worth = worth.plus(TABLE_VALUES[beside.index()]);
        }
        if role < 5 {
            worth = worth.plus(TABLE_VALUES[MATERIAL.at(role).index()]);
        }
        table[role][kings][square] = worth;
        place += 1;
    }
    table
};

/// The place of a square in a row: four to a rank.
const fn mirrored(square: usize) -> usize {
    let file = square % 8;
    let from_edge = if file < 4 { file } else { 7 - file };
    square / 8 * 4 + from_edge
}

/// What the kings on its wing add to a piece, pawn to king.
const fn beside(role: usize, kings: Kings, square: usize) -> Option<Weight> {
    // A king is always on its own wing.
    let kings = if role == 5 { kings & 1 } else { kings };
    if kings == 0 {
        return None;
    }
    Some(BESIDE_KINGS[role].at((kings - 1) * 32 + mirrored(square)))
}

/// The worth of a piece on a square as its own side sees it.
pub(super) fn worth(role: Role, square: Square, kings: Kings) -> ScorePair {
    WORTH[role as usize - 1][kings][square as usize]
}

/// The weights that make up [`worth`]: a king has no material, and not every wing a king.
pub(super) fn weights(role: Role, square: Square, kings: Kings) -> impl Iterator<Item = Weight> {
    let index = role as usize - 1;
    let material = (role != Role::King).then(|| MATERIAL.at(index));
    let place = SQUARES[index].at(mirrored(square as usize));
    let beside = beside(index, kings, square as usize);
    [Some(place), material, beside].into_iter().flatten()
}

/// All pieces of both sides where they stand, and the bishop pair.
pub(super) fn material<T: EvalAccumulator>(board: &Board, ground: T::Ground) -> ByColor<T> {
    let is_king_side = |square: Square| square.file() >= File::E;
    let wings = ByColor::new_with(|color| board.king_of(color).map(is_king_side));
    ByColor::new_with(|color: Color| {
        let mut sum = T::empty(ground);
        let ours = board.by_color(color);
        let kings = [false, true].map(|wing| {
            let is_there = |color| usize::from(*wings.get(color) == Some(wing));
            is_there(!color) + 2 * is_there(color)
        });
        for role in Role::ALL {
            for square in ours & board.by_role(role) {
                let kings = kings[usize::from(is_king_side(square))];
                let square = color.fold_wb(square, square.flip_vertical());
                sum.add_piece(role, square, kings);
            }
        }
        imbalance(board, ours, &mut sum);
        sum
    })
}

/// All pieces of both sides wherever they stand, and the bishop pair.
pub(super) fn bare_material<T: EvalAccumulator>(board: &Board, ground: T::Ground) -> ByColor<T> {
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
fn imbalance(board: &Board, ours: Bitboard, sum: &mut impl EvalAccumulator) {
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
    use sparring_chess::{Rules as _, Variant, parse_fen};

    /// What the pieces of a position are worth to White.
    fn lead(fen: &str) -> ScorePair {
        let pos = parse_fen(Variant::FromPosition, fen).unwrap();
        let both = material::<ScorePair>(pos.board(), ());
        both.white - both.black
    }

    #[test]
    fn squares_are_mirrored_on_the_middle_and_both_sides_begin_alike() {
        for role in Role::ALL {
            for (square, kings) in Square::ALL
                .into_iter()
                .flat_map(|square| [0, 1, 2, 3].map(|kings| (square, kings)))
            {
                assert_eq!(
                    worth(role, square, kings),
                    worth(role, square.flip_horizontal(), kings)
                );
            }
        }
        let start = material::<ScorePair>(Variant::Standard.start().board(), ());
        assert_eq!(start.white, start.black);
        assert_eq!(
            lead("1k3r2/5ppp/8/3N4/8/1P6/P5Q1/6K1 w - - 0 1"),
            lead("2r3k1/ppp5/8/4N3/8/6P1/1Q5P/1K6 w - - 0 1")
        );
    }

    #[test]
    fn knights_belong_in_the_middle_and_kings_in_the_corner_until_the_endgame() {
        for kings in 0..4 {
            let knight = |square| worth(Role::Knight, square, kings);
            assert!(knight(Square::E5).mg() > knight(Square::A1).mg() + 40);
            let king = |square| worth(Role::King, square, kings);
            assert!(king(Square::G1).mg() > king(Square::E4).mg() + 40);
            assert!(king(Square::E4).eg() > king(Square::G1).eg() + 20);
        }
    }

    #[test]
    fn a_king_feels_the_other_one_on_its_wing() {
        let beside = |square: Square| {
            let place = KING_BESIDE_KING.at(mirrored(square as usize));
            TABLE_VALUES[place.index()]
        };
        let worth_of = |square, kings| worth(Role::King, square, kings);
        let there = lead("7k/8/8/8/8/8/6K1/8 w - - 0 1");
        let expected =
            worth_of(Square::G2, 2) + beside(Square::G2) - worth_of(Square::H1, 2) - beside(Square::H1);
        assert_eq!(there, expected);
        let apart = lead("k7/8/8/8/8/8/6K1/8 w - - 0 1");
        assert_eq!(apart, worth_of(Square::G2, 2) - worth_of(Square::A1, 2));
        assert_ne!(there, apart);
    }

    #[test]
    fn kings_count_on_the_wing_where_they_stand() {
        for (fen, kings) in [
            ("1k6/8/8/6P1/8/8/8/1K6 w - - 0 1", 0),
            ("6k1/8/8/6P1/8/8/8/1K6 w - - 0 1", 1),
            ("1k6/8/8/6P1/8/8/8/6K1 w - - 0 1", 2),
            ("6k1/8/8/6P1/8/8/8/6K1 w - - 0 1", 3),
        ] {
            let without = lead(&fen.replace("6P1", "8"));
            let pawn = worth(Role::Pawn, Square::G5, kings);
            assert_eq!(lead(fen) - without, pawn, "{fen}");
        }
    }
}

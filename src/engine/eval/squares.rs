//! What a piece is worth where it stands: material and piece squares.
//!
//! A square's worth is the sum of one number for its rank and one for its file, mirrored on the middle. Twelve pairs a
//! piece say nearly as much as sixty-four would, can be read, and need few games to be fitted.

use shakmaty::Board;

use super::tapered::{Tapered, t};
use crate::chess::{ByColor, Color, Role, Square};

/// Worth of a piece anywhere, pawn to king.
pub(super) const MATERIAL: [Tapered; 6] = [
    t(84, 112),
    t(345, 318),
    t(358, 332),
    t(486, 572),
    t(1030, 1070),
    t(0, 0),
];

/// Worth by rank, from the own first rank on.
const BY_RANK: [[Tapered; 8]; 6] = [
    [
        t(0, 0),
        t(-4, 2),
        t(-6, -4),
        t(2, -6),
        t(12, 4),
        t(26, 22),
        t(44, 46),
        t(0, 0),
    ],
    [
        t(-30, -26),
        t(-14, -16),
        t(-2, -4),
        t(10, 8),
        t(18, 12),
        t(20, 4),
        t(2, -10),
        t(-40, -30),
    ],
    [
        t(-8, -10),
        t(6, -6),
        t(6, 0),
        t(5, 4),
        t(5, 4),
        t(6, 2),
        t(-8, -2),
        t(-18, -8),
    ],
    [
        t(-2, -8),
        t(-10, -8),
        t(-12, -4),
        t(-8, 4),
        t(0, 8),
        t(8, 8),
        t(16, 10),
        t(10, 8),
    ],
    [
        t(0, -26),
        t(2, -20),
        t(-2, -4),
        t(-4, 10),
        t(-4, 18),
        t(2, 18),
        t(-2, 12),
        t(6, 6),
    ],
    [
        t(26, -36),
        t(4, -14),
        t(-26, -2),
        t(-46, 8),
        t(-50, 18),
        t(-44, 22),
        t(-36, 12),
        t(-36, -14),
    ],
];

/// Worth by file, from the edge to the middle.
const BY_FILE: [[Tapered; 4]; 6] = [
    [t(-12, 4), t(-3, 3), t(-3, -1), t(9, -4)],
    [t(-24, -20), t(-8, -6), t(6, 4), t(10, 12)],
    [t(-5, -5), t(3, -1), t(1, 2), t(4, 4)],
    [t(-8, 0), t(-3, 2), t(4, 0), t(8, -2)],
    [t(-5, -12), t(0, -4), t(2, 4), t(2, 10)],
    [t(20, -22), t(26, -4), t(-6, 6), t(-18, 10)],
];

/// Material and square together, by role and by square as white sees it.
static WORTH: [[Tapered; 64]; 6] = build();

const fn build() -> [[Tapered; 64]; 6] {
    let mut table = [[Tapered::ZERO; 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            let file = square % 8;
            let from_edge = if file < 4 { file } else { 7 - file };
            table[role][square] = MATERIAL[role]
                .plus(BY_RANK[role][square / 8])
                .plus(BY_FILE[role][from_edge]);
            square += 1;
        }
        role += 1;
    }
    table
}

/// The worth of a piece of a color on a square, for its owner.
pub(super) fn worth(color: Color, role: Role, square: Square) -> Tapered {
    let square = match color {
        Color::White => square,
        Color::Black => square.flip_vertical(),
    };
    WORTH[role as usize - 1][square as usize]
}

/// All pieces of both sides where they stand, and the bishop pair.
pub(super) fn material(board: &Board) -> ByColor<Tapered> {
    ByColor::new_with(|color| {
        let mut sum = Tapered::ZERO;
        let ours = board.by_color(color);
        for role in Role::ALL {
            for square in ours & board.by_role(role) {
                sum += worth(color, role, square);
            }
        }
        if (ours & board.bishops()).more_than_one() {
            sum += BISHOP_PAIR;
        }
        sum
    })
}

const BISHOP_PAIR: Tapered = t(24, 58);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Rules as _, Variant};

    #[test]
    fn squares_are_mirrored_for_black_and_on_the_middle() {
        for role in Role::ALL {
            for square in Square::ALL {
                assert_eq!(
                    worth(Color::White, role, square),
                    worth(Color::Black, role, square.flip_vertical())
                );
                assert_eq!(
                    worth(Color::White, role, square),
                    worth(Color::White, role, square.flip_horizontal())
                );
            }
        }
        let start = material(Variant::Standard.start().board());
        assert_eq!(start.white, start.black);
    }

    #[test]
    fn knights_belong_in_the_middle_and_kings_in_the_corner_until_the_endgame() {
        let knight = |square| worth(Color::White, Role::Knight, square);
        assert!(knight(Square::E5).mg() > knight(Square::A1).mg() + 40);
        let king = |square| worth(Color::White, Role::King, square);
        assert!(king(Square::G1).mg() > king(Square::E4).mg() + 40);
        assert!(king(Square::E4).eg() > king(Square::G1).eg() + 20);
    }
}

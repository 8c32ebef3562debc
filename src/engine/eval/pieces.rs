//! Knights, bishops, rooks and queens: where they can go, and what they stand on or in front of.

use shakmaty::{Bitboard, attacks};

use super::{
    pawns::Structure,
    picture::{Picture, fill_files, forward, relative_rank},
    tapered::{Tapered, t},
};
use crate::{
    chess::{Color, Role, Square},
    engine::captures,
};

const KNIGHT_MOBILITY: [Tapered; 9] = [
    t(-44, -58),
    t(-26, -34),
    t(-10, -14),
    t(-2, -4),
    t(6, 4),
    t(11, 12),
    t(16, 16),
    t(20, 18),
    t(24, 16),
];
const BISHOP_MOBILITY: [Tapered; 14] = [
    t(-34, -46),
    t(-18, -26),
    t(-4, -12),
    t(3, 0),
    t(9, 8),
    t(14, 16),
    t(18, 20),
    t(21, 24),
    t(23, 27),
    t(25, 28),
    t(28, 28),
    t(32, 26),
    t(36, 28),
    t(40, 24),
];
const ROOK_MOBILITY: [Tapered; 15] = [
    t(-36, -60),
    t(-20, -34),
    t(-12, -14),
    t(-8, -2),
    t(-5, 8),
    t(-2, 15),
    t(2, 21),
    t(6, 26),
    t(10, 30),
    t(14, 34),
    t(17, 38),
    t(20, 41),
    t(22, 43),
    t(26, 44),
    t(32, 42),
];
/// Of a queen, up to 27 squares: the formula's line, flattening as squares abound.
const fn queen_mobility(squares: i32) -> Tapered {
    let late = if squares > 12 { squares - 12 } else { 0 };
    t(-26 + 3 * squares - 2 * late, -50 + 8 * squares - 6 * late)
}

const OUTPOST_KNIGHT: Tapered = t(26, 18);
const OUTPOST_BISHOP: Tapered = t(18, 6);
/// A knight that can reach an outpost in one move.
const OUTPOST_REACH: Tapered = t(10, 4);
/// A minor piece right behind a pawn.
const SHIELDED: Tapered = t(8, 4);
/// Each own pawn on the bishop's color, more when the middle is blocked.
const BAD_BISHOP: Tapered = t(-2, -5);
/// A bishop that sees both middle squares of a long diagonal.
const LONG_DIAGONAL: Tapered = t(14, 4);
/// A bishop shut in on the seventh rank by a pawn.
const TRAPPED_BISHOP: Tapered = t(-70, -60);
const ROOK_OPEN: Tapered = t(32, 10);
const ROOK_HALF_OPEN: Tapered = t(13, 8);
const ROOK_SEVENTH: Tapered = t(6, 22);
/// A rook that its own uncastled king shuts in.
const TRAPPED_ROOK: Tapered = t(-34, -10);
/// A rook on the file of the enemy queen.
const ROOK_ON_QUEEN: Tapered = t(6, 6);
/// A minor piece far from its own king, for each step.
const FAR_FROM_KING: Tapered = t(-3, -2);
const MIDDLE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Draws the attacks of one side's pieces into the picture, and sums up its mobility and its pieces' places.
pub(super) fn pieces(picture: &mut Picture<'_>, us: Color, structure: &Structure) -> (Tapered, Tapered) {
    let (mut mobility, mut places) = (Tapered::ZERO, Tapered::ZERO);
    let board = picture.board;
    let side = *picture.sides.get(us);
    let pinned = side
        .king
        .map_or(Bitboard::EMPTY, |king| captures::pinned(board, us, king));
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for square in side.pieces & board.by_role(role) {
            let mut attacked = attacked(picture, us, role, square);
            if pinned.contains(square)
                && let Some(king) = side.king
            {
                attacked &= attacks::ray(king, square);
            }
            picture.add(us, role, attacked);
            let reach = (attacked & side.mobility_area).count();
            mobility += match role {
                Role::Knight => KNIGHT_MOBILITY[reach.min(8)],
                Role::Bishop => BISHOP_MOBILITY[reach.min(13)],
                Role::Rook => ROOK_MOBILITY[reach.min(14)],
                _ => queen_mobility(reach as i32),
            };
            places += match role {
                Role::Knight | Role::Bishop => minor(picture, us, role, square, attacked, structure),
                Role::Rook => rook(picture, us, square, reach),
                _ => Tapered::ZERO,
            };
        }
    }
    (mobility, places)
}

/// What a piece attacks, seeing through pieces that move the same way: a battery counts as one.
fn attacked(picture: &Picture<'_>, us: Color, role: Role, square: Square) -> Bitboard {
    let ours = picture.board.by_color(us);
    match role {
        Role::Bishop => {
            let through = ours & picture.board.queens();
            attacks::bishop_attacks(square, picture.occupied & !through)
        }
        Role::Rook => {
            let through = ours & picture.board.rooks_and_queens();
            attacks::rook_attacks(square, picture.occupied & !through)
        }
        role => attacks::attacks(square, role.of(us), picture.occupied),
    }
}

fn minor(
    picture: &Picture<'_>,
    us: Color,
    role: Role,
    square: Square,
    attacked: Bitboard,
    structure: &Structure,
) -> Tapered {
    let board = picture.board;
    let side = picture.sides.get(us);
    let enemy_span = *structure.span.get(!us);
    let outposts = us.fold_wb(Bitboard(0x0000_ffff_ff00_0000), Bitboard(0x0000_00ff_ffff_0000))
        & side.by_role[0]
        & !enemy_span;
    let mut sum = Tapered::ZERO;
    if outposts.contains(square) {
        sum += if role == Role::Knight {
            OUTPOST_KNIGHT
        } else {
            OUTPOST_BISHOP
        };
    } else if role == Role::Knight && (attacked & outposts & !side.pieces).any() {
        sum += OUTPOST_REACH;
    }
    if (forward(us, Bitboard::from(square)) & board.pawns()).any() {
        sum += SHIELDED;
    }
    if let Some(king) = side.king {
        sum += FAR_FROM_KING * king.distance(square) as i32;
    }
    if role == Role::Bishop {
        let same_color = if Bitboard::DARK_SQUARES.contains(square) {
            Bitboard::DARK_SQUARES
        } else {
            Bitboard::LIGHT_SQUARES
        };
        let files = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
        let blocked = side.pawns & files & picture.occupied.shift(us.fold_wb(-8, 8));
        let pawns = (side.pawns & same_color).count() as i32;
        sum += BAD_BISHOP * (pawns * (1 + blocked.count() as i32) / 2);
        let sees = attacks::bishop_attacks(square, board.pawns()) & MIDDLE;
        if sees.more_than_one() {
            sum += LONG_DIAGONAL;
        }
        if is_shut_in(picture, us, square) {
            sum += TRAPPED_BISHOP;
        }
    }
    sum
}

/// A bishop on a7 (or h7, or the same for black) that a pawn on b6 keeps there.
fn is_shut_in(picture: &Picture<'_>, us: Color, square: Square) -> bool {
    let corner = us.fold_wb(Bitboard(0x0081_0000_0000_0000), Bitboard(0x0000_0000_0000_8100));
    if !corner.contains(square) {
        return false;
    }
    let theirs = picture.sides.get(!us).pawns;
    let way_back =
        attacks::king_attacks(square) & forward(!us, super::picture::beside(Bitboard::from(square)));
    (way_back & theirs).any()
}

fn rook(picture: &Picture<'_>, us: Color, square: Square, reach: usize) -> Tapered {
    let board = picture.board;
    let side = picture.sides.get(us);
    let enemy = picture.sides.get(!us);
    let file = fill_files(Bitboard::from(square));
    let mut sum = Tapered::ZERO;
    if (file & side.pawns).is_empty() {
        sum += if (file & enemy.pawns).is_empty() {
            ROOK_OPEN
        } else {
            ROOK_HALF_OPEN
        };
    } else if reach <= 3
        && let Some(king) = side.king
        && relative_rank(us, king) == 0
        && relative_rank(us, square) == 0
        && (king.file() < shakmaty::File::E) == (square.file() < king.file())
    {
        sum += TRAPPED_ROOK;
    }
    if relative_rank(us, square) == 6 {
        let last = us.fold_wb(Bitboard(0xff00_0000_0000_0000), Bitboard(0x0000_0000_0000_00ff));
        let seventh = us.fold_wb(Bitboard(0x00ff_0000_0000_0000), Bitboard(0x0000_0000_0000_ff00));
        let king_is_shut_in = enemy.king.is_some_and(|king| last.contains(king));
        if king_is_shut_in || (enemy.pawns & seventh).any() {
            sum += ROOK_SEVENTH;
        }
    }
    if (file & enemy.pieces & board.queens()).any() {
        sum += ROOK_ON_QUEEN;
    }
    sum
}

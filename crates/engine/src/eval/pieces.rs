//! Knights, bishops, rooks and queens: mobility, outposts, files and trapped pieces.

use shakmaty::{Bitboard, attacks};

use super::{
    accumulator::EvalAccumulator,
    attacks::{AttackInfo, fill_files, forward, relative_rank},
    pawns::Structure,
    weights::{
        BAD_BISHOP, BISHOP_MOBILITY, BISHOP_TIED, FAR_FROM_KING, KNIGHT_MOBILITY, LONG_DIAGONAL,
        OUTPOST_BISHOP, OUTPOST_KNIGHT, OUTPOST_REACH, PINNED, QUEEN_MOBILITY, QUEEN_SEVENTH, ROOK_HALF_OPEN,
        ROOK_MOBILITY, ROOK_ON_QUEEN, ROOK_OPEN, ROOK_SEVENTH, SHIELDED, TRAPPED_BISHOP, TRAPPED_ROOK,
    },
};
use crate::movegen;
use sparring_chess::{Color, Role, Square};

const MIDDLE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Adds the attacks of one side's pieces, and sums up its mobility and its piece terms.
pub(super) fn pieces<T: EvalAccumulator>(
    attacks: &mut AttackInfo<'_>,
    us: Color,
    structure: &Structure<T>,
    weights: T::Weights,
) -> (T, T) {
    let (mut mobility, mut places) = (T::empty(weights), T::empty(weights));
    let board = attacks.board;
    let side = *attacks.sides.get(us);
    let pinned = side
        .king
        .map_or(Bitboard::EMPTY, |king| movegen::pinned(board, us, king));
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for square in side.pieces & board.by_role(role) {
            let mut attacked = attacked(attacks, us, role, square);
            if pinned.contains(square)
                && let Some(king) = side.king
            {
                attacked &= attacks::ray(king, square);
                places.add(PINNED.at(role as usize - 2), 1);
            }
            attacks.add(us, role, attacked);
            let reach = (attacked & side.mobility_area).count();
            match role {
                Role::Knight => mobility.add(KNIGHT_MOBILITY.at(reach), 1),
                Role::Bishop => mobility.add(BISHOP_MOBILITY.at(reach), 1),
                Role::Rook => mobility.add(ROOK_MOBILITY.at(reach), 1),
                _ => mobility.add(QUEEN_MOBILITY.at(reach), 1),
            }
            match role {
                Role::Knight | Role::Bishop => {
                    minor(
                        attacks,
                        us,
                        role,
                        square,
                        attacked,
                        *structure.span.get(!us),
                        &mut places,
                    );
                }
                Role::Rook => rook(attacks, us, square, reach, &mut places),
                _ => queen(attacks, us, square, &mut places),
            }
        }
    }
    (mobility, places)
}

/// What a piece attacks, seeing through pieces that move the same way: a battery counts as one.
fn attacked(attacks: &AttackInfo<'_>, us: Color, role: Role, square: Square) -> Bitboard {
    let ours = attacks.board.by_color(us);
    match role {
        Role::Bishop => {
            let through = ours & attacks.board.queens();
            attacks::bishop_attacks(square, attacks.occupied & !through)
        }
        Role::Rook => {
            let through = ours & attacks.board.rooks_and_queens();
            attacks::rook_attacks(square, attacks.occupied & !through)
        }
        role => attacks::attacks(square, role.of(us), attacks.occupied),
    }
}

/// A minor piece's place. `enemy_span` is what enemy pawns attack or may attack later.
fn minor(
    attacks: &AttackInfo<'_>,
    us: Color,
    role: Role,
    square: Square,
    attacked: Bitboard,
    enemy_span: Bitboard,
    sum: &mut impl EvalAccumulator,
) {
    let board = attacks.board;
    let side = attacks.sides.get(us);
    let outposts = us.fold_wb(Bitboard(0x0000_ffff_ff00_0000), Bitboard(0x0000_00ff_ffff_0000))
        & side.by_role[0]
        & !enemy_span;
    if outposts.contains(square) {
        match role {
            Role::Knight => sum.add(OUTPOST_KNIGHT, 1),
            _ => sum.add(OUTPOST_BISHOP, 1),
        }
    } else if role == Role::Knight && (attacked & outposts & !side.pieces).any() {
        sum.add(OUTPOST_REACH, 1);
    }
    if (forward(us, Bitboard::from(square)) & board.pawns()).any() {
        sum.add(SHIELDED, 1);
    }
    if let Some(king) = side.king {
        sum.add(FAR_FROM_KING, king.distance(square) as i32);
    }
    if role == Role::Bishop {
        bishop(attacks, us, square, sum);
    }
}

fn bishop(attacks: &AttackInfo<'_>, us: Color, square: Square, sum: &mut impl EvalAccumulator) {
    let side = attacks.sides.get(us);
    let same_color = if Bitboard::DARK_SQUARES.contains(square) {
        Bitboard::DARK_SQUARES
    } else {
        Bitboard::LIGHT_SQUARES
    };
    let files = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
    let blocked = side.pawns & files & attacks.occupied.shift(us.fold_wb(-8, 8));
    let pawns = (side.pawns & same_color).count() as i32;
    sum.add(BAD_BISHOP, pawns * (1 + blocked.count() as i32) / 2);
    let sees = attacks::bishop_attacks(square, attacks.board.pawns()) & MIDDLE;
    if sees.more_than_one() {
        sum.add(LONG_DIAGONAL, 1);
    }
    let tied = attacks::bishop_attacks(square, Bitboard::EMPTY) & attacks.sides.get(!us).pawns;
    sum.add(BISHOP_TIED, tied.count() as i32);
    if is_shut_in(attacks, us, square) {
        sum.add(TRAPPED_BISHOP, 1);
    }
}

/// A bishop on a7 (or h7, or the same for black) that a pawn on b6 keeps there, or one on b8 that pawns on c7 and on b6 or a7 do.
fn is_shut_in(attacks: &AttackInfo<'_>, us: Color, square: Square) -> bool {
    const SEVENTH: Bitboard = Bitboard(0x0081_0000_0000_0000);
    const EIGHTH: Bitboard = Bitboard(0x4200_0000_0000_0000);
    let theirs = attacks.sides.get(!us).pawns;
    let square = us.fold_wb(square, square.flip_vertical());
    let theirs = us.fold_wb(theirs, theirs.flip_vertical());
    let ways_back = attacks::pawn_attacks(Color::Black, square);
    if SEVENTH.contains(square) {
        return (ways_back & theirs).any();
    }
    let edge = ways_back & SEVENTH;
    let ways_on = edge
        .into_iter()
        .flat_map(|step| attacks::pawn_attacks(Color::Black, step));
    EIGHTH.contains(square)
        && (ways_back & !edge & !theirs).is_empty()
        && ((edge & theirs).any() || ways_on.into_iter().all(|way| theirs.contains(way)))
}

fn rook(attacks: &AttackInfo<'_>, us: Color, square: Square, reach: usize, sum: &mut impl EvalAccumulator) {
    let board = attacks.board;
    let side = attacks.sides.get(us);
    let enemy = attacks.sides.get(!us);
    let file = fill_files(Bitboard::from(square));
    if (file & side.pawns).is_empty() {
        if (file & enemy.pawns).is_empty() {
            sum.add(ROOK_OPEN, 1);
        } else {
            sum.add(ROOK_HALF_OPEN, 1);
        }
    } else if reach <= 3
        && let Some(king) = side.king
        && relative_rank(us, king) == 0
        && relative_rank(us, square) == 0
        && (king.file() < shakmaty::File::E) == (square.file() < king.file())
    {
        sum.add(TRAPPED_ROOK, 1);
    }
    if relative_rank(us, square) == 6 && attacks_from_seventh(attacks, us) {
        sum.add(ROOK_SEVENTH, 1);
    }
    if (file & enemy.pieces & board.queens()).any() {
        sum.add(ROOK_ON_QUEEN, 1);
    }
}

fn queen(attacks: &AttackInfo<'_>, us: Color, square: Square, sum: &mut impl EvalAccumulator) {
    if relative_rank(us, square) == 6 && attacks_from_seventh(attacks, us) {
        sum.add(QUEEN_SEVENTH, 1);
    }
}

/// Whether the seventh rank is a good place: the enemy king is shut in on the eighth, or pawns are left to take.
fn attacks_from_seventh(attacks: &AttackInfo<'_>, us: Color) -> bool {
    let enemy = attacks.sides.get(!us);
    let last = us.fold_wb(Bitboard(0xff00_0000_0000_0000), Bitboard(0x0000_0000_0000_00ff));
    let seventh = us.fold_wb(Bitboard(0x00ff_0000_0000_0000), Bitboard(0x0000_0000_0000_ff00));
    let king_is_shut_in = enemy.king.is_some_and(|king| last.contains(king));
    king_is_shut_in || (enemy.pawns & seventh).any()
}

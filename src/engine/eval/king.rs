//! King safety: the shelter of pawns, and how many attackers are how near.

use shakmaty::{Bitboard, attacks};

use super::{
    picture::{Picture, relative_rank},
    tapered::{Tapered, t},
};
use crate::{
    chess::{Color, File, Rank, Role, Square},
    engine::captures::pinned,
};

/// Worth of the own pawn nearest before the king on a file, by its rank; the first entry stands for none.
const SHELTER: [i32; 8] = [-26, 26, 14, -2, -10, -16, -18, 0];
/// Cost of an enemy pawn coming at the king on a file, by its rank as the defender counts; the first stands for none.
const STORM: [i32; 8] = [0, 0, -34, -20, -8, -2, 0, 0];
/// A file without own pawns next to the king, and one without any.
const HALF_OPEN: i32 = -10;
const OPEN: i32 = -22;

/// What makes danger, in units of which about 20 are a pawn's worth when there are many.
const RING_ATTACK: i32 = 34;
const WEAK_SQUARE: i32 = 76;
const SAFE_CHECK: [i32; 6] = [0, 300, 220, 370, 300, 0];
const UNSAFE_CHECK: i32 = 60;
const PINNED: i32 = 40;
const NO_QUEEN: i32 = 420;
const SHELTER_WEIGHT: i32 = 3;

/// The king's worth for its side: shelter, and danger from the other side's pieces. The picture must be complete.
pub(super) fn king(picture: &Picture<'_>, us: Color) -> Tapered {
    let Some(king) = picture.sides.get(us).king else {
        return Tapered::ZERO;
    };
    let shelter = shelter(picture, us, king);
    let danger = danger(picture, us, king, shelter);
    let mut sum = t(shelter, 0);
    if danger > 0 {
        // Quadratic while attackers gather, linear when the attack is overwhelming anyway.
        let mg = if danger < 1200 {
            danger * danger / 3600
        } else {
            400 + (danger - 1200) / 3
        };
        sum -= t(mg.min(800), (danger / 16).min(80));
    }
    sum
}

/// Pawns before the king on its file and the files beside it.
fn shelter(picture: &Picture<'_>, us: Color, king: Square) -> i32 {
    let (ours, theirs) = (picture.sides.get(us).pawns, picture.sides.get(!us).pawns);
    let rank = relative_rank(us, king);
    let middle = (king.file() as i32).clamp(1, 6);
    let mut sum = 0;
    for file in [middle - 1, middle, middle + 1] {
        let file = Bitboard::from_file(File::new(file as u32));
        let level = not_behind(us, rank);
        let nearest = |pawns: Bitboard| {
            let pawns = pawns & file & level;
            let pawn = if us.is_white() {
                pawns.first()
            } else {
                pawns.last()
            };
            pawn.map_or(0, |pawn| relative_rank(us, pawn))
        };
        let (shield, storm) = (nearest(ours), nearest(theirs));
        sum += SHELTER[shield];
        // A storming pawn that a pawn of ours blocks is half as bad.
        let blocked = shield > 0 && storm == shield + 1;
        sum += if blocked { STORM[storm] / 2 } else { STORM[storm] };
        if (ours & file).is_empty() {
            sum += if (theirs & file).is_empty() {
                OPEN
            } else {
                HALF_OPEN
            };
        }
    }
    sum
}

/// All ranks from a relative rank on, towards the enemy.
fn not_behind(us: Color, rank: usize) -> Bitboard {
    let Bitboard(all) = Bitboard::FULL;
    match us {
        Color::White => Bitboard(all << (8 * rank)),
        Color::Black => Bitboard(all >> (8 * rank)),
    }
}

/// The units of danger for a king.
fn danger(picture: &Picture<'_>, us: Color, king: Square, shelter: i32) -> i32 {
    let ours = picture.sides.get(us);
    let theirs = picture.sides.get(!us);
    let no_queen = (theirs.pieces & picture.board.queens()).is_empty();
    if theirs.attackers < 1 + i32::from(no_queen) {
        return 0;
    }
    let ring = attacks::king_attacks(king);
    // Squares that only king or queen defend, and not twice.
    let poorly_defended = !ours.twice & (!ours.all | ours.by_role[5] | ours.by_role[4]);
    let weak = theirs.all & poorly_defended;
    let mut danger = theirs.attack_weight * theirs.attackers
        + RING_ATTACK * theirs.ring_attacks
        + WEAK_SQUARE * (ring & weak).count() as i32
        - SHELTER_WEIGHT * shelter
        - 90;
    danger += checks(picture, us, king, poorly_defended);
    danger += PINNED * pinned(picture.board, us, king).count() as i32;
    if no_queen {
        danger -= NO_QUEEN;
    }
    danger.max(0)
}

/// Checks that the enemy could give: those on squares where the piece would be safe weigh most.
fn checks(picture: &Picture<'_>, us: Color, king: Square, poorly_defended: Bitboard) -> i32 {
    let ours = picture.sides.get(us);
    let theirs = picture.sides.get(!us);
    let safe = !theirs.pieces & (!ours.all | poorly_defended & theirs.twice);
    let through = picture.occupied & !(ours.pieces & picture.board.queens());
    let straight = attacks::rook_attacks(king, through);
    let diagonal = attacks::bishop_attacks(king, through);
    let mut sum = 0;
    for (role, lines) in [
        (Role::Knight, attacks::knight_attacks(king)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, straight | diagonal),
    ] {
        let index = role as usize - 1;
        let from = lines & theirs.by_role[index] & !theirs.pieces;
        if (from & safe).any() {
            sum += SAFE_CHECK[index];
            if (from & safe).more_than_one() {
                sum += SAFE_CHECK[index] / 3;
            }
        } else if from.any() {
            sum += UNSAFE_CHECK;
        }
    }
    sum
}

/// The last rank as a side counts.
pub(super) fn last_rank(us: Color) -> Rank {
    us.fold_wb(Rank::Eighth, Rank::First)
}

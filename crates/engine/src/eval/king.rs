//! King safety: the shelter of pawns, and how many attackers are how near.

use shakmaty::{Bitboard, attacks};

use super::{
    accumulator::EvalAccumulator,
    attacks::{AttackInfo, relative_rank},
    weight::Weight,
    weights::{
        ATTACKER, CALM, DANGER_HALF_OPEN, DANGER_OPEN, DANGER_SHELTER, DANGER_STORM, DANGER_STORM_BLOCKED,
        KING_HALF_OPEN, KING_OPEN, KNIGHT_GUARD, NO_QUEEN, PAWNLESS_WING, PINNED_DEFENDER, RING_ATTACK,
        SAFE_CHECK, SAFE_CHECKS, SHELTER, STORM, STORM_BLOCKED, UNSAFE_CHECK, WEAK_SQUARE, WING_ATTACK,
        WING_DEFENCE,
    },
};
use crate::movegen::pinned;
use sparring_chess::{Color, File, Rank, Square};

/// King safety of a side: shelter, and danger from the other side's pieces. The attacks must be complete.
pub(super) fn king<T: EvalAccumulator>(attacks: &AttackInfo<'_>, us: Color, weights: T::Weights) -> T {
    let mut sum = T::empty(weights);
    let Some(king) = attacks.sides.get(us).king else {
        return sum;
    };
    let mut danger = T::empty(weights);
    shelter(attacks, us, king, &mut sum, &mut danger);
    if (wing(king) & attacks.board.pawns()).is_empty() {
        sum.add(PAWNLESS_WING, 1);
    }
    if attackers_suffice(attacks, us) {
        gather_danger(attacks, us, king, &mut danger);
        sum.subtract_danger(danger);
    }
    sum
}

/// Pawns before the king on its file and the files beside it: their score, and their part in the danger.
fn shelter<T: EvalAccumulator>(
    attacks: &AttackInfo<'_>,
    us: Color,
    king: Square,
    sum: &mut T,
    danger: &mut T,
) {
    let (ours, theirs) = (attacks.sides.get(us).pawns, attacks.sides.get(!us).pawns);
    let level = not_behind(us, relative_rank(us, king));
    let middle = (king.file() as i32).clamp(1, 6);
    let mut both = |score: Weight, share: Weight| {
        sum.add(score, 1);
        danger.add(share, 1);
    };
    for file in [middle - 1, middle, middle + 1] {
        let file = Bitboard::from_file(File::new(file as u32));
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
        both(SHELTER.at(shield), DANGER_SHELTER.at(shield));
        if shield > 0 && storm == shield + 1 {
            both(STORM_BLOCKED.at(storm), DANGER_STORM_BLOCKED.at(storm));
        } else {
            both(STORM.at(storm), DANGER_STORM.at(storm));
        }
        if (ours & file).is_empty() {
            if (theirs & file).is_empty() {
                both(KING_OPEN, DANGER_OPEN);
            } else {
                both(KING_HALF_OPEN, DANGER_HALF_OPEN);
            }
        }
    }
}

/// All ranks from a relative rank on, towards the enemy.
fn not_behind(us: Color, rank: usize) -> Bitboard {
    let Bitboard(all) = Bitboard::FULL;
    match us {
        Color::White => Bitboard(all << (8 * rank)),
        Color::Black => Bitboard(all >> (8 * rank)),
    }
}

/// One piece alone is no attack, unless it is helped by a queen.
fn attackers_suffice(attacks: &AttackInfo<'_>, us: Color) -> bool {
    attacks.sides.get(!us).attackers > i32::from(has_no_queen(attacks, !us))
}

fn has_no_queen(attacks: &AttackInfo<'_>, side: Color) -> bool {
    (attacks.sides.get(side).pieces & attacks.board.queens()).is_empty()
}

/// Adds what endangers a king.
fn gather_danger(attacks: &AttackInfo<'_>, us: Color, king: Square, danger: &mut impl EvalAccumulator) {
    let ours = attacks.sides.get(us);
    let theirs = attacks.sides.get(!us);
    let ring = attacks::king_attacks(king);
    // Squares that only king or queen defend, and not twice.
    let poorly_defended = !ours.twice & (!ours.all | ours.by_role[5] | ours.by_role[4]);
    let weak = theirs.all & poorly_defended;
    for (role, count) in theirs.attackers_by_role.into_iter().enumerate() {
        danger.add(ATTACKER.at(role), count * theirs.attackers);
    }
    danger.add(RING_ATTACK, theirs.ring_attacks);
    danger.add(WEAK_SQUARE, (ring & weak).count() as i32);
    danger.add(CALM, 1);
    checks(attacks, us, king, poorly_defended, danger);
    danger.add(PINNED_DEFENDER, pinned(attacks.board, us, king).count() as i32);
    if has_no_queen(attacks, !us) {
        danger.add(NO_QUEEN, 1);
    }
    let wing = wing(king) & camp(us);
    let attacked = (theirs.all & wing).count() + (theirs.twice & wing).count();
    danger.add(WING_ATTACK, attacked as i32);
    danger.add(WING_DEFENCE, (ours.all & wing).count() as i32);
    let knights = ours.by_role[1] | ours.pieces & attacks.board.knights();
    if (knights & ring).any() {
        danger.add(KNIGHT_GUARD, 1);
    }
}

/// The files of a king's wing: three to five of them.
fn wing(king: Square) -> Bitboard {
    const WINGS: [u64; 8] = [
        0x0707_0707_0707_0707,
        0x0f0f_0f0f_0f0f_0f0f,
        0x0f0f_0f0f_0f0f_0f0f,
        0x3c3c_3c3c_3c3c_3c3c,
        0x3c3c_3c3c_3c3c_3c3c,
        0xf0f0_f0f0_f0f0_f0f0,
        0xf0f0_f0f0_f0f0_f0f0,
        0xe0e0_e0e0_e0e0_e0e0,
    ];
    Bitboard(WINGS[king.file() as usize])
}

/// A side's own five ranks.
fn camp(us: Color) -> Bitboard {
    us.fold_wb(Bitboard(0x0000_00ff_ffff_ffff), Bitboard(0xffff_ffff_ff00_0000))
}

/// Checks that the enemy could give: those on squares where the piece would be safe weigh most.
fn checks(
    attacks: &AttackInfo<'_>,
    us: Color,
    king: Square,
    poorly_defended: Bitboard,
    danger: &mut impl EvalAccumulator,
) {
    let ours = attacks.sides.get(us);
    let theirs = attacks.sides.get(!us);
    let safe = !theirs.pieces & (!ours.all | poorly_defended & theirs.twice);
    let through = attacks.occupied & !(ours.pieces & attacks.board.queens());
    let straight = attacks::rook_attacks(king, through);
    let diagonal = attacks::bishop_attacks(king, through);
    let lines = [
        attacks::knight_attacks(king),
        diagonal,
        straight,
        straight | diagonal,
    ];
    for (index, lines) in lines.into_iter().enumerate() {
        let from = lines & theirs.by_role[index + 1] & !theirs.pieces;
        if (from & safe).any() {
            danger.add(SAFE_CHECK.at(index), 1);
            if (from & safe).more_than_one() {
                danger.add(SAFE_CHECKS.at(index), 1);
            }
        } else if from.any() {
            danger.add(UNSAFE_CHECK, 1);
        }
    }
}

/// The last rank as a side counts.
pub(super) fn last_rank(us: Color) -> Rank {
    us.fold_wb(Rank::Eighth, Rank::First)
}

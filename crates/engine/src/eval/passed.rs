//! Passed pawns: their rank, blockers on their way, and the distance of both kings.

use shakmaty::{Bitboard, attacks};

use super::{
    accumulator::EvalAccumulator,
    attacks::{AttackInfo, forward, relative_rank},
    pawns::{Structure, ahead},
    weights::{
        PASSED, PASSED_BLOCKED, PASSED_FILE, PASSED_FREE, PASSED_OUR_KING, PASSED_SAFE, PASSED_SAFE_STEP,
        PASSED_SUPPORTED, PASSED_THEIR_KING, ROOK_BEHIND_PASSED, ROOK_HUNTS_PASSED, UNSTOPPABLE,
    },
};
use sparring_chess::{Color, Square};

/// The score of a side's passed pawns. The attacks must be complete.
pub(super) fn passed<T: EvalAccumulator>(
    attacks: &AttackInfo<'_>,
    us: Color,
    turn: Color,
    structure: &Structure<T>,
    weights: T::Weights,
) -> T {
    let side = attacks.sides.get(us);
    let enemy = attacks.sides.get(!us);
    let mut sum = T::empty(weights);
    for pawn in structure.passed & side.pieces {
        let rank = relative_rank(us, pawn);
        let way = ahead(us, pawn);
        let stop = forward(us, Bitboard::from(pawn));
        sum.add(PASSED.at(rank), 1);
        let file = pawn.file() as usize;
        sum.add(PASSED_FILE.at(file.min(7 - file)), 1);
        if (stop & attacks.occupied).is_empty() {
            sum.add(PASSED_FREE.at(rank), 1);
            if (way & (enemy.all | enemy.pieces)).is_empty() {
                sum.add(PASSED_SAFE.at(rank), 1);
            } else if (stop & enemy.all).is_empty() {
                sum.add(PASSED_SAFE_STEP.at(rank), 1);
            }
        }
        if (stop & enemy.pieces).any() {
            sum.add(PASSED_BLOCKED.at(rank), 1);
        }
        rooks_behind(attacks, us, pawn, &mut sum);
        if (stop & side.all).any() {
            sum.add(PASSED_SUPPORTED.at(rank), 1);
        }
        kings(attacks, us, stop, rank, &mut sum);
        if is_unstoppable(attacks, us, turn, pawn, way) {
            sum.add(UNSTOPPABLE.at(rank), 1);
        }
    }
    sum
}

/// Rooks belong behind passed pawns, the own and the enemy's (Tarrasch).
fn rooks_behind(attacks: &AttackInfo<'_>, us: Color, pawn: Square, sum: &mut impl EvalAccumulator) {
    let rooks = attacks.board.rooks();
    let behind = ahead(!us, pawn);
    if (behind & rooks).is_empty() {
        return;
    }
    let seen = behind & rooks & attacks::rook_attacks(pawn, attacks.occupied);
    if (seen & attacks.sides.get(us).pieces).any() {
        sum.add(ROOK_BEHIND_PASSED, 1);
    } else if seen.any() {
        sum.add(ROOK_HUNTS_PASSED, 1);
    }
}

/// In the endgame kings decide: near the square before the pawn is good, the further advanced the more.
fn kings(attacks: &AttackInfo<'_>, us: Color, stop: Bitboard, rank: usize, sum: &mut impl EvalAccumulator) {
    let (Some(stop), Some(ours), Some(theirs)) = (
        stop.first(),
        attacks.sides.get(us).king,
        attacks.sides.get(!us).king,
    ) else {
        return;
    };
    sum.add(PASSED_OUR_KING.at(rank), ours.distance(stop).min(5) as i32);
    sum.add(PASSED_THEIR_KING.at(rank), theirs.distance(stop).min(5) as i32);
}

/// The rule of the square, where the enemy has only king and pawns.
fn is_unstoppable(attacks: &AttackInfo<'_>, us: Color, turn: Color, pawn: Square, way: Bitboard) -> bool {
    let enemy = attacks.sides.get(!us);
    let pieces = enemy.pieces & !(attacks.board.pawns() | attacks.board.kings());
    let (Some(king), Some(goal)) = (
        enemy.king,
        way.into_iter()
            .find(|square| square.rank() == super::king::last_rank(us)),
    ) else {
        return false;
    };
    if pieces.any() || (way & attacks.occupied).any() {
        return false;
    }
    let steps = pawn.distance(goal).min(5) as i32;
    let chase = king.distance(goal) as i32 - i32::from(turn != us);
    steps < chase
}

//! Passed pawns: how far they are, what stands in their way, and whose king is nearer.

use shakmaty::Bitboard;

use super::{
    pawns::{Structure, ahead},
    picture::{Picture, forward, relative_rank},
    tapered::{Tapered, t},
};
use crate::chess::{Color, Square};

/// By rank, without anything else.
const BY_RANK: [Tapered; 8] = [
    t(0, 0),
    t(2, 10),
    t(2, 14),
    t(2, 26),
    t(24, 52),
    t(62, 104),
    t(120, 170),
    t(0, 0),
];
/// The next square is empty, by rank.
const FREE: [Tapered; 8] = [
    t(0, 0),
    t(0, 0),
    t(0, 2),
    t(2, 8),
    t(6, 18),
    t(10, 38),
    t(16, 70),
    t(0, 0),
];
/// The whole way is free of enemy attacks, by rank; half as much when only the next square is.
const SAFE: [Tapered; 8] = [
    t(0, 0),
    t(0, 0),
    t(2, 4),
    t(4, 10),
    t(10, 24),
    t(18, 50),
    t(24, 80),
    t(0, 0),
];
/// The next square is defended by us, by rank.
const SUPPORTED: [Tapered; 8] = [
    t(0, 0),
    t(0, 0),
    t(0, 2),
    t(2, 6),
    t(6, 14),
    t(14, 24),
    t(20, 30),
    t(0, 0),
];
/// The pawn outruns a lone king: no pieces left to catch it.
const UNSTOPPABLE: i32 = 520;

/// The worth of a side's passed pawns. The picture must be complete.
pub(super) fn passed(picture: &Picture<'_>, us: Color, turn: Color, structure: &Structure) -> Tapered {
    let side = picture.sides.get(us);
    let enemy = picture.sides.get(!us);
    let mut sum = Tapered::ZERO;
    for pawn in structure.passed & side.pieces {
        let rank = relative_rank(us, pawn);
        let way = ahead(us, pawn);
        let stop = forward(us, Bitboard::from(pawn));
        sum += BY_RANK[rank];
        if (stop & picture.occupied).is_empty() {
            sum += FREE[rank];
            if (way & (enemy.all | enemy.pieces)).is_empty() {
                sum += SAFE[rank];
            } else if (stop & enemy.all).is_empty() {
                sum += t(SAFE[rank].mg() / 2, SAFE[rank].eg() / 2);
            }
        }
        if (stop & side.all).any() {
            sum += SUPPORTED[rank];
        }
        sum += kings(picture, us, stop, rank);
        if is_unstoppable(picture, us, turn, pawn, way) {
            sum += t(0, UNSTOPPABLE * rank as i32 / 6);
        }
    }
    sum
}

/// In the endgame kings decide: near the square before the pawn is good, the further advanced the more.
fn kings(picture: &Picture<'_>, us: Color, stop: Bitboard, rank: usize) -> Tapered {
    let (Some(stop), Some(ours), Some(theirs)) = (
        stop.first(),
        picture.sides.get(us).king,
        picture.sides.get(!us).king,
    ) else {
        return Tapered::ZERO;
    };
    if rank < 3 {
        return Tapered::ZERO;
    }
    let weight = rank as i32 - 2;
    let theirs = theirs.distance(stop).min(5) as i32;
    let ours = ours.distance(stop).min(5) as i32;
    t(0, weight * (5 * theirs - 3 * ours))
}

/// The rule of the square, where the enemy has only king and pawns.
fn is_unstoppable(picture: &Picture<'_>, us: Color, turn: Color, pawn: Square, way: Bitboard) -> bool {
    let enemy = picture.sides.get(!us);
    let pieces = enemy.pieces & !(picture.board.pawns() | picture.board.kings());
    let (Some(king), Some(goal)) = (
        enemy.king,
        way.into_iter()
            .find(|square| square.rank() == super::king::last_rank(us)),
    ) else {
        return false;
    };
    if pieces.any() || (way & picture.occupied).any() {
        return false;
    }
    let steps = pawn.distance(goal).min(5) as i32;
    let chase = king.distance(goal) as i32 - i32::from(turn != us);
    steps < chase
}

//! Threats: pieces attacked by lesser ones, hanging pieces, pawns about to attack; and the space behind the pawns.

use shakmaty::{Bitboard, attacks};

use super::{
    accumulator::EvalAccumulator,
    attacks::{AttackInfo, fill_forward, forward, pawn_attacks},
    weights::{
        HANGING, KNIGHT_NEARS_QUEEN, RESTRICTED, SLIDER_NEARS_QUEEN, SPACE, THREAT_BY_KING, THREAT_BY_MINOR,
        THREAT_BY_PAWN, THREAT_BY_PUSH, THREAT_BY_ROOK,
    },
};
use sparring_chess::Color;

/// The score of a side's threats. The attacks must be complete.
pub(super) fn threats<T: EvalAccumulator>(attacks: &AttackInfo<'_>, us: Color, weights: T::Weights) -> T {
    let ours = attacks.sides.get(us);
    let theirs = attacks.sides.get(!us);
    let board = attacks.board;
    let pieces = theirs.pieces & !(board.pawns() | board.kings());
    let strongly_defended = theirs.by_role[0] | theirs.twice & !ours.twice;
    let weak = theirs.pieces & !strongly_defended & ours.all;
    let mut sum = T::empty(weights);
    sum.add(THREAT_BY_PAWN, (pieces & ours.by_role[0]).count() as i32);
    let defended = pieces & strongly_defended;
    let minors = ours.by_role[1] | ours.by_role[2];
    for victim in (weak | defended) & minors {
        if let Some(role) = board.role_at(victim) {
            sum.add(THREAT_BY_MINOR.at(role as usize - 1), 1);
        }
    }
    for victim in weak & ours.by_role[3] {
        if let Some(role) = board.role_at(victim) {
            sum.add(THREAT_BY_ROOK.at(role as usize - 1), 1);
        }
    }
    if (weak & ours.by_role[5]).any() {
        sum.add(THREAT_BY_KING, 1);
    }
    let hanging = weak & (!theirs.all | pieces & ours.twice);
    sum.add(HANGING, hanging.count() as i32);
    let restricted = theirs.all & ours.all & !strongly_defended;
    sum.add(RESTRICTED, restricted.count() as i32);
    near_queen(attacks, us, strongly_defended, &mut sum);
    let by_push = pawn_attacks(us, pushes(attacks, us)) & pieces;
    sum.add(THREAT_BY_PUSH, by_push.count() as i32);
    sum
}

/// Squares from which the only enemy queen could be attacked next.
fn near_queen(
    attacks: &AttackInfo<'_>,
    us: Color,
    strongly_defended: Bitboard,
    sum: &mut impl EvalAccumulator,
) {
    let ours = attacks.sides.get(us);
    let Some(queen) = (attacks.sides.get(!us).pieces & attacks.board.queens()).single_square() else {
        return;
    };
    let safe = ours.mobility_area & !strongly_defended;
    let knights = attacks::knight_attacks(queen) & ours.by_role[1] & safe;
    sum.add(KNIGHT_NEARS_QUEEN, knights.count() as i32);
    let diagonal = attacks::bishop_attacks(queen, attacks.occupied) & ours.by_role[2];
    let straight = attacks::rook_attacks(queen, attacks.occupied) & ours.by_role[3];
    let sliders = (diagonal | straight) & safe & ours.twice;
    sum.add(SLIDER_NEARS_QUEEN, sliders.count() as i32);
}

/// Where pawns can safely step to.
fn pushes(attacks: &AttackInfo<'_>, us: Color) -> Bitboard {
    let ours = attacks.sides.get(us);
    let theirs = attacks.sides.get(!us);
    let third = us.fold_wb(Bitboard(0x0000_0000_00ff_0000), Bitboard(0x0000_ff00_0000_0000));
    let once = forward(us, ours.pawns) & !attacks.occupied;
    let twice = forward(us, once & third) & !attacks.occupied;
    (once | twice) & !theirs.by_role[0] & (ours.all | !theirs.all)
}

/// Room to move behind the own pawns, which counts while there are many pieces.
pub(super) fn space<T: EvalAccumulator>(attacks: &AttackInfo<'_>, us: Color, weights: T::Weights) -> T {
    let ours = attacks.sides.get(us);
    let theirs = attacks.sides.get(!us);
    let middle = us.fold_wb(Bitboard(0x0000_0000_3c3c_3c00), Bitboard(0x003c_3c3c_0000_0000));
    let safe = middle & !ours.pawns & !theirs.by_role[0];
    let behind = safe & fill_forward(!us, ours.pawns);
    let pieces = (ours.pieces & !attacks.board.pawns()).count() as i32;
    let room = (safe.count() + (behind & !theirs.all).count()) as i32;
    let mut sum = T::empty(weights);
    sum.add(SPACE, 3 * room * (pieces - 3).max(0) / 16);
    sum
}

//! Threats: pieces attacked by lesser ones, hanging pieces, pawns about to attack; and the space behind the pawns.

use shakmaty::Bitboard;

use super::{
    picture::{Picture, fill_forward, forward, pawn_attacks},
    tapered::{Tapered, t},
};
use crate::chess::Color;

/// A piece attacked by a pawn.
const BY_PAWN: Tapered = t(58, 36);
/// A piece that a pawn could attack with its next step.
const BY_PUSH: Tapered = t(16, 14);
/// By the victim, pawn to king: attacked by a minor piece, by a rook.
const BY_MINOR: [Tapered; 6] = [t(2, 14), t(20, 22), t(24, 24), t(46, 32), t(42, 44), t(0, 0)];
const BY_ROOK: [Tapered; 6] = [t(0, 16), t(18, 22), t(20, 26), t(0, 14), t(40, 20), t(0, 0)];
const BY_KING: Tapered = t(10, 28);
/// Attacked and not defended, or attacked twice and defended once.
const HANGING: Tapered = t(32, 18);
/// A safe square behind the own pawns in the middle, for each piece that could use it.
const SPACE: i32 = 3;

/// The worth of a side's threats. The picture must be complete.
pub(super) fn threats(picture: &Picture<'_>, us: Color) -> Tapered {
    let ours = picture.sides.get(us);
    let theirs = picture.sides.get(!us);
    let board = picture.board;
    let pieces = theirs.pieces & !(board.pawns() | board.kings());
    let strongly_defended = theirs.by_role[0] | theirs.twice & !ours.twice;
    let weak = theirs.pieces & !strongly_defended & ours.all;
    let mut sum = BY_PAWN * (pieces & ours.by_role[0]).count() as i32;
    let defended = pieces & strongly_defended;
    let minors = ours.by_role[1] | ours.by_role[2];
    for victim in (weak | defended) & minors {
        sum += board
            .role_at(victim)
            .map_or(Tapered::ZERO, |role| BY_MINOR[role as usize - 1]);
    }
    for victim in weak & ours.by_role[3] {
        sum += board
            .role_at(victim)
            .map_or(Tapered::ZERO, |role| BY_ROOK[role as usize - 1]);
    }
    if (weak & ours.by_role[5]).any() {
        sum += BY_KING;
    }
    let hanging = weak & (!theirs.all | pieces & ours.twice);
    sum += HANGING * hanging.count() as i32;
    sum + BY_PUSH * (pawn_attacks(us, pushes(picture, us)) & pieces).count() as i32
}

/// Where pawns can safely step to.
fn pushes(picture: &Picture<'_>, us: Color) -> Bitboard {
    let ours = picture.sides.get(us);
    let theirs = picture.sides.get(!us);
    let third = us.fold_wb(Bitboard(0x0000_0000_00ff_0000), Bitboard(0x0000_ff00_0000_0000));
    let once = forward(us, ours.pawns) & !picture.occupied;
    let twice = forward(us, once & third) & !picture.occupied;
    (once | twice) & !theirs.by_role[0] & (ours.all | !theirs.all)
}

/// Room to move behind the own pawns, which counts while there are many pieces.
pub(super) fn space(picture: &Picture<'_>, us: Color) -> Tapered {
    let ours = picture.sides.get(us);
    let theirs = picture.sides.get(!us);
    let middle = us.fold_wb(Bitboard(0x0000_0000_3c3c_3c00), Bitboard(0x003c_3c3c_0000_0000));
    let safe = middle & !ours.pawns & !theirs.by_role[0];
    let behind = safe & fill_forward(!us, ours.pawns);
    let pieces = (ours.pieces & !picture.board.pawns()).count() as i32;
    let room = (safe.count() + (behind & !theirs.all).count()) as i32;
    t(SPACE * room * (pieces - 3).max(0) / 16, 0)
}

//! Notes on a legal move: 40 bits that say what it takes, wins, loses, attacks and repeats.

use shakmaty::{Bitboard, Move, Position as _, Role, attacks};
use sparring_chess::key_after;

use super::{
    board::{LegalMove, OWN, THEIR, View},
    exchanges::{exchange, value, worst_steps},
};

/// Bits of the notes; `training/README.md` says when each is set. Groups start with the one named.
pub(super) mod bit {
    pub(in super::super) const MOVER: u32 = 0;
    pub(in super::super) const TAKEN: u32 = 6;
    pub(in super::super) const CASTLING: u32 = 11;
    pub(in super::super) const PROMOTION: u32 = 12;
    pub(in super::super) const CHECK: u32 = 16;
    pub(in super::super) const MATE: u32 = 17;
    pub(in super::super) const WINS: u32 = 18;
    pub(in super::super) const LOSES: u32 = 21;
    pub(in super::super) const HUNG: u32 = 25;
    pub(in super::super) const PAWN_GUARDS: u32 = 26;
    pub(in super::super) const MEETS_LAST: u32 = 27;
    pub(in super::super) const SAME_PIECE: u32 = 28;
    pub(in super::super) const GOES_BACK: u32 = 29;
    pub(in super::super) const LEAVES: u32 = 30;
    pub(in super::super) const ATTACKS: u32 = 34;
    pub(in super::super) const NEAR_KING: u32 = 38;
    pub(in super::super) const REPEATS: u32 = 39;
}

/// The notes on a move; `hung` are the own pieces that hang before it.
pub(super) fn of_move(view: &View<'_>, candidate: &LegalMove, hung: Bitboard) -> u64 {
    let LegalMove { mv, from, to, .. } = *candidate;
    let role = mv.role();
    let board = view.board_after(mv);
    let gives_check = board.attacks_to(view.their_king, OWN, board.occupied()).any();
    let mut notes = 0_u64;
    let mut note = |bit: u32, holds: bool| notes |= u64::from(holds) << bit;

    note(bit::MOVER + place(role), true);
    if let Some(taken) = mv.capture() {
        note(bit::TAKEN + place(taken), true);
    }
    note(bit::CASTLING, mv.is_castle());
    if let Some(promotion) = mv.promotion() {
        note(bit::PROMOTION + place(promotion) - 1, true);
    }
    note(bit::CHECK, gives_check);
    note(bit::MATE, gives_check && is_mate(view, mv));

    let won = won_on_square(view, candidate);
    for (n, gain) in [100, 300, 500].into_iter().enumerate() {
        note(bit::WINS + n as u32, won >= gain);
    }
    for (n, loss) in [100, 200, 400, 800].into_iter().enumerate() {
        note(bit::LOSES + n as u32, won <= -loss);
    }

    note(bit::HUNG, hung.contains(from));
    let their_pawns = view.board.by_piece(Role::Pawn.of(THEIR));
    note(
        bit::PAWN_GUARDS,
        (attacks::pawn_attacks(OWN, to) & their_pawns).any(),
    );
    note(
        bit::MEETS_LAST,
        view.earlier_move(1)
            .is_some_and(|last| view.squares(last).1 == to),
    );
    if let Some(own_last) = view.earlier_move(2) {
        let (came_from, stands) = view.squares(own_last);
        note(bit::SAME_PIECE, stands == from);
        note(bit::GOES_BACK, stands == from && came_from == to);
    }
    for n in 0..worst_steps(&board, OWN) {
        note(bit::LEAVES + n as u32, true);
    }
    for n in 0..worst_steps(&board, THEIR) {
        note(bit::ATTACKS + n as u32, true);
    }
    note(
        bit::NEAR_KING,
        !mv.is_capture() && attacks::king_attacks(view.their_king).contains(to),
    );
    note(bit::REPEATS, repeats(view, mv));
    notes
}

/// Whether a note is set.
pub(super) fn has(notes: u64, bit: u32) -> bool {
    notes >> bit & 1 == 1
}

/// P N B R Q K = 0 to 5.
pub(super) fn place(role: Role) -> u32 {
    u32::from(role) - 1
}

/// What the exchange that a move begins wins, in centipawns, the captured piece included.
fn won_on_square(view: &View<'_>, candidate: &LegalMove) -> i32 {
    let LegalMove { mv, from, to, .. } = *candidate;
    let mut occupied = view.board.occupied();
    if mv.is_en_passant() {
        occupied.discard(shakmaty::Square::from_coords(to.file(), from.rank()));
    }
    exchange(
        &view.board,
        mv.role().of(OWN),
        from,
        to,
        mv.capture().map_or(0, value),
        occupied,
    )
}

fn is_mate(view: &View<'_>, mv: Move) -> bool {
    let mut after = view.position().clone();
    after.play_unchecked(mv);
    after.legal_moves().is_empty()
}

/// Whether the position after a move stood in the game before.
fn repeats(view: &View<'_>, mv: Move) -> bool {
    let before = view.position();
    let keys = view.history.keys();
    // The first position that can come again stands four plies before it does.
    let reversible = (before.halfmoves() as usize).saturating_add(1).min(keys.len());
    if reversible < 4 || mv.is_zeroing() || mv.is_castle() {
        return false;
    }
    let mut after = before.clone();
    after.play_unchecked(mv);
    let key = key_after(before, keys[keys.len() - 1], mv, &after);
    (4..=reversible)
        .step_by(2)
        .any(|back| keys[keys.len() - back] == key)
}

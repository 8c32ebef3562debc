//! The board as 96 sets of squares: pieces, attacks, what hangs, pins, the last moves, and where noted moves go.

use shakmaty::{Bitboard, Board, Color, File, Piece, Rank, Role, Square, attacks};

use super::{
    board::{LegalMove, OWN, THEIR, View},
    exchanges::{hanging, steps},
    notes::{bit, has, place},
};

/// How many sets of squares a position is.
pub const PLANES: usize = 96;

// The first plane of each group; where there are two sides, own come first.
const PIECES: usize = 0;
const ATTACKS: usize = 12;
const ATTACKED_OFTEN: usize = 24;
const HANGING: usize = 28;
const CHECK_SQUARES: usize = 36;
const PINNED: usize = 42;
const UNCOVERING: usize = 44;
const CHECKERS: usize = 46;
const FROM: usize = 47;
const TO: usize = 48;
const PASSED: usize = 49;
const EN_PASSANT: usize = 51;
const CASTLING_RIGHTS: usize = 52;
const LAST_MOVES: usize = 53;
const LAST_CAPTURES: usize = 65;
const XRAYS: usize = 67;
const ATTACKED_BY_LESSER: usize = 71;
const RANKS: usize = 73;
const FILES: usize = 81;
const ALL: usize = 85;
const SAFE_TO: usize = 86;
const WINNING: usize = 90;
const CHECKS: usize = 92;
const MATES: usize = 94;
const TIDY: usize = 95;

/// How many moves back the planes show.
const REMEMBERED_MOVES: usize = 6;

/// The planes of a board, those of noted moves still empty.
pub(super) fn of_board(view: &View<'_>, moves: &[LegalMove]) -> [u64; PLANES] {
    let mut planes = [Bitboard::EMPTY; PLANES];
    let board = &view.board;
    for (side, color) in [OWN, THEIR].into_iter().enumerate() {
        attacks_of(board, side, color, &mut planes);
        hanging_of(board, side, color, &mut planes);
        let (king, other_king) = if side == 0 {
            (view.king, view.their_king)
        } else {
            (view.their_king, view.king)
        };
        planes[CHECK_SQUARES + 3 * side] = attacks::knight_attacks(other_king);
        planes[CHECK_SQUARES + 3 * side + 1] = attacks::bishop_attacks(other_king, board.occupied());
        planes[CHECK_SQUARES + 3 * side + 2] = attacks::rook_attacks(other_king, board.occupied());
        planes[PINNED + side] = alone_before(board, !color, king) & board.by_color(color);
        planes[UNCOVERING + side] = alone_before(board, color, other_king) & board.by_color(color);
    }
    for side in 0..2 {
        planes[ATTACKED_BY_LESSER + side] = attacked_by_lesser(board, side, &planes);
    }
    planes[CHECKERS] = board.attacks_to(view.king, THEIR, board.occupied());
    planes[FROM] = moves.iter().map(|candidate| candidate.from).collect();
    planes[TO] = moves.iter().map(|candidate| candidate.to).collect();
    let (own_pawns, their_pawns) = (
        board.by_piece(Role::Pawn.of(OWN)),
        board.by_piece(Role::Pawn.of(THEIR)),
    );
    planes[PASSED] = passed(own_pawns, their_pawns);
    planes[PASSED + 1] = passed(their_pawns.flip_vertical(), own_pawns.flip_vertical()).flip_vertical();
    planes[EN_PASSANT] = view.en_passant().into_iter().collect();
    planes[CASTLING_RIGHTS] = view.castling_rights();
    last_moves(view, &mut planes);
    for rank in Rank::ALL {
        planes[RANKS + rank.to_usize()] = Bitboard::from_rank(rank);
    }
    for file in [File::A, File::B, File::C, File::D] {
        let both = Bitboard::from_file(file) | Bitboard::from_file(file.flip_horizontal());
        planes[FILES + file.to_usize()] = both;
    }
    planes[ALL] = Bitboard::FULL;
    planes.map(u64::from)
}

/// Own pieces that hang, by one step or more.
pub(super) fn hung(planes: &[u64; PLANES]) -> Bitboard {
    Bitboard(planes[HANGING])
}

/// Whether a piece gives check to the mover.
pub(super) fn in_check(planes: &[u64; PLANES]) -> bool {
    planes[CHECKERS] != 0
}

/// Fills the planes that show where moves with certain notes go.
pub(super) fn add_noted_moves(planes: &mut [u64; PLANES], moves: &[LegalMove]) {
    for LegalMove { from, to, notes, .. } in moves {
        let (from, to) = (u64::from(Bitboard::from(*from)), u64::from(Bitboard::from(*to)));
        let keeps = !has(*notes, bit::LOSES);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            if keeps && has(*notes, bit::MOVER + place(role)) {
                planes[SAFE_TO + place(role) as usize - 1] |= to;
            }
        }
        if has(*notes, bit::WINS) {
            planes[WINNING] |= from;
            planes[WINNING + 1] |= to;
        }
        if has(*notes, bit::CHECK) {
            planes[CHECKS] |= to;
            if keeps {
                planes[CHECKS + 1] |= to;
            }
        }
        if has(*notes, bit::MATE) {
            planes[MATES] |= to;
        }
        if !has(*notes, bit::LEAVES) {
            planes[TIDY] |= to;
        }
    }
}

/// Pieces, squares attacked by each type and by how many, and squares reached only through the first piece in the way.
fn attacks_of(board: &Board, side: usize, color: Color, planes: &mut [Bitboard; PLANES]) {
    let occupied = board.occupied();
    let (mut once, mut twice, mut thrice) = (Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY);
    for (n, role) in Role::ALL.into_iter().enumerate() {
        let piece = role.of(color);
        planes[PIECES + 6 * side + n] = board.by_piece(piece);
        for square in board.by_piece(piece) {
            let attacked = attacks::attacks(square, piece, occupied);
            planes[ATTACKS + 6 * side + n] |= attacked;
            thrice |= twice & attacked;
            twice |= once & attacked;
            once |= attacked;
            let beyond = occupied & !attacked;
            if matches!(role, Role::Bishop | Role::Queen) {
                let through =
                    attacks::bishop_attacks(square, beyond) & !attacks::bishop_attacks(square, occupied);
                planes[XRAYS + 2 * side] |= through;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                let through =
                    attacks::rook_attacks(square, beyond) & !attacks::rook_attacks(square, occupied);
                planes[XRAYS + 2 * side + 1] |= through;
            }
        }
    }
    planes[ATTACKED_OFTEN + 2 * side] = twice;
    planes[ATTACKED_OFTEN + 2 * side + 1] = thrice;
}

/// Pieces, the king left out, that hang by 1, 2, 3, 4 steps or more.
fn hanging_of(board: &Board, side: usize, color: Color, planes: &mut [Bitboard; PLANES]) {
    for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let piece = Piece { color, role };
        for square in board.by_piece(piece) {
            for step in 0..steps(hanging(board, piece, square, board.occupied())) {
                planes[HANGING + 4 * side + step].add(square);
            }
        }
    }
}

/// Pieces of either side that stand alone between a king and a slider of `color`.
fn alone_before(board: &Board, color: Color, king: Square) -> Bitboard {
    let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    ((straight | diagonal) & board.by_color(color))
        .into_iter()
        .filter_map(|slider| (attacks::between(king, slider) & board.occupied()).single_square())
        .collect()
}

/// N B R Q attacked by a pawn, R Q by a knight or bishop, Q by a rook.
fn attacked_by_lesser(board: &Board, side: usize, planes: &[Bitboard; PLANES]) -> Bitboard {
    let by = |role: Role| planes[ATTACKS + 6 * (1 - side) + place(role) as usize];
    let major = board.rooks() | board.queens();
    let attacked = (by(Role::Pawn) & (board.knights() | board.bishops() | major))
        | ((by(Role::Knight) | by(Role::Bishop)) & major)
        | (by(Role::Rook) & board.queens());
    attacked & board.by_color(if side == 0 { OWN } else { THEIR })
}

/// Pawns that go up and meet no pawn of the others on their file and the two beside it.
fn passed(pawns: Bitboard, others: Bitboard) -> Bitboard {
    let mut guarded = others.shift(-8);
    for ranks in [1, 2, 4] {
        guarded |= guarded.shift(-8 * ranks);
    }
    let east = (guarded & !Bitboard::from_file(File::H)).shift(1);
    let west = (guarded & !Bitboard::from_file(File::A)).shift(-1);
    pawns & !(guarded | east | west)
}

/// From and to squares of the last moves, the latest first, and where the last two took something.
fn last_moves(view: &View<'_>, planes: &mut [Bitboard; PLANES]) {
    for back in 0..REMEMBERED_MOVES {
        let Some(mv) = view.earlier_move(back + 1) else {
            return;
        };
        let (from, to) = view.squares(mv);
        planes[LAST_MOVES + 2 * back] = from.into();
        planes[LAST_MOVES + 2 * back + 1] = to.into();
        if back < 2 && mv.is_capture() {
            planes[LAST_CAPTURES + back] = to.into();
        }
    }
}

//! Attack maps of a position, made once for all terms.

use shakmaty::{Bitboard, Board, attacks};

use sparring_chess::{ByColor, Color, Role, Square};

/// One side's attacks and targets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SideAttacks {
    /// Its pieces.
    pub pieces: Bitboard,
    /// Its pawns.
    pub pawns: Bitboard,
    /// Its king, which some variants lack.
    pub king: Option<Square>,
    /// Squares attacked by role, pawn to king.
    pub by_role: [Bitboard; 6],
    /// Squares attacked at all.
    pub all: Bitboard,
    /// Squares attacked twice or more.
    pub twice: Bitboard,
    /// Squares near the own king, which the enemy wants to attack.
    pub zone: Bitboard,
    /// Squares where mobility counts: not those of the own king and of own pawns that are blocked or on their first two ranks,
    /// not those that enemy pawns attack.
    pub mobility_area: Bitboard,
    /// Pieces that attack the enemy's king zone: all, and knights, bishops, rooks and queens.
    pub attackers: i32,
    pub attackers_by_role: [i32; 4],
    /// Attacks on squares next to the enemy king.
    pub ring_attacks: i32,
}

/// The attack maps of both sides.
#[derive(Debug, Clone)]
pub(super) struct AttackInfo<'b> {
    pub board: &'b Board,
    pub occupied: Bitboard,
    pub sides: ByColor<SideAttacks>,
}

impl<'b> AttackInfo<'b> {
    /// The attacks of kings and pawns; [`AttackInfo::add`] adds those of pieces.
    pub fn new(board: &'b Board) -> Self {
        let occupied = board.occupied();
        let mut sides = ByColor::new_with(|color| basics(board, color));
        for color in Color::ALL {
            let enemy_pawn_attacks = sides.get(!color).by_role[0];
            let side = sides.get_mut(color);
            let low = color.fold_wb(Bitboard(0x0000_0000_00ff_ff00), Bitboard(0x00ff_ff00_0000_0000));
            let blocked = occupied.shift(color.fold_wb(-8, 8)) | low;
            let king = side.king.map_or(Bitboard::EMPTY, Bitboard::from);
            side.mobility_area = !(side.pawns & blocked) & !king & !enemy_pawn_attacks;
        }
        Self {
            board,
            occupied,
            sides,
        }
    }

    /// Adds the attacks of one piece, knight to queen, to its side's attacks.
    pub fn add(&mut self, color: Color, role: Role, attacked: Bitboard) {
        let enemy = self.sides.get(!color);
        let (zone, king) = (enemy.zone, enemy.king);
        let side = self.sides.get_mut(color);
        side.twice |= side.all & attacked;
        side.all |= attacked;
        side.by_role[role as usize - 1] |= attacked;
        if (attacked & zone).any() {
            side.attackers += 1;
            side.attackers_by_role[role as usize - 2] += 1;
            let ring = king.map_or(Bitboard::EMPTY, attacks::king_attacks);
            side.ring_attacks += (attacked & ring).count() as i32;
        }
    }
}

fn basics(board: &Board, color: Color) -> SideAttacks {
    let pieces = board.by_color(color);
    let pawns = pieces & board.pawns();
    let king = board.king_of(color);
    let pawn_attacks = pawn_attacks(color, pawns);
    let twice = pawn_attacks_twice(color, pawns);
    let king_attacks = king.map_or(Bitboard::EMPTY, attacks::king_attacks);
    let mut by_role = [Bitboard::EMPTY; 6];
    by_role[0] = pawn_attacks;
    by_role[5] = king_attacks;
    SideAttacks {
        pieces,
        pawns,
        king,
        by_role,
        all: pawn_attacks | king_attacks,
        twice: twice | pawn_attacks & king_attacks,
        zone: king.map_or(Bitboard::EMPTY, |king| zone(color, king)),
        ..SideAttacks::default()
    }
}

/// The squares around a king and the three before those.
fn zone(color: Color, king: Square) -> Bitboard {
    let ring = attacks::king_attacks(king) | Bitboard::from(king);
    ring | ring.shift(color.fold_wb(8, -8))
}

/// All squares that pawns of a color attack.
pub(super) fn pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let (left, right) = pawn_attack_sides(color, pawns);
    left | right
}

fn pawn_attacks_twice(color: Color, pawns: Bitboard) -> Bitboard {
    let (left, right) = pawn_attack_sides(color, pawns);
    left & right
}

fn pawn_attack_sides(color: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let not_a = pawns & Bitboard(0xfefe_fefe_fefe_fefe);
    let not_h = pawns & Bitboard(0x7f7f_7f7f_7f7f_7f7f);
    match color {
        Color::White => (not_a.shift(7), not_h.shift(9)),
        Color::Black => (not_a.shift(-9), not_h.shift(-7)),
    }
}

/// A set of squares filled towards the enemy, the set itself included.
pub(super) fn fill_forward(color: Color, squares: Bitboard) -> Bitboard {
    let Bitboard(mut bits) = squares;
    match color {
        Color::White => {
            bits |= bits << 8;
            bits |= bits << 16;
            bits |= bits << 32;
        }
        Color::Black => {
            bits |= bits >> 8;
            bits |= bits >> 16;
            bits |= bits >> 32;
        }
    }
    Bitboard(bits)
}

/// All squares of the files that a set stands on.
pub(super) fn fill_files(squares: Bitboard) -> Bitboard {
    fill_forward(Color::White, squares) | fill_forward(Color::Black, squares)
}

/// The squares one step before a set.
pub(super) fn forward(color: Color, squares: Bitboard) -> Bitboard {
    squares.shift(color.fold_wb(8, -8))
}

/// The squares to the left and right of a set.
pub(super) fn beside(squares: Bitboard) -> Bitboard {
    (squares & Bitboard(0xfefe_fefe_fefe_fefe)).shift(-1)
        | (squares & Bitboard(0x7f7f_7f7f_7f7f_7f7f)).shift(1)
}

/// A square's rank as its owner counts, 0 to 7.
pub(super) fn relative_rank(color: Color, square: Square) -> usize {
    let rank = square as usize / 8;
    match color {
        Color::White => rank,
        Color::Black => 7 - rank,
    }
}

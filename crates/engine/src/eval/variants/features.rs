//! How often each feature of a variant counts in a position.

use shakmaty::{Bitboard, Board, attacks};

use super::{
    super::{
        attacks::{beside, fill_files, fill_forward, forward, pawn_attacks},
        squares::mirrored,
        weight::Weight,
    },
    rows::*,
};
use crate::node::Node;
use sparring_chess::{ByColor, Color, Rank, Role, Rules as _, Square, Variant, VariantTraits};

/// Squares that win the game for a king in king of the hill.
const HILL: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// The rows of squares, pawn to king.
const SQUARES: [Weight; 6] = [
    PAWN_SQUARES,
    KNIGHT_SQUARES,
    BISHOP_SQUARES,
    ROOK_SQUARES,
    QUEEN_SQUARES,
    KING_SQUARES,
];

/// The rows of men in hand, pawn to queen.
const IN_HAND: [Weight; 5] = [
    PAWNS_IN_HAND,
    KNIGHTS_IN_HAND,
    BISHOPS_IN_HAND,
    ROOKS_IN_HAND,
    QUEENS_IN_HAND,
];

/// What a side attacks.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    men: Bitboard,
    king: Option<Square>,
    /// By role, pawn to king.
    by_role: [Bitboard; 6],
    /// With the king's.
    all: Bitboard,
    /// Without the king's.
    by_men: Bitboard,
    /// Attacks of men on the squares next to the enemy king, and how many men make them.
    ring_attacks: usize,
    attackers: usize,
    /// Attacks of men on enemy men.
    captures: usize,
    /// Attacks of men on enemy men next to their king.
    blasts: usize,
}

/// A position taken apart.
struct Counter<'n, F> {
    variant: Variant,
    traits: VariantTraits,
    node: &'n Node,
    board: &'n Board,
    sides: ByColor<Side>,
    add: F,
}

/// The place of a weight in a variant's table: where the sides play different games, each has its own half.
pub(super) fn place(variant: Variant, color: Color, weight: Weight) -> usize {
    let half = variant.traits().uneven_sides && color.is_black();
    weight.index() + usize::from(half) * COUNT
}

/// Tells `add` each feature that counts: whose, its weight, and how often.
pub(super) fn count(variant: Variant, node: &Node, add: &mut impl FnMut(Color, Weight, i32)) {
    let mut counter = Counter {
        variant,
        traits: variant.traits(),
        node,
        board: node.board(),
        sides: ByColor::new_with(|color| Side {
            men: node.board().by_color(color),
            king: node.board().king_of(color),
            ..Side::default()
        }),
        add,
    };
    for us in Color::ALL {
        counter.men(us);
    }
    for us in Color::ALL {
        counter.relations(us);
    }
    (counter.add)(node.turn, THE_MOVE, 1);
}

impl<F: FnMut(Color, Weight, i32)> Counter<'_, F> {
    fn add(&mut self, us: Color, weight: Weight, times: usize) {
        if times > 0 {
            (self.add)(us, weight, times as i32);
        }
    }

    /// A square as its owner sees it: up the board is where it goes.
    fn seen(&self, us: Color, square: Square) -> Square {
        match us.is_white() || self.traits.same_direction {
            true => square,
            false => square.flip_vertical(),
        }
    }

    /// Each man by itself, and what it attacks.
    fn men(&mut self, us: Color) {
        let (board, whole) = (self.board, !self.traits.classical_terms);
        let occupied = board.occupied();
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let enemy_pawns = pawn_attacks(!us, theirs & board.pawns());
        let enemy_king = self.sides.get(!us).king;
        let ring = enemy_king.map_or(Bitboard::EMPTY, attacks::king_attacks);
        let mut side = *self.sides.get(us);
        for role in Role::ALL {
            let index = role as usize - 1;
            for square in ours & board.by_role(role) {
                let attacked = attacks::attacks(square, role.of(us), occupied);
                side.by_role[index] |= attacked;
                side.captures += (attacked & theirs).count();
                if role != Role::King {
                    side.by_men |= attacked;
                    side.ring_attacks += (attacked & ring).count();
                    side.attackers += usize::from((attacked & ring).any() && role != Role::Pawn);
                    side.blasts += (attacked & ring & theirs).count();
                }
                if whole {
                    self.add(us, MATERIAL.at(index), 1);
                    self.mobility(us, role, (attacked & !ours & !enemy_pawns).count());
                }
                if whole || role == Role::King {
                    let seen = self.seen(us, square) as usize;
                    self.add(us, SQUARES[index].at(mirrored(seen)), 1);
                }
            }
        }
        side.all = side.by_role.iter().fold(Bitboard::EMPTY, |all, own| all | *own);
        *self.sides.get_mut(us) = side;
    }

    fn mobility(&mut self, us: Color, role: Role, squares: usize) {
        let weight = match role {
            Role::Pawn | Role::King => return,
            Role::Knight => KNIGHT_MOBILITY.at(squares),
            Role::Bishop => BISHOP_MOBILITY.at(squares),
            Role::Rook => ROOK_MOBILITY.at(squares),
            Role::Queen => QUEEN_MOBILITY.at(squares / 2),
        };
        self.add(us, weight, 1);
    }

    /// What men are to each other.
    fn relations(&mut self, us: Color) {
        if !self.traits.classical_terms {
            self.structure(us);
            self.attacked(us);
            self.in_hand(us);
        }
        if self.traits.forced_captures {
            let side = self.sides.get(us);
            let row = if self.node.turn == us {
                CAPTURES_NOW
            } else {
                CAPTURES_NEXT
            };
            let weight = row.at(side.captures);
            self.add(us, weight, 1);
        } else if !self.traits.same_direction {
            self.siege(us);
        }
        match self.variant {
            Variant::KingOfTheHill => self.hill(us),
            Variant::ThreeCheck => self.checks_left(us),
            Variant::RacingKings => self.race(us),
            Variant::Atomic => self.blasts(us),
            _ => {}
        }
    }

    fn structure(&mut self, us: Color) {
        let pawns = self.board.pawns() & self.board.by_color(us);
        let theirs = self.board.pawns() & self.board.by_color(!us);
        if (self.board.bishops() & self.board.by_color(us)).more_than_one() {
            self.add(us, BISHOP_PAIR, 1);
        }
        let rooks = self.board.rooks() & self.board.by_color(us) & !fill_files(pawns);
        self.add(us, ROOK_FILE, rooks.count());
        if pawns.is_empty() {
            return;
        }
        self.add(us, GUARDED_PAWN, (pawns & pawn_attacks(us, pawns)).count());
        self.add(us, PHALANX, (pawns & beside(pawns)).count());
        self.add(
            us,
            DOUBLED,
            (pawns & fill_forward(us, forward(us, pawns))).count(),
        );
        self.add(us, ISOLATED, (pawns & !fill_files(beside(pawns))).count());
        let stoppers = fill_forward(!us, theirs | pawn_attacks(!us, theirs));
        for square in pawns & !stoppers & !fill_forward(!us, forward(!us, pawns)) {
            let rank = self.seen(us, square).rank() as usize;
            self.add(us, PASSED.at(rank), 1);
        }
    }

    fn attacked(&mut self, us: Color) {
        let (side, enemy) = (*self.sides.get(us), *self.sides.get(!us));
        let mut lesser = Bitboard::EMPTY;
        for role in Role::ALL {
            let index = role as usize - 1;
            let men = side.men & self.board.by_role(role);
            self.add(us, HANGING.at(index), (men & enemy.all & !side.all).count());
            self.add(us, HARASSED.at(index), (men & lesser).count());
            lesser |= enemy.by_role[index];
        }
    }

    fn in_hand(&mut self, us: Color) {
        let Some(pocket) = self.node.pos.pockets().map(|pockets| *pockets.get(us)) else {
            return;
        };
        for (role, row) in Role::ALL.into_iter().zip(IN_HAND) {
            let held = usize::from(pocket[role]);
            if held > 0 {
                self.add(us, row.at(held - 1), 1);
            }
        }
        let enemy = *self.sides.get(!us);
        let Some(king) = enemy.king else { return };
        let free = !self.board.occupied();
        let mut checks = 0;
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            if pocket[role] > 0 {
                let from = attacks::attacks(king, role.of(!us), self.board.occupied());
                checks += (from & free & !enemy.all).count().min(4);
            }
        }
        self.add(us, DROP_CHECKS.at(checks), 1);
        if pocket.iter().any(|held| *held > 0) {
            let open = attacks::king_attacks(king) & free & !enemy.by_men;
            self.add(us, DROP_SQUARES.at(open.count()), 1);
        }
    }

    /// The attack on the enemy king and the shelter of the own.
    fn siege(&mut self, us: Color) {
        let (side, enemy) = (*self.sides.get(us), *self.sides.get(!us));
        if let Some(king) = enemy.king {
            self.add(us, ATTACKERS.at(side.attackers), 1);
            self.add(us, RING_ATTACKS.at(side.ring_attacks), 1);
            let occupied = self.board.occupied();
            let mut checks = 0;
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                let from = attacks::attacks(king, role.of(!us), occupied) & !side.men;
                checks += (from & side.by_role[role as usize - 1] & !enemy.all).count();
            }
            self.add(us, SAFE_CHECKS.at(checks), 1);
        }
        if let Some(king) = side.king {
            let ring = attacks::king_attacks(king);
            let pawns = self.board.pawns() & side.men;
            self.add(us, SHELTER.at((pawns & (ring | forward(us, ring))).count()), 1);
            self.add(us, KING_MOBILITY.at((ring & !side.men & !enemy.all).count()), 1);
        }
    }

    fn hill(&mut self, us: Color) {
        let (side, enemy) = (*self.sides.get(us), *self.sides.get(!us));
        let Some(king) = side.king else { return };
        let steps = HILL.into_iter().map(|square| king.distance(square)).min();
        let row = match steps {
            Some(0 | 1) => HILL_ONE_STEP,
            Some(2) => HILL_TWO_STEPS,
            _ => HILL_FARTHER,
        };
        let open = HILL & !side.men & !enemy.all;
        self.add(us, row.at(open.count()), 1);
    }

    fn checks_left(&mut self, us: Color) {
        let left = self
            .node
            .pos
            .remaining_checks()
            .map_or(3, |checks| u32::from(*checks.get(us)));
        self.add(us, CHECKS_LEFT.at(left as usize), 1);
    }

    fn race(&mut self, us: Color) {
        let (side, enemy) = (*self.sides.get(us), *self.sides.get(!us));
        let Some(king) = side.king else { return };
        let up = Bitboard::from_rank(king.rank().offset(1).unwrap_or(Rank::Eighth));
        if (attacks::king_attacks(king) & up & !side.men & !enemy.all).any() {
            self.add(us, RACE_FREE.at(king.rank() as usize), 1);
        }
    }

    fn blasts(&mut self, us: Color) {
        let (side, enemy) = (*self.sides.get(us), *self.sides.get(!us));
        self.add(us, BLAST_THREATS.at(side.blasts), 1);
        let ring = side.king.map_or(Bitboard::EMPTY, attacks::king_attacks);
        self.add(us, BESIDE_KING.at((ring & enemy.men).count()), 1);
    }
}

//! Pawn structure, which changes seldom and is therefore kept in a table of its own.

use shakmaty::{Bitboard, Board, attacks};

use super::{
    picture::{beside, fill_files, fill_forward, forward, pawn_attacks, relative_rank},
    tapered::{Tapered, t},
};
use crate::chess::{ByColor, Color, Square};

const DOUBLED: Tapered = t(-8, -22);
const ISOLATED: Tapered = t(-10, -12);
const ISOLATED_OPEN: Tapered = t(-12, -8);
const BACKWARD: Tapered = t(-7, -9);
const BACKWARD_OPEN: Tapered = t(-12, -8);
/// A pawn beside another, by the rank of the pawn.
const PHALANX: [Tapered; 8] = [
    t(0, 0),
    t(3, -1),
    t(8, 3),
    t(12, 10),
    t(28, 30),
    t(60, 80),
    t(90, 130),
    t(0, 0),
];
/// A pawn that another protects, by the rank of the protected pawn.
const PROTECTED: [Tapered; 8] = [
    t(0, 0),
    t(0, 0),
    t(12, 8),
    t(10, 8),
    t(16, 14),
    t(36, 34),
    t(80, 60),
    t(0, 0),
];
/// A pawn that will be passed when exchanged, by rank.
const CANDIDATE: [Tapered; 8] = [
    t(0, 0),
    t(-2, 4),
    t(0, 6),
    t(6, 14),
    t(16, 28),
    t(30, 50),
    t(0, 0),
    t(0, 0),
];

/// What the pawns alone say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Structure {
    key: u64,
    /// The worth of each side's structure.
    pub worth: ByColor<Tapered>,
    /// Pawns with a free way.
    pub passed: Bitboard,
    /// Squares that each side's pawns attack now or may attack later.
    pub span: ByColor<Bitboard>,
}

/// Slots of the pawn table.
const SLOTS: usize = 8192;

/// The table of pawn structures.
#[derive(Debug)]
pub(crate) struct PawnTable(Vec<Structure>);

impl PawnTable {
    /// An empty table.
    pub fn new() -> Self {
        let mut table = Self(vec![Structure::default(); SLOTS]);
        table.clear();
        table
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        // No pawns at all have the key zero, and a structure of zeros.
        self.0.fill(Structure::default());
    }

    /// The structure with this key, judged anew if the table has lost it.
    pub(super) fn structure(&mut self, key: u64, board: &Board) -> Structure {
        let slot = &mut self.0[key as usize % SLOTS];
        if slot.key != key {
            *slot = judge(board);
            slot.key = key;
        }
        *slot
    }
}

/// The structure from scratch.
fn judge(board: &Board) -> Structure {
    let mut structure = Structure::default();
    for us in Color::ALL {
        let ours = board.pawns() & board.by_color(us);
        let theirs = board.pawns() & board.by_color(!us);
        *structure.span.get_mut(us) = pawn_attacks(us, fill_forward(us, ours));
        let mut sum = Tapered::ZERO;
        for pawn in ours {
            sum += judge_pawn(us, pawn, ours, theirs);
            if is_passed(us, pawn, theirs) && (ahead(us, pawn) & ours).is_empty() {
                structure.passed.add(pawn);
            }
        }
        *structure.worth.get_mut(us) = sum;
    }
    structure
}

fn judge_pawn(us: Color, pawn: Square, ours: Bitboard, theirs: Bitboard) -> Tapered {
    let rank = relative_rank(us, pawn);
    let here = Bitboard::from(pawn);
    let neighbours = beside(fill_files(here)) & ours;
    let open = (ahead(us, pawn) & theirs).is_empty();
    let mut sum = Tapered::ZERO;
    if (ahead(us, pawn) & ours).any() {
        sum += DOUBLED;
    }
    if neighbours.is_empty() {
        sum += ISOLATED;
        if open {
            sum += ISOLATED_OPEN;
        }
    } else if is_backward(us, pawn, neighbours, theirs) {
        sum += BACKWARD;
        if open {
            sum += BACKWARD_OPEN;
        }
    }
    if (beside(here) & ours).any() {
        sum += PHALANX[rank];
    }
    let helpers = (attacks::pawn_attacks(!us, pawn) & ours).count();
    if helpers > 0 {
        sum += PROTECTED[rank];
    }
    if open && !is_passed(us, pawn, theirs) {
        let sentries = (front_span(us, pawn) & theirs).count();
        let supporters = (beside(here) | attacks::pawn_attacks(!us, pawn)) & ours;
        if sentries <= supporters.count() {
            sum += CANDIDATE[rank];
        }
    }
    sum
}

/// No neighbour stands beside or behind to help, and the next square is guarded by an enemy pawn.
fn is_backward(us: Color, pawn: Square, neighbours: Bitboard, theirs: Bitboard) -> bool {
    let behind = fill_forward(!us, beside(Bitboard::from(pawn)));
    let stop = forward(us, Bitboard::from(pawn));
    (neighbours & behind).is_empty() && (pawn_attacks(!us, theirs) & stop).any()
}

fn is_passed(us: Color, pawn: Square, theirs: Bitboard) -> bool {
    ((front_span(us, pawn) | ahead(us, pawn)) & theirs).is_empty()
}

/// The squares before a pawn on its file.
pub(super) fn ahead(us: Color, pawn: Square) -> Bitboard {
    forward(us, fill_forward(us, Bitboard::from(pawn)))
}

/// The squares before a pawn on the files beside it.
fn front_span(us: Color, pawn: Square) -> Bitboard {
    beside(ahead(us, pawn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Rules as _, Variant, parse_fen};

    fn structure(fen: &str) -> Structure {
        judge(parse_fen(Variant::Standard, fen).unwrap().board())
    }

    #[test]
    fn passed_pawns_are_found() {
        let found = structure("4k3/p6p/8/1P2P3/4P3/8/7P/4K3 w - - 0 1");
        assert_eq!(found.passed, Bitboard::from(Square::E5));
        let found = structure("4k3/8/8/1P6/8/p7/8/4K3 w - - 0 1");
        assert_eq!(
            found.passed,
            Bitboard::from(Square::B5) | Bitboard::from(Square::A3)
        );
    }

    #[test]
    fn doubled_and_isolated_pawns_cost_and_chains_pay() {
        let chain = structure("4k3/8/8/8/8/3P4/2P5/4K3 w - - 0 1").worth.white;
        let apart = structure("4k3/8/8/8/8/3P4/5P2/4K3 w - - 0 1").worth.white;
        let doubled = structure("4k3/8/8/8/8/3P4/3P4/4K3 w - - 0 1").worth.white;
        assert!(chain.eg() > apart.eg() && apart.eg() > doubled.eg());
    }

    #[test]
    fn a_lost_structure_is_judged_again() {
        let mut table = PawnTable::new();
        let pos = Variant::Standard.start();
        let first = table.structure(5, pos.board()).worth;
        let other = parse_fen(Variant::Standard, "4k3/p6p/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        assert_ne!(table.structure(5 + SLOTS as u64, other.board()).worth, first);
        assert_eq!(table.structure(5, pos.board()).worth, first);
    }
}

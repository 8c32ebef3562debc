//! Pawn structure, which changes seldom and is therefore kept in a table of its own.

use shakmaty::{Bitboard, Board, attacks};

use super::{
    accumulator::EvalAccumulator,
    attacks::{beside, fill_files, fill_forward, forward, pawn_attacks, relative_rank},
    score_pair::ScorePair,
    weights::{
        BACKWARD, BACKWARD_OPEN, CANDIDATE, DOUBLED, ISOLATED, ISOLATED_OPEN, LEVER, PHALANX, PROTECTED,
    },
};
use sparring_chess::{ByColor, Color, Square};

/// The evaluation of the pawn structure.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Structure<T> {
    /// The score of each side's structure.
    pub score: ByColor<T>,
    /// Pawns with a free way.
    pub passed: Bitboard,
    /// Squares that each side's pawns attack now or may attack later.
    pub span: ByColor<Bitboard>,
}

impl<T> Structure<T> {
    /// The same structure with its worths in another form.
    pub fn map<U>(self, form: impl FnMut(T) -> U) -> Structure<U> {
        Structure {
            score: self.score.map(form),
            passed: self.passed,
            span: self.span,
        }
    }
}

/// Slots of the pawn table.
const SLOTS: usize = 8192;

/// The table of pawn structures.
#[derive(Debug)]
pub(crate) struct PawnTable(Vec<(u64, Structure<ScorePair>)>);

impl PawnTable {
    /// An empty table.
    pub fn new() -> Self {
        // No pawns at all have the key zero, and a structure of zeros.
        Self(vec![(0, Structure::default()); SLOTS])
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        self.0.fill((0, Structure::default()));
    }

    /// The structure with this key, evaluated unless the table has it.
    pub(super) fn structure(
        &mut self,
        key: u64,
        evaluator: impl FnOnce() -> Structure<ScorePair>,
    ) -> Structure<ScorePair> {
        let slot = &mut self.0[key as usize % SLOTS];
        if slot.0 != key {
            *slot = (key, evaluator());
        }
        slot.1
    }
}

/// The structure from scratch.
pub(super) fn evaluate_pawns<T: EvalAccumulator>(board: &Board, weights: T::Weights) -> Structure<T> {
    let mut structure = Structure {
        score: ByColor::new_with(|_| T::empty(weights)),
        passed: Bitboard::EMPTY,
        span: ByColor::default(),
    };
    for us in Color::ALL {
        let ours = board.pawns() & board.by_color(us);
        let theirs = board.pawns() & board.by_color(!us);
        *structure.span.get_mut(us) = pawn_attacks(us, fill_forward(us, ours));
        let mut sum = T::empty(weights);
        for pawn in ours {
            judge_pawn(us, pawn, ours, theirs, &mut sum);
            if is_passed(us, pawn, theirs) && (ahead(us, pawn) & ours).is_empty() {
                structure.passed.add(pawn);
            }
        }
        *structure.score.get_mut(us) = sum;
    }
    structure
}

fn judge_pawn(us: Color, pawn: Square, ours: Bitboard, theirs: Bitboard, sum: &mut impl EvalAccumulator) {
    let rank = relative_rank(us, pawn);
    let here = Bitboard::from(pawn);
    let neighbours = beside(fill_files(here)) & ours;
    let open = (ahead(us, pawn) & theirs).is_empty();
    if (ahead(us, pawn) & ours).any() {
        sum.add(DOUBLED, 1);
    }
    if neighbours.is_empty() {
        sum.add(ISOLATED, 1);
        if open {
            sum.add(ISOLATED_OPEN, 1);
        }
    } else if is_backward(us, pawn, neighbours, theirs) {
        sum.add(BACKWARD, 1);
        if open {
            sum.add(BACKWARD_OPEN, 1);
        }
    }
    if (beside(here) & ours).any() {
        sum.add(PHALANX.at(rank), 1);
    }
    let helpers = (attacks::pawn_attacks(!us, pawn) & ours).count();
    if helpers > 0 {
        sum.add(PROTECTED.at(rank), 1);
    }
    if open && !is_passed(us, pawn, theirs) {
        let sentries = (front_span(us, pawn) & theirs).count();
        let supporters = (beside(here) | attacks::pawn_attacks(!us, pawn)) & ours;
        if sentries <= supporters.count() {
            sum.add(CANDIDATE.at(rank), 1);
        }
    }
    if (attacks::pawn_attacks(us, pawn) & theirs).any() {
        sum.add(LEVER.at(rank), 1);
    }
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
    use sparring_chess::{Rules as _, Variant, parse_fen};

    fn structure(fen: &str) -> Structure<ScorePair> {
        evaluate_pawns(parse_fen(Variant::Standard, fen).unwrap().board(), ())
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
        let chain = structure("4k3/8/8/8/8/3P4/2P5/4K3 w - - 0 1").score.white;
        let apart = structure("4k3/8/8/8/8/3P4/5P2/4K3 w - - 0 1").score.white;
        let doubled = structure("4k3/8/8/8/8/3P4/3P4/4K3 w - - 0 1").score.white;
        assert!(chain.eg() > apart.eg() && apart.eg() > doubled.eg());
    }

    #[test]
    fn an_evicted_structure_is_evaluated_again() {
        let mut table = PawnTable::new();
        let pos = Variant::Standard.start();
        let first = table.structure(5, || evaluate_pawns(pos.board(), ())).score;
        let other = parse_fen(Variant::Standard, "4k3/p6p/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        assert_ne!(
            table
                .structure(5 + SLOTS as u64, || evaluate_pawns(other.board(), ()))
                .score,
            first
        );
        assert_eq!(
            table.structure(5, || evaluate_pawns(pos.board(), ())).score,
            first
        );
    }
}

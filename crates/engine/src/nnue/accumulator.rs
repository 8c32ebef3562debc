//! NNUE accumulator of both perspectives, updated incrementally along the search path.

use shakmaty::Board;

use super::{SHIPPED, arch::Row, layout::HIDDEN, perspective::Perspective};
use crate::{dirty_piece::DirtyPieces, node::Node, score::MAX_PLY};
use sparring_chess::Color;

/// Both halves, the side to move's first.
pub(crate) type Halves<'a> = [&'a [i16; HIDDEN]; 2];

/// The accumulators of both perspectives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accumulators {
    /// White's, then Black's.
    halves: [Row; 2],
}

impl Accumulators {
    /// An empty board.
    const EMPTY: Self = Self {
        halves: [SHIPPED.bias; 2],
    };

    /// Computes them from a board.
    pub fn fresh(board: &Board) -> Self {
        let mut all = Self::EMPTY;
        for side in Color::ALL {
            all.refresh(side, board);
        }
        all
    }

    /// Both halves, the side to move's first.
    pub fn halves(&self, turn: Color) -> Halves<'_> {
        [turn, !turn].map(|side| &self.halves[side as usize].0)
    }

    fn refresh(&mut self, side: Color, board: &Board) {
        let half = &mut self.halves[side as usize];
        *half = SHIPPED.bias;
        let Some(king) = board.king_of(side) else { return };
        let view = Perspective::of(side, king);
        for (square, piece) in board.iter() {
            add(&mut half.0, &SHIPPED.rows[view.input(square, piece)].0);
        }
    }
}

/// The accumulators of a path, by ply. Many nodes are never evaluated, so each is made when it is needed, from the last
/// one made before it.
#[derive(Debug)]
pub(crate) struct AccumulatorStack {
    plies: Vec<Ply>,
}

/// One ply of the path.
#[derive(Debug, Clone)]
struct Ply {
    accumulators: Accumulators,
    /// Which halves are computed.
    made: [bool; 2],
    /// The pieces changed by the move that led here.
    changes: DirtyPieces,
    /// Whose king has crossed the middle by it, which mirrors that side's whole perspective.
    turned: [bool; 2],
}

impl AccumulatorStack {
    /// Room for every ply of a search.
    pub fn new() -> Self {
        let empty = Ply {
            accumulators: Accumulators::EMPTY,
            made: [false; 2],
            changes: DirtyPieces::new(),
            turned: [false; 2],
        };
        Self {
            plies: vec![empty; MAX_PLY + 2],
        }
    }

    /// Resets the path: the root's accumulator is not made yet.
    pub fn begin(&mut self) {
        self.plies[0].made = [false; 2];
    }

    /// Records the pieces that an orthodox move to this ply changed.
    pub fn enter(&mut self, ply: usize, us: Color, changes: DirtyPieces) {
        let here = &mut self.plies[ply];
        here.made = [false; 2];
        here.changes = changes;
        here.turned = [false; 2];
        let mut kings = here.changes.iter().filter(|change| change.piece == us.king());
        if let (Some(from), Some(to)) = (kings.next(), kings.next()) {
            here.turned[us as usize] = Perspective::of(us, from.square) != Perspective::of(us, to.square);
        }
    }

    /// Records a null move.
    pub fn enter_null(&mut self, ply: usize) {
        let here = &mut self.plies[ply];
        here.made = [false; 2];
        here.changes.clear();
        here.turned = [false; 2];
    }

    /// The accumulators of the node at this ply of the path.
    pub fn halves(&mut self, ply: usize, node: &Node) -> Halves<'_> {
        for side in Color::ALL {
            if !self.plies[ply].made[side as usize] {
                self.materialize(ply, side, node.board());
            }
        }
        self.plies[ply].accumulators.halves(node.turn)
    }

    fn materialize(&mut self, ply: usize, side: Color, board: &Board) {
        let (before, rest) = self.plies.split_at_mut(ply);
        let Some(here) = rest.first_mut() else { return };
        here.made[side as usize] = true;
        let known = || before.iter().rposition(|earlier| earlier.made[side as usize]);
        let turns = |ply: &Ply| ply.turned[side as usize];
        let from = known().filter(|from| !turns(here) && !before[from + 1..].iter().any(turns));
        let (Some(from), Some(king)) = (from, board.king_of(side)) else {
            here.accumulators.refresh(side, board);
            return;
        };
        let view = Perspective::of(side, king);
        let half = &mut here.accumulators.halves[side as usize];
        *half = before[from].accumulators.halves[side as usize];
        let passed = before[from + 1..].iter().map(|ply| &ply.changes);
        for changes in passed.chain([&here.changes]) {
            let rows = |appears| {
                let those = changes.iter().filter(move |change| change.appears == appears);
                those.map(|change| &SHIPPED.rows[view.input(change.square, change.piece)].0)
            };
            // No orthodox move brings more men than it takes away.
            let mut gone = rows(false);
            for (come, gone) in rows(true).zip(gone.by_ref()) {
                add_subtract(&mut half.0, come, gone);
            }
            for gone in gone {
                subtract(&mut half.0, gone);
            }
        }
    }
}

fn add(half: &mut [i16; HIDDEN], row: &[i16; HIDDEN]) {
    for (value, weight) in half.iter_mut().zip(row) {
        *value = value.wrapping_add(*weight);
    }
}

fn subtract(half: &mut [i16; HIDDEN], row: &[i16; HIDDEN]) {
    for (value, weight) in half.iter_mut().zip(row) {
        *value = value.wrapping_sub(*weight);
    }
}

fn add_subtract(half: &mut [i16; HIDDEN], come: &[i16; HIDDEN], gone: &[i16; HIDDEN]) {
    for ((value, come), gone) in half.iter_mut().zip(come).zip(gone) {
        *value = value.wrapping_add(*come).wrapping_sub(*gone);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        dirty_piece::dirty_pieces,
        node::tests::{ORTHODOX_STARTS, start},
    };
    use sparring_chess::Rules as _;

    proptest! {
        #[test]
        fn what_is_kept_up_equals_what_is_made_from_the_board(
            which in 0..ORTHODOX_STARTS,
            choices in prop::collection::vec(any::<usize>(), 1..100),
        ) {
            let mut node = start(which);
            let mut path = AccumulatorStack::new();
            path.begin();
            for (ply, choice) in choices.into_iter().enumerate() {
                // Some nodes are not evaluated, and some twice.
                for _ in 0..choice % 3 {
                    let fresh = Accumulators::fresh(node.board());
                    prop_assert_eq!(path.halves(ply, &node), fresh.halves(node.turn));
                }
                let moves = node.pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // Castling, which is rare, first.
                let castling = moves.iter().find(|mv| mv.is_castle()).filter(|_| choice % 5 == 0);
                let mv = *castling.unwrap_or(&moves[choice % moves.len()]);
                match node.after_null().filter(|_| choice % 7 == 0) {
                    Some(passed) => {
                        path.enter_null(ply + 1);
                        node = passed;
                    }
                    None => {
                        // What was tried before at this ply leaves nothing.
                        path.enter(ply + 1, node.turn, dirty_pieces(node.turn, moves[0]));
                        path.halves(ply + 1, &node.after(moves[0]));
                        path.enter(ply + 1, node.turn, dirty_pieces(node.turn, mv));
                        node = node.after(mv);
                    }
                }
            }
        }
    }
}

//! The move picker: moves in the order they should be tried. All are made at once after the table's move; what ranks the quiet
//! ones, and weighs exchanges, waits until it is needed.
//!
//! Table move, captures that lose little if anything (by victim and history in one sum), killers, quiet moves by history,
//! captures that lose more.

use super::{
    check_info::CheckInfo,
    history::{Histories, HistoryContext},
    node::Node,
    params::Params,
    see,
};
use sparring_chess::{Move, Role, Rules as _};

/// A move with its rank among its kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredMove {
    pub mv: Move,
    pub score: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    Generate,
    Good,
    Quiet,
    Bad,
    Done,
}

/// Killers rank above every history.
const KILLER: i32 = 1 << 24;

/// Hands out the moves of one node. The lists lie on a stack shared by all nodes of the path, the node's own part
/// from `start`: first noisy moves, then quiet ones. [`MovePicker::finish`] gives the space back.
#[derive(Debug)]
pub(super) struct MovePicker<'a> {
    params: &'a Params,
    stage: Stage,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    context: HistoryContext,
    start: usize,
    /// Next move of the stage, and where noisy moves end.
    cursor: usize,
    noisy_end: usize,
    /// Losing captures are moved to the front of the noisy part: from `start` to here.
    bad_end: usize,
    legal: Option<usize>,
    skip_quiets: bool,
    /// Quiet moves are ranked when the first of them is needed: most nodes never get there.
    ranked: bool,
    /// Known from the generation of moves on.
    checks: CheckInfo,
}

/// Whether a move changes material: searched in quiescence, ranked by victim.
pub(super) fn is_noisy(mv: Move) -> bool {
    mv.is_capture() || mv.promotion() == Some(Role::Queen)
}

impl<'a> MovePicker<'a> {
    /// A picker for a node. `moves` is the shared stack; the table move must be legal here.
    pub fn new(
        moves: &[ScoredMove],
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        context: HistoryContext,
        params: &'a Params,
    ) -> Self {
        Self {
            params,
            stage: Stage::Table,
            table_move,
            killers,
            context,
            start: moves.len(),
            cursor: moves.len(),
            noisy_end: moves.len(),
            bad_end: moves.len(),
            legal: None,
            skip_quiets: false,
            ranked: false,
            checks: CheckInfo::default(),
        }
    }

    /// Leaves out the quiet moves that were not handed out yet.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Whether the node is known to have a single legal move.
    pub fn is_only_move(&self) -> bool {
        self.legal == Some(1)
    }

    /// Whether a move gives check; false for the table move, which comes before anything was generated.
    pub fn gives_check(&self, mv: Move) -> bool {
        self.checks.gives(mv)
    }

    /// Whether the move just handed out is a capture known to lose `good_capture` at most, its exchanges counted.
    pub fn passed_see(&self) -> bool {
        self.stage == Stage::Good
    }

    /// Takes the node's lists off the shared stack.
    pub fn finish(&self, moves: &mut Vec<ScoredMove>) {
        moves.truncate(self.start);
    }

    /// The next move to try.
    pub fn next(&mut self, node: &Node, moves: &mut Vec<ScoredMove>, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::Generate;
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::Generate => {
                    self.generate(node, moves, histories);
                    self.stage = Stage::Good;
                }
                Stage::Good => {
                    if self.cursor < self.noisy_end {
                        if let Some(mv) = self.next_good(node, moves) {
                            return Some(mv);
                        }
                    } else {
                        self.stage = Stage::Quiet;
                    }
                }
                Stage::Quiet => {
                    if !self.skip_quiets && self.cursor < moves.len() {
                        self.rank_quiets(moves, histories);
                        return Some(best_first(moves, &mut self.cursor));
                    }
                    self.stage = Stage::Bad;
                    self.cursor = self.start;
                }
                Stage::Bad => {
                    if self.cursor < self.bad_end {
                        self.cursor += 1;
                        return Some(moves[self.cursor - 1].mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// The best capture left; `None` when it loses and was put aside for the last stage.
    fn next_good(&mut self, node: &Node, moves: &mut [ScoredMove]) -> Option<Move> {
        let mv = best_first(&mut moves[..self.noisy_end], &mut self.cursor);
        if !see::holds(node, mv, -self.params.good_capture) {
            moves[self.bad_end] = moves[self.cursor - 1];
            self.bad_end += 1;
            return None;
        }
        Some(mv)
    }

    #[inline(never)]
    fn generate(&mut self, node: &Node, moves: &mut Vec<ScoredMove>, histories: &Histories) {
        let legal = node.pos.legal_moves();
        self.legal = Some(legal.len());
        if node.traits.checks {
            self.checks = CheckInfo::of(node);
        }
        // Comparing whole moves is slow, so the table's is looked for once.
        let table = self
            .table_move
            .and_then(|mv| legal.iter().position(|other| *other == mv));
        for (place, mv) in legal.iter().copied().enumerate() {
            if is_noisy(mv) && Some(place) != table {
                let score =
                    see::most(node, mv) * self.params.victim_weight + histories.capture(node.turn, mv);
                moves.push(ScoredMove { mv, score });
            }
        }
        self.noisy_end = moves.len();
        for (place, mv) in legal.iter().copied().enumerate() {
            if !is_noisy(mv) && Some(place) != table {
                moves.push(ScoredMove { mv, score: 0 });
            }
        }
    }

    /// Ranks the quiet moves: killers, then by history.
    fn rank_quiets(&mut self, moves: &mut [ScoredMove], histories: &Histories) {
        if self.ranked {
            return;
        }
        self.ranked = true;
        for quiet in &mut moves[self.noisy_end..] {
            let mv = quiet.mv;
            quiet.score = if self.killers.contains(&Some(mv)) {
                KILLER
            } else {
                histories.quiet(&self.context, mv)
                    + self.params.check_history * i32::from(self.checks.gives(mv))
                    + self.context.escape(mv, self.params.escape_history)
            };
        }
    }
}

/// Swaps the best of the rest to the cursor and steps over it.
pub(super) fn best_first(moves: &mut [ScoredMove], cursor: &mut usize) -> Move {
    let mut best = *cursor;
    for index in *cursor + 1..moves.len() {
        if moves[index].score > moves[best].score {
            best = index;
        }
    }
    moves.swap(*cursor, best);
    *cursor += 1;
    moves[*cursor - 1].mv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::NO_PIECE_SQUARE;
    use sparring_chess::{Variant, parse_fen, parse_uci, write_uci};

    fn order(fen: &str, table_move: Option<&str>) -> Vec<String> {
        let pos = parse_fen(Variant::Standard, fen).unwrap();
        let node = Node::new(&pos, Variant::Standard.traits());
        let table_move = table_move.map(|text| parse_uci(&pos, text).unwrap());
        let mut moves = Vec::new();
        let params = Params::default();
        let context = HistoryContext::new(&node, [NO_PIECE_SQUARE; 3], &params);
        let mut picker = MovePicker::new(&moves, table_move, [None; 2], context, &params);
        let histories = Histories::new();
        let mut order = Vec::new();
        while let Some(mv) = picker.next(&node, &mut moves, &histories) {
            order.push(write_uci(mv, Variant::Standard));
        }
        picker.finish(&mut moves);
        assert!(moves.is_empty());
        order
    }

    #[test]
    fn the_table_move_comes_first_and_losing_captures_last() {
        let fen = "4k3/2p5/3p4/7r/8/1P4N1/8/3QK3 w - - 0 1";
        let order = order(fen, Some("b3b4"));
        assert_eq!(order[0], "b3b4");
        assert!(order[1].ends_with("h5") && order[2].ends_with("h5"));
        assert_eq!(order.last().unwrap(), "d1d6");
    }

    #[test]
    fn pieces_leave_the_reach_of_lesser_ones_first_and_enter_it_last() {
        let place = |order: &[String], mv: &str| order.iter().position(|other| other == mv).unwrap();
        // A pawn attacks one knight of two, and not the one whose moves are made first.
        let flees = order("7k/8/8/3p4/4N3/8/8/1N2K3 w - - 0 1", None);
        assert!(flees[..8].iter().all(|mv| mv.starts_with("e4")), "{flees:?}");
        // A knight attacks d2 and f2, which a rook is too dear for.
        let enters = order("4k3/8/8/8/4n3/8/R5P1/4K3 w - - 0 1", None);
        assert_eq!(enters[enters.len() - 2..], ["a2f2", "a2d2"], "{enters:?}");
        // What attacks it is worth as much.
        let rooks = order("4k3/8/8/8/5r2/8/R5P1/4K3 w - - 0 1", None);
        assert!(place(&rooks, "a2f2") < place(&rooks, "e1e2"), "{rooks:?}");
    }

    #[test]
    fn every_legal_move_is_handed_out_once() {
        for fen in [
            "startpos",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "4k3/8/8/8/7b/8/8/4K3 w - - 0 1",
        ] {
            let pos = parse_fen(Variant::Standard, fen).unwrap();
            let mut legal: Vec<_> = pos
                .legal_moves()
                .iter()
                .map(|mv| write_uci(*mv, Variant::Standard))
                .collect();
            let mut found = order(fen, Some(&legal[0]));
            legal.sort();
            found.sort();
            assert_eq!(found, legal, "{fen}");
        }
    }
}

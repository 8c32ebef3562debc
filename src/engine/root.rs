//! The root: its moves with what each search found of them, and the search of one iteration over them.

use super::{node::Node, order, reduce::PLY, score::INFINITE, searcher::Searcher, see};
use crate::chess::{Move, Rules as _};

/// A move of the root.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub mv: Move,
    /// What this iteration found; minus infinite when it is no better than another move.
    pub score: i32,
    /// What the last iteration found in which it was the best of its line; older than that means nothing.
    pub previous: i32,
    /// The line that starts with it.
    pub pv: Vec<Move>,
    /// Nodes spent below it.
    pub nodes: u64,
}

impl RootMove {
    /// The best knowledge of its worth.
    pub fn worth(&self) -> i32 {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }
}

/// The moves to choose from, in a first order: `only` these where any are named, without those that stay unseen.
pub(super) fn root_moves(searcher: &mut Searcher<'_>, node: &Node, only: &[Move]) -> Vec<RootMove> {
    let legal = node.pos.legal_moves();
    let last = searcher.memory.frame_before(0, 1).mv;
    let mut chosen: Vec<Move> = legal
        .iter()
        .copied()
        .filter(|mv| only.is_empty() || only.contains(mv))
        .collect();
    if only.is_empty() && legal.len() > 1 {
        let seen: Vec<Move> = chosen
            .iter()
            .copied()
            .filter(|mv| !searcher.weakness.hides(node, last, *mv))
            .collect();
        if !seen.is_empty() {
            chosen = seen;
        }
    }
    let eval = if node.in_check() {
        0
    } else {
        searcher.evaluate(node)
    };
    let before = searcher.memory.moves_before(0);
    let mut moves: Vec<(i32, Move)> = chosen
        .into_iter()
        .map(|mv| (first_rank(searcher, node, mv, &before), mv))
        .collect();
    moves.sort_by_key(|(rank, _)| -rank);
    moves
        .into_iter()
        .map(|(_, mv)| RootMove {
            mv,
            score: -INFINITE,
            previous: eval,
            pv: vec![mv],
            nodes: 0,
        })
        .collect()
}

/// The rank of a move before anything was searched: exchanges that win first, quiet moves by history, then the rest.
fn first_rank(searcher: &Searcher<'_>, node: &Node, mv: Move, before: &[u16]) -> i32 {
    if order::is_noisy(mv) {
        let holds = !searcher.habits.see || see::gains(node.board(), node.turn, mv, 0);
        order::noisy_value(mv) + if holds { 100_000 } else { -200_000 }
    } else {
        searcher.memory.histories.quiet(node.turn, mv, before)
    }
}

impl Searcher<'_> {
    /// Searches the root moves from `first` on; those before are lines already reported. Returns the best score.
    pub fn search_root(
        &mut self,
        node: &Node,
        moves: &mut [RootMove],
        window: (i32, i32),
        depth: i32,
    ) -> i32 {
        let (mut alpha, beta) = window;
        let mut best = -INFINITE;
        self.memory.frame(0).eval = (!node.in_check()).then(|| self.evaluate(node));
        self.memory.frame(1).killers = [None; 2];
        for (index, root) in moves.iter_mut().enumerate() {
            let nodes = self.watch.nodes();
            let child = node.after(root.mv);
            self.enter(node, 0, root.mv, &child);
            let score = self.search_root_move(&child, index, (alpha, beta), depth);
            self.leave();
            root.nodes += self.watch.nodes() - nodes;
            if self.watch.stopped() {
                break;
            }
            best = best.max(score);
            if index == 0 || score > alpha {
                root.score = score;
                root.pv.clear();
                root.pv.push(root.mv);
                root.pv.extend(self.memory.lines[1].iter().copied());
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn search_root_move(&mut self, child: &Node, index: usize, window: (i32, i32), depth: i32) -> i32 {
        let (alpha, beta) = window;
        let full = depth - 1;
        self.memory.lines[1].clear();
        if index == 0 {
            return -self.search(child, -beta, -alpha, full, 1, false);
        }
        let mut reduced = full;
        if depth >= 3 && index >= 3 && !child.in_check() {
            let reduction = self.reductions.base(depth, index) / PLY - 1;
            reduced = (full - reduction).clamp(1, full);
        }
        let mut score = -self.search(child, -alpha - 1, -alpha, reduced, 1, true);
        if score > alpha && reduced < full && !self.watch.stopped() {
            score = -self.search(child, -alpha - 1, -alpha, full, 1, true);
        }
        if score > alpha && !self.watch.stopped() {
            score = -self.search(child, -beta, -alpha, full, 1, false);
        }
        score
    }
}

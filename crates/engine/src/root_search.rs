//! Root search: the moves to search, their first order, and one search over them.

use super::{
    history::HistoryContext,
    movepick,
    node::Node,
    reductions::PLY,
    root_moves::{RootMove, sort_by_rank},
    score::{INFINITE, MAX_PLY},
    see,
    syzygy::WdlRank,
    thread_data::Searcher,
};
use sparring_chess::{Move, Rules as _, units::Millis};

/// From this time on a search reports the root move it is at; no machine gets there within this many nodes.
const REPORT_MOVES_FROM: (Millis, u64) = (Millis(1000), 1 << 16);

/// Fills `moves` with the root moves in their first order: those of `only`, or all but those that the handicap hides.
pub(super) fn collect_root_moves(
    searcher: &mut Searcher<'_>,
    node: &Node,
    only: &[Move],
    root_ranks: &[(Move, WdlRank)],
    moves: &mut Vec<RootMove>,
) {
    moves.clear();
    let legal = node.pos.legal_moves();
    let last = searcher.memory.frame_before(0, 1).mv;
    // If all moves are hidden, the most prominent one is played.
    let last_hidden = legal
        .iter()
        .copied()
        .max_by_key(|mv| searcher.handicap.prominence(*mv));
    let is_seen = |mv: Move| !searcher.handicap.hides(node, last, mv);
    let sees_any = legal.iter().any(|mv| is_seen(*mv));
    let is_chosen = |mv: Move| match only {
        [] if sees_any => is_seen(mv),
        [] => last_hidden == Some(mv),
        only => only.contains(&mv),
    };
    let context = searcher.history_context(node, 0);
    for mv in legal.iter().copied().filter(|mv| is_chosen(*mv)) {
        moves.push(RootMove::new(mv, first_order(searcher, node, mv, &context)));
    }
    for root in moves.iter_mut() {
        let known = root_ranks.iter().find(|(mv, _)| *mv == root.mv);
        root.wdl_rank = known.map(|(_, rank)| *rank);
    }
    sort_by_rank(moves, |root| (root.wdl_rank, root.score));
    let eval = searcher.static_eval(node, 0);
    for root in moves {
        root.score = -INFINITE;
        root.previous = eval;
    }
}

/// The order of a move before any search: winning captures, then quiet moves by history, then losing captures.
fn first_order(searcher: &Searcher<'_>, node: &Node, mv: Move, context: &HistoryContext) -> i32 {
    if movepick::is_noisy(mv) {
        let holds = see::holds(node, mv, 0);
        see::most(node, mv) + if holds { 100_000 } else { -200_000 }
    } else {
        searcher.memory.histories.quiet(context, mv)
    }
}

impl Searcher<'_> {
    /// Searches root moves and returns the best score. `on_move` gets each move with its number, once the search is slow.
    pub fn search_root(
        &mut self,
        node: &Node,
        moves: &mut [RootMove],
        window: (i32, i32),
        depth: i32,
        on_move: &mut dyn FnMut(Move, usize),
    ) -> i32 {
        let (mut alpha, beta) = window;
        let mut best = -INFINITE;
        let raw = (!node.in_check()).then(|| self.evaluate(node, 0));
        self.memory.frame(0).eval = raw.map(|raw| self.corrected(node, raw));
        self.memory.frame(1).killers = [None; 2];
        self.memory.frame(2).cutoffs = 0;
        for (index, root) in moves.iter_mut().enumerate() {
            if self.is_slow() {
                on_move(root.mv, index + 1);
            }
            let nodes = self.limiter.nodes();
            let child = self.play(node, 0, root.mv);
            let found = self.search_root_move(&child, root.mv, index, (alpha, beta), depth);
            self.leave();
            root.nodes += self.limiter.nodes() - nodes;
            let score = match found {
                Ok(score) => score,
                Err(Some(least)) => {
                    root.record(least, self.iteration, (alpha, alpha + 1));
                    root.pv.truncate(1);
                    best = best.max(least);
                    break;
                }
                Err(None) => break,
            };
            best = best.max(score);
            if index == 0 || score > alpha {
                root.record(score, self.iteration, (alpha, beta));
                let line = &self.memory.lines[1];
                // A best move that fails low may have hardly any line: the previous one says more.
                if score > alpha || line.len() + 1 >= root.pv.len() {
                    root.pv.clear();
                    root.pv.push(root.mv);
                    root.pv.extend(line.iter().copied().take(MAX_PLY - 1));
                }
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Whether the search is slow enough to report the current move.
    pub fn is_slow(&self) -> bool {
        let (time, nodes) = REPORT_MOVES_FROM;
        self.limiter.nodes() > nodes && self.limiter.elapsed() >= time
    }

    /// The score of a root move. When the search was stopped: a lower bound of its score, if above alpha.
    fn search_root_move(
        &mut self,
        child: &Node,
        mv: Move,
        index: usize,
        window: (i32, i32),
        depth: i32,
    ) -> Result<i32, Option<i32>> {
        let (alpha, beta) = window;
        let full = depth - 1;
        self.memory.lines[1].clear();
        if index == 0 {
            let score = -self.search(child, -beta, -alpha, full, 1, false);
            return self.unless_stopped(score, None);
        }
        let reduced = full - self.root_reduction(child, mv, index, depth);
        let mut score = -self.search(child, -alpha - 1, -alpha, reduced, 1, true);
        if score > alpha && reduced < full && !self.limiter.stopped() {
            score = -self.search(child, -alpha - 1, -alpha, full, 1, true);
        }
        let score = self.unless_stopped(score, None)?;
        if score <= alpha {
            return Ok(score);
        }
        let exact = -self.search(child, -beta, -alpha, full, 1, false);
        self.unless_stopped(exact, Some(score))
    }

    /// Late move reductions at the root, in plies: of quiet moves that do not give check, and less than elsewhere. What history
    /// puts late may be the point of a combination, which only depth shows.
    fn root_reduction(&self, child: &Node, mv: Move, index: usize, depth: i32) -> i32 {
        let params = self.params;
        let in_full = usize::try_from(params.root_lmr_moves).unwrap_or(1);
        let quiet = !child.in_check() && !movepick::is_noisy(mv);
        if depth >= params.root_lmr_depth && index >= in_full && quiet {
            (self.reductions.base(depth, index) / PLY - params.root_lmr_relief).clamp(0, depth - 2)
        } else {
            0
        }
    }

    fn unless_stopped(&self, score: i32, before: Option<i32>) -> Result<i32, Option<i32>> {
        if self.limiter.stopped() {
            Err(before)
        } else {
            Ok(score)
        }
    }
}

//! Iterative deepening: from depth to depth, line by line, until a limit is met.

use std::ops::Range;

use super::{
    best_thread::ThreadResult,
    node::Node,
    params::Params,
    root_moves::{RootMove, cap_rest, sort_by_rank},
    root_search::collect_root_moves,
    score::{DEEPEST, INFINITE, MAX_PLY, Score, is_mate, mate_in},
    search_request::SearchRequest,
    search_result::{BoundKind, Line, SearchEvent, SearchResult},
    soft_limit::{Progress, StabilityScale},
    syzygy::WdlRank,
    thread_data::Searcher,
};
use sparring_chess::{
    Move, Rules as _,
    units::{Depth, Nodes},
};

/// A mate search goes this many plies deeper than its iteration, to make up for the reductions of quiet moves.
const MATE_EXTRA_DEPTH: i32 = 10;

/// The ply of the mating move of a mate in `moves`; none beyond the horizon.
fn mating_ply(moves: u32) -> Option<usize> {
    let ply = usize::try_from(moves).ok()?.checked_mul(2)?.checked_sub(1)?;
    (ply < MAX_PLY).then_some(ply)
}

/// Iterative deepening under way.
pub(super) struct Iteration<'a> {
    pub searcher: Searcher<'a>,
    pub node: &'a Node,
    pub moves: Vec<RootMove>,
    multi_pv: usize,
    /// The ply of the mating move of the longest mate that `go mate` accepts.
    mating_ply: Option<usize>,
    /// The last finished depth, and its score.
    depth: i32,
    finished: i32,
}

impl<'a> Iteration<'a> {
    /// Prepares the root moves.
    pub fn new(
        mut searcher: Searcher<'a>,
        node: &'a Node,
        search: &SearchRequest,
        root_ranks: &[(Move, WdlRank)],
    ) -> Self {
        // Taken out of the memory for the search, and given back with what was found.
        let mut moves = std::mem::take(&mut searcher.memory.roots);
        collect_root_moves(&mut searcher, node, &search.search_moves, root_ranks, &mut moves);
        Self {
            searcher,
            node,
            moves,
            multi_pv: search.multi_pv.max(1),
            mating_ply: search.limits.mate.and_then(mating_ply),
            depth: 0,
            finished: 0,
        }
    }

    /// Deepens as the leader of a search: reports events and decides when to stop.
    pub fn lead(
        mut self,
        search: &SearchRequest,
        on_event: &mut dyn FnMut(SearchEvent<'_>),
        report: &mut SearchResult,
    ) -> ThreadResult<Option<Move>> {
        let mut stability = StabilityScale::new(search);
        report.scores_by_depth.clear();
        report.scores_by_depth.reserve(MAX_PLY);
        let last = last_depth(search);
        while self.depth < last && !self.moves.is_empty() {
            let (from, best, score_before) = (self.depth, self.moves[0].mv, self.moves[0].known_score());
            if !self.deepen(last, Some((&mut *on_event, &mut *report))) {
                break;
            }
            self.fill(report);
            let (depth, score) = (self.depth, self.moves[0].known_score());
            // A depth that was left to other threads gets the score of the next one.
            let depths = usize::try_from(depth).unwrap_or(0);
            report.scores_by_depth.resize(depths, self.moves[0].reported().0);
            on_event(SearchEvent::Iteration(report));
            stability.record(self.moves[0].mv == best, depth - from, score_before - score);
            let (params, progress) = (self.searcher.params, self.progress());
            if stability.is_enough(params, &progress, |bar, depth| self.others_stay_below(bar, depth)) {
                break;
            }
        }
        self.add_ponder_move();
        self.fill(report);
        self.finish()
    }

    /// Deepens as a helper until the search ends. A depth limit binds the leader only: a helper that ended a ply ahead
    /// would leave it alone with the last iteration, the longest of all.
    pub fn help(mut self) -> ThreadResult<Option<Move>> {
        while self.depth < DEEPEST && !self.moves.is_empty() && self.deepen(DEEPEST, None) {}
        self.add_ponder_move();
        self.finish()
    }

    /// Searches the next iteration that other threads leave, of at most `last` plies, or adopts the result of a thread
    /// that finished one as deep first. False when the search ended before.
    pub fn deepen(&mut self, last: i32, reporter: Option<Reporter<'_>>) -> bool {
        let pool = self.searcher.pool;
        // A short iteration may have ended without a poll of what other threads finished.
        if pool.deepest() > self.depth {
            self.adopt();
            return true;
        }
        let depth = pool.claim_depth(self.depth + 1, last);
        self.searcher.limiter.begin_iteration(depth);
        let finished = self.search_lines(depth, reporter);
        let overtaken = self.searcher.limiter.end();
        if finished {
            pool.publish_iteration(depth, self.searcher.seldepth, &self.moves);
            self.finish_depth(depth);
        } else if overtaken {
            self.adopt();
        }
        finished || overtaken
    }

    /// Continues from the deepest iteration that another thread has finished.
    fn adopt(&mut self) {
        let pool = self.searcher.pool;
        let depth = pool.copy_iteration(&mut self.searcher.seldepth, &mut self.moves);
        self.finish_depth(depth);
    }

    /// Records that the moves have the scores of this depth.
    fn finish_depth(&mut self, depth: i32) {
        self.depth = depth;
        self.finished = self.moves.first().map_or(0, RootMove::known_score);
    }

    fn finish(self) -> ThreadResult<Option<Move>> {
        self.searcher.limiter.publish();
        let best = self.moves.first();
        let found = ThreadResult {
            mv: best.map(|root| root.mv),
            depth: self.depth,
            score: best.map_or(0, RootMove::known_score),
            finished: self.finished,
            seldepth: self.searcher.seldepth,
        };
        self.searcher.memory.roots = self.moves;
        found
    }

    /// Searches all lines to a depth. False when that was cut short.
    fn search_lines(&mut self, depth: i32, mut reporter: Option<Reporter<'_>>) -> bool {
        self.moves.iter_mut().for_each(RootMove::shift_score);
        self.searcher.iteration = depth;
        let lines = self.multi_pv.min(self.moves.len());
        for first in 0..lines {
            let group = self.group(first);
            // Current moves are reported for a single line only: with several they would confuse.
            let reporter = reporter.as_mut().filter(|_| lines == 1);
            if first > 0 || !self.search_mate(depth) {
                self.search_line(depth, group.clone(), reporter);
            }
            // Moves that were not found better stay in the order of the last iteration, so that its best move stays
            // first when this one is cut short before any result.
            sort_by_rank(&mut self.moves[group.clone()], |root| root.score);
            if self.searcher.limiter.stopped() {
                break;
            }
            cap_rest(&mut self.moves[group]);
        }
        sort_by_rank(&mut self.moves[..lines], RootMove::rank);
        !self.searcher.limiter.stopped()
    }

    /// The moves from `first` on of the same WDL rank: those of a lower rank are not compared with it.
    fn group(&self, first: usize) -> Range<usize> {
        let rank = self.moves[first].wdl_rank;
        let alike = self.moves[first..]
            .iter()
            .take_while(|root| root.wdl_rank == rank);
        first..first + alike.count()
    }

    /// What the soft limit depends on.
    fn progress(&self) -> Progress {
        let (best, limiter) = (&self.moves[0], &self.searcher.limiter);
        Progress {
            depth: self.depth,
            mv: best.mv,
            score: best.known_score(),
            effort: best.nodes as f64 / limiter.nodes().max(1) as f64,
            is_forced: self.is_forced(),
            elapsed: limiter.elapsed(),
        }
    }

    /// Whether only one move can be played: no other is legal, or the tablebases rank all others lower.
    fn is_forced(&self) -> bool {
        self.group(0).len() == 1 && self.multi_pv.min(self.moves.len()) == 1
    }

    /// Whether every root move but the first scores below a bar at a depth. False when the search is stopped before.
    fn others_stay_below(&mut self, bar: i32, depth: i32) -> bool {
        let Some((_, others)) = self.moves.split_first_mut() else {
            return false;
        };
        let best = others.iter().fold(-INFINITE, |best, root| {
            let child = self.searcher.play(self.node, 0, root.mv);
            let score = -self.searcher.search(&child, -bar, 1 - bar, depth - 1, 1, true);
            self.searcher.leave();
            best.max(score)
        });
        best < bar && !self.searcher.limiter.stopped()
    }

    /// Searches only for the mate of `go mate`, deeper than the iteration goes, as no line can be longer than that mate.
    /// Mates longer than that are left to the iterations. Returns whether it was found. Where there is none this costs
    /// several times what the iterations do: lab/NOTEBOOK.md, "Mates and bare kings".
    fn search_mate(&mut self, depth: i32) -> bool {
        let deep = depth + MATE_EXTRA_DEPTH;
        let is_within = |ply: &usize| usize::try_from(deep).is_ok_and(|deep| deep > *ply);
        let Some(ply) = self.mating_ply.filter(is_within) else {
            return false;
        };
        let before = self.moves.clone();
        let window = (mate_in(ply) - 1, INFINITE);
        let score = self
            .searcher
            .search_root(self.node, &mut self.moves, window, deep, &mut |_, _| ());
        let is_found = score >= mate_in(ply);
        if is_found {
            sort_by_rank(&mut self.moves, |root| root.score);
        } else {
            // Without a mate only the node counts hold.
            for (root, before) in self.moves.iter_mut().zip(before) {
                let nodes = root.nodes;
                *root = RootMove { nodes, ..before };
            }
        }
        is_found
    }

    /// Searches for the best of a group of moves, with a window around the last score that widens as needed.
    fn search_line(&mut self, depth: i32, group: Range<usize>, mut reporter: Option<&mut Reporter<'_>>) {
        let center = self.moves[group.start].previous;
        let params = self.searcher.params;
        let mut width = params.aspiration;
        let (mut alpha, mut beta) = aspiration_window(params, center, depth);
        let mut reduction = 0;
        loop {
            let mut on_move = |mv: Move, number: usize| {
                if let Some((on_event, _)) = &mut reporter {
                    on_event(SearchEvent::Move {
                        mv,
                        number,
                        depth: plies(depth),
                    });
                }
            };
            let score = self.searcher.search_root(
                self.node,
                &mut self.moves[group.clone()],
                (alpha, beta),
                (depth - reduction).max(1),
                &mut on_move,
            );
            if self.searcher.limiter.stopped() {
                return;
            }
            sort_by_rank(&mut self.moves[group.clone()], |root| root.score);
            width += (width * params.aspiration_growth / 100).max(1);
            let is_low = score <= alpha;
            if is_low {
                beta = i32::midpoint(alpha, beta);
                alpha = (score - width).max(-INFINITE);
                reduction = 0;
            } else if score >= beta {
                beta = (score + width).min(INFINITE);
                reduction = (reduction + 1).min(params.aspiration_reduction);
            } else {
                return;
            }
            // Kept as the score of the move, should a limit end the search before the true one is found.
            self.moves[group.clone()]
                .iter_mut()
                .for_each(RootMove::shift_score);
            if let Some((on_event, report)) = &mut reporter
                && self.searcher.is_slow()
            {
                self.fill(report);
                on_event(SearchEvent::Bound(report));
            }
            if width > params.aspiration_wide {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Completes a line of one move with the reply from the table, so that the GUI can ponder.
    fn add_ponder_move(&mut self) {
        let Some(root) = self.moves.first_mut() else {
            return;
        };
        if let [mv] = root.pv[..] {
            let child = self.searcher.play(self.node, 0, mv);
            let is_over = self.searcher.terminal_score(&child, 1).is_some();
            self.searcher.leave();
            if is_over {
                return;
            }
            let entry = self
                .searcher
                .table
                .probe(self.searcher.table_key(&child, Some(mv)));
            let reply = entry.and_then(|entry| entry.mv.unpack(child.board()));
            root.pv.extend(reply.filter(|reply| child.pos.is_legal(*reply)));
        }
    }

    fn fill(&self, report: &mut SearchResult) {
        fill(report, &self.moves, self.multi_pv, self.depth);
        report.seldepth = Depth(u32::try_from(self.searcher.seldepth).unwrap_or(0));
        report.nodes = Nodes(self.searcher.limiter.all_nodes());
        report.elapsed = self.searcher.limiter.elapsed();
        report.stall = self.searcher.limiter.stall();
        report.hashfull = self.searcher.table.hashfull();
        report.table_hits = self.searcher.pool.table_hits();
    }
}

/// The first aspiration window of an iteration, around the previous score.
fn aspiration_window(params: &Params, center: i32, depth: i32) -> (i32, i32) {
    if depth < params.aspiration_depth || is_mate(center) {
        return (-INFINITE, INFINITE);
    }
    let width = params.aspiration;
    ((center - width).max(-INFINITE), (center + width).min(INFINITE))
}

/// The event callback and the report that it gets.
type Reporter<'a> = (&'a mut dyn FnMut(SearchEvent<'_>), &'a mut SearchResult);

fn last_depth(search: &SearchRequest) -> i32 {
    search.limits.depth.map_or(DEEPEST, |Depth(depth)| {
        i32::try_from(depth).unwrap_or(i32::MAX).clamp(1, DEEPEST)
    })
}

fn plies(depth: i32) -> Depth {
    Depth(u32::try_from(depth).unwrap_or(0))
}

/// Writes the best moves into a report, reusing its lines.
pub(super) fn fill(report: &mut SearchResult, moves: &[RootMove], lines: usize, depth: i32) {
    report.depth = plies(depth);
    let lines = lines.min(moves.len());
    report.lines.truncate(lines);
    while report.lines.len() < lines {
        report.lines.push(Line {
            depth: Depth(0),
            score: Score::from_value(0),
            bound: BoundKind::Exact,
            pv: Vec::with_capacity(MAX_PLY),
        });
    }
    for (line, root) in report.lines.iter_mut().zip(moves) {
        line.depth = plies(root.depth);
        (line.score, line.bound) = root.reported();
        line.pv.clear();
        line.pv.extend(root.pv.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_within_the_horizon_has_its_ply() {
        let plies = [0, 1, 64, 65, u32::MAX].map(mating_ply);
        assert_eq!(plies, [None, Some(1), Some(127), None, None]);
    }
}

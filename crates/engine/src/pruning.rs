//! Pruning, each heuristic under its textbook name.

use super::{
    move16::Move16,
    movegen::captures,
    movepick::{MovePicker, ScoredMove, best_first},
    node::Node,
    node_context::{MoveContext, NodeContext},
    reductions::PLY,
    score::{DECIDED, from_table, is_decided, to_table},
    see,
    thread_data::Searcher,
    tt::{Bound, Entry},
};
use sparring_chess::Move;

impl Searcher<'_> {
    /// Tries everything that can settle a node without looking at its moves.
    pub fn prune(&mut self, here: &NodeContext<'_>) -> Option<i32> {
        let eval = here.eval?;
        if here.pv || here.excluded.is_some() {
            return None;
        }
        self.razor(here, eval)
            .or_else(|| self.reverse_futility(here))
            .or_else(|| self.null_move(here, eval))
            .or_else(|| self.probcut(here))
    }

    /// Internal iterative reduction: without a table move the order is poor, and a ply less fills the table first.
    pub fn iterative_reduction(&self, here: &NodeContext<'_>) -> i32 {
        i32::from(
            (here.pv || here.cut)
                && here.excluded.is_none()
                && here.table_move.is_none()
                && here.depth >= self.params.iir_depth,
        )
    }

    /// Razoring: far below alpha only captures could help; if quiescence search finds none, the node fails low.
    fn razor(&mut self, here: &NodeContext<'_>, eval: i32) -> Option<i32> {
        if here.depth > self.params.razor_depth || eval + self.params.razor_margin * here.depth >= here.alpha
        {
            return None;
        }
        let score = self.quiescence(here.node, here.alpha, here.alpha + 1, here.ply, 0);
        (score <= here.alpha).then_some(score)
    }

    /// Reverse futility: far above beta the opponent will not catch up in a few plies.
    fn reverse_futility(&self, here: &NodeContext<'_>) -> Option<i32> {
        let margin = self.params.rfp_margin * (here.depth - i32::from(here.improving));
        (here.depth <= self.params.rfp_depth
            && here.guess - margin >= here.beta
            && here.guess < DECIDED
            && here.beta > -DECIDED)
            .then_some((here.guess + here.beta) / 2)
    }

    /// Null move: if even passing reaches beta, a move will. Not with king, pawns and a minor piece alone, where
    /// passing may be better than any move; deep cuts are verified by a search without null moves.
    fn null_move(&mut self, here: &NodeContext<'_>, eval: i32) -> Option<i32> {
        let NodeContext {
            node,
            beta,
            depth,
            ply,
            ..
        } = *here;
        let params = self.params;
        let passed_before = ply > 0 && self.memory.frame_before(ply, 1).mv.is_none();
        if !self.traits.null_move
            || passed_before
            || depth < params.nmp_depth
            || ply < self.null_from
            || here.guess < beta
            || eval + params.nmp_margin_depth * depth < beta + params.nmp_margin
            || beta <= -DECIDED
            || !node.can_afford_to_pass()
        {
            return None;
        }
        let child = node.after_null()?;
        let reduction = params.nmp_base
            + depth / params.nmp_depth_divisor
            + ((here.guess - beta) / params.nmp_eval_divisor).min(params.nmp_eval_most);
        self.enter_null(ply, &child);
        let score = -self.search(&child, -beta, 1 - beta, depth - reduction, ply + 1, !here.cut);
        self.leave();
        if score < beta || self.limiter.stopped() {
            return None;
        }
        let score = if is_decided(score) { beta } else { score };
        if depth < params.nmp_verify_depth || self.null_from > 0 {
            return Some(score);
        }
        let without = (depth - reduction).max(0) * params.nmp_verify_share / 100;
        self.null_from = ply + usize::try_from(without).unwrap_or(0) + 1;
        let verified = self.search(node, beta - 1, beta, depth - reduction, ply, false);
        self.null_from = 0;
        (verified >= beta).then_some(score)
    }

    /// ProbCut: a capture that comes out well above beta in a shallow search will do so in a deep one.
    fn probcut(&mut self, here: &NodeContext<'_>) -> Option<i32> {
        let NodeContext { node, depth, ply, .. } = *here;
        let target = here.beta + self.params.probcut_margin;
        let known_worse = here.entry.is_some_and(|entry| {
            entry.depth > depth - self.params.probcut_reduction && from_table(entry.score, ply) < target
        });
        if depth < self.params.probcut_depth
            || is_decided(here.beta)
            || known_worse
            || !node.traits.orthodox_captures
        {
            return None;
        }
        let start = self.memory.moves.len();
        let result = self.search_probcut(here, target);
        self.memory.moves.truncate(start);
        result
    }

    fn search_probcut(&mut self, here: &NodeContext<'_>, target: i32) -> Option<i32> {
        let NodeContext { node, depth, ply, .. } = *here;
        let needed = target - here.eval?;
        let shallow = depth - self.params.probcut_reduction;
        let mut cursor = self.memory.moves.len();
        let moves = &mut self.memory.moves;
        captures(node, &mut |mv| {
            if see::holds(node, mv, needed) {
                moves.push(ScoredMove {
                    mv,
                    score: see::most(node, mv),
                });
            }
        });
        while cursor < self.memory.moves.len() {
            let mv = best_first(&mut self.memory.moves, &mut cursor);
            let last = self.memory.frame_before(ply, 1).mv;
            if self.handicap.hides(node, last, mv) {
                continue;
            }
            let child = self.play(node, ply, mv);
            let mut score = -self.quiescence(&child, -target, 1 - target, ply + 1, 0);
            if score >= target && shallow > 0 {
                score = -self.search(&child, -target, 1 - target, shallow, ply + 1, !here.cut);
            }
            self.leave();
            if self.limiter.stopped() {
                return None;
            }
            if score >= target {
                let entry = Entry {
                    mv: Move16::from(mv),
                    score: to_table(score, ply),
                    eval: here.raw,
                    depth: shallow + 1,
                    bound: Bound::Lower,
                    pv: here.entry.is_some_and(|entry| entry.pv),
                };
                self.table.store(self.table_key(node, last), entry);
                return Some(score);
            }
        }
        None
    }

    /// Whether a late move can be left out unseen: too late, hopeless, of bad history, or losing its exchange.
    pub fn prunes_move(
        &self,
        here: &NodeContext<'_>,
        candidate: &MoveContext,
        alpha: i32,
        picker: &mut MovePicker<'_>,
    ) -> bool {
        let mv = candidate.mv;
        if !here.node.has_pieces() || alpha <= -DECIDED {
            return false;
        }
        if !candidate.quiet {
            return self.capture_see_pruning(here, mv, picker);
        }
        let reduced = (here.depth - self.reductions.base(here.depth, candidate.count) / PLY).max(1);
        let check = picker.gives_check(mv);
        self.late_move_pruning(here, candidate.count, picker);
        if check {
            return self.check_see_pruning(here, mv);
        }
        if self.futility(here, reduced, alpha) {
            picker.skip_quiets();
            return true;
        }
        self.history_pruning(reduced, candidate.history) || self.quiet_see_pruning(here, reduced, mv)
    }

    /// Futility: far below alpha a quiet move will not make up for it in the remaining plies.
    fn futility(&self, here: &NodeContext<'_>, reduced: i32, alpha: i32) -> bool {
        let params = self.params;
        here.eval.is_some_and(|eval| {
            reduced <= params.futility_depth
                && eval + params.futility_base + params.futility_margin * reduced <= alpha
        })
    }

    /// History pruning: in lines like this one the move has hardly ever been good.
    fn history_pruning(&self, reduced: i32, history: i32) -> bool {
        reduced <= self.params.history_pruning_depth && history < -self.params.history_pruning * reduced
    }

    /// Pruning by exchanges of a quiet move: it loses what stands there, the more the deeper it would be searched.
    fn quiet_see_pruning(&self, here: &NodeContext<'_>, reduced: i32, mv: Move) -> bool {
        let margin = self.params.see_quiet * reduced * reduced;
        reduced <= self.params.see_quiet_depth && self.loses(here.node, mv, margin)
    }

    /// Pruning by exchanges of a check: it may be worth a piece, but not at any depth.
    fn check_see_pruning(&self, here: &NodeContext<'_>, mv: Move) -> bool {
        here.depth <= self.params.see_check_depth && self.loses(here.node, mv, self.params.see_check)
    }

    /// Pruning by exchanges of a capture. One that the picker has weighed loses little if anything, and is not weighed again.
    fn capture_see_pruning(&self, here: &NodeContext<'_>, mv: Move, picker: &MovePicker<'_>) -> bool {
        here.depth <= self.params.see_noisy_depth
            && !picker.passed_see()
            && self.loses(here.node, mv, self.params.see_noisy * here.depth)
    }

    /// Whether a move loses more than a margin, in variants where that can be counted.
    fn loses(&self, node: &Node, mv: Move, margin: i32) -> bool {
        !see::holds(node, mv, -margin)
    }

    /// Late move pruning: beyond a number of moves the remaining quiet ones are pruned, but not this one.
    fn late_move_pruning(&self, here: &NodeContext<'_>, count: usize, picker: &mut MovePicker<'_>) {
        if !here.pv && count >= self.late_move_count(here) {
            picker.skip_quiets();
        }
    }

    /// How many moves a node tries before late move pruning.
    fn late_move_count(&self, here: &NodeContext<'_>) -> usize {
        let params = self.params;
        let all = params.lmp_base + here.depth * here.depth * params.lmp_square / 100;
        let count = if here.improving {
            all
        } else {
            all * params.lmp_not_improving / 100
        };
        usize::try_from(count).unwrap_or(0)
    }
}

#[cfg(test)]
pub(super) mod tests;

//! Principal variation search of one node.

use arrayvec::ArrayVec;

use super::{
    bounds::Bounds,
    draw,
    extensions::Singular,
    history::HistoryContext,
    move16::Move16,
    movepick::{MovePicker, is_noisy},
    node::Node,
    node_context::{MoveContext, NodeContext},
    qsearch::cutoff,
    reductions::{LmrContext, PLY},
    score::{DECIDED, MAX_PLY, is_decided, mate_in, mated_in, to_table},
    thread_data::Searcher,
    tt::{Bound, Entry, NO_EVAL},
};
use sparring_chess::{Move, Rules as _};

/// Moves that were searched before the one that cut, to be punished for it.
#[derive(Default)]
struct TriedMoves {
    quiets: ArrayVec<Move, 48>,
    noisy: ArrayVec<Move, 24>,
}

impl Searcher<'_> {
    /// The score of a node for the side to move, searched `depth` plies deep. Fails soft: it may lie outside of the
    /// window. Means nothing once the search was stopped.
    pub fn search(&mut self, node: &Node, alpha: i32, beta: i32, depth: i32, ply: usize, cut: bool) -> i32 {
        if depth <= 0 {
            return self.quiescence(node, alpha, beta, ply, 0);
        }
        if !self.limiter.visit() {
            return 0;
        }
        self.seldepth = self.seldepth.max(ply);
        self.memory.lines[ply].clear();
        if let Some(score) = self.terminal_score(node, ply) {
            return score;
        }
        if ply >= MAX_PLY - 1 {
            return self.static_eval(node, ply);
        }
        // Before mate distance pruning narrows the window: the line of the only mate is still to be collected.
        let pv = beta - alpha > 1;
        let (alpha, beta) = mate_distance(alpha, beta, ply);
        if alpha >= beta {
            return alpha;
        }
        let excluded = self.memory.frame(ply).excluded;
        let entry = match excluded {
            Some(_) => None,
            None => self
                .table
                .probe(self.table_key(node, self.memory.frame_before(ply, 1).mv)),
        };
        if let Some(score) = self.table_cutoff(node, entry.as_ref(), (alpha, beta, pv), depth, ply) {
            return score;
        }
        let table_move = entry
            .and_then(|entry| entry.mv.unpack(node.board()))
            .filter(|mv| node.pos.is_legal(*mv));
        let mut here = NodeContext {
            node,
            alpha,
            beta,
            depth,
            ply,
            pv,
            cut,
            raw: NO_EVAL,
            eval: None,
            guess: 0,
            improving: false,
            entry,
            table_move,
            excluded,
            bounds: Bounds::NONE,
        };
        if let Some(score) = self
            .tablebase_cutoff(&mut here)
            .or_else(|| self.fortress_cutoff(&mut here))
        {
            return score;
        }
        self.evaluate_node(&mut here);
        here.depth -= self.iterative_reduction(&here);
        if let Some(score) = self.prune(&here) {
            return here.bounds.within(score);
        }
        self.search_moves(&here)
    }

    /// A cutoff by the transposition table: on the principal variation only by exact scores of a deeper search, and never
    /// late in the fifty-move count, where an equal position may score otherwise.
    fn table_cutoff(
        &self,
        node: &Node,
        entry: Option<&Entry>,
        (alpha, beta, pv): (i32, i32, bool),
        depth: i32,
        ply: usize,
    ) -> Option<i32> {
        let entry = entry?;
        let needed = depth + if pv { self.params.pv_cutoff } else { 0 };
        if entry.depth < needed || pv && entry.bound != Bound::Exact || draw::is_near(node) {
            return None;
        }
        // A mate is reported with its whole line, which the table does not have.
        let is_allowed = |score: &i32| !(pv && is_decided(*score));
        cutoff(entry, node, alpha, beta, ply).filter(is_allowed)
    }

    /// Sets the static evaluation, the best guess of the score, and whether it improves.
    fn evaluate_node(&mut self, here: &mut NodeContext<'_>) {
        self.memory.frame(here.ply + 1).killers = [None; 2];
        self.memory.frame(here.ply + 2).cutoffs = 0;
        if here.node.in_check() {
            self.memory.frame(here.ply).eval = None;
            return;
        }
        if here.excluded.is_some() {
            // The node was evaluated right before the singular search.
            here.eval = self.memory.frame(here.ply).eval;
            here.guess = here.eval.unwrap_or(0);
            here.improving = self.is_improving(here.ply, here.guess);
            return;
        }
        here.raw = match here.entry {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(here.node, here.ply),
        };
        let eval = self.corrected(here.node, here.raw);
        here.eval = Some(eval);
        here.guess = eval;
        if let Some(entry) = here.entry {
            let score = entry.score;
            let fits = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score > eval,
                Bound::Upper => score < eval,
                Bound::Unknown => false,
            };
            if fits && !is_decided(score) {
                here.guess = score;
            }
        }
        here.improving = self.is_improving(here.ply, eval);
        self.memory.frame(here.ply).eval = Some(eval);
        if here.entry.is_none() {
            self.store_evaluation(here);
        }
    }

    /// Stores the evaluation in the table at once: most nodes are pruned before they would store anything, and come up
    /// again.
    fn store_evaluation(&self, here: &NodeContext<'_>) {
        self.table.store(
            self.table_key(here.node, self.memory.frame_before(here.ply, 1).mv),
            Entry {
                mv: Move16::default(),
                score: 0,
                eval: here.raw,
                depth: 0,
                bound: Bound::Unknown,
                pv: here.pv,
            },
        );
    }

    /// Whether an evaluation is higher than at this side's last turn out of check.
    fn is_improving(&self, ply: usize, eval: i32) -> bool {
        [2, 4]
            .into_iter()
            .find_map(|back| self.memory.frame_before(ply, back).eval)
            .is_some_and(|earlier| eval > earlier)
    }

    /// Searches the moves in order and updates the histories.
    fn search_moves(&mut self, here: &NodeContext<'_>) -> i32 {
        let node = here.node;
        let killers = self.memory.frame(here.ply).killers;
        let context = self.history_context(node, here.ply);
        let last = self.memory.frame_before(here.ply, 1).mv;
        let mut picker = MovePicker::new(&self.memory.moves, here.table_move, killers, context, self.params);
        let mut tried = TriedMoves::default();
        let (mut best, mut best_move, mut alpha) = (here.bounds.floor, None, here.alpha);
        let (mut count, mut any_hidden) = (0, false);
        while let Some(mv) = picker.next(node, &mut self.memory.moves, &self.memory.histories) {
            if Some(mv) == here.excluded {
                continue;
            }
            if Some(mv) != here.table_move && !picker.is_only_move() && self.handicap.hides(node, last, mv) {
                any_hidden = true;
                continue;
            }
            count += 1;
            let candidate = self.move_context(node, mv, count, &context);
            if best > -DECIDED && self.prunes_move(here, &candidate, alpha, &mut picker) {
                continue;
            }
            let extension = match self.singular(here, mv) {
                Singular::Extend(plies) => plies,
                Singular::Cut(score) => {
                    picker.finish(&mut self.memory.moves);
                    return here.bounds.within(score);
                }
            };
            let child = self.play(node, here.ply, mv);
            let score = self.search_child(here, &context, &child, &candidate, (alpha, best), extension);
            self.leave();
            if self.limiter.stopped() {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if here.pv {
                        self.memory.extend_line(here.ply, mv);
                    }
                    if score >= here.beta {
                        break;
                    }
                    alpha = score;
                }
            }
            tried.add(mv);
        }
        picker.finish(&mut self.memory.moves);
        if self.limiter.stopped() {
            return 0;
        }
        if count == 0 {
            return self.no_moves_score(here, any_hidden);
        }
        if let Some(mv) = best_move.filter(|_| best >= here.beta) {
            self.memory.frame(here.ply).cutoffs += 1;
            self.update_histories(here, &context, mv, &tried);
            best = self.dampen(here, best);
        }
        best = here.bounds.within(best);
        self.store_result(here, best, best_move);
        best
    }

    fn move_context(&self, node: &Node, mv: Move, count: usize, context: &HistoryContext) -> MoveContext {
        let quiet = !is_noisy(mv);
        let histories = &self.memory.histories;
        let history = match (count, quiet) {
            (1, _) => 0,
            (_, true) => histories.quiet(context, mv),
            (_, false) => histories.capture(node.turn, mv),
        };
        MoveContext {
            mv,
            count,
            quiet,
            history,
        }
    }

    /// The score of a node in which no move was searched.
    fn no_moves_score(&mut self, here: &NodeContext<'_>, any_hidden: bool) -> i32 {
        if here.excluded.is_some() {
            here.alpha
        } else if any_hidden {
            // Overlooking every move must not look like mate or stalemate.
            here.eval.unwrap_or(0)
        } else {
            match draw::no_moves(here.node, here.ply) {
                0 => self.style.draw(here.node.turn),
                mated => mated,
            }
        }
    }

    /// Principal variation search of one move: reduced with a null window first, then at full depth, then with the full
    /// window. `bounds` are alpha and the best score so far.
    fn search_child(
        &mut self,
        here: &NodeContext<'_>,
        context: &HistoryContext,
        child: &Node,
        candidate: &MoveContext,
        bounds: (i32, i32),
        extension: i32,
    ) -> i32 {
        let (alpha, best) = bounds;
        let count = candidate.count;
        let ply = here.ply + 1;
        let mut depth = here.depth - 1 + extension.max(self.check_extension(here, child));
        let mut score = alpha + 1;
        if here.depth >= self.params.lmr_depth && count > 1 + usize::from(here.pv) {
            let carry = self.memory.frame(here.ply).reduction_carry;
            let reduction = self.late_move_reduction(here, child, candidate) + carry;
            let reduced = (depth - reduction / PLY).clamp(1, depth + 1);
            if self.params.lmr_carry > 0 {
                self.memory.frame(ply).reduction_carry = (reduction % PLY).max(0);
            }
            score = -self.search(child, -alpha - 1, -alpha, reduced, ply, true);
            self.memory.frame(ply).reduction_carry = carry;
            if score > alpha && reduced < depth {
                depth += i32::from(score > best + self.params.lmr_deeper)
                    - i32::from(score < best + self.params.lmr_shallower);
                if reduced < depth {
                    score = -self.search(child, -alpha - 1, -alpha, depth, ply, !here.cut);
                }
                self.update_after_research(context, candidate, depth, score, (alpha, here.beta));
            }
        } else if !here.pv || count > 1 {
            score = -self.search(child, -alpha - 1, -alpha, depth, ply, !here.cut);
        }
        if here.pv && (count == 1 || score > alpha) && !self.limiter.stopped() {
            score = -self.search(child, -here.beta, -alpha, depth, ply, false);
        }
        score
    }

    fn late_move_reduction(&self, here: &NodeContext<'_>, child: &Node, candidate: &MoveContext) -> i32 {
        let MoveContext {
            mv,
            count,
            quiet,
            history,
        } = *candidate;
        let now = LmrContext {
            pv: here.pv,
            was_pv: here.entry.is_some_and(|entry| entry.pv),
            cut: here.cut,
            improving: here.improving,
            many_cuts: self.memory.frame_before(here.ply + 1, 0).cutoffs > self.params.lmr_cutoffs,
            check: child.in_check(),
            after_capture: quiet && here.table_move.is_some_and(is_noisy),
            quiet,
            killer: self.memory.frame_before(here.ply, 0).killers.contains(&Some(mv)),
            history,
        };
        self.reductions.under(self.params, here.depth, count, &now)
    }

    /// Moves a score beyond beta towards it: how far beyond is uncertain, above all at low depth.
    fn dampen(&self, here: &NodeContext<'_>, best: i32) -> i32 {
        if self.params.soft_beta == 0 || is_decided(best) || is_decided(here.beta) {
            return best;
        }
        (best * here.depth + here.beta) / (here.depth + 1)
    }

    /// Updates the continuation history by the full-depth result of a quiet move that beat its reduced search.
    fn update_after_research(
        &mut self,
        context: &HistoryContext,
        candidate: &MoveContext,
        depth: i32,
        score: i32,
        window: (i32, i32),
    ) {
        let (alpha, beta) = window;
        let failed = score <= alpha;
        if self.params.lmr_learn == 0 || !candidate.quiet || !failed && score < beta || self.limiter.stopped()
        {
            return;
        }
        let bonus = (self.params.history_bonus * depth).min(self.params.history_max);
        let bonus = if failed { -bonus } else { bonus };
        self.memory
            .histories
            .update_continuation(context, candidate.mv, bonus);
    }

    /// Updates histories and killers: a bonus for the move that cut, a malus for those before it.
    fn update_histories(
        &mut self,
        here: &NodeContext<'_>,
        context: &HistoryContext,
        mv: Move,
        tried: &TriedMoves,
    ) {
        let us = here.node.turn;
        let bonus = (self.params.history_bonus * here.depth).min(self.params.history_max);
        let malus = bonus * self.params.history_malus / 100;
        let histories = &mut self.memory.histories;
        if is_noisy(mv) {
            histories.update_capture(us, mv, bonus);
        } else {
            histories.update_quiet(context, mv, bonus);
            for quiet in &tried.quiets {
                histories.update_quiet(context, *quiet, -malus);
            }
        }
        for noisy in &tried.noisy {
            histories.update_capture(us, *noisy, -malus);
        }
        if !is_noisy(mv) && self.params.killers > 0 {
            let keep = self.params.killers > 1;
            let killers = &mut self.memory.frame(here.ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0].filter(|_| keep)];
            }
        }
    }

    /// Stores the result in the table and updates the correction history.
    fn store_result(&mut self, here: &NodeContext<'_>, best: i32, best_move: Option<Move>) {
        if here.excluded.is_some() {
            return;
        }
        let bound = if best >= here.beta {
            Bound::Lower
        } else if here.pv && best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if let Some(eval) = here.eval
            && !best_move.is_some_and(is_noisy)
            && !is_decided(best)
            && !(bound == Bound::Lower && best <= eval)
            && !(bound == Bound::Upper && best >= eval)
            && best != here.bounds.floor
            && best != here.bounds.ceiling
        {
            self.memory
                .histories
                .update_correction(here.node, best - eval, here.depth, self.params);
        }
        self.table.store(
            self.table_key(here.node, self.memory.frame_before(here.ply, 1).mv),
            Entry {
                mv: best_move.map_or(Move16::default(), Move16::from),
                score: to_table(best, here.ply),
                eval: here.raw,
                depth: here.depth,
                bound,
                pv: here.pv || here.entry.is_some_and(|entry| entry.pv),
            },
        );
    }
}

/// Mate distance pruning: no score here is better than mate with the next move, nor worse than being mated now.
fn mate_distance(alpha: i32, beta: i32, ply: usize) -> (i32, i32) {
    (alpha.max(mated_in(ply)), beta.min(mate_in(ply + 1)))
}

impl TriedMoves {
    /// Adds a move that did not cut; beyond a few dozen none is added.
    fn add(&mut self, mv: Move) {
        let _ = if is_noisy(mv) {
            self.noisy.try_push(mv)
        } else {
            self.quiets.try_push(mv)
        };
    }
}

#[cfg(test)]
mod tests;

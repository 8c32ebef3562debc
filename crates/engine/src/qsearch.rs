//! Quiescence search: captures until the position is quiet.

use super::{
    check_info::CheckInfo,
    draw,
    history::HistoryContext,
    move16::Move16,
    movegen::captures,
    movepick::{ScoredMove, best_first, is_noisy},
    node::Node,
    score::{DECIDED, INFINITE, MAX_PLY, from_table, holds, is_decided, to_table},
    see,
    thread_data::Searcher,
    tt::{Bound, Entry, NO_EVAL},
};
use sparring_chess::{Exchanges, Move, Rules as _};

/// In so many first plies of quiescence search a forced capture is searched, and the side to move does not stand pat.
const FORCED_PLIES: i32 = 2;
/// More than any history counts.
const CAPTURES_FIRST: i32 = 1 << 20;

impl Searcher<'_> {
    /// Quiescence search of captures, and in its first plies of quiet checks too; `steps` plies of it have been made. In
    /// check it tries evasions only: captures, and few quiet ones (`quiescence_evasions`) unless all lead to mate. Alpha
    /// and beta are for the side to move.
    pub fn quiescence(&mut self, node: &Node, mut alpha: i32, beta: i32, ply: usize, steps: i32) -> i32 {
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
        let pv = beta - alpha > 1;
        let key = self.table_key(node, self.memory.frame_before(ply, 1).mv);
        let entry = self.table.probe(key);
        if let Some(entry) = entry
            && !pv
            && !draw::is_near(node)
            && let Some(score) = cutoff(&entry, node, alpha, beta, ply)
        {
            return score;
        }
        let bounds = self.fortress_bounds(node);
        if let Some(score) = bounds.settle(alpha, beta) {
            return score;
        }
        let (raw, stand) = self.stand_pat(node, ply, steps, entry.as_ref());
        let found = |mv: Option<Move>, score, bound, pv| Entry {
            mv: mv.map_or(Move16::default(), Move16::from),
            score: to_table(score, ply),
            eval: raw,
            depth: 0,
            bound,
            pv,
        };
        let mut best = bounds.within(stand.unwrap_or(-INFINITE));
        if best >= beta {
            if entry.is_none() {
                // Positions come up again, and evaluating them again is slow.
                self.table.store(key, found(None, best, Bound::Lower, pv));
            }
            return best;
        }
        let first_alpha = alpha;
        alpha = alpha.max(best);
        let start = self.memory.moves.len();
        let best_move = self.search_captures(
            node,
            (&mut alpha, beta),
            (ply, steps),
            stand,
            entry.map(|entry| entry.mv),
            &mut best,
        );
        self.memory.moves.truncate(start);
        if self.limiter.stopped() {
            return 0;
        }
        if best == -INFINITE {
            // No legal move: all of them were tried.
            return draw::no_moves(node, ply);
        }
        best = bounds.within(best);
        let bound = if best >= beta {
            Bound::Lower
        } else if pv && best > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let pv = pv || entry.is_some_and(|entry| entry.pv);
        self.table.store(key, found(best_move, best, bound, pv));
        best
    }

    /// The raw evaluation for the table, and the stand-pat score: none in check, nor when forced to capture in the first
    /// plies. Exchanges of forced captures are long, and the evaluation knows what can be captured.
    fn stand_pat(
        &mut self,
        node: &Node,
        ply: usize,
        steps: i32,
        entry: Option<&Entry>,
    ) -> (i32, Option<i32>) {
        let is_forced = self.traits.forced_captures && steps < FORCED_PLIES;
        if node.in_check() || is_forced && node.pos.capture_moves().iter().next().is_some() {
            return (NO_EVAL, None);
        }
        let raw = match entry {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(node, ply),
        };
        let value = self.corrected(node, raw);
        // A table score is better than the evaluation, where its bound allows.
        let better = entry.and_then(|entry| {
            let score = entry.score;
            let fits = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score > value,
                Bound::Upper => score < value,
                Bound::Unknown => false,
            };
            (fits && !is_decided(score)).then_some(score)
        });
        (raw, Some(better.unwrap_or(value)))
    }

    /// Tries the moves of a quiescence node; returns the one that raised alpha.
    fn search_captures(
        &mut self,
        node: &Node,
        window: (&mut i32, i32),
        at: (usize, i32),
        stand: Option<i32>,
        table_move: Option<Move16>,
        best: &mut i32,
    ) -> Option<Move> {
        let (alpha, beta) = window;
        let (ply, steps) = at;
        let mut best_move = None;
        let mut cursor = self.memory.moves.len();
        self.push_forcing(node, steps, table_move);
        let previous = self.memory.frame_before(ply, 1).mv.map(|mv| mv.to());
        let (mut count, mut evasions) = (0, 0);
        while cursor < self.memory.moves.len() {
            let mv = best_first(&mut self.memory.moves, &mut cursor);
            if *best > -DECIDED {
                if let Some(most) = self.delta(node, mv, stand).filter(|most| most <= alpha) {
                    *best = most.max(*best);
                    continue;
                }
                if stand.is_none() && !is_noisy(mv) {
                    evasions += 1;
                    if evasions > self.params.quiescence_evasions {
                        continue;
                    }
                }
                if !see::holds(node, mv, 0) {
                    continue;
                }
            }
            let last = self.memory.frame_before(ply, 1).mv;
            if stand.is_some() && self.handicap.hides(node, last, mv) {
                continue;
            }
            let child = self.play(node, ply, mv);
            count += 1;
            if stand.is_some()
                && *best > -DECIDED
                && count > self.params.quiescence_moves
                && Some(mv.to()) != previous
                && !child.in_check()
            {
                self.leave();
                continue;
            }
            let score = -self.quiescence(&child, -beta, -*alpha, ply + 1, steps + 1);
            self.leave();
            if self.limiter.stopped() {
                return None;
            }
            if score > *best {
                *best = score;
                if score > *alpha {
                    best_move = Some(mv);
                    if beta - *alpha > 1 {
                        self.memory.extend_line(ply, mv);
                    }
                    *alpha = score;
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        best_move
    }

    /// Delta pruning: the most that a capture can reach, which is standing pat, its victim and a margin. `None` for moves
    /// that are not pruned by it.
    fn delta(&self, node: &Node, mv: Move, stand: Option<i32>) -> Option<i32> {
        let stand = stand.filter(|_| node.traits.exchanges != Exchanges::Uncounted && is_noisy(mv))?;
        Some(stand + self.params.delta_margin + see::most(node, mv))
    }

    /// Pushes the moves to try: evasions in check, else captures and promotions, and in the first plies quiet checks.
    #[inline(never)]
    fn push_forcing(&mut self, node: &Node, steps: i32, table_move: Option<Move16>) {
        let table_move = table_move.filter(|mv| !mv.is_none());
        let params = self.params;
        let context = HistoryContext::for_qsearch(node, params);
        let histories = &self.memory.histories;
        let moves = &mut self.memory.moves;
        // In check the first move that is no mate may be all that is tried: what holds comes before what loses.
        let weighed = node.in_check();
        let mut push = |mv: Move| {
            let score = if table_move == Some(Move16::from(mv)) {
                i32::MAX
            } else {
                let value = if is_noisy(mv) {
                    CAPTURES_FIRST
                        + see::most(node, mv) * params.victim_weight
                        + histories.capture(node.turn, mv)
                } else {
                    histories.butterfly(&context, mv)
                };
                if weighed && !see::holds(node, mv, -params.good_capture) {
                    value - 2 * CAPTURES_FIRST
                } else {
                    value
                }
            };
            moves.push(ScoredMove { mv, score });
        };
        if node.traits.orthodox_captures && !node.in_check() {
            captures(node, &mut push);
            if steps < params.quiescence_checks {
                CheckInfo::of(node).quiet(node, &mut push);
            }
        } else {
            let all = node.in_check();
            node.pos
                .legal_moves()
                .into_iter()
                .filter(|mv| all || is_noisy(*mv))
                .for_each(push);
        }
    }
}

/// The score that a table entry settles the window of a node with.
pub(super) fn cutoff(entry: &Entry, node: &Node, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
    if !holds(entry.score, ply, draw::fifty_move_count(&node.pos)) {
        return None;
    }
    let score = from_table(entry.score, ply);
    let settles = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
        Bound::Unknown => false,
    };
    settles.then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{params::Params, thread_data::tests::with_searcher};
    use sparring_chess::{GameHistory, Role, Variant};

    #[test]
    fn captures_are_measured_by_what_they_take_and_nothing_else_is() {
        // A knight can be taken; nothing else is there to take.
        let fen = "6k1/5ppp/8/4n3/8/5N2/5PPP/6K1 w - - 0 1";
        let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
        with_searcher(&line, &Params::default(), |mut searcher, node| {
            let margin = searcher.params.delta_margin;
            let value = see::piece_value(Role::Knight);
            let moves = node.pos.legal_moves();
            let (takes, quiet): (Vec<Move>, Vec<Move>) = moves.iter().partition(|mv| is_noisy(**mv));
            assert_eq!(
                searcher.delta(node, takes[0], Some(40)),
                Some(40 + margin + value)
            );
            assert_eq!(searcher.delta(node, takes[0], None), None, "in check");
            assert_eq!(searcher.delta(node, quiet[0], Some(40)), None);
            // Far below the window the delta bound is returned without a search.
            let stand = searcher.static_eval(node, 0);
            let most = stand + margin + value;
            let before = searcher.limiter.nodes();
            assert_eq!(searcher.quiescence(node, most, most + 1, 0, 9), most);
            assert_eq!(searcher.limiter.nodes() - before, 1);
            let score = searcher.quiescence(node, most - 1, most, 0, 9);
            assert!(score < most);
            assert!(searcher.limiter.nodes() - before > 2, "it is looked at");
        });
    }
}

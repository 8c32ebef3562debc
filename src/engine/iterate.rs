//! Iterative deepening: from depth to depth, line by line, until a limit is met.

use super::{
    Line, Report, Score, Search, Surroundings,
    eval::Evaluator,
    history::piece_square,
    node::Node,
    params::Params,
    reduce::Reductions,
    root::{RootMove, root_moves},
    score::{INFINITE, MATE, MATE_BOUND, MAX_PLY},
    searcher::{Habits, Memory, Searcher},
    tt::Table,
    watch::Watch,
    weakness::Weakness,
};
use crate::{
    chess::GameLine,
    units::{Depth, Nodes},
};

/// Before this depth scores jump too much for a narrow window.
const ASPIRATION_DEPTH: i32 = 4;

/// An engine with its hash table, kept from move to move.
#[derive(Debug)]
pub struct Engine {
    params: Params,
    reductions: Reductions,
    table: Table,
    memory: Memory,
}

impl Engine {
    /// An engine with a transposition table of this many mebibytes, at least 1.
    #[must_use]
    pub fn new(hash_mib: usize) -> Self {
        let params = Params::default();
        Self {
            reductions: Reductions::new(&params),
            params,
            table: Table::new(hash_mib),
            memory: Memory::new(),
        }
    }

    /// Forgets everything learned, as before a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memory.clear();
    }

    /// Gives the transposition table another size in mebibytes; what it held is lost.
    pub fn resize(&mut self, hash_mib: usize) {
        // The old table goes first, so that both need not fit into memory.
        self.table = Table::new(1);
        self.table = Table::new(hash_mib);
    }

    /// The size of the transposition table in mebibytes, which is less than was asked for when memory lacks.
    #[must_use]
    pub fn hash_mib(&self) -> usize {
        self.table.mib()
    }

    /// The numbers of the search.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Searches with other numbers from now on.
    pub fn set_params(&mut self, params: Params) {
        self.reductions = Reductions::new(&params);
        self.params = params;
    }

    /// Searches, telling of each finished iteration, and returns the last report.
    ///
    /// An engine that is new or [cleared](Self::clear) finds the same again, with the same number of nodes, unless
    /// time or a stop ends the search.
    pub fn search(
        &mut self,
        search: &Search,
        around: &Surroundings<'_>,
        tell: &mut dyn FnMut(&Report),
    ) -> Report {
        self.table.grow_older();
        let node = Node::root(&search.line);
        self.memory.begin(search.line.keys(), last_move(&search.line));
        let weakness = Weakness::new(&search.handicap, node.keys.full);
        let variant = search.line.variant();
        let mut searcher = Searcher {
            params: &self.params,
            reductions: &self.reductions,
            table: &self.table,
            memory: &mut self.memory,
            watch: Watch::start(&search.limits, around),
            evaluator: Evaluator::for_variant(variant),
            habits: Habits::of(variant),
            weakness,
            salt: weakness.salt(),
            seldepth: 0,
            iteration: 0,
            null_from: 0,
        };
        let moves = root_moves(&mut searcher, &node, &search.only);
        Iteration {
            searcher,
            node,
            moves,
            multi_pv: search.multi_pv.max(1),
            depth: 0,
            steady: 0,
        }
        .deepen(search, tell)
    }
}

/// The last move of a game and where it ended.
fn last_move(line: &GameLine) -> Option<(crate::chess::Move, u16)> {
    let mv = *line.moves().last()?;
    Some((mv, piece_square(!line.turn(), mv)))
}

/// Iterative deepening under way.
struct Iteration<'a> {
    searcher: Searcher<'a>,
    node: Node,
    moves: Vec<RootMove>,
    multi_pv: usize,
    /// The last depth that was finished.
    depth: i32,
    /// For how many iterations the best move stayed the same.
    steady: u32,
}

impl Iteration<'_> {
    fn deepen(mut self, search: &Search, tell: &mut dyn FnMut(&Report)) -> Report {
        if self.moves.is_empty() {
            return self.report();
        }
        let last = search.limits.depth.map_or(MAX_PLY as i32 - 1, |Depth(depth)| {
            i32::try_from(depth)
                .unwrap_or(i32::MAX)
                .clamp(1, MAX_PLY as i32 - 1)
        });
        for depth in 1..=last {
            let best_before = self.moves[0].mv;
            let score_before = self.moves[0].worth();
            if !self.search_lines(depth) {
                break;
            }
            self.depth = depth;
            self.steady = if self.moves[0].mv == best_before {
                self.steady + 1
            } else {
                0
            };
            tell(&self.report());
            let fall = score_before - self.moves[0].worth();
            if self.is_enough(search, depth, fall) {
                break;
            }
        }
        self.report()
    }

    /// Searches all lines to a depth. False when that was cut short.
    fn search_lines(&mut self, depth: i32) -> bool {
        for root in &mut self.moves {
            root.previous = root.worth();
            root.score = -INFINITE;
        }
        self.searcher.iteration = depth;
        self.searcher.seldepth = 0;
        for first in 0..self.multi_pv.min(self.moves.len()) {
            self.search_line(depth, first);
            // The sort is stable: moves that were not found better stay in the order of the last iteration, so that
            // its best move stays first when this one is cut short before any result.
            self.moves[first..].sort_by_key(|root| -root.score);
            if self.searcher.watch.stopped() {
                break;
            }
        }
        let lines = self.multi_pv.min(self.moves.len());
        self.moves[..lines].sort_by_key(|root| -root.worth());
        !self.searcher.watch.stopped()
    }

    /// Searches for the best of the moves from `first` on, with a window around the last score that widens as needed.
    fn search_line(&mut self, depth: i32, first: usize) {
        let center = self.moves[first].previous;
        let mut width = self.searcher.params.aspiration;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= ASPIRATION_DEPTH && center.abs() < MATE_BOUND {
            alpha = (center - width).max(-INFINITE);
            beta = (center + width).min(INFINITE);
        }
        let mut reduction = 0;
        loop {
            for root in &mut self.moves[first..] {
                root.score = -INFINITE;
            }
            let score = self.searcher.search_root(
                &self.node,
                &mut self.moves[first..],
                (alpha, beta),
                (depth - reduction).max(1),
            );
            if self.searcher.watch.stopped() {
                return;
            }
            self.moves[first..].sort_by_key(|root| -root.score);
            width += width / 2;
            if score <= alpha {
                beta = i32::midpoint(alpha, beta);
                alpha = (score - width).max(-INFINITE);
                reduction = 0;
            } else if score >= beta {
                beta = (score + width).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            if width > 400 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Whether another iteration is not wanted, or would likely not finish in time.
    fn is_enough(&self, search: &Search, depth: i32, fall: i32) -> bool {
        let best = &self.moves[0];
        if let Some(mate) = search.limits.mate {
            let bound = i32::try_from(mate).unwrap_or(MATE).saturating_mul(2);
            if best.worth() >= MATE_BOUND && MATE - best.worth() <= bound {
                return true;
            }
        }
        let Some(soft) = search.limits.soft else {
            return false;
        };
        // One reply leaves nothing to think about, and a mate that is proven will not get shorter.
        let proven = best.worth().abs() >= MATE_BOUND && MATE - best.worth().abs() <= depth;
        if self.moves.len() == 1 || proven {
            return true;
        }
        let effort = best.nodes as f64 / self.searcher.watch.nodes().max(1) as f64;
        let mut share = patience(self.steady, effort, fall);
        if search.limits.hard.is_none() {
            share = share.min(1.0);
        }
        self.searcher.watch.elapsed() > soft.scaled(share)
    }

    fn report(&self) -> Report {
        let lines = self.moves[..self.multi_pv.min(self.moves.len())]
            .iter()
            .map(|root| Line {
                score: Score::from_value(root.worth()),
                pv: root.pv.clone(),
            })
            .collect();
        Report {
            depth: Depth(u32::try_from(self.depth).unwrap_or(0)),
            seldepth: Depth(u32::try_from(self.searcher.seldepth).unwrap_or(0)),
            nodes: Nodes(self.searcher.watch.nodes()),
            elapsed: self.searcher.watch.elapsed(),
            hashfull: self.searcher.table.hashfull(),
            lines,
        }
    }
}

/// The share of the soft limit to use: less when the best move has long been the same and took most of the nodes,
/// more when the score is falling. Between 0.4 and 1.6.
fn patience(steady: u32, effort: f64, fall: i32) -> f64 {
    let steadiness = 1.25 - 0.07 * f64::from(steady.min(8));
    let concentration = 1.5 - 0.8 * effort;
    let alarm = 1.0 + f64::from(fall.clamp(-20, 60)) / 120.0;
    (steadiness * concentration * alarm).clamp(0.4, 1.6)
}

//! Thread data of a search: stack entries, histories, counters.

use arrayvec::ArrayVec;

use super::{
    draw,
    eval::{Evaluator, PawnTable, fifty_move_scaled},
    handicap::{PreparedHandicap, mix},
    history::{Histories, HistoryContext, NO_PIECE_SQUARE, PieceSquare, piece_square},
    movepick::ScoredMove,
    nnue::AccumulatorStack,
    node::Node,
    params::Params,
    reductions::Reductions,
    root_moves::RootMove,
    score::{DECIDED, MAX_PLY},
    search_limits::SearchLimiter,
    style_bonus::PreparedStyleBonus,
    syzygy::Tablebase,
    threads::ThreadPool,
    tt::TranspositionTable,
};
use sparring_chess::{Move, VariantTraits};

/// Frames before the root, so that looking back four plies needs no check.
const BEFORE_ROOT: usize = 4;

/// The halfmove clock from which on table keys depend on it, and how many of its values share a key.
const HALFMOVES_LATE: u32 = 24;
const HALFMOVE_GROUP: u32 = 8;

/// Room for the moves of any position that occurs in games.
const MOST_MOVES: usize = 256;

/// The stack entry of one ply of the current path.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackEntry {
    /// The corrected static evaluation; `None` in check.
    pub eval: Option<i32>,
    /// The move played from here; `None` for a null move.
    pub mv: Option<Move>,
    /// The piece and target square of that move.
    pub moved: PieceSquare,
    /// Quiet moves that cut at this ply, the latest first.
    pub killers: [Option<Move>; 2],
    /// The move that a singular search excludes.
    pub excluded: Option<Move>,
    /// The fraction of a ply left over by reductions on the way here.
    pub reduction_carry: i32,
    /// How many nodes of this ply cut since the node two plies before began.
    pub cutoffs: i32,
}

impl StackEntry {
    const EMPTY: Self = Self {
        eval: None,
        mv: None,
        moved: NO_PIECE_SQUARE,
        killers: [None; 2],
        excluded: None,
        reduction_carry: 0,
        cutoffs: 0,
    };
}

/// What one search thread keeps from search to search, so that a search allocates nothing.
#[derive(Debug)]
pub(super) struct ThreadMemory {
    pub histories: Histories,
    pub pawns: PawnTable,
    /// NNUE accumulators along the path.
    pub net: AccumulatorStack,
    /// The shared stack of move lists.
    pub moves: Vec<ScoredMove>,
    /// Keys of the game and of the path, the current node's last.
    pub path: Vec<u64>,
    /// The principal variation from each ply on.
    pub lines: Vec<ArrayVec<Move, MAX_PLY>>,
    /// The moves of the root, the best of the last search first.
    pub roots: Vec<RootMove>,
    stack: Vec<StackEntry>,
}

impl ThreadMemory {
    /// Empty memory.
    pub fn new() -> Self {
        Self {
            histories: Histories::new(),
            pawns: PawnTable::new(),
            net: AccumulatorStack::new(),
            moves: Vec::with_capacity(4096),
            path: Vec::with_capacity(1024),
            lines: vec![ArrayVec::new(); MAX_PLY + 1],
            roots: Vec::with_capacity(MOST_MOVES),
            stack: vec![StackEntry::EMPTY; MAX_PLY + BEFORE_ROOT + 2],
        }
    }

    /// Clears the histories. The pawn table only caches, and stays.
    pub fn clear(&mut self) {
        self.histories.clear();
    }

    /// Clears the histories and the cached evaluations.
    pub fn clear_evaluations(&mut self) {
        self.clear();
        self.pawns.clear();
    }

    /// Prepares a search at the end of a game: the keys of its positions, the current one last, and its last move.
    pub fn begin(&mut self, keys: &[u64], last: Option<(Move, PieceSquare)>) {
        self.path.clear();
        self.path.extend_from_slice(keys);
        self.moves.clear();
        self.stack.fill(StackEntry::EMPTY);
        self.net.begin();
        if let Some((mv, moved)) = last {
            let frame = &mut self.stack[BEFORE_ROOT - 1];
            frame.mv = Some(mv);
            frame.moved = moved;
        }
    }

    /// The frame of a ply, from 0 at the root.
    pub fn frame(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.stack[ply + BEFORE_ROOT]
    }

    /// The stack entry `back` plies before, at most four.
    pub fn frame_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.stack[ply + BEFORE_ROOT - back]
    }

    /// The piece and target square of the last, the second to last and the fourth to last move.
    pub fn moves_before(&self, ply: usize) -> [PieceSquare; 3] {
        [1, 2, 4].map(|back| self.frame_before(ply, back).moved)
    }

    /// Makes a move the first of the principal variation from a ply on.
    pub fn extend_line(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        if let (Some(line), Some(rest)) = (before.last_mut(), after.first()) {
            line.clear();
            line.push(mv);
            line.extend(rest.iter().copied().take(MAX_PLY - 1));
        }
    }
}

/// A search under way.
pub(super) struct Searcher<'a> {
    pub params: &'a Params,
    pub reductions: &'a Reductions,
    pub table: &'a TranspositionTable,
    pub pool: &'a ThreadPool,
    pub memory: &'a mut ThreadMemory,
    pub limiter: SearchLimiter<'a>,
    pub evaluator: Evaluator<'a>,
    /// Whether the NNUE correction is added to the evaluation.
    pub uses_net: bool,
    pub traits: VariantTraits,
    pub handicap: PreparedHandicap,
    pub style: PreparedStyleBonus,
    /// Whether known drawn endings bound scores.
    pub detects_fortresses: bool,
    /// Tablebases to probe below the root.
    pub tablebase: Option<&'a Tablebase>,
    /// Mixed into every key of the table.
    pub salt: u64,
    /// The deepest ply visited.
    pub seldepth: usize,
    /// The iteration's depth.
    pub iteration: i32,
    /// No null move is tried before this ply, while one is being verified.
    pub null_from: usize,
}

impl Searcher<'_> {
    /// The static evaluation of the node at this ply for the side to move, with style bonuses and handicap noise: as
    /// stored in the table, without fifty-move scaling and correction history.
    pub fn evaluate(&mut self, node: &Node, ply: usize) -> i32 {
        let ThreadMemory { net, pawns, .. } = &mut *self.memory;
        let seen = self.uses_net.then(|| net.halves(ply, node));
        let value = self.evaluator.evaluate_unfaded(node, pawns, seen);
        let value = value + self.style.bonus(node) + self.handicap.noise(node);
        value.clamp(1 - DECIDED, DECIDED - 1)
    }

    /// An evaluation with fifty-move scaling and correction history.
    pub fn corrected(&self, node: &Node, value: i32) -> i32 {
        let corrected =
            fifty_move_scaled(value, &node.pos) + self.memory.histories.correction(node, self.params);
        corrected.clamp(1 - DECIDED, DECIDED - 1)
    }

    /// The history context of the quiet moves of a node.
    pub fn history_context(&self, node: &Node, ply: usize) -> HistoryContext {
        HistoryContext::new(node, self.memory.moves_before(ply), self.params)
    }

    /// The corrected static evaluation; 0 in check.
    pub fn static_eval(&mut self, node: &Node, ply: usize) -> i32 {
        if node.in_check() {
            return 0;
        }
        let value = self.evaluate(node, ply);
        self.corrected(node, value)
    }

    /// Plays a move from a ply and pushes its child on the path, until [`Self::leave`].
    pub fn play(&mut self, node: &Node, ply: usize, mv: Move) -> Node {
        let step = node.step(mv);
        // The table entry of the child is prefetched while the child is made.
        let counted = if mv.is_zeroing() {
            0
        } else {
            draw::fifty_move_count(&node.pos).saturating_add(1)
        };
        self.table
            .prefetch(self.salted_key(step.keys.full, counted, Some(mv)));
        let child = node.after_step(&step);
        if child.keys.full != step.keys.full {
            self.table.prefetch(self.table_key(&child, Some(mv)));
        }
        let frame = self.memory.frame(ply);
        frame.mv = Some(mv);
        frame.moved = piece_square(node.turn, mv);
        if self.uses_net {
            self.memory.net.enter(ply + 1, node.turn, step.changes);
        }
        self.descend(ply, &child);
        child
    }

    /// Pushes a null move on the path.
    pub fn enter_null(&mut self, ply: usize, child: &Node) {
        self.table.prefetch(self.table_key(child, None));
        let frame = self.memory.frame(ply);
        frame.mv = None;
        frame.moved = NO_PIECE_SQUARE;
        if self.uses_net {
            self.memory.net.enter_null(ply + 1);
        }
        self.descend(ply, child);
    }

    /// The reduction carry is inherited by the child.
    fn descend(&mut self, ply: usize, child: &Node) {
        self.memory.frame(ply + 1).reduction_carry = self.memory.frame(ply).reduction_carry;
        self.memory.path.push(child.keys.full);
    }

    /// Pops the child from the path.
    pub fn leave(&mut self) {
        self.memory.path.pop();
    }

    /// The key of a node in the table, `last` being the move that led to it.
    pub fn table_key(&self, node: &Node, last: Option<Move>) -> u64 {
        self.salted_key(node.keys.full, draw::fifty_move_count(&node.pos), last)
    }

    fn salted_key(&self, key: u64, halfmoves: u32, last: Option<Move>) -> u64 {
        key ^ self.salt ^ self.handicap.salt_after(last) ^ count_salt(halfmoves)
    }
}

/// The part of a table key that depends on the halfmove clock. Late in the fifty-move count an equal position is a
/// different one: a win may have become a draw.
fn count_salt(halfmoves: u32) -> u64 {
    let late = halfmoves
        .saturating_add(HALFMOVE_GROUP)
        .saturating_sub(HALFMOVES_LATE);
    match late / HALFMOVE_GROUP {
        0 => 0,
        late => mix(u64::from(late)),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Limits, SearchControl, SearchRequest, Stop};
    use sparring_chess::{GameHistory, units::Stopwatch};

    /// Runs `ask` on a searcher at the end of a game, with these parameters and empty tables.
    pub fn with_searcher<R>(
        line: &GameHistory,
        params: &Params,
        ask: impl FnOnce(Searcher<'_>, &Node) -> R,
    ) -> R {
        let search = SearchRequest::new(line.clone(), Limits::default());
        let (node, mut memory, pool) = (Node::root(line), ThreadMemory::new(), ThreadPool::new(1));
        memory.begin(line.keys(), None);
        let (stop, clock) = (Stop::new(), Stopwatch::start());
        let control = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let searcher = Searcher {
            params,
            reductions: &Reductions::new(params),
            table: &TranspositionTable::new(1),
            pool: &pool,
            memory: &mut memory,
            limiter: SearchLimiter::lead(&search.limits, &control, &pool),
            evaluator: Evaluator::for_variant(line.variant()),
            uses_net: search.uses_net(params),
            traits: line.variant().traits(),
            handicap: PreparedHandicap::new(&search.handicap, node.keys.full),
            style: PreparedStyleBonus::new(&search.style_bonus, node.turn),
            detects_fortresses: false,
            tablebase: None,
            salt: 0,
            seldepth: 0,
            iteration: 1,
            null_from: 0,
        };
        ask(searcher, &node)
    }

    #[test]
    fn equal_positions_late_in_the_fifty_move_count_have_different_keys() {
        let salts: Vec<u64> = (0..100).map(count_salt).collect();
        assert!(
            salts[..24].iter().all(|salt| *salt == 0),
            "early ones share what is known"
        );
        for (early, late) in [(0, 24), (23, 24), (31, 32), (24, 96), (88, 96)] {
            assert_ne!(salts[early], salts[late], "{early} and {late}");
        }
        assert_eq!(salts[24], salts[31]);
    }

    #[test]
    fn a_count_of_half_moves_that_no_game_has_is_another_late_one() {
        assert_ne!(count_salt(u32::MAX), count_salt(99));
    }
}

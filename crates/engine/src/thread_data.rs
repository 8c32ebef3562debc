//! Thread data of a search: stack entries, histories, counters.

use arrayvec::ArrayVec;

use super::{
    eval::{Evaluator, PawnTable, fifty_move_scaled},
    handicap::{PreparedHandicap, mix},
    history::{Histories, HistoryContext, NO_PIECE_SQUARE, PieceSquare, piece_square},
    movepick::Scored,
    nnue::Path,
    node::Node,
    params::Params,
    reductions::Reductions,
    root_moves::RootMove,
    score::{DECIDED, MAX_PLY},
    search_limits::SearchLimiter,
    style_bonus::PreparedStyleBonus,
    syzygy::Tablebase,
    threads::ThreadPool,
    tt::Table,
};
use sparring_chess::{Move, Rules as _, Variant};

/// Frames before the root, so that looking back four plies needs no check.
const BEFORE_ROOT: usize = 4;

/// From how many half moves without progress on entries of the table are told apart by that count, and how many
/// counts are taken as one.
const HALFMOVES_LATE: u32 = 24;
const HALFMOVE_GROUP: u32 = 8;

/// Room for the moves of any position that occurs in games.
const MOST_MOVES: usize = 256;

/// What is known of one ply of the current path.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackEntry {
    /// The corrected static evaluation; `None` in check.
    pub eval: Option<i32>,
    /// The move played from here; `None` for a null move.
    pub mv: Option<Move>,
    /// Where that move ended.
    pub moved: PieceSquare,
    /// Quiet moves that cut at this ply, the latest first.
    pub killers: [Option<Move>; 2],
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// The fraction of a ply that reductions on the way here have left over.
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

/// What one searching thread keeps from search to search, so that a search allocates nothing.
#[derive(Debug)]
pub(super) struct ThreadMemory {
    pub histories: Histories,
    pub pawns: PawnTable,
    /// What the net sees along the path.
    pub net: Path,
    /// The shared stack of move lists.
    pub moves: Vec<Scored>,
    /// Keys of the game and of the path, the current node's last.
    pub path: Vec<u64>,
    /// The best line found from each ply on.
    pub lines: Vec<ArrayVec<Move, MAX_PLY>>,
    /// The moves of the root, the best of the last search first.
    pub roots: Vec<RootMove>,
    stack: Vec<StackEntry>,
}

impl ThreadMemory {
    /// A memory that knows nothing.
    pub fn new() -> Self {
        Self {
            histories: Histories::new(),
            pawns: PawnTable::new(),
            net: Path::new(),
            moves: Vec::with_capacity(4096),
            path: Vec::with_capacity(1024),
            lines: vec![ArrayVec::new(); MAX_PLY + 1],
            roots: Vec::with_capacity(MOST_MOVES),
            stack: vec![StackEntry::EMPTY; MAX_PLY + BEFORE_ROOT + 2],
        }
    }

    /// Forgets what searches have taught. What the table of pawns says could be seen again, and stays.
    pub fn clear(&mut self) {
        self.histories.clear();
    }

    /// Forgets what holds for one judge of positions only.
    pub fn clear_evaluations(&mut self) {
        self.clear();
        self.pawns.clear();
    }

    /// Makes ready for a search at the end of a line: its keys, the current one last, and its last move.
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

    /// The frame so many plies before, at most four.
    pub fn frame_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.stack[ply + BEFORE_ROOT - back]
    }

    /// Where the last, the second to last and the fourth to last move ended.
    pub fn moves_before(&self, ply: usize) -> [PieceSquare; 3] {
        [1, 2, 4].map(|back| self.frame_before(ply, back).moved)
    }

    /// Makes a move the first of the best line from a ply on.
    pub fn extend_line(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        if let (Some(line), Some(rest)) = (before.last_mut(), after.first()) {
            line.clear();
            line.push(mv);
            line.extend(rest.iter().copied().take(MAX_PLY - 1));
        }
    }
}

/// What the rules of a variant allow the search to assume.
#[derive(Debug, Clone, Copy)]
pub(super) struct VariantTraits {
    /// Exchanges on a square can be counted.
    pub see: bool,
    /// Passing would be worse than the best move, almost always.
    pub null_move: bool,
    /// A capture that is possible must be made.
    pub forced_captures: bool,
}

impl VariantTraits {
    /// What holds in a variant.
    pub fn of(variant: Variant) -> Self {
        Self {
            // Explosions and forced captures make nonsense of counting exchanges.
            see: !matches!(variant, Variant::Atomic | Variant::Antichess),
            null_move: variant != Variant::Antichess,
            forced_captures: variant == Variant::Antichess,
        }
    }
}

/// A search under way.
pub(super) struct Searcher<'a> {
    pub params: &'a Params,
    pub reductions: &'a Reductions,
    pub table: &'a Table,
    pub pool: &'a ThreadPool,
    pub memory: &'a mut ThreadMemory,
    pub limiter: SearchLimiter<'a>,
    pub evaluator: Evaluator<'a>,
    /// Whether the net corrects what it says.
    pub uses_net: bool,
    pub traits: VariantTraits,
    pub handicap: PreparedHandicap,
    pub style: PreparedStyleBonus,
    /// Whether it goes by what is known of endings.
    pub detects_fortresses: bool,
    /// Endgame tables to ask below the root.
    pub tablebase: Option<&'a Tablebase>,
    /// Mixed into every key of the table.
    pub salt: u64,
    /// The deepest ply visited.
    pub seldepth: usize,
    /// The iteration's depth.
    pub iteration: i32,
    /// Below this ply no null move is tried, while one is being verified.
    pub null_from: usize,
}

impl Searcher<'_> {
    /// The static evaluation of the node at this ply for the side to move, with likings and blurred by the handicap: what the table
    /// keeps, neither faded by the fifty-move rule nor corrected.
    pub fn evaluate(&mut self, node: &Node, ply: usize) -> i32 {
        let ThreadMemory { net, pawns, .. } = &mut *self.memory;
        let seen = self.uses_net.then(|| net.halves(ply, node));
        let value = self.evaluator.evaluate_unfaded(node, pawns, seen);
        let value = value + self.style.worth(node) + self.handicap.noise(node);
        value.clamp(1 - DECIDED, DECIDED - 1)
    }

    /// What an evaluation comes to here: less the nearer the fifty-move rule, and with what the histories know of its errors.
    pub fn corrected(&self, node: &Node, value: i32) -> i32 {
        let corrected =
            fifty_move_scaled(value, &node.pos) + self.memory.histories.correction(node, self.params);
        corrected.clamp(1 - DECIDED, DECIDED - 1)
    }

    /// What quiet moves of a node are judged by.
    pub fn history_context(&self, node: &Node, ply: usize) -> HistoryContext {
        HistoryContext::new(node, self.memory.moves_before(ply), self.params)
    }

    /// What a position is worth without looking ahead, corrected; nothing in check.
    pub fn static_eval(&mut self, node: &Node, ply: usize) -> i32 {
        if node.in_check() {
            return 0;
        }
        let value = self.evaluate(node, ply);
        self.corrected(node, value)
    }

    /// Plays a move from a ply and notes that the line goes on from its child, until [`Self::leave`].
    pub fn play(&mut self, node: &Node, ply: usize, mv: Move) -> Node {
        let step = node.step(mv);
        // What the table has of the child is fetched while it is made.
        let counted = if mv.is_zeroing() {
            0
        } else {
            node.pos.halfmoves().saturating_add(1)
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

    /// Notes that the side to move passes.
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

    /// What the line owes in fractions of a ply goes down with it.
    fn descend(&mut self, ply: usize, child: &Node) {
        self.memory.frame(ply + 1).reduction_carry = self.memory.frame(ply).reduction_carry;
        self.memory.path.push(child.keys.full);
    }

    /// Back from the child.
    pub fn leave(&mut self) {
        self.memory.path.pop();
    }

    /// The key of a node in the table, `last` being the move that led to it.
    pub fn table_key(&self, node: &Node, last: Option<Move>) -> u64 {
        self.salted_key(node.keys.full, node.pos.halfmoves(), last)
    }

    fn salted_key(&self, key: u64, halfmoves: u32, last: Option<Move>) -> u64 {
        key ^ self.salt ^ self.handicap.salt_after(last) ^ count_salt(halfmoves)
    }
}

/// What tells keys of the table apart by the half moves without progress. Late in the fifty-move count an equal position is
/// another one: what was won with time in hand may now be a draw.
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

    /// Asks something of a search that begins at the end of a line with these numbers and knows nothing.
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
            table: &Table::new(1),
            pool: &pool,
            memory: &mut memory,
            limiter: SearchLimiter::lead(&search.limits, &control, &pool),
            evaluator: Evaluator::for_variant(line.variant()),
            uses_net: search.uses_net(params),
            traits: VariantTraits::of(line.variant()),
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
    fn equal_positions_late_in_the_fifty_move_count_are_told_apart() {
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

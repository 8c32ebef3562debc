//! History tables: quiet moves, captures, continuations, and evaluation corrections.
//!
//! Every number moves towards its bound by a step that shrinks as it gets there ("gravity"), so old lessons fade.

use std::mem;

use shakmaty::{Bitboard, attacks};

use super::{node::Node, params::Params};
use sparring_chess::{Color, Move, Role};

/// Bound of the move histories.
pub(super) const MAX_HISTORY: i32 = 16_384;

/// Pieces of both colors on all squares, and one more for "no move".
const PIECE_SQUARES: usize = 12 * 64;

/// Slots of one correction table, for each side.
const CORRECTIONS: usize = 16_384;

/// Bound of a correction, and how many units make a centipawn.
const MAX_CORRECTION: i32 = 1024 * 16;
const CORRECTION_GRAIN: i32 = 256;

/// A piece of a color on a square, as continuation histories are indexed: [`NO_PIECE_SQUARE`] after a null move.
pub(super) type PieceSquare = u16;

/// The piece-square of no move.
pub(super) const NO_PIECE_SQUARE: PieceSquare = PIECE_SQUARES as u16;

/// The piece-square that a move of a side ends on.
pub(super) fn piece_square(us: Color, mv: Move) -> PieceSquare {
    let piece = us as u16 * 6 + u16::from(mv.role()) - 1;
    piece * 64 + mv.to() as u16
}

/// The squares that the side not to move attacks.
#[derive(Debug, Clone, Copy, Default)]
struct Threats {
    all: Bitboard,
    /// Squares where a knight or bishop, a rook, and a queen are attacked by a piece of less value.
    by_lesser: [Bitboard; 3],
}

/// What the histories of a quiet move depend on besides the move: the side to move, the attacked squares, and the moves
/// before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct HistoryContext {
    us: Color,
    threats: Threats,
    /// The first entries of the rows of the earlier moves, as many as `count`.
    rows: [usize; 3],
    count: usize,
}

impl HistoryContext {
    /// The context of quiet evasions in quiescence search: the moves alone.
    pub fn for_qsearch(node: &Node, params: &Params) -> Self {
        let counts = params.threat_history > 0 && node.in_check();
        Self {
            us: node.turn,
            threats: Threats::where_they_count(counts, node),
            rows: [0; 3],
            count: 0,
        }
    }

    /// The context of a node; `before` holds the piece and target square of the last, the second to last and the fourth
    /// to last move.
    pub fn new(node: &Node, before: [PieceSquare; 3], params: &Params) -> Self {
        let counts = params.threat_history > 0;
        Self {
            us: node.turn,
            threats: Threats::where_they_count(counts, node),
            rows: before.map(|previous| previous as usize * PIECE_SQUARES),
            count: usize::try_from(params.continuation).unwrap_or(0).min(3),
        }
    }

    /// The bonus of a quiet move for leaving squares attacked by lesser pieces, or malus for entering them: `unit` for a
    /// knight or bishop.
    pub fn escape(&self, mv: Move, unit: i32) -> i32 {
        let [minor, rook, queen] = self.threats.by_lesser;
        let (attacked, weight) = match mv.role() {
            Role::Knight | Role::Bishop => (minor, unit),
            Role::Rook => (rook, unit * 3 / 2),
            Role::Queen => (queen, unit * 2),
            Role::Pawn | Role::King => return 0,
        };
        let flees = mv.from().is_some_and(|from| attacked.contains(from));
        weight * (i32::from(flees) - i32::from(attacked.contains(mv.to())))
    }
}

impl Threats {
    /// No threats where they are switched off.
    fn where_they_count(counts: bool, node: &Node) -> Self {
        if counts { Self::of(node) } else { Self::default() }
    }

    fn of(node: &Node) -> Self {
        let board = node.board();
        let (them, occupied) = (!node.turn, board.occupied());
        let theirs = board.by_color(them);
        let by = |role: Role| {
            let squares = theirs & board.by_role(role);
            squares.into_iter().fold(Bitboard::EMPTY, |attacked, from| {
                attacked | attacks::attacks(from, role.of(them), occupied)
            })
        };
        let pawns = by(Role::Pawn);
        let minors = pawns | by(Role::Knight) | by(Role::Bishop);
        let rooks = minors | by(Role::Rook);
        Self {
            all: rooks | by(Role::Queen) | by(Role::King),
            by_lesser: [pawns, minors, rooks],
        }
    }
}

/// All histories of one search thread.
#[derive(Debug)]
pub(super) struct Histories {
    /// Quiet moves by side, threats to origin and target, origin and target.
    butterfly: Vec<i16>,
    /// Captures by piece, target and victim.
    captures: Vec<i16>,
    /// Quiet moves by piece and target, after a move by piece and target.
    continuation: Vec<i16>,
    /// Which rows of these were written: after a short search few of them have to be cleared.
    written: Vec<bool>,
    /// Errors of the evaluation by side and pawn structure.
    pawns: Vec<i16>,
    /// The same by the pieces of white, of black, and by minor pieces.
    pieces: [Vec<i16>; 2],
    minors: Vec<i16>,
}

impl Histories {
    /// Empty histories.
    pub fn new() -> Self {
        let corrections = || vec![0; 2 * CORRECTIONS];
        Self {
            butterfly: vec![0; 2 * 4 * 64 * 64],
            captures: vec![0; PIECE_SQUARES * 8],
            continuation: vec![0; (PIECE_SQUARES + 1) * PIECE_SQUARES],
            written: vec![false; PIECE_SQUARES + 1],
            pawns: corrections(),
            pieces: [corrections(), corrections()],
            minors: corrections(),
        }
    }

    /// Clears all histories.
    pub fn clear(&mut self) {
        let [white, black] = &mut self.pieces;
        for table in [
            &mut self.butterfly,
            &mut self.captures,
            &mut self.pawns,
            white,
            black,
            &mut self.minors,
        ] {
            table.fill(0);
        }
        let rows = self.continuation.chunks_exact_mut(PIECE_SQUARES);
        for (row, written) in rows.zip(&mut self.written) {
            if mem::take(written) {
                row.fill(0);
            }
        }
    }

    /// The score of a quiet move: butterfly and continuation history.
    pub fn quiet(&self, context: &HistoryContext, mv: Move) -> i32 {
        let to = piece_square(context.us, mv) as usize;
        let mut sum = self.butterfly(context, mv);
        for row in &context.rows[..context.count] {
            sum += i32::from(self.continuation[row + to]);
        }
        sum
    }

    /// The butterfly history of a quiet move, by threats to its origin and target.
    pub fn butterfly(&self, context: &HistoryContext, mv: Move) -> i32 {
        i32::from(self.butterfly[butterfly(context, mv)])
    }

    /// The capture history of a move.
    pub fn capture(&self, us: Color, mv: Move) -> i32 {
        i32::from(self.captures[capture(us, mv)])
    }

    /// Updates the histories of a quiet move by a bonus, or by a malus below zero.
    pub fn update_quiet(&mut self, context: &HistoryContext, mv: Move, bonus: i32) {
        apply_gravity(&mut self.butterfly[butterfly(context, mv)], bonus, MAX_HISTORY);
        self.update_continuation(context, mv, bonus);
    }

    /// Updates only the continuation history of a quiet move.
    pub fn update_continuation(&mut self, context: &HistoryContext, mv: Move, bonus: i32) {
        let to = piece_square(context.us, mv) as usize;
        for row in &context.rows[..context.count] {
            apply_gravity(&mut self.continuation[row + to], bonus, MAX_HISTORY);
            self.written[row / PIECE_SQUARES] = true;
        }
    }

    /// Updates the history of a capture by a bonus, or by a malus below zero.
    pub fn update_capture(&mut self, us: Color, mv: Move, bonus: i32) {
        apply_gravity(&mut self.captures[capture(us, mv)], bonus, MAX_HISTORY);
    }

    /// What to add to the evaluation of a position, in centipawns.
    pub fn correction(&self, node: &Node, params: &Params) -> i32 {
        let us = node.turn;
        let keys = &node.keys;
        let at = |table: &[i16], key: u64| i32::from(table[correction(us, key)]);
        let sum = params.correction_pawns * at(&self.pawns, keys.pawns)
            + at(&self.pieces[0], keys.pieces[0])
            + at(&self.pieces[1], keys.pieces[1])
            + at(&self.minors, keys.minors);
        sum * params.correction / (200 * CORRECTION_GRAIN)
    }

    /// Updates the correction history: `error` in centipawns, weighted by the searched depth.
    pub fn update_correction(&mut self, node: &Node, error: i32, depth: i32, params: &Params) {
        let bonus = (error * depth * params.correction_rate).clamp(-MAX_CORRECTION / 4, MAX_CORRECTION / 4);
        let us = node.turn;
        let keys = &node.keys;
        for (table, key) in [(&mut self.pawns, keys.pawns), (&mut self.minors, keys.minors)] {
            apply_gravity(&mut table[correction(us, key)], bonus, MAX_CORRECTION);
        }
        for (table, key) in self.pieces.iter_mut().zip(keys.pieces) {
            apply_gravity(&mut table[correction(us, key)], bonus, MAX_CORRECTION);
        }
    }
}

fn apply_gravity(value: &mut i16, bonus: i32, bound: i32) {
    let old = i32::from(*value);
    let bonus = bonus.clamp(-bound, bound);
    *value = (old + bonus - old * bonus.abs() / bound) as i16;
}

fn butterfly(context: &HistoryContext, mv: Move) -> usize {
    // Drops have no origin; the target alone is enough for them.
    let from = mv.from().unwrap_or(mv.to());
    let attacked = |square| usize::from(context.threats.all.contains(square));
    let danger = attacked(from) * 2 + attacked(mv.to());
    ((context.us as usize * 4 + danger) * 64 + from as usize) * 64 + mv.to() as usize
}

fn capture(us: Color, mv: Move) -> usize {
    piece_square(us, mv) as usize * 8 + mv.capture().map_or(0, usize::from)
}

fn correction(us: Color, key: u64) -> usize {
    us as usize * CORRECTIONS + key as usize % CORRECTIONS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{score::INFINITE, thread_data::tests::with_searcher};
    use sparring_chess::{GameHistory, Variant, parse_fen, parse_uci};

    #[test]
    fn histories_stay_within_their_bounds_whatever_they_learn() {
        let pos = Variant::Standard.start();
        let mv = parse_uci(&pos, "e2e4").unwrap();
        let node = Node::new(&pos, Variant::Standard.traits());
        let context = HistoryContext::new(&node, [NO_PIECE_SQUARE, 767, 3], &Params::default());
        let mut histories = Histories::new();
        for bonus in [1_000_000, 3000, -1_000_000, 900].into_iter().cycle().take(400) {
            histories.update_quiet(&context, mv, bonus);
            let sum = histories.quiet(&context, mv);
            assert!(sum.abs() <= 4 * MAX_HISTORY, "{sum}");
            assert!(sum.abs() > 2 * MAX_HISTORY, "{sum}");
        }
        let other = HistoryContext {
            us: Color::Black,
            ..context
        };
        assert_eq!(histories.butterfly(&other, mv), 0);
    }

    #[test]
    fn history_of_a_move_is_kept_apart_by_threats() {
        let node = |fen| {
            Node::new(
                &parse_fen(Variant::Standard, fen).unwrap(),
                Variant::Standard.traits(),
            )
        };
        let peaceful = node("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        let mv = parse_uci(&peaceful.pos, "a1a5").unwrap();
        let mut histories = Histories::new();
        let mut learnt = Vec::new();
        // The rook flees from a bishop, walks into a pawn's reach, and both.
        for fen in [
            "4k3/8/5b2/8/8/8/8/R3K3 w - - 0 1",
            "4k3/8/1p6/8/8/8/8/R3K3 w - - 0 1",
            "4k3/8/1p3b2/8/8/8/8/R3K3 w - - 0 1",
        ] {
            let context = HistoryContext::new(&node(fen), [NO_PIECE_SQUARE; 3], &Params::default());
            learnt.push(histories.butterfly(&context, mv));
            histories.update_quiet(&context, mv, 1000);
            assert!(histories.butterfly(&context, mv) > 0, "{fen}");
        }
        assert_eq!(learnt, [0; 3]);
        assert_eq!(
            histories.butterfly(
                &HistoryContext::new(&peaceful, [NO_PIECE_SQUARE; 3], &Params::default()),
                mv
            ),
            0
        );
        let off = Params {
            threat_history: 0,
            ..Params::default()
        };
        let before = [NO_PIECE_SQUARE; 3];
        let blind = node("4k3/8/5b2/8/8/8/8/R3K3 w - - 0 1");
        assert_eq!(
            histories.butterfly(&HistoryContext::new(&blind, before, &off), mv),
            0
        );
    }

    #[test]
    fn only_a_move_that_was_tried_before_one_that_cuts_falls_and_only_where_it_costs() {
        let least = |fen, history_malus| {
            let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
            let params = Params {
                history_malus,
                ..Params::default()
            };
            with_searcher(&line, &params, |mut searcher, node| {
                searcher.search(node, -INFINITE, INFINITE, 7, 0, false);
                let Histories {
                    butterfly, captures, ..
                } = &searcher.memory.histories;
                [butterfly, captures].map(|table| table.iter().copied().min())
            })
        };
        let tactical = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        for (fen, kind) in [("startpos", 0), (tactical, 1)] {
            assert_eq!(least(fen, 0), [Some(0); 2], "{fen}");
            assert!(least(fen, 100)[kind] < Some(0), "{fen}");
        }
    }

    #[test]
    fn an_evaluation_that_is_always_too_low_is_raised() {
        let node = Node::new(&Variant::Standard.start(), Variant::Standard.traits());
        let mut histories = Histories::new();
        assert_eq!(histories.correction(&node, &Params::default()), 0);
        for _ in 0..50 {
            histories.update_correction(&node, 80, 6, &Params::default());
        }
        let raised = histories.correction(&node, &Params::default());
        assert!((20..=200).contains(&raised), "{raised}");
        histories.clear();
        assert_eq!(histories.correction(&node, &Params::default()), 0);
    }
}

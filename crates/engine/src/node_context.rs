//! Context of a node and of a move under search, shared by pruning, extensions and reductions.

use super::{bounds::Bounds, node::Node, tt::Entry};
use sparring_chess::Move;

/// What pruning, extensions and the move loop of one node share.
pub(super) struct NodeContext<'n> {
    pub node: &'n Node,
    pub alpha: i32,
    pub beta: i32,
    /// Plies left.
    pub depth: i32,
    /// Plies from the root.
    pub ply: usize,
    /// On the principal variation: the window is open.
    pub pv: bool,
    /// Some move is expected to reach beta.
    pub cut: bool,
    /// The static evaluation as the table keeps it.
    pub raw: i32,
    /// The corrected static evaluation; `None` in check.
    pub eval: Option<i32>,
    /// The best guess of the score: the table's where it fits, else the evaluation.
    pub guess: i32,
    /// The evaluation is higher than at this side's last turns.
    pub improving: bool,
    pub entry: Option<Entry>,
    pub table_move: Option<Move>,
    /// Left out, because a singular search asks what the others are worth.
    pub excluded: Option<Move>,
    /// What is known of its score beforehand.
    pub bounds: Bounds,
}

/// A move about to be searched.
pub(super) struct MoveContext {
    pub mv: Move,
    /// Its place in the order, from 1.
    pub count: usize,
    /// It changes no material.
    pub quiet: bool,
    /// What histories say of it; not asked for the first move.
    pub history: i32,
}

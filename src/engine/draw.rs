//! Nodes that the rules decide: repetitions, the fifty-move rule, dead positions, ends of variants.

use super::{
    node::Node,
    score::{mate_in, mated_in},
    searcher::Searcher,
};
use crate::chess::Rules as _;

/// Half moves without capture or pawn move after which the game is drawn.
const FIFTY_MOVES: u32 = 100;

impl Searcher<'_> {
    /// The score of a node that is decided without a search.
    pub fn settled(&self, node: &Node, ply: usize) -> Option<i32> {
        if !node.orthodox && node.pos.is_variant_end() {
            return Some(variant_end(node, ply));
        }
        if node.pos.halfmoves() >= FIFTY_MOVES {
            // Mate on the board comes before the rule.
            let mated = node.in_check() && node.pos.legal_moves().is_empty();
            return Some(if mated { mated_in(ply) } else { 0 });
        }
        (node.is_dead() || self.repeats(node, ply)).then_some(0)
    }

    /// Whether the node occurred before: once below the root, or twice in all.
    fn repeats(&self, node: &Node, ply: usize) -> bool {
        if node.reversible < 4 {
            return false;
        }
        let path = &self.memory.path;
        let current = path.len() - 1;
        let reach = (node.reversible as usize).min(current);
        let mut seen = 0;
        for back in (4..=reach).step_by(2) {
            if path[current - back] == node.keys.full {
                seen += 1;
                if back <= ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }
}

/// The score of a position in which the variant's own rule has ended the game.
pub(super) fn variant_end(node: &Node, ply: usize) -> i32 {
    match node.pos.variant_outcome().winner() {
        Some(winner) if winner == node.turn => mate_in(ply),
        Some(_) => mated_in(ply),
        None => 0,
    }
}

/// The score of a position without legal moves.
pub(super) fn no_moves(node: &Node, ply: usize) -> i32 {
    if !node.orthodox && node.pos.variant_outcome().is_known() {
        variant_end(node, ply)
    } else if node.in_check() {
        mated_in(ply)
    } else {
        0
    }
}

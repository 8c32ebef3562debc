//! Draw detection: repetition, fifty-move rule, dead positions, ends of variants.

use super::{
    node::Node,
    score::{mate_in, mated_in},
    thread_data::Searcher,
};
use sparring_chess::{Position, Rules as _};

/// Half moves without capture or pawn move after which the game is drawn.
const FIFTY_MOVES: u32 = 100;

/// From this halfmove clock on scores of the transposition table are not trusted: an equal position may score otherwise.
const NEARLY_FIFTY: u32 = 90;

/// Half moves that count for the fifty-move rule, which crazyhouse does not have: what is taken comes back.
pub(super) fn fifty_move_count(pos: &Position) -> u32 {
    if pos.pockets().is_some() {
        0
    } else {
        pos.halfmoves()
    }
}

/// Whether the fifty-move rule is about to end the game.
pub(super) fn is_near(node: &Node) -> bool {
    fifty_move_count(&node.pos) >= NEARLY_FIFTY
}

impl Searcher<'_> {
    /// The score of a node that is decided without a search.
    pub fn terminal_score(&self, node: &Node, ply: usize) -> Option<i32> {
        if !node.traits.orthodox_rules && node.pos.is_variant_end() {
            return Some(variant_end(node, ply));
        }
        if fifty_move_count(&node.pos) >= FIFTY_MOVES {
            // Mate on the board comes before the rule.
            let mated = node.in_check() && node.pos.legal_moves().is_empty();
            let draw = self.style.draw(node.turn);
            return Some(if mated { mated_in(ply) } else { draw });
        }
        (node.is_dead() || self.repeats(node, ply)).then(|| self.style.draw(node.turn))
    }

    fn repeats(&self, node: &Node, ply: usize) -> bool {
        repeats(&self.memory.path, node.reversible as usize, ply)
    }
}

/// Whether the last position of a path occurred before: once below the root, or twice in all. `reversible` is how many
/// plies back it can lie: a null move, like a capture, makes earlier positions unreachable.
fn repeats(path: &[u64], reversible: usize, ply: usize) -> bool {
    let Some((key, before)) = path.split_last().filter(|_| reversible >= 4) else {
        return false;
    };
    let reach = reversible.min(before.len());
    let mut seen = 0;
    for back in (4..=reach).step_by(2) {
        if before[before.len() - back] == *key {
            seen += 1;
            if back <= ply || seen == 2 {
                return true;
            }
        }
    }
    false
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
    if !node.traits.orthodox_rules && node.pos.variant_outcome().is_known() {
        variant_end(node, ply)
    } else if node.in_check() {
        mated_in(ply)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use sparring_chess::{Variant, parse_fen};

    /// The rule without shortcuts: positions since the last irreversible move, compared by their text.
    fn occurred(texts: &[String], since: usize, ply: usize) -> bool {
        let Some((last, before)) = texts.split_last() else {
            return false;
        };
        let same: Vec<usize> = (since..before.len())
            .filter(|index| before[*index] == *last)
            .collect();
        let root = before.len().saturating_sub(ply);
        same.len() >= 2 || same.iter().any(|index| *index >= root)
    }

    proptest! {
        /// Kings with few squares repeat positions all the time, in half of the games with rooks and castling rights; a
        /// null move in between must never make a position look repeated, nor hide a repetition after it.
        #[test]
        fn repetitions_are_found_and_none_is_invented(
            castling in any::<bool>(),
            choices in prop::collection::vec((any::<usize>(), 0u8..12), 1..80),
            root in 0usize..40,
        ) {
            let fen = match castling {
                true => "4k2r/p6p/P6P/8/8/p6p/P6P/4K2R w Kk - 0 1",
                false => "k7/p7/P7/8/8/7p/7P/7K w - - 0 1",
            };
            let pos = parse_fen(Variant::Standard, fen).unwrap();
            let mut node = Node::new(&pos, Variant::Standard.traits());
            let text = |node: &Node| {
                let rights = node.pos.castles().castling_rights();
                format!("{} {} {rights:?}", node.board(), node.turn)
            };
            let (mut path, mut texts, mut since) = (vec![node.keys.full], vec![text(&node)], 0);
            for (choice, pass) in choices {
                let passed = if pass == 0 { node.after_null() } else { None };
                let moves = node.pos.legal_moves();
                node = match passed {
                    Some(node) => {
                        since = path.len();
                        node
                    }
                    None if moves.is_empty() => break,
                    None => {
                        let mv = moves[choice % moves.len()];
                        if mv.is_zeroing() {
                            since = path.len();
                        }
                        node.after(mv)
                    }
                };
                path.push(node.keys.full);
                texts.push(text(&node));
                let ply = path.len().saturating_sub(1 + root);
                prop_assert_eq!(
                    repeats(&path, node.reversible as usize, ply),
                    occurred(&texts, since, ply),
                    "{:?}", texts
                );
            }
        }
    }
}

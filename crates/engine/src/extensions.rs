//! Extensions, each under its textbook name.

use super::{
    node::Node,
    node_context::NodeContext,
    score::{MAX_PLY, from_table, is_decided},
    thread_data::Searcher,
    tt::Bound,
};
use sparring_chess::Move;

/// The result of a singular search.
pub(super) enum Singular {
    /// Search the move this many plies deeper.
    Extend(i32),
    /// Several moves reach beta: the node's score.
    Cut(i32),
}

impl Searcher<'_> {
    /// The ply from which on nothing is extended.
    fn extension_reach(&self) -> usize {
        usize::try_from(self.iteration * self.params.extension_reach / 100).unwrap_or(0)
    }

    /// Check extension: a node in check is searched a ply deeper, as its replies are few, and the check may only delay a
    /// loss.
    pub fn check_extension(&self, here: &NodeContext<'_>, child: &Node) -> i32 {
        let reach = self.extension_reach();
        i32::from(child.in_check() && here.ply < reach && here.depth <= self.params.check_extension)
    }

    /// Singular extension: when every other move stays well below the table's score, its move is searched deeper.
    /// When others reach beta too, the node is cut.
    pub fn singular(&mut self, here: &NodeContext<'_>, mv: Move) -> Singular {
        let NodeContext { node, depth, ply, .. } = *here;
        let Some(entry) = here.entry.filter(|_| Some(mv) == here.table_move) else {
            return Singular::Extend(0);
        };
        let score = from_table(entry.score, ply);
        let reach = self.extension_reach();
        if depth < self.params.singular_depth
            || entry.depth < depth - self.params.singular_entry
            || entry.bound == Bound::Upper
            || is_decided(score)
            || here.excluded.is_some()
            || ply == 0
            || ply >= reach.min(MAX_PLY - 8)
        {
            return Singular::Extend(0);
        }
        let bar = score - self.params.singular_margin * depth / 16;
        self.memory.frame(ply).excluded = Some(mv);
        let shallow = ((depth - 1) * self.params.singular_share / 100).max(1);
        let others = self.search(node, bar - 1, bar, shallow, ply, here.cut);
        self.memory.frame(ply).excluded = None;
        if others < bar {
            let twice = !here.pv && others < bar - self.params.double_margin;
            Singular::Extend(1 + i32::from(twice))
        } else if others >= here.beta && !is_decided(others) {
            Singular::Cut(others)
        } else {
            Singular::Extend(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pruning::tests::{QUIET, at, entry, here, mv};

    #[test]
    fn checks_are_extended_near_the_leaves_and_within_reach() {
        at("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", |searcher, node| {
            let depth = searcher.params.check_extension;
            let (check, none) = (node.after(mv(node, "d1d8")), node.after(mv(node, "d1d7")));
            let by = |depth, child| searcher.check_extension(&here(node, depth, 0, 1), child);
            assert_eq!(by(depth, &check), 1);
            assert_eq!(by(depth, &none), 0);
            assert_eq!(by(depth + 1, &check), 0);
            let far = NodeContext {
                ply: searcher.extension_reach(),
                ..here(node, depth, 0, 1)
            };
            assert_eq!(searcher.check_extension(&far, &check), 0);
        });
    }

    /// The extension, or how far a cut lies above beta, of a table move that scores `above` centipawns more than the
    /// evaluation.
    fn singular(
        fen: &str,
        uci: &str,
        above: i32,
        change: fn(&Searcher<'_>, &mut NodeContext<'_>),
    ) -> Result<i32, i32> {
        at(fen, |searcher, node| {
            let eval = searcher.static_eval(node, 1);
            let mv = mv(node, uci);
            let known = entry(mv, eval + above, 12, Bound::Exact);
            let mut here = NodeContext {
                entry: Some(known),
                table_move: Some(mv),
                ..here(node, 9, eval, eval)
            };
            change(searcher, &mut here);
            let answer = searcher.singular(&here, mv);
            assert_eq!(searcher.memory.frame(1).excluded, None);
            match answer {
                Singular::Extend(plies) => Ok(plies),
                Singular::Cut(score) => Err(score - here.beta),
            }
        })
    }

    #[test]
    fn a_move_that_all_others_stay_behind_is_searched_deeper() {
        fn known(here: &mut NodeContext<'_>, bound: Bound, depth: i32) {
            let entry = here.entry.as_mut().unwrap();
            (entry.bound, entry.depth) = (bound, depth);
        }
        // Only taking the queen is any good.
        let hangs = "r1b2rk1/pp2bppp/2n1pn2/3p4/3P4/q1N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9";
        let by = |change| singular(hangs, "b2a3", 700, change);
        assert_eq!(by(|_, _| ()), Ok(2));
        assert_eq!(
            by(|_, here| here.pv = true),
            Ok(1),
            "twice only off the principal variation"
        );
        assert_eq!(
            by(|searcher, here| here.depth = searcher.params.singular_depth - 1),
            Ok(0)
        );
        assert_eq!(by(|_, here| here.ply = 0), Ok(0));
        assert_eq!(by(|searcher, here| here.ply = searcher.extension_reach()), Ok(0));
        assert_eq!(by(|_, here| here.table_move = None), Ok(0));
        assert_eq!(by(|_, here| known(here, Bound::Upper, 12)), Ok(0));
        assert_eq!(by(|_, here| known(here, Bound::Exact, 5)), Ok(0));
        assert_eq!(by(|_, here| known(here, Bound::Lower, 6)), Ok(2));
    }

    #[test]
    fn a_node_that_several_moves_lift_to_beta_is_cut() {
        // Many moves are as good as this one.
        assert_eq!(singular(QUIET, "a2a3", -100, |_, _| ()), Ok(0));
        let cut = singular(QUIET, "a2a3", -100, |_, here| {
            here.beta -= 200;
            here.alpha -= 200;
        });
        assert!(cut.is_err_and(|above| above >= 0), "{cut:?}");
    }
}

//! A node's window, what the table settles of it, and what it teaches.

use super::*;
use crate::{
    params::Params,
    pruning::tests::{QUIET, at, here},
    score::INFINITE,
};

#[test]
fn no_mate_is_looked_for_beyond_one_that_is_found() {
    let (least, most) = (mated_in(3), mate_in(4));
    assert_eq!(mate_distance(-INFINITE, INFINITE, 3), (least, most));
    assert_eq!(mate_distance(-50, 50, 3), (-50, 50));
    // A mate in five half moves from the root leaves nothing to find at the fifth.
    let (alpha, beta) = mate_distance(mate_in(5), mate_in(5) + 1, 5);
    assert!(alpha >= beta);
    let (alpha, beta) = mate_distance(mate_in(5), mate_in(5) + 1, 3);
    assert!(alpha < beta);
}

#[test]
fn the_table_settles_what_was_searched_as_deep_and_on_the_principal_variation_only_what_is_exact() {
    let cutoff = |fen, score, depth, bound, pv| {
        at(fen, |searcher, node| {
            let entry = Entry {
                mv: Move16::default(),
                score,
                eval: 0,
                depth,
                bound,
                pv: false,
            };
            let window = (0, if pv { 50 } else { 1 }, pv);
            searcher.table_cutoff(node, Some(&entry), window, 6, 2)
        })
    };
    assert_eq!(cutoff(QUIET, 80, 6, Bound::Lower, false), Some(80));
    assert_eq!(cutoff(QUIET, 80, 5, Bound::Lower, false), None);
    assert_eq!(cutoff(QUIET, 80, 6, Bound::Upper, false), None);
    assert_eq!(cutoff(QUIET, -80, 6, Bound::Upper, false), Some(-80));
    let deeper = 6 + Params::default().pv_cutoff;
    assert_eq!(cutoff(QUIET, 20, deeper, Bound::Exact, true), Some(20));
    assert_eq!(cutoff(QUIET, 20, deeper - 1, Bound::Exact, true), None);
    assert_eq!(cutoff(QUIET, 80, deeper, Bound::Lower, true), None);
    // The line of a mate has to be reported.
    let mate = to_table(mate_in(9), 2);
    assert_eq!(cutoff(QUIET, mate, deeper, Bound::Exact, false), Some(mate_in(9)));
    assert_eq!(cutoff(QUIET, mate, deeper, Bound::Exact, true), None);
    // Shortly before the fifty-move rule an equal position may be worth something else.
    let late = QUIET.replace("- 0 9", "- 95 60");
    assert_eq!(cutoff(&late, 80, 6, Bound::Lower, false), None);
}

#[test]
fn quiet_moves_that_cut_become_killers_and_captures_do_not() {
    at(QUIET, |searcher, node| {
        let here = here(node, 4, 0, 1);
        let past = searcher.history_context(node, 1);
        let moves = node.pos.legal_moves();
        let noisy = *moves.iter().find(|mv| is_noisy(**mv)).unwrap();
        let mut quiets = moves.iter().copied().filter(|mv| !is_noisy(*mv));
        let (one, two, three) = (
            quiets.next().unwrap(),
            quiets.next().unwrap(),
            quiets.next().unwrap(),
        );
        let mut after = |mv| {
            searcher.update_histories(&here, &past, mv, &TriedMoves::default());
            searcher.memory.frame(1).killers
        };
        assert_eq!(after(noisy), [None, None]);
        assert_eq!(after(one), [Some(one), None]);
        assert_eq!(after(two), [Some(two), Some(one)]);
        assert_eq!(after(two), [Some(two), Some(one)]);
        assert_eq!(after(three), [Some(three), Some(two)]);
    });
}

//! Each heuristic at its margins: what it leaves out, and what it lets pass by a centipawn or a ply.

use shakmaty::uci::UciMove;

use super::{
    super::{movepick::is_noisy, thread_data::ThreadMemory},
    *,
};
use crate::{
    bounds::Bounds,
    params::Params,
    score::{mate_in, mated_in},
    thread_data::tests::with_searcher,
};
use sparring_chess::{Exchanges, GameHistory, Role, Rules as _, Variant};

/// A middle game in which nothing hangs.
pub const QUIET: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9";

fn line(fen: &str) -> GameHistory {
    GameHistory::replay(Variant::Standard, fen, "").unwrap()
}

/// Asks something of a search at a position, by the numbers that are shipped.
pub fn at<R>(fen: &str, ask: impl FnOnce(&mut Searcher<'_>, &Node) -> R) -> R {
    with_searcher(&line(fen), &Params::default(), |mut searcher, node| {
        searcher.iteration = 20;
        ask(&mut searcher, node)
    })
}

/// A node off the principal variation where a cut is expected, with this evaluation.
pub fn here(node: &Node, depth: i32, eval: i32, beta: i32) -> NodeContext<'_> {
    NodeContext {
        node,
        alpha: beta - 1,
        beta,
        depth,
        ply: 1,
        pv: false,
        cut: true,
        raw: eval,
        eval: Some(eval),
        guess: eval,
        improving: false,
        entry: None,
        table_move: None,
        excluded: None,
        bounds: Bounds::NONE,
    }
}

pub fn mv(node: &Node, uci: &str) -> Move {
    let uci: UciMove = uci.parse().unwrap();
    let mut moves = node.pos.legal_moves().into_iter();
    moves
        .find(|mv| mv.to_uci(shakmaty::CastlingMode::Standard) == uci)
        .unwrap()
}

/// What a table says of a move.
pub fn entry(mv: Move, score: i32, depth: i32, bound: Bound) -> Entry {
    Entry {
        mv: Move16::from(mv),
        score,
        eval: 0,
        depth,
        bound,
        pv: false,
    }
}

/// A picker that has handed out nothing.
fn picker<'p>(searcher: &Searcher<'p>, node: &Node) -> MovePicker<'p> {
    let past = searcher.history_context(node, 1);
    MovePicker::new(&searcher.memory.moves, None, [None; 2], past, searcher.params)
}

#[test]
fn reverse_futility_needs_its_margin_for_each_ply() {
    at(QUIET, |searcher, node| {
        let Params {
            rfp_margin,
            rfp_depth,
            ..
        } = *searcher.params;
        let cut = |eval, depth| searcher.reverse_futility(&here(node, depth, eval, 30));
        assert_eq!(cut(30 + 3 * rfp_margin, 3), Some(30 + 3 * rfp_margin / 2));
        assert_eq!(cut(29 + 3 * rfp_margin, 3), None);
        assert!(cut(2000, rfp_depth).is_some());
        assert_eq!(cut(2000, rfp_depth + 1), None);
        // Rising evaluations take a ply's margin off.
        let rising = NodeContext {
            improving: true,
            ..here(node, 3, 30 + 2 * rfp_margin, 30)
        };
        assert!(searcher.reverse_futility(&rising).is_some());
        // What is decided is no evaluation, and who is being mated has to show how it gets out.
        assert_eq!(cut(mate_in(9), 3), None);
        assert_eq!(searcher.reverse_futility(&here(node, 3, 0, mated_in(9))), None);
    });
}

#[test]
fn razoring_believes_captures_alone() {
    let razored = |fen, depth, below: i32| {
        at(fen, |searcher, node| {
            let eval = searcher.static_eval(node, 1);
            let beta = eval + below + 1;
            searcher.razor(&here(node, depth, eval, beta), eval)
        })
    };
    let Params {
        razor_margin,
        razor_depth,
        ..
    } = Params::default();
    assert!(razored(QUIET, 2, 2 * razor_margin + 1).is_some());
    assert_eq!(razored(QUIET, 2, 2 * razor_margin), None);
    assert!(razored(QUIET, razor_depth, 3000).is_some());
    assert_eq!(razored(QUIET, razor_depth + 1, 3000), None);
    // A queen that hangs makes up for it.
    let hangs = "r1b2rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PNq1/PP2BPPP/R1BQ1RK1 w - - 0 9";
    assert_eq!(razored(hangs, 1, razor_margin + 1), None);
}

#[test]
fn nothing_is_settled_on_the_principal_variation_in_check_or_without_a_move() {
    at(QUIET, |searcher, node| {
        let high = || here(node, 3, 2000, 30);
        assert!(searcher.prune(&high()).is_some());
        assert_eq!(searcher.prune(&NodeContext { pv: true, ..high() }), None);
        assert_eq!(searcher.prune(&NodeContext { eval: None, ..high() }), None);
        let excluded = Some(mv(node, "a2a3"));
        assert_eq!(searcher.prune(&NodeContext { excluded, ..high() }), None);
    });
}

#[test]
fn a_null_move_is_not_tried_twice_in_a_row_nor_without_pieces_nor_from_below() {
    let passed = |fen, change: fn(&mut Searcher<'_>, &mut NodeContext<'_>)| {
        at(fen, |searcher, node| {
            let eval = searcher.static_eval(node, 1);
            let mut here = here(node, 5, eval, eval - 150);
            searcher.memory.frame(0).mv = Some(mv(node, "h2h3"));
            change(searcher, &mut here);
            searcher.null_move(&here, eval)
        })
    };
    assert!(passed(QUIET, |_, _| ()).is_some());
    let pawns = "6k1/5ppp/8/8/8/8/P4PPP/6K1 w - - 0 1";
    assert_eq!(passed(pawns, |_, _| ()), None);
    assert_eq!(
        passed(QUIET, |searcher, _| searcher.memory.frame(0).mv = None),
        None
    );
    assert_eq!(passed(QUIET, |searcher, _| searcher.null_from = 2), None);
    assert_eq!(passed(QUIET, |_, here| here.depth = 1), None);
    assert_eq!(passed(QUIET, |_, here| here.guess = here.beta - 1), None);
    assert_eq!(passed(QUIET, |_, here| here.beta = here.guess), None);
}

#[test]
fn probcut_believes_a_capture_that_a_shallow_search_finds_far_above_beta() {
    let hangs = "r1b2rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PNq1/PP2BPPP/R1BQ1RK1 w - - 0 9";
    let cut = |fen, above: i32, change: fn(&mut NodeContext<'_>)| {
        at(fen, |searcher, node| {
            let eval = searcher.static_eval(node, 1);
            let mut here = here(node, 6, eval, eval + above);
            change(&mut here);
            let score = searcher.probcut(&here);
            assert!(searcher.memory.moves.is_empty());
            score.map(|score| score - here.beta)
        })
    };
    let margin = Params::default().probcut_margin;
    let won = cut(hangs, 300, |_| ()).unwrap();
    assert!(won >= margin, "{won}");
    assert_eq!(cut(QUIET, 300, |_| ()), None);
    // More than a queen brings.
    assert_eq!(cut(hangs, 1500, |_| ()), None);
    assert_eq!(cut(hangs, 300, |here| here.depth = 4), None);
    assert_eq!(cut(hangs, 300, |here| here.beta = mate_in(9)), None);
    // A deeper search has found less.
    let known = |here: &mut NodeContext<'_>| {
        let quiet = mv(here.node, "a2a3");
        here.entry = Some(entry(quiet, here.beta, 6, Bound::Upper));
    };
    assert_eq!(cut(hangs, 300, known), None);
}

#[test]
fn futility_needs_its_margin_for_each_remaining_ply() {
    at(QUIET, |searcher, node| {
        let Params {
            futility_base,
            futility_margin,
            futility_depth,
            ..
        } = *searcher.params;
        let alpha = 100 + futility_base + 2 * futility_margin;
        let is_futile = |eval, reduced| {
            let here = NodeContext {
                eval,
                ..here(node, 5, 0, alpha + 1)
            };
            searcher.futility(&here, reduced, alpha)
        };
        assert!(is_futile(Some(100), 2));
        assert!(!is_futile(Some(101), 2));
        assert!(is_futile(Some(-3000), futility_depth));
        assert!(!is_futile(Some(-3000), futility_depth + 1));
        assert!(!is_futile(None, 1), "in check nothing is futile");
    });
}

#[test]
fn history_prunes_what_was_bad_the_more_the_less_deep_it_is() {
    at(QUIET, |searcher, _| {
        let Params {
            history_pruning,
            history_pruning_depth,
            ..
        } = *searcher.params;
        assert!(searcher.history_pruning(1, -history_pruning - 1));
        assert!(!searcher.history_pruning(1, -history_pruning));
        assert!(!searcher.history_pruning(2, -history_pruning - 1));
        assert!(!searcher.history_pruning(history_pruning_depth + 1, -30 * history_pruning));
    });
}

#[test]
fn exchanges_prune_quiet_moves_by_the_square_of_the_depth() {
    at(QUIET, |searcher, node| {
        let Params {
            see_quiet,
            see_quiet_depth,
            ..
        } = *searcher.params;
        // To a square where a pawn takes it, and to a safe one.
        let (lost, held) = (mv(node, "e2a6"), mv(node, "f3d2"));
        let here = here(node, 8, 0, 1);
        let loses = see::piece_value(Role::Bishop);
        let deepest = (1..)
            .take_while(|reduced| see_quiet * reduced * reduced < loses)
            .last()
            .unwrap();
        assert!(deepest < see_quiet_depth);
        assert!(searcher.quiet_see_pruning(&here, deepest, lost));
        assert!(!searcher.quiet_see_pruning(&here, deepest + 1, lost));
        assert!(!searcher.quiet_see_pruning(&here, 1, held));
        let mut uncounted = node.clone();
        uncounted.traits.exchanges = Exchanges::Uncounted;
        let here = NodeContext {
            node: &uncounted,
            ..here
        };
        assert!(!searcher.quiet_see_pruning(&here, 1, lost));
    });
}

#[test]
fn exchanges_prune_checks_that_lose_more_than_a_piece_near_the_leaves() {
    // The pawn takes either piece that gives check.
    let fen = "8/ppp2p1p/6pk/8/8/4N3/PPP1Q1PP/6K1 w - - 0 1";
    at(fen, |searcher, node| {
        let depth = searcher.params.see_check_depth;
        let by = |depth, uci| searcher.check_see_pruning(&here(node, depth, 0, 1), mv(node, uci));
        assert!(by(depth, "e2h5"));
        assert!(!by(depth + 1, "e2h5"));
        assert!(!by(depth, "e3f5"));
    });
}

#[test]
fn exchanges_prune_captures_that_lose_more_the_deeper_they_are() {
    at(QUIET, |searcher, node| {
        let Params {
            see_noisy,
            see_noisy_depth,
            ..
        } = *searcher.params;
        // A knight for a pawn.
        let takes = mv(node, "c3d5");
        let picker = picker(searcher, node);
        let by = |depth| searcher.capture_see_pruning(&here(node, depth, 0, 1), takes, &picker);
        let deepest = (see::piece_value(Role::Knight) - see::piece_value(Role::Pawn) - 1) / see_noisy;
        assert!(deepest < see_noisy_depth);
        assert!(by(deepest));
        assert!(!by(deepest + 1));
    });
}

#[test]
fn late_moves_are_left_out_later_where_the_evaluation_rises() {
    at(QUIET, |searcher, node| {
        let Params {
            lmp_base,
            lmp_square,
            lmp_not_improving,
            ..
        } = *searcher.params;
        let count = |depth, improving| {
            let here = NodeContext {
                improving,
                ..here(node, depth, 0, 1)
            };
            i32::try_from(searcher.late_move_count(&here)).unwrap()
        };
        let all = lmp_base + 9 * lmp_square / 100;
        assert_eq!(count(3, true), all);
        assert_eq!(count(3, false), all * lmp_not_improving / 100);
        assert!(count(4, false) > count(3, false));
    });
}

#[test]
fn quiet_moves_are_left_out_by_their_place_but_not_on_the_principal_variation() {
    let quiets_after = |pv, count| {
        at(QUIET, |searcher, node| {
            let here = NodeContext {
                pv,
                ..here(node, 2, 0, 1)
            };
            let mut picker = picker(searcher, node);
            searcher.late_move_pruning(&here, count, &mut picker);
            let ThreadMemory { moves, histories, .. } = &mut *searcher.memory;
            let rest = std::iter::from_fn(|| picker.next(node, moves, histories));
            rest.filter(|mv| !is_noisy(*mv)).count()
        })
    };
    let enough = at(QUIET, |searcher, node| {
        searcher.late_move_count(&here(node, 2, 0, 1))
    });
    assert_eq!(quiets_after(false, enough), 0);
    assert!(quiets_after(false, enough - 1) > 20);
    assert!(quiets_after(true, enough) > 20);
}

#[test]
fn nothing_is_left_out_of_a_side_with_pawns_alone_or_about_to_be_mated() {
    let left_out = |fen, uci, alpha| {
        at(fen, |searcher, node| {
            let candidate = MoveContext {
                mv: mv(node, uci),
                count: 40,
                quiet: true,
                history: -30_000,
            };
            let mut picker = picker(searcher, node);
            searcher.prunes_move(&here(node, 1, -3000, alpha + 1), &candidate, alpha, &mut picker)
        })
    };
    assert!(left_out(QUIET, "a2a3", 0));
    assert!(!left_out(QUIET, "a2a3", mated_in(9)));
    assert!(!left_out("6k1/5ppp/8/8/8/8/P4PPP/6K1 w - - 0 1", "a2a3", 0));
}

#[test]
fn a_node_without_a_table_move_loses_a_ply_where_a_cut_or_a_true_score_is_looked_for() {
    at(QUIET, |searcher, node| {
        let depth = searcher.params.iir_depth;
        let of = |here: NodeContext<'_>| searcher.iterative_reduction(&here);
        let plain = || here(node, depth, 0, 1);
        assert_eq!(of(plain()), 1);
        assert_eq!(of(here(node, depth - 1, 0, 1)), 0);
        assert_eq!(
            of(NodeContext {
                cut: false,
                ..plain()
            }),
            0
        );
        assert_eq!(
            of(NodeContext {
                cut: false,
                pv: true,
                ..plain()
            }),
            1
        );
        let known = Some(mv(node, "a2a3"));
        assert_eq!(
            of(NodeContext {
                table_move: known,
                ..plain()
            }),
            0
        );
        assert_eq!(
            of(NodeContext {
                excluded: known,
                ..plain()
            }),
            0
        );
    });
}

/// By how much a search finds the side to move above what it asks for, which is a little less than its evaluation.
fn excess(fen: &str, params: &Params, depth: i32) -> i32 {
    let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
    with_searcher(&line, params, |mut searcher, node| {
        let beta = searcher.static_eval(node, 0) - 40;
        searcher.search(node, beta - 1, beta, depth, 0, true) - beta
    })
}

#[test]
fn a_null_move_in_zugzwang_is_found_out_by_its_verification() {
    let with = |nmp_depth, nmp_verify_depth| Params {
        nmp_depth,
        nmp_verify_depth,
        // The verification too could be tempted to pass, were it allowed to.
        nmp_margin: 0,
        // Which positions tempt is the terms' business.
        net: 0,
        ..Params::default()
    };
    let (without, trusted, verified) = (with(128, 40), with(2, 40), with(2, 4));
    // Two pieces that hold each other, and a rook that has to keep an eye on its first rank.
    for fen in [
        "n7/k7/n1K5/Q7/8/8/8/8 b - - 0 1",
        "n7/k7/b1K5/8/8/8/8/Q7 b - - 0 1",
        "kn6/n1K5/8/8/8/8/Q7/8 b - - 0 1",
        "6rk/2P5/7K/8/1p6/3R4/8/8 b - - 0 1",
    ] {
        let [without, trusted, verified] =
            [&without, &trusted, &verified].map(|params| excess(fen, params, 8));
        assert!(without < 0, "{fen} is no zugzwang");
        assert!(trusted >= 0, "passing is no temptation in {fen}");
        assert!(verified < 0, "{fen} {verified}");
    }
}

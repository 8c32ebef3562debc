//! Limits of nodes, depth and time, and what a search that they cut short still knows.

use std::cell::Cell;

use sparring_engine::{BoundKind, SearchEvent};

use super::*;

#[test]
fn node_limits_are_exact_and_one_node_is_enough_for_a_move() {
    for limit in [0, 1, 2, 100, 4097] {
        let report = standard(KIWIPETE, nodes(limit));
        assert_eq!(report.nodes, Nodes(limit));
        assert!(report.best().is_some());
    }
}

#[test]
fn a_search_cut_short_keeps_the_move_of_its_last_iteration() {
    // Moves that looked good at a low depth and were refuted must not come back when the limit strikes.
    let mut finished = Vec::new();
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    let game = line(Variant::Standard, KIWIPETE, "");
    let wanted = SearchRequest::new(game.clone(), depth(9));
    Engine::new(4).search(&wanted, &around, &mut |report| finished.push(report.clone()));
    assert_eq!(finished.len(), 9);
    for report in &finished {
        // One node more is too few to find anything new.
        let cut = search(&SearchRequest::new(game.clone(), nodes(report.nodes.0 + 1)));
        assert_eq!(cut.best(), report.best(), "after depth {}", report.depth.0);
        assert_eq!(cut.lines[0].score, report.lines[0].score);
    }
}

#[test]
fn a_line_says_which_iteration_its_score_is_from() {
    let mut from_the_next = 0;
    for limit in (500..20_000).step_by(500) {
        let report = standard(KIWIPETE, nodes(limit));
        let (line, finished) = (&report.lines[0], report.depth);
        if line.depth == finished {
            assert_eq!(Some(&line.score), report.scores_by_depth.last(), "{limit} nodes");
        } else {
            assert_eq!(line.depth.0, finished.0 + 1, "{limit} nodes");
            from_the_next += 1;
        }
    }
    assert!(from_the_next > 0);
}

#[test]
fn what_iterations_found_is_kept_and_compared_at_equal_depth() {
    let whole = SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), nodes(3000));
    let mut told = Vec::new();
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    let report = Engine::new(4).search(&whole, &around, &mut |report| {
        told.push(report.lines[0].score);
    });
    assert_eq!(report.scores_by_depth, told);
    assert_eq!(report.scores_by_depth.len(), report.depth.0 as usize);
    let shallow = search(&SearchRequest {
        limits: depth(2),
        ..whole.clone()
    });
    assert_eq!(
        report.common_depth_scores(&shallow),
        Some((told[1], shallow.scores_by_depth[1]))
    );
    // A search that finished nothing says nothing, though it has a move and a score.
    let none = search(&SearchRequest {
        limits: nodes(1),
        ..whole
    });
    assert!(none.best().is_some());
    assert_eq!(report.common_depth_scores(&none), None);
}

#[test]
fn a_search_stopped_beforehand_still_takes_a_glance() {
    let stop = Stop::new();
    stop.set();
    let around = SearchControl {
        stop: &stop,
        clock: &Ticking(Cell::new(0), 1),
    };
    // In a position as sharp as KIWIPETE captures alone may fill a glance.
    let wanted = SearchRequest::new(line(Variant::Standard, "startpos", ""), Limits::default());
    let report = Engine::new(1).search(&wanted, &around, &mut |_| ());
    assert_eq!(report.nodes, Nodes(256));
    assert!(report.depth >= Depth(1), "{}", report.depth.0);
    assert!(report.best().is_some());
}

/// A clock that moves so many milliseconds with each look.
struct Ticking(Cell<u64>, u64);

impl TimeSource for Ticking {
    fn elapsed(&self) -> Millis {
        self.0.set(self.0.get() + self.1);
        Millis(self.0.get())
    }
}

#[test]
fn time_limits_hold_by_the_clock_that_is_given() {
    let stop = Stop::new();
    let clock = Ticking(Cell::new(0), 1);
    let around = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    let limits = Limits {
        hard: Some(Millis(40)),
        ..Limits::default()
    };
    let report = Engine::new(1).search(
        &SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), limits),
        &around,
        &mut |_| (),
    );
    assert!((40..45).contains(&report.elapsed.0), "{}", report.elapsed.0);
}

#[test]
fn a_long_search_tells_of_scores_outside_of_its_window() {
    let mut bounds = Vec::new();
    // Endings, where scores change more from depth to depth than elsewhere.
    for fen in [
        "8/1Pk2Kpp/8/8/4nPP1/7P/8/8 b - - 0 1",
        "8/6p1/6P1/6Pp/B1p1p2K/6PP/3k2P1/8 w - - 0 1",
        "4qr2/4p2k/1p2P1pP/5P2/1P3P2/6Q1/8/3B1K2 w - - 0 1",
    ] {
        // By this clock every search is long from its first look on.
        let (stop, clock) = (Stop::new(), Ticking(Cell::new(0), 1000));
        let around = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let wanted = SearchRequest::new(line(Variant::Standard, fen, ""), nodes(200_000));
        let mut last = (Nodes(0), Millis::ZERO);
        let mut tell = |news: SearchEvent<'_>| {
            if let SearchEvent::Iteration(report) | SearchEvent::Bound(report) = &news {
                let now = (report.nodes, report.elapsed);
                assert!(now.0 >= last.0 && now.1 >= last.1, "{now:?} after {last:?}");
                last = now;
            }
            if let SearchEvent::Bound(report) = news {
                bounds.push(report.lines[0].bound);
            }
        };
        Engine::new(4).search_into(&wanted, &around, &mut tell, &mut SearchResult::default());
    }
    assert!(
        bounds.contains(&BoundKind::AtLeast) && bounds.contains(&BoundKind::AtMost),
        "{bounds:?}"
    );
    assert!(!bounds.contains(&BoundKind::Exact), "{bounds:?}");
}

#[test]
fn a_single_reply_costs_no_thought_when_time_is_managed() {
    let limits = Limits {
        soft: Some(Millis(60_000)),
        hard: Some(Millis(60_000)),
        ..Limits::default()
    };
    let report = standard("7k/8/8/8/8/8/r7/1r5K w - - 0 1", limits);
    assert!(
        report.nodes.0 < 1000 || report.best().is_none(),
        "{}",
        report.nodes.0
    );
}

/// What a move should take, and where its search is cut off: only an easy move is answered before that.
const SOFT: u64 = 200;
const HARD: u64 = SOFT * 3 / 10;

/// The answer to the last of these moves, by a clock that each look at it moves on.
fn answered_in_time(start: &str, moves: &str) -> SearchResult {
    let stop = Stop::new();
    let around = SearchControl {
        stop: &stop,
        clock: &Ticking(Cell::new(0), 1),
    };
    let limits = Limits {
        soft: Some(Millis(SOFT)),
        hard: Some(Millis(HARD)),
        ..Limits::default()
    };
    let wanted = SearchRequest::new(line(Variant::Standard, start, moves), limits);
    Engine::new(1).search(&wanted, &around, &mut |_| ())
}

#[test]
fn a_recapture_that_no_other_move_comes_near_is_easy_and_takes_no_quarter_of_its_time() {
    // Queens are exchanged, and only a bishop can take back.
    let moves = "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4 c6d4 d1d4 d8f6 c1e3 f6d4";
    let report = answered_in_time("startpos", moves);
    assert_eq!(uci(report.best()), "e3d4");
    assert!(report.elapsed.0 < SOFT / 4, "{}", report.elapsed.0);
}

#[test]
fn a_recapture_is_not_easy_when_another_one_is_nearly_as_good() {
    let report = answered_in_time("startpos", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6");
    assert!(report.elapsed.0 >= HARD, "{}", report.elapsed.0);
}

#[test]
fn a_recapture_is_not_easy_when_it_has_only_just_turned_out_well() {
    // The Elephant trap: the knight is pinned to the queen, and takes back all the same.
    let moves = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 b8d7 c4d5 e6d5 c3d5";
    let report = answered_in_time("startpos", moves);
    assert_eq!(uci(report.best()), "f6d5");
    assert!(report.elapsed.0 >= HARD, "{}", report.elapsed.0);
}

#[test]
fn where_the_recapture_loses_the_better_capture_is_not_easy() {
    // The pawn could take back, into mate by the queen, which hangs.
    let report = answered_in_time("3q2k1/5pp1/7p/8/1b6/2N5/PP3PPP/3R2K1 b - - 0 1", "b4c3");
    assert_eq!(uci(report.best()), "d1d8");
    assert!(report.elapsed.0 >= HARD, "{}", report.elapsed.0);
}

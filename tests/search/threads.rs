//! Several threads: as good as one, limited together.

use super::*;

fn engine_of(threads: usize) -> Engine {
    let mut engine = Engine::new(4);
    engine.set_threads(threads);
    engine
}

#[test]
fn four_threads_find_the_mates_that_one_finds() {
    for (fen, moves, best) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1, "a1a8"),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3, "f6a6"),
    ] {
        let limits = Limits {
            mate: Some(moves),
            ..Limits::default()
        };
        let wanted = SearchRequest::new(line(Variant::Standard, fen, ""), limits);
        let report = search_with(&mut engine_of(4), &wanted);
        assert_eq!(report.lines[0].score, Score::Mate(moves as i32), "{fen}");
        assert_eq!(uci(report.best()), best, "{fen}");
    }
}

#[test]
fn the_nodes_of_all_threads_are_counted_and_limited_together() {
    let mut engine = engine_of(3);
    for limit in [1000, 50_000] {
        let wanted = SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), nodes(limit));
        let report = search_with(&mut engine, &wanted);
        assert!(report.best().is_some());
        assert!(
            (limit..limit + 3 * 1100).contains(&report.nodes.0),
            "{} of {limit}",
            report.nodes.0
        );
    }
}

#[test]
fn helpers_come_and_go_and_one_thread_alone_repeats_itself() {
    let wanted = SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), depth(7));
    let alone = search(&wanted);
    let mut engine = engine_of(5);
    assert_eq!(engine.threads(), 5);
    let helped = search_with(&mut engine, &wanted);
    // Helpers know no limit of depth, and what they have finished meanwhile is taken over.
    assert!(helped.depth >= Depth(7));
    engine.set_threads(1);
    engine.clear();
    let again = search_with(&mut engine, &wanted);
    assert_eq!((alone.nodes, alone.lines), (again.nodes, again.lines));
    engine.set_threads(0);
    assert_eq!(engine.threads(), 1);
}

#[test]
fn several_threads_stop_when_told() {
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    let wanted = SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), Limits::default());
    let mut engine = engine_of(4);
    // The wish comes from inside, after the first iterations, so that the test needs no clock.
    let report = engine.search(&wanted, &around, &mut |report| {
        if report.depth >= Depth(3) {
            stop.set();
        }
    });
    assert!(report.best().is_some());
}

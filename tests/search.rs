//! The engine from outside: it finds mates, keeps its limits, repeats itself exactly, and always has a move.

use std::cell::Cell;

use proptest::prelude::*;
use sparring::{
    chess::{GameLine, Move, Rules as _, Variant, parse_uci, write_uci},
    engine::{Engine, Handicap, Limits, Report, Score, Search, Stop, Surroundings},
    units::{Centipawns, Clock, Depth, Millis, Nodes, Stopwatch},
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn line(variant: Variant, fen: &str, moves: &str) -> GameLine {
    GameLine::replay(variant, fen, moves).unwrap()
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(Depth(depth)),
        ..Limits::default()
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(Nodes(nodes)),
        ..Limits::default()
    }
}

fn search_with(engine: &mut Engine, search: &Search) -> Report {
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = Surroundings {
        stop: &stop,
        clock: &clock,
    };
    engine.search(search, &around, &mut |_| ())
}

fn search(search: &Search) -> Report {
    search_with(&mut Engine::new(4), search)
}

fn standard(fen: &str, limits: Limits) -> Report {
    search(&Search::new(line(Variant::Standard, fen, ""), limits))
}

fn uci(mv: Option<Move>) -> String {
    mv.map_or_else(String::new, |mv| write_uci(mv, Variant::Standard))
}

#[test]
fn short_mates_are_found_and_counted_right() {
    for (fen, moves, best) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1, "a1a8"),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3, "f6a6"),
        (
            "2b5/1p1p4/1P1P4/ppBP1B2/k2p1R2/N2P4/K1P1P3/8 w - - 0 1",
            4,
            "f4h4",
        ),
    ] {
        let limits = Limits {
            mate: Some(moves),
            depth: Some(Depth(40)),
            ..Limits::default()
        };
        let report = standard(fen, limits);
        assert_eq!(report.lines[0].score, Score::Mate(moves as i32), "{fen}");
        assert_eq!(uci(report.best()), best, "{fen}");
    }
}

#[test]
fn a_mate_in_four_behind_quiet_moves_is_proven_within_its_budget() {
    // iCE's position: every winning move is quiet, and most of the pieces cannot move.
    let limits = Limits {
        mate: Some(4),
        nodes: Some(Nodes(375_331)),
        ..Limits::default()
    };
    let report = standard("2b5/1p1p4/1P1P4/ppBP1B2/k2p1R2/N2P4/K1P1P3/8 w - - 0 1", limits);
    assert_eq!(report.lines[0].score, Score::Mate(4));
    assert_eq!(uci(report.best()), "f4h4");
    assert!(report.nodes < Nodes(375_331), "{report:?}");
}

#[test]
fn bishop_and_knight_mate_from_the_wrong_corner_too_long_before_fifty_moves() {
    for fen in [
        "7k/8/5K2/8/4N3/3B4/8/8 w - - 0 1",
        "k7/8/1K6/8/8/8/5N2/2B5 w - - 0 1",
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
    ] {
        let (mut strong, mut bare) = (Engine::new(4), Engine::new(4));
        let mut game = line(Variant::Standard, fen, "");
        for ply in 0..100 {
            let engine = if ply % 2 == 0 { &mut strong } else { &mut bare };
            let report = search_with(engine, &Search::new(game.clone(), nodes(5000)));
            let Some(mv) = report.best() else { break };
            game.play(mv);
        }
        assert!(game.position().is_checkmate(), "{}", game.ply());
    }
}

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
        let wanted = Search::new(line(Variant::Standard, fen, ""), limits);
        let report = search_with(&mut engine_of(4), &wanted);
        assert_eq!(report.lines[0].score, Score::Mate(moves as i32), "{fen}");
        assert_eq!(uci(report.best()), best, "{fen}");
    }
}

#[test]
fn the_nodes_of_all_threads_are_counted_and_limited_together() {
    let mut engine = engine_of(3);
    for limit in [1000, 50_000] {
        let wanted = Search::new(line(Variant::Standard, KIWIPETE, ""), nodes(limit));
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
    let wanted = Search::new(line(Variant::Standard, KIWIPETE, ""), depth(7));
    let alone = search(&wanted);
    let mut engine = engine_of(5);
    assert_eq!(engine.threads(), 5);
    let helped = search_with(&mut engine, &wanted);
    assert_eq!(helped.depth, Depth(7));
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
    let around = Surroundings {
        stop: &stop,
        clock: &clock,
    };
    let wanted = Search::new(line(Variant::Standard, KIWIPETE, ""), Limits::default());
    let mut engine = engine_of(4);
    // The wish comes from inside, after the first iterations, so that the test needs no clock.
    let report = engine.search(&wanted, &around, &mut |report| {
        if report.depth >= Depth(3) {
            stop.set();
        }
    });
    assert!(report.best().is_some());
}

#[test]
fn being_mated_is_seen_as_well() {
    let report = standard("7k/8/5KR1/8/8/8/8/8 b - - 0 1", depth(6));
    assert!(
        matches!(report.lines[0].score, Score::Mate(moves) if moves < 0),
        "{report:?}"
    );
}

#[test]
fn a_position_without_moves_has_no_line() {
    let mated = standard("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", depth(5));
    assert!(mated.lines.is_empty() && mated.best().is_none());
    let stalemate = standard("7k/8/6Q1/8/8/8/8/4K3 b - - 0 1", depth(5));
    assert!(stalemate.lines.is_empty());
}

#[test]
fn the_same_search_gives_the_same_tree() {
    for handicap in [
        Handicap::default(),
        Handicap {
            noise: Centipawns(80),
            blindness: 0.25,
            seed: 7,
        },
    ] {
        let wanted = Search {
            handicap,
            multi_pv: 2,
            ..Search::new(line(Variant::Standard, KIWIPETE, ""), nodes(20_000))
        };
        let (one, two) = (search(&wanted), search(&wanted));
        assert_eq!(one.lines, two.lines);
        assert_eq!(
            (one.nodes, one.depth, one.seldepth),
            (two.nodes, two.depth, two.seldepth)
        );
        assert_eq!(one.nodes, Nodes(20_000));
    }
}

#[test]
fn a_cleared_engine_is_as_good_as_new() {
    let wanted = Search::new(line(Variant::Standard, KIWIPETE, ""), depth(8));
    let mut engine = Engine::new(4);
    let first = search_with(&mut engine, &wanted);
    engine.clear();
    let second = search_with(&mut engine, &wanted);
    assert_eq!((first.nodes, first.lines), (second.nodes, second.lines));
}

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
    let around = Surroundings {
        stop: &stop,
        clock: &clock,
    };
    let game = line(Variant::Standard, KIWIPETE, "");
    let wanted = Search::new(game.clone(), depth(9));
    Engine::new(4).search(&wanted, &around, &mut |report| finished.push(report.clone()));
    assert_eq!(finished.len(), 9);
    for report in &finished {
        // One node more is too few to find anything new.
        let cut = search(&Search::new(game.clone(), nodes(report.nodes.0 + 1)));
        assert_eq!(cut.best(), report.best(), "after depth {}", report.depth.0);
        assert_eq!(cut.lines[0].score, report.lines[0].score);
    }
}

#[test]
fn what_iterations_found_is_kept_and_compared_at_equal_depth() {
    let whole = Search::new(line(Variant::Standard, KIWIPETE, ""), nodes(3000));
    let mut told = Vec::new();
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = Surroundings {
        stop: &stop,
        clock: &clock,
    };
    let report = Engine::new(4).search(&whole, &around, &mut |report| {
        told.push(report.lines[0].score);
    });
    assert_eq!(report.finished, told);
    assert_eq!(report.finished.len(), report.depth.0 as usize);
    let shallow = search(&Search {
        limits: depth(2),
        ..whole.clone()
    });
    assert_eq!(report.beside(&shallow), Some((told[1], shallow.finished[1])));
    // A search that finished nothing says nothing, though it has a move and a score.
    let none = search(&Search {
        limits: nodes(1),
        ..whole
    });
    assert!(none.best().is_some());
    assert_eq!(report.beside(&none), None);
}

#[test]
fn a_search_stopped_beforehand_still_takes_a_glance() {
    let stop = Stop::new();
    stop.set();
    let around = Surroundings {
        stop: &stop,
        clock: &Stopwatch::start(),
    };
    let wanted = Search::new(line(Variant::Standard, KIWIPETE, ""), Limits::default());
    let report = Engine::new(1).search(&wanted, &around, &mut |_| ());
    assert_eq!((report.nodes, report.depth), (Nodes(256), Depth(1)));
    assert!(report.best().is_some());
}

/// A clock that moves one millisecond with each look.
struct Ticking(Cell<u64>);

impl Clock for Ticking {
    fn elapsed(&self) -> Millis {
        self.0.set(self.0.get() + 1);
        Millis(self.0.get())
    }
}

#[test]
fn time_limits_hold_by_the_clock_that_is_given() {
    let stop = Stop::new();
    let clock = Ticking(Cell::new(0));
    let around = Surroundings {
        stop: &stop,
        clock: &clock,
    };
    let limits = Limits {
        hard: Some(Millis(40)),
        ..Limits::default()
    };
    let report = Engine::new(1).search(
        &Search::new(line(Variant::Standard, KIWIPETE, ""), limits),
        &around,
        &mut |_| (),
    );
    assert!((40..45).contains(&report.elapsed.0), "{}", report.elapsed.0);
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

#[test]
fn several_lines_are_sorted_and_begin_with_different_moves() {
    for limits in [depth(7), nodes(7000)] {
        let wanted = Search {
            multi_pv: 5,
            ..Search::new(line(Variant::Standard, KIWIPETE, ""), limits)
        };
        let report = search(&wanted);
        assert_eq!(report.lines.len(), 5);
        let worth = |score: Score| match score {
            Score::Cp(cp) => cp.0,
            Score::Mate(moves) if moves > 0 => 40_000 - moves,
            Score::Mate(moves) => -40_000 - moves,
        };
        assert!(
            report.lines.is_sorted_by_key(|line| -worth(line.score)),
            "{:?}",
            report.lines
        );
        let mut firsts: Vec<Move> = report.lines.iter().map(|line| line.pv[0]).collect();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
    }
    let everything = Search {
        multi_pv: 500,
        ..Search::new(GameLine::new(Variant::Standard), depth(2))
    };
    assert_eq!(search(&everything).lines.len(), 20);
}

#[test]
fn only_the_moves_asked_for_are_considered() {
    let line = line(Variant::Standard, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "");
    let only = vec![parse_uci(line.position(), "e1e2").unwrap()];
    let wanted = Search {
        only: only.clone(),
        multi_pv: 3,
        ..Search::new(line, depth(4))
    };
    let report = search(&wanted);
    assert_eq!(report.lines.len(), 1);
    assert_eq!(report.best(), Some(only[0]));
}

#[test]
fn lines_can_be_played() {
    let report = search(&Search {
        multi_pv: 3,
        ..Search::new(line(Variant::Standard, KIWIPETE, ""), depth(8))
    });
    for found in &report.lines {
        let mut pos = line(Variant::Standard, KIWIPETE, "").position().clone();
        for mv in &found.pv {
            assert!(pos.is_legal(*mv));
            pos.play_unchecked(*mv);
        }
    }
}

#[test]
fn a_lost_side_takes_the_repetition() {
    // White is a queen down and can check for ever.
    let fen = "6k1/6p1/8/6K1/8/8/1q3q2/4Q3 w - - 0 1";
    let report = standard(fen, depth(9));
    assert_eq!(uci(report.best()), "e1e8");
    assert!(
        matches!(report.lines[0].score, Score::Cp(Centipawns(cp)) if cp.abs() < 30),
        "{:?}",
        report.lines[0]
    );
}

#[test]
fn a_third_repetition_counts_from_the_game_so_far() {
    // Going back repeats the start of the line for the third time: a draw that the winning side avoids.
    let start = "4k3/8/8/8/8/8/q7/4K2R b - - 0 1";
    let played = "a2b2 h1g1 b2a2 g1h1 a2b2 h1g1";
    let report = search(&Search::new(line(Variant::Standard, start, played), depth(6)));
    assert_ne!(uci(report.best()), "b2a2");
    assert!(matches!(report.lines[0].score, Score::Cp(Centipawns(cp)) if cp > 200));
}

#[test]
fn the_fifty_move_rule_is_known() {
    let drawn = standard("7k/8/8/8/8/8/R7/K7 w - - 99 80", depth(4));
    assert!(
        matches!(drawn.lines[0].score, Score::Cp(Centipawns(0))),
        "{:?}",
        drawn.lines
    );
    let mate = standard("7k/8/6K1/8/8/8/R7/8 w - - 99 80", depth(4));
    assert_eq!(mate.lines[0].score, Score::Mate(1));
}

#[test]
fn blindness_never_makes_a_mate_out_of_nothing() {
    for seed in 0..40 {
        let wanted = Search {
            handicap: Handicap {
                noise: Centipawns(0),
                blindness: 0.9,
                seed,
            },
            ..Search::new(GameLine::new(Variant::Standard), nodes(3000))
        };
        let report = search(&wanted);
        assert!(
            matches!(report.lines[0].score, Score::Cp(_)),
            "{:?}",
            report.lines
        );
    }
}

#[test]
fn even_the_blind_answer_a_check_and_take_back() {
    let wanted = |fen: &str, moves: &str| Search {
        handicap: Handicap {
            noise: Centipawns(0),
            blindness: 1.0,
            seed: 3,
        },
        ..Search::new(line(Variant::Standard, fen, moves), nodes(2000))
    };
    let report = search(&wanted("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", ""));
    assert_eq!(uci(report.best()), "e1e2");
    // Everything but the recapture is out of sight.
    let report = search(&wanted("3rk3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "d1d5"));
    assert_eq!(uci(report.best()), "d8d5");
}

#[test]
fn other_seeds_make_other_mistakes() {
    let moves: Vec<String> = (0..12)
        .map(|seed| {
            let wanted = Search {
                handicap: Handicap {
                    noise: Centipawns(150),
                    blindness: 0.3,
                    seed,
                },
                ..Search::new(GameLine::new(Variant::Standard), nodes(500))
            };
            uci(search(&wanted).best())
        })
        .collect();
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_legal_position_gets_a_legal_move(
        which in 0usize..10,
        choices in prop::collection::vec(any::<usize>(), 0..120),
        limit in 0u64..400,
        blindness in prop_oneof![Just(0.0f32), 0.0f32..1.0],
    ) {
        let mut line = GameLine::new(Variant::ALL[which]);
        for choice in choices {
            let moves = line.position().legal_moves();
            if moves.is_empty() || line.position().is_variant_end() {
                break;
            }
            line.play(moves[choice % moves.len()]);
        }
        let handicap = Handicap { noise: Centipawns(40), blindness, seed: limit };
        let wanted = Search { handicap, ..Search::new(line.clone(), nodes(limit)) };
        let report = search_with(&mut Engine::new(1), &wanted);
        let legal = line.position().legal_moves();
        match report.best() {
            Some(mv) => prop_assert!(legal.contains(&mv)),
            None => prop_assert!(legal.is_empty()),
        }
    }
}

#[test]
fn every_chess960_start_can_be_played() {
    let fen = "nqbbrnkr/pppppppp/8/8/8/8/PPPPPPPP/NQBBRNKR w HEhe - 0 1";
    let mut game = line(Variant::Chess960, fen, "");
    let mut engine = Engine::new(1);
    for _ in 0..30 {
        let report = search_with(&mut engine, &Search::new(game.clone(), nodes(500)));
        game.play(report.best().unwrap());
    }
}

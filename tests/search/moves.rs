//! What a search answers: legal moves, in lines that can be played, the same ones each time.

use std::sync::Arc;

use proptest::prelude::*;
use sparring_engine::{BoundKind, EngineOverrides, Params, WeightChange, WeightOverrides, weight_rows};

use super::*;

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
        let wanted = SearchRequest {
            handicap,
            multi_pv: 2,
            ..SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), nodes(20_000))
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
    let wanted = SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), depth(8));
    let mut engine = Engine::new(4);
    let first = search_with(&mut engine, &wanted);
    engine.clear();
    let second = search_with(&mut engine, &wanted);
    assert_eq!((first.nodes, first.lines), (second.nodes, second.lines));
}

#[test]
fn several_lines_are_sorted_and_begin_with_different_moves() {
    for limits in [depth(7), nodes(7000)] {
        let wanted = SearchRequest {
            multi_pv: 5,
            ..SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), limits)
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
    let everything = SearchRequest {
        multi_pv: 500,
        ..SearchRequest::new(GameHistory::new(Variant::Standard), depth(2))
    };
    assert_eq!(search(&everything).lines.len(), 20);
}

#[test]
fn only_the_moves_asked_for_are_considered() {
    let line = line(Variant::Standard, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "");
    let only = vec![parse_uci(line.position(), "e1e2").unwrap()];
    let wanted = SearchRequest {
        search_moves: only.clone(),
        multi_pv: 3,
        ..SearchRequest::new(line, depth(4))
    };
    let report = search(&wanted);
    assert_eq!(report.lines.len(), 1);
    assert_eq!(report.best(), Some(only[0]));
}

#[test]
fn lines_can_be_played() {
    let report = search(&SearchRequest {
        multi_pv: 3,
        ..SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), depth(8))
    });
    for found in &report.lines {
        let mut pos = line(Variant::Standard, KIWIPETE, "").position().clone();
        for mv in &found.pv {
            assert!(pos.is_legal(*mv));
            pos.play_unchecked(*mv);
        }
    }
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
        let mut line = GameHistory::new(Variant::ALL[which]);
        for choice in choices {
            let moves = line.position().legal_moves();
            if moves.is_empty() || line.position().is_variant_end() {
                break;
            }
            line.play(moves[choice % moves.len()]);
        }
        let handicap = Handicap { noise: Centipawns(40), blindness, seed: limit };
        let wanted = SearchRequest { handicap, ..SearchRequest::new(line.clone(), nodes(limit)) };
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
        let report = search_with(&mut engine, &SearchRequest::new(game.clone(), nodes(500)));
        game.play(report.best().unwrap());
    }
}

#[test]
fn what_was_learned_of_one_player_s_evaluation_corrects_no_other_s() {
    let plain = SearchRequest::new(line(Variant::Standard, KIWIPETE, ""), depth(7));
    let row = weight_rows().iter().find(|row| row.key == "bishop_pair").unwrap();
    let mut weights = WeightOverrides::default();
    weights.set(row, &WeightChange::Percent(300)).unwrap();
    let other = SearchRequest {
        overrides: Some(Arc::new(EngineOverrides::new(Params::default(), weights))),
        ..plain.clone()
    };
    let mut engine = Engine::new(4);
    search_with(&mut engine, &other);
    // Its table is full of the other's entries, which take room but are never read.
    engine.resize(4);
    let (after, fresh) = (search_with(&mut engine, &plain), search(&plain));
    assert_eq!((after.nodes, after.lines), (fresh.nodes, fresh.lines));
}

#[test]
fn a_move_that_has_failed_high_is_played_though_its_score_is_not_known() {
    // Without windows around the last score, only a later move that beats the first is worth at least something.
    let mut engine = Engine::new(4);
    engine.set_params(Params {
        aspiration: 30_000,
        ..Params::default()
    });
    let starts = [
        KIWIPETE,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4",
        "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 0 1",
    ];
    let mut tries = (300..20_000)
        .step_by(61)
        .flat_map(|limit| starts.map(|start| (start, limit)));
    let found = tries.find_map(|(start, limit)| {
        engine.clear();
        let wanted = SearchRequest::new(line(Variant::Standard, start, ""), nodes(limit));
        let (stop, clock) = (Stop::new(), Stopwatch::start());
        let around = SearchControl {
            stop: &stop,
            clock: &clock,
        };
        let mut finished = None;
        let report = engine.search(&wanted, &around, &mut |report| finished = report.best());
        (report.lines[0].bound == BoundKind::AtLeast).then_some((report, finished))
    });
    let (report, finished) = found.unwrap();
    assert_ne!(report.best(), finished);
    assert!(report.lines[0].pv.len() <= 2, "{report:?}");
}

#[test]
fn a_losing_capture_is_not_all_that_a_side_in_check_is_thought_to_have() {
    // Bb5+ looks well only as long as Qxb5, which loses the queen for it, is thought to be Black's one answer.
    let report = standard("1q2k3/5ppp/8/8/P7/8/5PPP/4KB2 w - - 0 1", depth(1));
    let Score::Cp(worth) = report.lines[0].score else {
        panic!("{report:?}");
    };
    assert!(worth.0 < -300, "{worth:?}");
}

#[test]
fn a_sacrifice_at_the_root_is_not_put_off_by_reductions() {
    // From IQ4 and Win at Chess. With captures at the root reduced as quiet moves are, each takes 24,000 nodes or more.
    for (fen, best) in [
        (
            "1k1r4/pp1r1pp1/4n1p1/2R5/2Pp1qP1/3P2QP/P4PB1/1R4K1 w - - 0 1",
            "g2b7",
        ),
        (
            "6k1/pp3p1p/3b3r/3p3q/P2n2p1/1P1Pp1P1/1N2P1QP/2R2RK1 b - - 0 1",
            "d6g3",
        ),
        (
            "r2q1rk1/pp1b1Rp1/4p2p/4PnNQ/2pP4/2P1B3/P5PP/5RK1 w - - 0 1",
            "f1f5",
        ),
        ("r5k1/1p3p1p/p1pqrPp1/3bN3/8/P1P3Q1/1P4PP/4RRK1 w - - 0 1", "e5f7"),
    ] {
        assert_eq!(uci(standard(fen, nodes(12_000)).best()), best, "{fen}");
    }
}

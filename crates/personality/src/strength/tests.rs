//! Tests of requests and their results.

use std::sync::Arc;

use super::*;
use crate::{Personality, human_model::RootScores};
use sparring_chess::{
    GameHistory, Rules as _, Variant,
    units::{Centipawns, Depth, Elo, Millis, Nodes, Stopwatch},
    write_uci,
};
use sparring_engine::{Engine, Limits, SearchControl, Stop, Tablebase};

fn line(variant: Variant) -> GameHistory {
    GameHistory::new(variant)
}

#[test]
fn what_a_profile_sets_by_hand_beats_its_level() {
    let mut profile = Personality::new("x");
    assert_eq!(
        level_params(&profile, None, Variant::Standard),
        LevelParams::default(),
        "full strength"
    );
    profile.level = Some(Elo(1000));
    profile.noise = Some(Centipawns(7));
    profile.nodes = Some(Nodes(300));
    let own = level_params(&profile, None, Variant::Standard);
    assert_eq!((own.noise, own.nodes), (Centipawns(7), Some(Nodes(300))));
    assert_eq!(own.choice, Levels::shipped().params(Elo(1000)).choice);
    assert_eq!(
        level_params(&profile, Some(Elo(1800)), Variant::Standard),
        Levels::shipped().params(Elo(1800))
    );
}

#[test]
fn levels_search_every_move_in_chess_and_the_best_in_variants() {
    let mut profile = Personality::new("x");
    profile.level = Some(Elo(1000));
    let budget = Some((Millis(500), Millis(900)));
    let chess = request(&profile, None, line(Variant::Chess960), budget, 42);
    assert_eq!(chess.search.multi_pv, usize::MAX);
    assert_eq!(chess.search.limits.depth, Some(RootScores::DEEP));
    assert_eq!(chess.search.limits.hard, Some(Millis(900)));
    assert_eq!((chess.seed, chess.search.handicap.seed), (42, 42));
    assert!(chess.choice.is_some());
    let atomic = request(&profile, None, line(Variant::Atomic), budget, 42);
    assert!(atomic.choice.is_none() && atomic.search.multi_pv == 1);
    assert_eq!(
        (atomic.search.limits.nodes, atomic.search.limits.depth),
        (Some(Nodes(500)), Some(Depth(3)))
    );
    assert_eq!(atomic.search.handicap.noise, Centipawns(80));
}

#[test]
fn human_choices_use_no_endgame_tables() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("KQvK.rtbw"), [0; 80]).unwrap();
    let tables = Some(Arc::new(Tablebase::open(&[folder.path()]).unwrap()));
    let profile = Personality::new("x");
    let with = |level: Option<Elo>| {
        let request = request(&profile, level, line(Variant::Standard), None, 1);
        request.with_tablebase(tables.clone()).search.tablebase
    };
    assert!(with(None).is_some() && with(Some(Elo(2800))).is_some());
    for level in (600..2800).step_by(100) {
        assert!(with(Some(Elo(level))).is_none(), "{level}");
    }
}

#[test]
fn a_level_plays_the_same_with_a_clock_and_without() {
    let hour = Some((Millis::from_secs(3600), Millis::from_secs(7200)));
    let lines = [
        ("startpos", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6"),
        // The best move gives the queen for mate in two.
        ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", ""),
        ("5rk1/5ppp/4pn2/4Q3/2P5/3P1N2/Pq3PPP/RN2K2R b KQ - 0 18", ""),
    ]
    .map(|(fen, moves)| GameHistory::replay(Variant::Standard, fen, moves).unwrap());
    let profile = Personality::new("x");
    let mut engine = Engine::new(1);
    let mut played = |level, line: &GameHistory, budget, seed| {
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let request = request(&profile, Some(Elo(level)), line.clone(), budget, seed);
        let result = choose_move(&mut engine, &request, &control, &mut |_| {});
        (result.report.lines, result.report.nodes)
    };
    for level in [1000, 1800, 2400] {
        for line in &lines {
            for seed in 0..3 {
                let timed = played(level, line, hour, seed);
                assert_eq!(timed, played(level, line, None, seed), "{level}, seed {seed}");
            }
        }
    }
}

#[test]
fn no_level_below_full_strength_is_limited_by_time_alone() {
    for level in (600..=2600).step_by(100) {
        let params = Levels::shipped().params(Elo(level));
        assert!(params.choice.is_some(), "level {level}");
        assert!(
            params.nodes.is_some() || params.choice.is_some_and(|choice| choice.blunder_check.is_none()),
            "level {level}"
        );
    }
}

#[test]
fn a_requested_level_ignores_engine_overrides() {
    let text = "mode = \"power\"\n[eval]\nbishop_pair = \"150%\"\n";
    let profile = crate::read("x.toml", text).0.unwrap();
    let setup = |asked| {
        request(&profile, asked, line(Variant::Standard), None, 1)
            .search
            .overrides
    };
    assert_eq!(setup(None), profile.engine_overrides);
    assert!(profile.engine_overrides.is_some());
    assert_eq!(setup(Some(Elo(1400))), None);
}

#[test]
fn only_full_strength_uses_the_nnue_net() {
    let classical_only = |profile: &Personality, asked: Option<u32>| {
        let line = line(Variant::Standard);
        request(profile, asked.map(Elo), line, None, 1)
            .search
            .classical_only
    };
    let plain = Personality::new("x");
    for level in (600..=2799).step_by(7).chain([2799]) {
        assert!(classical_only(&plain, Some(level)), "{level}");
    }
    assert!(!classical_only(&plain, Some(2800)) && !classical_only(&plain, None));
    for text in [
        "nodes = 60000\n",
        "noise = 20\n",
        "blunder-rate = 0.1\n",
        "mode = \"power\"\nlevel = 1400\n[search]\nrfp_margin = 90\n",
    ] {
        let profile = crate::read("x.toml", text).0.unwrap();
        assert!(classical_only(&profile, None), "{text}");
    }
    let text = "book-plies = 4\n";
    assert!(!classical_only(&crate::read("x.toml", text).0.unwrap(), None));
}

#[test]
fn full_strength_has_no_limit_but_time() {
    let request = request(
        &Personality::new("x"),
        Some(Elo(2800)),
        line(Variant::Standard),
        None,
        1,
    );
    assert!(request.choice.is_none() && request.search.limits == Limits::default());
}

/// Two levels play each variant against themselves; positions with a single legal move are among them.
#[test]
fn levels_play_legal_moves_in_every_variant() {
    let mut engine = Engine::new(1);
    let mut profile = Personality::new("x");
    for variant in Variant::ALL
        .into_iter()
        .filter(|variant| !variant.traits().human_model)
    {
        let mut line = line(variant);
        for ply in 0..60 {
            if line.outcome().is_some() {
                line = GameHistory::new(variant);
            }
            profile.level = Some(Elo(if ply % 2 == 0 { 600 } else { 900 }));
            let request = request(&profile, None, line.clone(), None, ply);
            let control = SearchControl {
                stop: &Stop::new(),
                clock: &Stopwatch::start(),
            };
            let result = choose_move(&mut engine, &request, &control, &mut |_| {});
            let mv = result.report.best().unwrap();
            assert!(
                line.position().is_legal(mv),
                "{variant}: {mv:?} after {}",
                line.uci_moves()
            );
            line.play(mv);
        }
    }
}

#[test]
fn a_level_that_overlooks_everything_still_makes_the_only_move() {
    // The rook must be taken, which gives the queen away.
    let line = GameHistory::replay(Variant::Antichess, "8/8/8/8/8/1n6/r7/Q7 w - - 0 1", "").unwrap();
    let blind = LevelParams {
        nodes: Some(Nodes(1)),
        depth: Some(Depth(1)),
        noise: Centipawns(500),
        blunder_rate: 1.0,
        ..LevelParams::default()
    };
    let control = SearchControl {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    for seed in 0..8 {
        let request = request_with(&blind, line.clone(), None, seed);
        let result = choose_move(&mut Engine::new(1), &request, &control, &mut |_| {});
        assert_eq!(
            result
                .report
                .best()
                .map(|mv| write_uci(mv, Variant::Antichess))
                .as_deref(),
            Some("a1a2")
        );
    }
}

//! Endgame tables: moves that keep what they promise, scores that say so, and nobody with a handicap looks into them.

use std::{fs, path::PathBuf, sync::Arc};

use sparring_chess::units::Millis;
use sparring_engine::{BoundKind, Tablebase};

use super::*;

/// The folder of the project's endgame tables: all endings of up to four pieces, and one of five.
fn folder() -> Option<PathBuf> {
    shared::testdata("syzygy")
}

fn tables() -> Option<Arc<Tablebase>> {
    Some(Arc::new(Tablebase::open(&[folder()?]).unwrap()))
}

fn with(tables: &Arc<Tablebase>, fen: &str, limits: Limits) -> SearchRequest {
    SearchRequest {
        tablebase: Some(Arc::clone(tables)),
        ..SearchRequest::new(line(Variant::Standard, fen, ""), limits)
    }
}

const QUEEN_AGAINST_ROOK: &str = "8/8/3k4/8/3r4/8/1K6/3Q4 w - - 0 1";

/// Five men, for which there is no table: king and two pawns against king and knight.
const KNIGHT_TO_TAKE: &str = "8/8/8/4k3/8/2n5/1P2P3/1K6 w - - 0 1";

#[test]
fn a_won_ending_is_won_with_hardly_any_search() {
    let Some(tables) = tables() else { return };
    for fen in [
        QUEEN_AGAINST_ROOK,
        "8/8/8/3k4/8/3r4/8/KQ6 w - - 0 1",
        "4k3/8/8/8/4r3/8/8/QK6 w - - 0 1",
    ] {
        let (mut strong, mut weak) = (Engine::new(1), Engine::new(1));
        let mut game = line(Variant::Standard, fen, "");
        while !game.position().is_checkmate() {
            let ours = game.turn().is_white();
            let engine = if ours { &mut strong } else { &mut weak };
            let search = SearchRequest {
                tablebase: ours.then(|| Arc::clone(&tables)),
                ..SearchRequest::new(game.clone(), nodes(60))
            };
            let report = search_with(engine, &search);
            game.play(report.best().unwrap());
            let pos = game.position();
            assert!(pos.halfmoves() < 100, "drawn by the fifty-move rule: {fen}");
            assert!(!pos.is_stalemate() && !pos.is_insufficient_material(), "{fen}");
            assert!(game.repetitions() < 3, "{fen}");
        }
    }
}

#[test]
fn what_is_drawn_is_told_to_be_drawn() {
    let Some(tables) = tables() else { return };
    let fen = "8/5R2/b7/k7/8/5K2/8/8 b - - 0 1";
    let alone = standard(fen, depth(6));
    let known = search(&with(&tables, fen, depth(6)));
    assert_ne!(alone.lines[0].score, Score::Cp(Centipawns(0)));
    assert_eq!(known.lines[0].score, Score::Cp(Centipawns(0)));
    assert!(known.table_hits > 0 && alone.table_hits == 0);
    // However the search is cut short, that is no bound.
    for limit in (20..4000).step_by(37) {
        let cut = search(&with(&tables, fen, nodes(limit)));
        assert_eq!(cut.lines[0].bound, BoundKind::Exact, "{limit} nodes");
    }
}

#[test]
fn the_only_move_that_holds_a_draw_needs_no_thought() {
    let Some(tables) = tables() else { return };
    let fen = "8/8/8/1k6/3P4/3K4/8/8 b - - 0 1";
    let limits = Limits {
        soft: Some(Millis::from_secs(600)),
        ..nodes(20_000)
    };
    let (alone, known) = (standard(fen, limits), search(&with(&tables, fen, limits)));
    assert!(alone.depth > Depth(4), "{alone:?}");
    assert_eq!(known.depth, Depth(1));
    assert_eq!(known.lines[0].score, Score::Cp(Centipawns(0)));
}

#[test]
fn moves_that_draw_come_before_those_that_lose() {
    let Some(tables) = tables() else { return };
    let fen = "8/2K5/8/8/1k6/6P1/8/8 b - - 0 1";
    let report = search(&SearchRequest {
        multi_pv: 50,
        ..with(&tables, fen, depth(8))
    });
    let scores: Vec<i32> = report.lines.iter().map(|line| line.score.scaled()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert_eq!(scores[0], 0, "{scores:?}");
    assert!(scores.iter().any(|score| *score <= -19_000), "{scores:?}");
}

#[test]
fn endings_are_seen_from_afar() {
    let Some(tables) = tables() else { return };
    let known = search(&with(&tables, KNIGHT_TO_TAKE, depth(4)));
    let Score::Cp(Centipawns(score)) = known.lines[0].score else {
        panic!("{known:?}");
    };
    assert!((19_000..20_000).contains(&score), "{score}");
    assert_eq!(uci(known.best()), "b2c3");
    assert!(known.table_hits > 0);
}

#[test]
fn a_mate_is_found_beyond_a_win_by_the_tables() {
    let Some(tables) = tables() else { return };
    // Only taking the knight mates in two, and behind that the tables know that it is won, and no more.
    let fen = "8/8/3R3Q/1k1n4/8/2K5/8/8 w - - 0 1";
    let limits = Limits {
        mate: Some(2),
        ..depth(12)
    };
    for limits in [limits, depth(6)] {
        let known = search(&with(&tables, fen, limits));
        assert_eq!(known.lines[0].score, Score::Mate(2));
        assert_eq!(uci(known.best()), "d6d5");
        assert!(known.table_hits > 0);
    }
}

#[test]
fn a_mate_counts_though_it_comes_with_the_last_half_move_before_the_draw() {
    let Some(tables) = tables() else { return };
    for limits in [
        depth(4),
        Limits {
            mate: Some(1),
            ..depth(4)
        },
    ] {
        let known = search(&with(&tables, "7k/8/5KQ1/8/8/8/8/8 w - - 99 80", limits));
        assert_eq!(
            (known.lines[0].score, known.lines[0].pv.len()),
            (Score::Mate(1), 1)
        );
    }
}

#[test]
fn results_alone_tell_a_win_and_leave_the_count_of_moves_out() {
    let Some(shared) = folder() else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["KQvKR.rtbw", "KQvK.rtbw", "KRvK.rtbw"] {
        fs::copy(shared.join(name), folder.path().join(name)).unwrap();
    }
    let tables = Arc::new(Tablebase::open(&[folder.path()]).unwrap());
    let known = search(&with(&tables, QUEEN_AGAINST_ROOK, depth(4)));
    assert_eq!(known.lines[0].score, Score::Cp(Centipawns(20_000)));
    // Below the root they go on being asked.
    let roots = line(Variant::Standard, QUEEN_AGAINST_ROOK, "")
        .position()
        .legal_moves()
        .len() as u64;
    assert!(known.table_hits > roots, "{}", known.table_hits);
}

#[test]
fn several_threads_tell_what_the_tables_know() {
    let Some(tables) = tables() else { return };
    let mut engine = Engine::new(4);
    engine.set_threads(2);
    let report = search_with(&mut engine, &with(&tables, QUEEN_AGAINST_ROOK, nodes(4000)));
    let win = Score::Cp(Centipawns(20_000));
    assert_eq!(report.lines[0].score, win);
    assert!(
        report.scores_by_depth.iter().all(|score| *score == win),
        "{report:?}"
    );
}

#[test]
fn whoever_plays_with_a_handicap_looks_into_no_tables() {
    let Some(tables) = tables() else { return };
    let wanted = with(&tables, QUEEN_AGAINST_ROOK, nodes(2000));
    let handicap = Handicap {
        noise: Centipawns(40),
        ..Handicap::default()
    };
    let weak = search(&SearchRequest {
        handicap,
        ..wanted.clone()
    });
    assert_eq!(weak.table_hits, 0);
    assert!(search(&wanted).table_hits > 0);
}

#[test]
fn the_same_search_with_tables_gives_the_same_tree() {
    let Some(tables) = tables() else { return };
    let wanted = with(&tables, KNIGHT_TO_TAKE, nodes(5000));
    let (one, two) = (search(&wanted), search(&wanted));
    assert_eq!((one.nodes, one.lines), (two.nodes, two.lines));
}

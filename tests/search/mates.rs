//! Mates: found, counted right, and driven to where there are none yet.

use super::*;

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
fn looking_for_a_mate_that_is_not_there_leaves_what_moves_are_worth_alone() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for count in (50..4000).step_by(79) {
        let limits = Limits {
            mate: Some(3),
            nodes: Some(Nodes(count)),
            ..Limits::default()
        };
        let best = &standard(start, limits).lines[0];
        let Score::Cp(Centipawns(score)) = best.score else {
            panic!("{best:?} after {count} nodes");
        };
        assert!(score.abs() < 150, "{score} after {count} nodes");
    }
}

#[test]
fn a_mate_is_looked_for_among_several_lines_among_named_moves_and_against_oneself() {
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    let limits = Limits {
        mate: Some(2),
        ..depth(8)
    };
    let wanted = SearchRequest::new(line(Variant::Standard, fen, ""), limits);
    let three = search(&SearchRequest {
        multi_pv: 3,
        ..wanted.clone()
    });
    let scores: Vec<Score> = three.lines.iter().map(|line| line.score).collect();
    assert_eq!(scores.len(), 3);
    assert_eq!((scores[0], uci(three.best())), (Score::Mate(2), "a1a6".into()));
    assert!(!scores[1..].contains(&Score::Mate(2)), "{scores:?}");
    let other = parse_uci(wanted.line.position(), "a1a5").unwrap();
    let others = search(&SearchRequest {
        search_moves: vec![other],
        ..wanted.clone()
    });
    assert_eq!(others.best(), Some(other));
    assert_ne!(others.lines[0].score, Score::Mate(2));
    // Black is mated whatever it plays.
    let mated = standard("kbK5/pp6/RP6/8/8/8/8/8 b - - 0 1", limits);
    assert_eq!(mated.lines[0].score, Score::Mate(-1));
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
            let report = search_with(engine, &SearchRequest::new(game.clone(), nodes(5000)));
            let Some(mv) = report.best() else { break };
            game.play(mv);
        }
        assert!(game.position().is_checkmate(), "{}", game.ply());
    }
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

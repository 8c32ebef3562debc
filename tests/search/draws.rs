//! Draws: repetitions and the fifty moves.

use super::*;

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
    let report = search(&SearchRequest::new(
        line(Variant::Standard, start, played),
        depth(6),
    ));
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
fn a_move_that_ends_the_game_has_no_reply_to_ponder_on() {
    let mut engine = Engine::new(4);
    let lines = ["g1f3 g8f6 f3g1", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"].map(|moves| {
        let line = line(Variant::Standard, "startpos", moves);
        let back = parse_uci(line.position(), "f6g8").unwrap();
        let wanted = SearchRequest {
            search_moves: vec![back],
            ..SearchRequest::new(line, depth(6))
        };
        search_with(&mut engine, &wanted).lines.remove(0)
    });
    // The first search leaves a reply in the table that would be played there.
    assert!(lines[0].pv.len() > 1, "{:?}", lines[0]);
    assert_eq!(lines[1].pv.len(), 1, "{:?}", lines[1]);
}

use super::*;
use sparring_chess::{
    units::{Centipawns, Depth},
    write_uci,
};
use sparring_engine::{BoundKind, Line};

fn one(line: &str) -> Problem {
    let (mut problems, findings) = read_suite("a.epd", line);
    assert_eq!(findings.to_string(), "");
    problems.remove(0)
}

/// The diagnostics of lines of which none is valid.
fn said(lines: &str) -> String {
    let (problems, findings) = read_suite("a.epd", lines);
    assert!(problems.is_empty(), "{problems:?}");
    findings.to_string()
}

fn report(position: &Position, mv: &str, score: Score) -> SearchResult {
    SearchResult {
        depth: Depth(1),
        elapsed: Millis(7),
        lines: vec![Line {
            depth: Depth(1),
            score,
            bound: BoundKind::Exact,
            pv: vec![parse_uci(position, mv).unwrap()],
        }],
        ..SearchResult::default()
    }
}

#[test]
fn every_kind_of_goal_is_read() {
    let played = one("k7/8/PP1b2P1/K2Pn2P/4R3/8/6np/8 w - - bm Re1 a7; id \"a; b\";");
    assert_eq!(played.id, "a; b");
    let Goal::Play(moves) = &played.goal else {
        panic!("{:?}", played.goal);
    };
    let texts: Vec<String> = moves.iter().map(|mv| write_uci(*mv, Variant::Standard)).collect();
    assert_eq!(texts, ["e4e1", "a6a7"]);
    assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 w - - bm #14;").goal, Goal::Mate(14));
    assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 w - - dm 14;").goal, Goal::Mate(14));
    assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 b - - bm #-14;").goal, Goal::Mate(-14));
    assert!(matches!(
        one("8/8/3k4/8/2R5/K7/8/8 w - - am Rc1;").goal,
        Goal::Avoid(_)
    ));
    let points = one("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1; c0 \"Rc1=10, Kb4=3\";").goal;
    assert_eq!(points.most(), 10);
    assert_eq!(
        said("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc9;"),
        "a.epd:1:31: error: \"Rc9\" is not a move; did you mean Rc8?"
    );
    // Of several goals one counts, whatever their order.
    for line in ["am Kb4; dm 3;", "dm 3; am Kb4;"] {
        let line = format!("8/8/3k4/8/2R5/K7/8/8 w - - {line}");
        assert_eq!(one(&line).goal, Goal::Mate(3), "{line}");
    }
    for line in ["bm Rc1; am Kb4;", "dm 3; bm Rc1;", "bm Rc1; dm 3;"] {
        let line = format!("8/8/3k4/8/2R5/K7/8/8 w - - {line}");
        assert!(matches!(one(&line).goal, Goal::Play(_)), "{line}");
    }
    for best in [
        "exd6",
        "exd6 e.p.",
        "exd6e.p.",
        "exd6 e.p., e6",
        "exd6,e6",
        "e5-d6",
        "1.exd6 $1",
        "1. exd6",
    ] {
        let goal = one(&format!("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2 bm {best};")).goal;
        let Goal::Play(moves) = goal else {
            panic!("{goal:?}")
        };
        assert!(moves[0].is_en_passant(), "{best}");
    }
    assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 b - -\tdm\t3;").goal, Goal::Mate(3));
    assert_eq!(
        said("8/8/3k4/8/2R5/K7/8/8 w - - am ;"),
        "a.epd:1:28: error: bm or am without a move"
    );
}

#[test]
fn invalid_lines_are_all_reported_and_the_others_counted() {
    let text = "# three wrong ones\n\
                8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1 id \"a\";\n\
                8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1; id \"right\";\n\
                8/P7/3k4/8/8/K7/8/8 w - - bm a8Q; id \"b\";\n\
                8/8/3k4/8/2R5/K7/8/8 w - - id \"c\";\n";
    let (problems, findings) = read_suite("a.epd", text);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].id, "right");
    assert_eq!(
        findings.to_string(),
        "a.epd:2:35: error: a semicolon is missing before \"id\"\n\
         a.epd:4:30: error: \"a8Q\" is not a move; did you mean a8=Q?\n\
         a.epd:5:1: error: there is no bm, am or dm, nor points in c0, or in c7 and c8"
    );
}

#[test]
fn each_kind_of_mistake_has_its_place_and_remedy() {
    for (line, expected) in [
        (
            "8/8/8/8 w",
            "1:1: error: a position has four fields, with operations behind them",
        ),
        ("8/8/3k4/8/2R5/K7/8/9 w - - bm Rc1;", "1:1: error: "),
        (
            "8/8/3k4/8/2R5/K7/8/8 w - - id \"x\" bm Rc1;",
            "1:35: error: a semicolon is missing before \"bm\"",
        ),
        (
            "8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1 c0 \"x\";",
            "1:35: error: a semicolon is missing before \"c0\"",
        ),
        (
            "8/8/3k4/8/2R5/K7/8/8 w - - id \"x; bm Rc1;",
            "points in c0, or in c7 and c8; a quote has no end",
        ),
        (
            "8/8/3k4/8/2R5/K7/8/8 w - - BM Rc1;",
            "1:28: error: there is no bm, am or dm",
        ),
        ("8/8/3k4/8/2R5/K7/8/8 w - - BM Rc1;", "did you mean bm?"),
        ("8/8/3k4/8/2R5/K7/8/8 w - -", "there is no bm"),
        (
            "8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1 Kd4;",
            "1:35: error: \"Kd4\" is not legal here",
        ),
        (
            "8/8/3k4/8/2R5/K7/8/8 w - - dm x;",
            "1:28: error: \"x\" is no number of moves",
        ),
    ] {
        let found = said(line);
        assert!(found.contains(expected), "{line}: {found}");
    }
    // What suites write in good faith is no mistake.
    for line in [
        "4k3/8/8/8/8/8/2P5/4K2R w K - bm c3 c4",
        "4k3/8/8/8/8/8/2P5/4K2R w K - bm 0-0; id \"no end",
        "4k3/8/8/8/8/8/2P5/4K2R w K - bm c4; c0 I am lost; xyz 3; noop \"a\" bm;",
        "4k3/8/8/8/8/8/2P5/4K2R w K - bm O-O c2c4; ; c0 \"bm c3\"; c1 \"id\" \"am\";",
    ] {
        assert!(matches!(one(line).goal, Goal::Play(_)), "{line}");
    }
}

#[test]
fn points_are_read_however_their_table_is_spaced() {
    let line = |operations: &str| format!("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1; {operations}");
    let whole = one(&line("c0 \"Rc1=10, Kb4=3\";")).goal;
    assert!(matches!(&whole, Goal::Points(points) if points.len() == 2));
    for operations in [
        "c0 \"Rc1=10 Kb4=3\";",
        "c0 \"Rc1= 10,Kb4  =  3,\";",
        "c0 \"c4-c1=10, a3b4=3\";",
        "c7 \"Rc1 Kb4\"; c8 \"10 3\";",
    ] {
        assert_eq!(one(&line(operations)).goal, whole, "{operations}");
    }
    for comment in [
        "c0 \"x = y\";",
        "c7 \"by hand\"; c8 \"of 2 rooks\";",
        "c7 \"\"; c8 \"\";",
    ] {
        assert!(matches!(one(&line(comment)).goal, Goal::Play(_)), "{comment}");
    }
    for (hole, message) in [
        ("c0 \"Rc1=10, Qz7=6\";", "\"Qz7=6\" is no move with its points"),
        (
            "c7 \"Rc1 Qz7\"; c8 \"10 6\";",
            "\"Qz7=6\" is no move with its points",
        ),
        (
            "c7 \"Rc1 Kb4\"; c8 \"10\";",
            "c7 has 2 moves, but c8 the points of 1",
        ),
    ] {
        let error = said(&line(hole));
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_solution_counts_from_when_it_was_kept() {
    let problem = one("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1;");
    let even = Score::Cp(Centipawns(0));
    let right = report(&problem.position, "c4c1", even);
    let wrong = report(&problem.position, "a3b3", even);
    let mut attempt = Attempt::default();
    attempt.record(&problem.goal, &right);
    assert!(attempt.is_solved());
    attempt.record(&problem.goal, &wrong);
    assert!(!attempt.is_solved());
    attempt.record(&problem.goal, &right);
    assert_eq!(attempt.since, Some((Millis(7), Nodes(0))));
}

#[test]
fn only_a_mate_that_is_short_enough_solves_a_mate_problem() {
    let problem = one("8/8/3k4/8/2R5/K7/8/8 w - - bm #5;");
    for (score, points) in [
        (Score::Mate(5), 1),
        (Score::Mate(6), 0),
        (Score::Mate(-3), 0),
        (Score::Cp(Centipawns(900)), 0),
    ] {
        assert_eq!(
            problem.goal.points(&report(&problem.position, "c4c1", score)),
            points
        );
    }
    let mated = one("8/8/3k4/8/2R5/K7/8/8 w - - bm #-5;");
    for (moves, points) in [(-5, 1), (-3, 1), (-6, 0), (5, 0)] {
        let report = report(&mated.position, "c4c1", Score::Mate(moves));
        assert_eq!(mated.goal.points(&report), points, "{moves}");
    }
}

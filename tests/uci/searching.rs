//! What a search finds, and what ends it.

use sparring_chess::{GameHistory, Rules as _, Variant};

use super::session::Session;

/// The number behind a word of an `info` line.
fn number(line: &str, word: &str) -> Option<i64> {
    let mut words = line.split(' ').skip_while(|found| *found != word);
    words.nth(1)?.parse().ok()
}

#[test]
fn a_search_ends_with_a_move_and_tells_of_each_depth() {
    let session = Session::start();
    session.say("position startpos moves e2e4 e7e5").say("go depth 5");
    let lines = session.until("bestmove");
    for depth in 1..=5 {
        let line = lines
            .iter()
            .find(|line| line.starts_with(&format!("info depth {depth} ")))
            .unwrap();
        for word in [
            " seldepth ",
            " score ",
            " nodes ",
            " nps ",
            " hashfull ",
            " time ",
            " pv ",
        ] {
            assert!(line.contains(word), "{line}");
        }
    }
    assert!(lines.last().unwrap().contains(" ponder "));
}

#[test]
fn every_limit_ends_a_search() {
    let session = Session::start();
    for go in [
        "go depth 1",
        "go nodes 1",
        "go nodes 5000",
        "go movetime 20",
        "go wtime 100 btime 100",
        "go wtime 100 btime 100 winc 10 binc 10 movestogo 1",
        "go wtime 1 btime 1",
        "go wtime -20 btime -20",
        "go depth 3 searchmoves a2a3 h2h4",
    ] {
        let best = session.say(go).last("bestmove");
        assert_ne!(best, "bestmove (none)", "{go}");
        if go.contains("searchmoves") {
            assert!(best.starts_with("bestmove a2a3") || best.starts_with("bestmove h2h4"));
        }
    }
    session
        .say("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")
        .say("go mate 1");
    assert_eq!(session.last("bestmove"), "bestmove a1a8");
}

#[test]
fn an_infinite_search_waits_with_its_move_even_when_there_is_nothing_left_to_find() {
    let session = Session::start();
    session
        .say("position fen 7k/8/8/8/8/8/8/K7 w - - 0 1")
        .say("go infinite depth 1");
    session.until("info depth 1");
    session.say("isready");
    assert!(
        !session
            .until("readyok")
            .iter()
            .any(|line| line.starts_with("bestmove"))
    );
    session.say("stop").until("bestmove");
}

#[test]
fn pondering_waits_for_the_hit_and_then_keeps_its_time() {
    let session = Session::start();
    session
        .say("position startpos moves e2e4")
        .say("go ponder wtime 3000 btime 3000");
    let before = session.until("info depth 4");
    assert!(!before.iter().any(|line| line.starts_with("bestmove")));
    session.say("ponderhit").until("bestmove");
    session.say("go ponder movetime 10").say("stop").until("bestmove");
}

#[test]
fn mated_and_stalemated_positions_have_no_move() {
    let session = Session::start();
    for (fen, score) in [
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "mate 0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
    ] {
        let lines = session
            .say(&format!("position fen {fen}"))
            .say("go depth 3")
            .until("bestmove");
        assert_eq!(
            lines,
            [
                format!("info depth 0 score {score}"),
                "bestmove (none)".to_owned()
            ]
        );
    }
}

#[test]
fn chess960_castling_is_written_as_king_takes_rook() {
    let session = Session::start();
    session.say("setoption name UCI_Chess960 value true");
    session
        .say("position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1")
        .say("go depth 1 searchmoves e1h1");
    assert_eq!(session.last("bestmove").split(' ').nth(1), Some("e1h1"));
    session.say("setoption name UCI_Chess960 value false");
    session
        .say("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        .say("go depth 1 searchmoves e1g1");
    assert_eq!(session.last("bestmove").split(' ').nth(1), Some("e1g1"));
}

#[test]
fn several_lines_are_told_in_order() {
    let session = Session::start();
    session.say("setoption name MultiPV value 3").say("go depth 4");
    let lines = session.until("bestmove");
    let last: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("info depth 4 "))
        .collect();
    assert_eq!(last.len(), 3);
    for (index, line) in last.iter().enumerate() {
        assert!(line.contains(&format!(" multipv {} ", index + 1)), "{line}");
    }
}

#[test]
fn a_new_game_repeats_the_same_search() {
    let session = Session::start();
    let count = |session: &Session| {
        session.say("ucinewgame").say("go depth 7");
        let lines = session.until("bestmove");
        let info = &lines[lines.len() - 2];
        let nodes = info.split(" nodes ").nth(1).unwrap();
        nodes.split(' ').next().unwrap().to_owned()
    };
    assert_eq!(count(&session), count(&session));
}

#[test]
fn several_threads_answer_like_one_and_stop_when_told() {
    let session = Session::start();
    session.say("setoption name Threads value 4");
    session
        .say("position fen 2b5/1p1p4/1P1P4/ppBP1B2/k2p1R2/N2P4/K1P1P3/8 w - - 0 1")
        .say("go mate 4 depth 40");
    assert!(session.last("bestmove").starts_with("bestmove f4h4"));
    for _ in 0..20 {
        session.say("position startpos").say("go infinite");
        session.until("info depth 1");
        session.say("stop").until("bestmove");
    }
    session.say("go nodes 20000").until("bestmove");
    session
        .say("setoption name Threads value 1")
        .say("go depth 3")
        .until("bestmove");
    assert!(
        session
            .refusal("setoption name Threads value 0")
            .contains("from 1 to 256")
    );
}

#[test]
fn the_last_line_told_is_the_line_that_is_played() {
    let session = Session::start();
    for nodes in [1, 50, 700, 3000, 9000] {
        session
            .say("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .say(&format!("go nodes {nodes}"));
        let lines = session.until("bestmove");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        let told = &lines[lines.len() - 2];
        let pv = told.split(" pv ").nth(1).unwrap();
        assert_eq!(pv.split(' ').next(), Some(best), "{told}");
    }
}

#[test]
fn a_score_that_is_no_more_than_a_bound_is_told_as_one() {
    let session = Session::start();
    session.say("position fen 8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1");
    // A search that is cut short between two windows ends so.
    let mut ends = (300..6_000).step_by(61).map(|nodes| {
        session.say("ucinewgame").say(&format!("go nodes {nodes}"));
        let mut lines = session.until("bestmove");
        lines.remove(lines.len() - 2)
    });
    let bounds = [" lowerbound nodes ", " upperbound nodes "];
    let told = bounds.map(|bound| ends.any(|line| line.contains(bound)));
    assert_eq!(told, [true, true]);
}

#[test]
fn a_mate_that_was_asked_for_is_told_with_all_its_moves() {
    let session = Session::start();
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        ("2b5/1p1p4/1P1P4/ppBP1B2/k2p1R2/N2P4/K1P1P3/8 w - - 0 1", 4),
    ] {
        session
            .say(&format!("position fen {fen}"))
            .say(&format!("go mate {moves} depth 40"));
        let lines = session.until("bestmove");
        let (_, pv) = lines[lines.len() - 2].split_once(" pv ").unwrap();
        let end = GameHistory::replay(Variant::Standard, fen, pv).unwrap();
        assert!(end.position().is_checkmate(), "{pv} of {fen}");
    }
}

#[test]
fn the_line_of_a_mate_ends_with_it_and_nodes_and_time_only_grow() {
    let session = Session::start();
    for (fen, before) in [
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
        "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
        "8/8/8/8/8/5k2/4r3/7K b - - 0 1",
        "7k/8/5KR1/8/8/8/8/8 b - - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "3r1rk1/pp3ppq/8/3pN3/3P2b1/2P1R3/PP3PQP/4R1K1 b - - 0 1",
    ]
    // Once anew, and then with a table that knows the mate.
    .into_iter()
    .flat_map(|fen| ["ucinewgame", "isready", "isready"].map(|before| (fen, before)))
    {
        session
            .say(before)
            .say(&format!("position fen {fen}"))
            .say("go depth 9");
        let lines = session.until("bestmove");
        let told: Vec<&String> = lines.iter().filter(|line| line.contains(" score ")).collect();
        for word in ["nodes", "time"] {
            let numbers: Vec<Option<i64>> = told.iter().map(|line| number(line, word)).collect();
            assert!(numbers.is_sorted() && numbers[0].is_some(), "{word}: {lines:#?}");
        }
        for line in told.iter().filter(|line| !line.contains("bound ")) {
            let Some(moves) = number(line, "mate") else {
                continue;
            };
            let (_, pv) = line.split_once(" pv ").unwrap();
            let end = GameHistory::replay(Variant::Standard, fen, pv).unwrap();
            assert!(end.position().is_checkmate(), "{line}");
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            assert_eq!(end.ply() as i64, plies, "{line}");
        }
    }
}

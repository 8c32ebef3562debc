//! Each `go` gets one answer, whatever it asks for.

use std::{io, sync::mpsc};

use sparring_uci as uci;

use super::session::{Output, Session};

/// How many answers come of a script, the end of input behind it.
fn answers(script: &str) -> usize {
    let (write, output) = mpsc::channel();
    let input = io::Cursor::new(script.as_bytes().to_vec());
    uci::run(input, Output::new(write)).unwrap();
    output.iter().filter(|line| line.starts_with("bestmove")).count()
}

#[test]
fn each_go_gets_one_answer_whatever_it_asks_for() {
    for nonsense in [
        "depth 0",
        "depth -3",
        "depth ten",
        "depth",
        "depth 4.5",
        "nodes 0",
        "nodes -1",
        "nodes",
        "mate 0",
        "mate -2",
        "mate soon",
        "movetime 0",
        "movetime -5",
        "movetime never",
        "wtime 0 btime 0",
        "wtime -1 btime -1",
        "wtime soon btime late",
        "movestogo many",
        "searchmoves",
        "searchmoves e2e5",
        "searchmoves e2e5 zzzz 0000",
        "searchmoves e2e4 depth 0",
        "searchmoves depth 0",
        "searchmoves searchmoves",
        "quickly",
        "quickly 7 now",
        "\u{fe0f} \u{0}",
        "ponder depth 0",
        "infinite depth 0",
        "winc 10 depth 0",
    ] {
        // It is let go where it asks to be held; otherwise it has answered, and a stop or a hit does nothing.
        let script = format!("ponderhit\nstop\ngo {nonsense}\nstop\nstop\nponderhit\n");
        assert_eq!(answers(&script), 1, "go {nonsense}");
        if !nonsense.contains("ponder") && !nonsense.contains("infinite") {
            let session = Session::start();
            assert_ne!(
                session.say(&format!("go {nonsense}")).last("bestmove"),
                "bestmove (none)"
            );
            session.say("isready");
            let rest = session.until("readyok");
            assert!(
                !rest.iter().any(|line| line.starts_with("bestmove")),
                "go {nonsense}"
            );
        }
        let mated = format!("position fen R5k1/5ppp/8/8/8/8/8/4K3 b\ngo {nonsense}\nponderhit\n");
        assert_eq!(answers(&mated), 1, "go {nonsense}, mated");
    }
}

#[test]
fn numbers_beyond_reason_are_no_limits_that_the_end_of_input_waits_for() {
    let vast = "99999999999999999999";
    for limit in ["depth", "nodes", "movetime", "mate"] {
        assert_eq!(answers(&format!("go {limit} {vast}\n")), 1, "{limit}");
    }
    assert_eq!(answers(&format!("go wtime {vast} btime {vast}\n")), 1);
    assert_eq!(answers("go\n"), 1);
}

#[test]
fn a_go_behind_a_search_that_only_a_command_could_end_takes_its_place() {
    for held in [
        "go infinite",
        "go",
        "go ponder wtime 1000 btime 1000",
        "go ponder",
    ] {
        let session = Session::start();
        // No stop: the first answers because it is overtaken.
        session.say(held).say("go depth 2");
        session.until("bestmove");
        session.until("bestmove");
        session.say("isready");
        let rest = session.until("readyok");
        assert!(
            !rest.iter().any(|line| line.starts_with("bestmove")),
            "{held}: {rest:?}"
        );
        assert_eq!(
            answers(&format!(
                "{held}\n{held}\n{held}\ngo depth 1\n{held}\nstop\nstop\n"
            )),
            5
        );
    }
    // After a position that is refused the one before is searched.
    assert_eq!(
        answers("position fen 8/8 w\ngo depth 1\nposition startpos moves e2e5\ngo nodes 1\n"),
        2
    );
}

#[test]
fn words_that_go_does_not_know_are_told_at_once_and_skipped() {
    let session = Session::start();
    let lines = session.say("go perhaps depth 1 soon 5").until("bestmove");
    let told: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("info string"))
        .collect();
    assert_eq!(told.len(), 1, "{lines:?}");
    assert!(
        ["does not know", "perhaps", "soon"]
            .iter()
            .all(|part| told[0].contains(part)),
        "{told:?}"
    );
}

#[test]
fn a_game_on_the_clock_gets_its_move_in_spite_of_a_limit_that_makes_no_sense() {
    let session = Session::start();
    let lines = session
        .say("go wtime 1000 btime 1000 searchmoves e2e5 g1f3 nonsense")
        .until("bestmove");
    assert!(
        lines[0].starts_with("info string searchmoves: \"e2e5\""),
        "{lines:?}"
    );
    assert!(lines.last().unwrap().starts_with("bestmove g1f3"), "{lines:?}");
    for (moves, told) in [
        ("zzzz", "\"zzzz\" is not a move"),
        ("", "\"searchmoves\" needs a value"),
    ] {
        let lines = session
            .say(&format!("go wtime 100 btime 100 searchmoves {moves}"))
            .until("bestmove");
        assert!(lines[0].contains(told), "{lines:?}");
    }
    let lines = session
        .say("go depth 0 wtime 100 btime 100 nodes many")
        .until("bestmove");
    assert!(
        lines[0].starts_with("info string \"depth\" needs a number from 1")
            && lines[0].ends_with("; \"nodes\" needs a number, not \"many\": skipped"),
        "{lines:?}"
    );
    for vast in ["nodes 99999999999999999999", "movestogo 99999999999"] {
        let lines = session
            .say(&format!("go wtime 100 btime 100 {vast}"))
            .until("bestmove");
        assert!(
            lines.iter().all(|line| !line.starts_with("info string")),
            "{lines:?}"
        );
    }
}

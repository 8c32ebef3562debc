//! What is said beside searches, and what is refused.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    thread,
};

use sparring_uci as uci;

use super::session::{PATIENCE, Scratch, Session};

#[test]
fn it_introduces_itself_with_its_options() {
    let session = Session::start();
    let lines = session.say("uci").until("uciok");
    assert!(lines[0].starts_with("id name Sparring"));
    for option in [
        "option name Hash type spin default 64 min 1 max 65536",
        "option name Clear Hash type button",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 20 min 0 max 10000",
        "option name UCI_Chess960 type check default false",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Ponder type check default false",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name Log type check default false",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}");
    }
}

#[test]
fn it_answers_while_it_searches_and_stops_when_told() {
    let session = Session::start();
    session.say("go infinite").until("info depth 3");
    session.say("isready").until("readyok");
    session
        .say("setoption name Hash value 8")
        .until("info string option");
    session
        .say("ucinewgame")
        .until("info string \"ucinewgame\" is ignored");
    session.say("bench").until("info string \"bench\" is ignored");
    // What is to be searched next may be said already; the search under way does not mind.
    session
        .say("position startpos moves e2e5")
        .until("info string move 1");
    session.say("position fen 8/8/8/8/8/5k2/8/4r2K w - - 0 1");
    let best = session.say("stop").last("bestmove");
    assert_ne!(best, "bestmove (none)");
    assert_eq!(session.say("go depth 1").last("bestmove"), "bestmove h1h2");
    session.say("isready").until("readyok");
}

#[test]
fn what_cannot_be_is_told_and_changes_nothing() {
    let session = Session::start();
    session.say("position startpos moves e2e4");
    for (line, told) in [
        (
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            "is not a playable position",
        ),
        ("position fen rubbish w - - 0 1", "is not a FEN"),
        (
            "position fen 4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
            "white has 9 pawns, of which there are never more than 8",
        ),
        (
            "position fen QQQQQQQQ/QQQQQQQQ/8/8/8/8/5P2/K4n1k b - - 0 1",
            "white has 18 men",
        ),
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKQNR w KQkq - 0 1",
            "white's pawns left (8) and promoted (at least 1) are more than 8",
        ),
        (
            "position fen b1b1k1nn/ppppppp1/n7/8/8/8/8/4K3 b - - 0 1 moves d7d6",
            "black's pawns left (7) and promoted (at least 2) are more than 8",
        ),
        (
            "position startpos moves e2e5",
            "move 1 of the game: \"e2e5\" is not legal here",
        ),
        (
            "position startpos moves e2e4 e7e5 xx",
            "move 3 of the game: \"xx\" is not a move",
        ),
        ("setoption name Hash value 0", "from 1 to 65536"),
        ("setoption name Nonsense value 1", "no option \"Nonsense\""),
        ("setoption", "needs \"name\""),
        ("bench -1", "\"bench\" needs a number"),
        ("bench 0", "\"bench\" needs a number from 1"),
        (
            "setoption name BookFile value no/such.book",
            "\"BookFile\" stays as it was: no/such.book: ",
        ),
        ("perft 99", "would take too long"),
        ("sing", "\"sing\" is not a command"),
    ] {
        let answer = session.refusal(line);
        assert!(answer.contains(told), "{line}: {answer}");
    }
    let fen = session.say("d").last("fen");
    assert_eq!(
        fen,
        "fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    );
}

/// The position as the engine has it after a FEN that it takes without a word.
fn taken(session: &Session, fen: &str) -> String {
    let lines = session.say(&format!("position fen {fen}")).say("d").until("fen ");
    assert!(
        !lines.iter().any(|line| line.starts_with("info")),
        "{fen}: {lines:?}"
    );
    let taken = lines.last().unwrap().strip_prefix("fen ").unwrap().to_owned();
    session.until("repetitions");
    taken
}

#[test]
fn as_many_pieces_are_taken_as_pawns_can_have_become() {
    let session = Session::start();
    for fen in [
        "4k3/8/8/8/8/8/QQQQ4/KQQQQQ2 b - - 0 1",
        "b1b1k3/ppppppp1/8/8/8/8/8/RRR1K1NN w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNN w Qkq - 0 1",
    ] {
        assert_eq!(taken(&session, fen), fen);
    }
}

#[test]
fn small_slips_of_a_fen_are_mended_without_a_word() {
    let session = Session::start();
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/4P3/4K3 b - -", "b - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - - 7", "b - - 7 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 7 0", "w - - 7 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w KQkq e3 7 9", "w - - 7 9"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 3+3 7 9", "w - - 7 9"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 7 9 +0+1", "w - - 7 9"),
        ("4k3/8/8/8/8/8/4P3/4K3[QNp] w - - 7 9", "w - - 7 9"),
    ] {
        assert_eq!(
            taken(&session, fen),
            format!("4k3/8/8/8/8/8/4P3/4K3 {expected}"),
            "{fen}"
        );
    }
    let marked = "4k3/8/8/8/8/8/4P3/Q~3K3 w - - 0 1";
    assert_eq!(taken(&session, marked), "4k3/8/8/8/8/8/4P3/Q3K3 w - - 0 1");
}

#[test]
fn a_fen_of_few_fields_or_of_too_many_is_completed_as_stockfish_has_it() {
    let session = Session::start();
    let board = "r3k2r/8/8/8/8/8/8/R3K2R";
    for (fields, expected) in [
        ("", "w - - 0 1"),
        (" b", "b - - 0 1"),
        (" b KQkq", "b KQkq - 0 1"),
        (" b KQkq -", "b KQkq - 0 1"),
        (" b KQkq - 4", "b KQkq - 4 1"),
        (" b KQkq 4 9", "b KQkq - 4 9"),
        (" B kq - -3 -1", "b kq - 0 1"),
        (" b KQkq - 4 9 c0 \"of an EPD\"; id \"7\";", "b KQkq - 4 9"),
        (" w KQkq - bm O-O; id \"7\";", "w KQkq - 0 1"),
    ] {
        assert_eq!(
            taken(&session, &format!("{board}{fields}")),
            format!("{board} {expected}")
        );
    }
    session.say(&format!("Position FEN {board} b KQkq Moves e8g8"));
    assert_eq!(
        session.say("d").last("fen "),
        "fen r4rk1/8/8/8/8/8/8/R3K2R w KQ - 1 2"
    );
    for (fields, why) in [
        ("white", "is not a FEN"),
        ("w KQxq", "is not a FEN"),
        ("w KQkq z9", "is not a FEN"),
    ] {
        let answer = session.refusal(&format!("position fen {board} {fields}"));
        assert!(answer.contains(why), "{answer}");
    }
}

#[test]
fn options_are_set_in_whatever_case_of_letters() {
    let session = Session::start();
    let wdl = |session: &Session| {
        let lines = session.say("go depth 1").until("bestmove");
        lines.iter().any(|line| line.contains(" wdl "))
    };
    for (line, is_shown) in [
        ("SetOption Name UCI_ShowWDL Value TRUE", true),
        ("setoption NAME uci_showwdl VALUE False", false),
        ("SETOPTION name UCI_SHOWWDL value true", true),
        ("setoption name Clear Hash value now", true),
        ("setoption NAME CLEAR HASH", true),
    ] {
        session.say(line);
        assert_eq!(wdl(&session), is_shown, "{line}");
    }
    for (line, told) in [
        ("setoption Name Hash", "needs a number from 1 to 65536"),
        ("setoption NAME Ponder VALUE", "needs true or false"),
        ("setoption name value 3", "needs \"name\" and the option's name"),
        ("setoption Hash value 3", "needs \"name\" and the option's name"),
        (
            "setoption name BookFile Value no  such value.book",
            "stays as it was: no  such value.book: ",
        ),
    ] {
        let answer = session.refusal(line);
        assert!(answer.contains(told), "{line}: {answer}");
    }
}

#[test]
fn counters_beyond_reason_are_taken_and_a_game_that_is_drawn_by_them_is_a_draw() {
    let session = Session::start();
    for (counter, taken_as) in [
        ("150", "150"),
        ("4294967295", "4294967295"),
        ("9999999999", "4294967295"),
    ] {
        let fen = format!("4k3/8/8/8/8/8/8/R3K2R w KQ - {counter} 9999999999");
        let expected = format!("4k3/8/8/8/8/8/8/R3K2R w KQ - {taken_as} 4294967295");
        assert_eq!(taken(&session, &fen), expected);
        let lines = session.say("go depth 5").until("bestmove");
        let last = &lines[lines.len() - 2];
        assert!(last.contains(" score cp 0 "), "{last}");
    }
}

/// A pipe that its reader closes after the first line, and how often something was to go through it since.
#[derive(Clone, Default)]
struct Closing {
    is_closed: bool,
    tried: Arc<AtomicUsize>,
}

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            self.tried.fetch_add(1, Relaxed);
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.is_closed = bytes.contains(&b'\n');
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_engine_that_nobody_hears_any_more_stops_by_itself() {
    // The search would go on for years, and the count say twenty lines more.
    for script in ["go depth 120\n", "perft 4\n"] {
        let (pipe, (over, ended)) = (Closing::default(), mpsc::channel());
        let end = pipe.clone();
        thread::spawn(move || over.send(uci::run(script.as_bytes(), end).is_ok()));
        assert_eq!(ended.recv_timeout(PATIENCE), Ok(true), "{script}");
        let tried = pipe.tried.load(Relaxed);
        assert!((1..8).contains(&tried), "{tried} of {script}");
    }
}

#[test]
fn people_can_look_at_position_evaluation_and_counts() {
    let session = Session::start();
    let shown = session.say("position startpos moves e2e4").say("d").until("fen");
    let board = [
        "8  r n b q k b n r",
        "7  p p p p p p p p",
        "6  . . . . . . . .",
        "5  . . . . . . . .",
        "4  . . . . P . . .",
        "3  . . . . . . . .",
        "2  P P P P . P P P",
        "1  R N B Q K B N R",
        "   a b c d e f g h",
    ];
    assert_eq!(shown[..9], board);
    session.say("position startpos").until("repetitions");
    assert_eq!(session.say("d").last("key"), "key 463b96181691fc9c");
    assert!(session.say("eval").last("total").ends_with("for white"));
    session
        .say("perft 10")
        .say("stop")
        .until("info string perft was stopped");
    let lines = session.say("perft 3").until("8902 nodes");
    assert!(lines.iter().any(|line| line == "e2e4: 600"));
    assert!(
        session
            .say("bench 1")
            .until("")
            .last()
            .unwrap()
            .contains(" nodes ")
    );
    assert!(session.say("params").until("history_max").len() > 20);
}

#[test]
fn a_bench_can_be_stopped_and_then_gives_no_signature() {
    let session = Session::start();
    session.say("position startpos moves e2e4");
    session.say("bench 100").say("isready").until("readyok");
    // What waits for its turn is stopped with it.
    session.say("bench").say("perft 4").say("ucinewgame").say("stop");
    session.until("info string bench was stopped after 0 of 40 positions");
    session.until("info string bench was stopped after 0 of 40 positions");
    session.until("info string perft was stopped");
    // It goes on as before: where it was, and with a whole bench when it is let.
    assert!(session.say("d").last("fen").contains("4P3"));
    session.until("repetitions");
    let whole = session.say("bench 1").last("");
    assert!(whole.contains(" nodes "), "{whole}");
}

#[test]
fn quitting_ends_a_bench_and_a_perft_at_once() {
    for endless in ["bench 100", "perft 10"] {
        let session = Session::start();
        session.say(endless).say("isready").until("readyok");
        session.say("quit");
        let rest = session.end();
        assert!(rest.iter().all(|line| !line.contains(" nodes ")), "{rest:#?}");
        assert!(rest.last().unwrap().contains("was stopped"), "{rest:#?}");
    }
}

#[test]
fn the_end_of_input_lets_a_limited_search_finish_and_stops_an_endless_one() {
    let session = Session::start();
    session.say("go depth 6");
    assert!(session.end().iter().any(|line| line.starts_with("bestmove")));
    let session = Session::start();
    session.say("go infinite");
    assert!(session.end().iter().any(|line| line.starts_with("bestmove")));
    let session = Session::start();
    session.say("quit");
    assert!(session.end().is_empty());
}

#[test]
fn garbage_is_survived() {
    let session = Session::start();
    for garbage in [
        "\u{0}\u{1}\u{2}",
        "position fen",
        "go nodes -1",
        "setoption name",
        "  ",
        "position moves moves",
    ] {
        session.say(garbage);
    }
    session
        .input
        .as_ref()
        .unwrap()
        .send(vec![0xff, 0xfe, b'\n'])
        .unwrap();
    session.say("isready").until("readyok");
}

#[test]
fn chances_are_shown_when_asked_for() {
    let session = Session::start();
    session
        .say("setoption name UCI_ShowWDL value true")
        .say("go depth 4");
    let lines = session.until("bestmove");
    let line = lines
        .iter()
        .rfind(|line| line.starts_with("info depth 4 "))
        .unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| *word == "wdl").unwrap();
    let sum: u32 = words[at + 1..at + 4]
        .iter()
        .map(|word| word.parse::<u32>().unwrap())
        .sum();
    assert_eq!(sum, 1000, "{line}");
}

#[test]
fn the_log_holds_both_sides() {
    let session = Session::start();
    let log = Scratch::new("session.log");
    session.say(&format!("setoption name LogFile value {}", log.0.display()));
    session.say("isready").until("readyok");
    assert!(!log.0.exists());
    session.say("setoption name Log value true");
    session.say("isready").until("readyok");
    session.say("setoption name Log value false");
    session.say("uci").until("uciok");
    let text = std::fs::read_to_string(&log.0).unwrap();
    assert!(text.contains("< isready") && text.contains("> readyok"), "{text}");
    assert!(!text.contains("uciok"));
    session.say("setoption name LogFile value /nowhere/at/all.log");
    assert!(
        session
            .refusal("setoption name Log value true")
            .contains("/nowhere/at/all.log")
    );
}

#[test]
fn a_long_search_tells_which_move_it_is_about() {
    let session = Session::start();
    session.say("go infinite");
    session.until("info depth 1");
    let mut heard = String::new();
    while !heard.contains(" currmove ") {
        heard = session.last("info");
    }
    assert!(heard.contains(" currmovenumber "), "{heard}");
    session.say("stop").until("bestmove");
}

#[test]
fn what_is_asked_before_the_last_answer_is_done_in_its_turn() {
    let session = Session::start();
    session
        .say("go depth 4")
        .say("position startpos moves e2e4")
        .say("go depth 3")
        .say("perft 3");
    session.until("bestmove");
    session.until("bestmove");
    session.until("13160 nodes");
    session
        .say("go infinite")
        .say("stop")
        .say("position startpos")
        .say("go depth 3");
    session.until("bestmove");
    session.until("bestmove");
    // Behind what only a command can end it would wait for ever.
    for endless in ["go infinite", "go ponder wtime 1000 btime 1000"] {
        session.say(endless);
        for command in ["perft 3", "ucinewgame"] {
            assert!(
                session
                    .refusal(command)
                    .contains("is ignored while a search runs")
            );
        }
        session.say("stop").until("bestmove");
    }
}

#[test]
fn a_remark_quotes_only_so_much() {
    let session = Session::start();
    let moves = "e2e4".repeat(10_000);
    let remark = session.refusal(&format!("position startpos moves {moves}"));
    assert!(remark.len() < 600 && remark.ends_with("..."), "{}", remark.len());
}

#[test]
fn a_line_without_end_is_skipped_and_told_of() {
    let session = Session::start();
    let remark = session.refusal(&"x".repeat(3 << 20));
    assert_eq!(remark, "info string a line of more than 1048576 bytes is skipped");
    session.say("isready").until("readyok");
}

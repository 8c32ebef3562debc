//! Whole sessions of the protocol, over pipes in memory.

use std::{
    io::{self, BufReader, Read, Write},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

use sparring::uci;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

struct Input(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.1.is_empty() {
            match self.0.recv() {
                Ok(bytes) => self.1 = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.1.len());
        for (slot, byte) in buffer.iter_mut().zip(self.1.drain(..count)) {
            *slot = byte;
        }
        Ok(count)
    }
}

struct Output(Sender<String>, Vec<u8>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.1)).unwrap();
                // The test may have heard enough.
                let _ = self.0.send(line);
            } else {
                self.1.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A running engine to talk to.
struct Session {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Session {
    fn start() -> Self {
        let (input, read) = mpsc::channel();
        let (write, output) = mpsc::channel();
        let thread = thread::spawn(move || {
            uci::run(BufReader::new(Input(read, Vec::new())), Output(write, Vec::new()))
        });
        Self {
            input: Some(input),
            output,
            thread: Some(thread),
        }
    }

    fn say(&self, line: &str) -> &Self {
        let bytes = format!("{line}\n").into_bytes();
        self.input.as_ref().unwrap().send(bytes).unwrap();
        self
    }

    /// All lines up to the first that begins so, which comes last.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self
                .output
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("no \"{start}\" after {lines:#?}"));
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    fn last(&self, start: &str) -> String {
        self.until(start).pop().unwrap()
    }

    /// The line that answers a command that cannot be obeyed.
    fn refusal(&self, line: &str) -> String {
        self.say(line).last("info string")
    }

    /// Ends the input and returns what was still said.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        self.thread.take().unwrap().join().unwrap().unwrap();
        self.output.iter().collect()
    }
}

#[test]
fn it_introduces_itself_with_its_options() {
    let session = Session::start();
    let lines = session.say("uci").until("uciok");
    assert!(lines[0].starts_with("id name Sparring"));
    for option in [
        "option name Hash type spin default 16 min 1 max 65536",
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
        assert_ne!(best, "bestmove 0000", "{go}");
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
fn it_answers_while_it_searches_and_stops_when_told() {
    let session = Session::start();
    session.say("go infinite").until("info depth 3");
    session.say("isready").until("readyok");
    session
        .say("setoption name Hash value 8")
        .until("info string option");
    session.say("go depth 1").until("info string");
    session.say("stop").until("bestmove");
    session.say("isready").until("readyok");
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
        ("go searchmoves e2e4", "\"e2e4\" is not legal here"),
        ("go depth", "needs a value"),
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

#[test]
fn mated_and_stalemated_positions_have_no_move() {
    let session = Session::start();
    session
        .say("position fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
        .say("go depth 3");
    assert_eq!(session.last("bestmove"), "bestmove 0000");
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
fn people_can_look_at_position_evaluation_and_counts() {
    let session = Session::start();
    assert_eq!(session.say("d").last("key"), "key 463b96181691fc9c");
    assert!(session.say("eval").last("total").ends_with("for white"));
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

/// A file that goes when the test is over.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("sparring-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_book_is_opened_asked_and_verified() {
    let session = Session::start();
    let book = Scratch::new("mine.book");
    std::fs::write(&book.0, "1. b3 e5\n1. f3 e5 2. g4 d6\n").unwrap();
    let path = book.0.display();
    session.say(&format!("setoption name BookFile value {path}"));
    session.say("go depth 1").until("info depth 1");
    session.until("bestmove");
    session.say("setoption name OwnBook value true");
    let lines = session
        .say("position startpos")
        .say("go depth 1")
        .until("bestmove");
    assert!(lines[0].starts_with("info string book move"), "{lines:?}");
    // A move that is mated at once does not survive a short search.
    session.say("setoption name VerifyBook value true");
    session.say("position startpos moves f2f3 e7e5").say("go depth 4");
    let lines = session.until("bestmove");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("info string book move g2g4 refused")),
        "{lines:?}"
    );
    assert!(!lines.last().unwrap().starts_with("bestmove g2g4"));
    // Analysis wants the engine, not the book.
    session.say("setoption name UCI_AnalyseMode value true");
    let lines = session
        .say("position startpos")
        .say("go depth 2")
        .until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info depth 2")));
    assert!(
        session
            .refusal("setoption name BookFile value /nowhere/at.book")
            .contains("/nowhere/at.book")
    );
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

/// Says some lines to an engine with books and personalities, and returns what it says.
#[cfg(feature = "daemon")]
fn in_a_house(lines: &str) -> Vec<String> {
    use sparring::personality::{Cast, Profile, read};

    let weak = read("personalities/weak.toml", "level = 600\n").0.unwrap();
    let house = uci::House {
        cast: Some(Cast::new(vec![Profile::new("strong"), weak])),
        ..uci::House::default()
    };
    let (write, output) = mpsc::channel();
    let bytes = lines.as_bytes().to_vec();
    uci::run_in(&house, io::Cursor::new(bytes), Output(write, Vec::new())).unwrap();
    output.iter().collect()
}

#[cfg(feature = "daemon")]
#[test]
fn a_level_and_a_personality_limit_the_search_and_analysis_lifts_them() {
    let listed = in_a_house("uci\n");
    for option in [
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 600 max 2800",
        "option name Personality type combo default none var none var strong var weak",
    ] {
        assert!(listed.iter().any(|line| line == option), "{listed:#?}");
    }
    // People look at all moves four half moves deep; with so many nodes the engine itself gets further.
    let depth = |settings: &str| -> u64 {
        let said = in_a_house(&format!("{settings}go nodes 50000\n"));
        let info = said.iter().rfind(|line| line.starts_with("info depth ")).unwrap();
        info.split(' ').nth(2).unwrap().parse().unwrap()
    };
    assert!(depth("") > 4);
    let level = "setoption name UCI_Elo value 600\nsetoption name UCI_LimitStrength value true\n";
    assert_eq!(depth(level), 4);
    assert_eq!(depth("setoption name Personality value weak\n"), 4);
    assert!(depth("setoption name Personality value strong\n") > 4);
    assert!(depth(&format!("{level}setoption name UCI_AnalyseMode value true\n")) > 4);
    // What an interface allows is kept to, also where a choice is thought over again.
    for nodes in [1, 300, 2000, 30000] {
        let careful = "setoption name UCI_Elo value 2000\nsetoption name UCI_LimitStrength value true\n";
        let said = in_a_house(&format!("{careful}go nodes {nodes}\n"));
        let visited =
            |line: &String| -> Option<u64> { line.split_once(" nodes ")?.1.split(' ').next()?.parse().ok() };
        assert!(
            said.iter().filter_map(visited).all(|visited| visited <= nodes),
            "{said:#?}"
        );
        assert!(said.iter().any(|line| line.starts_with("bestmove ")), "{said:#?}");
    }
    let told = in_a_house("setoption name Personality value nobody\n");
    assert!(told[0].contains("needs one of none, strong, weak"), "{told:?}");
}

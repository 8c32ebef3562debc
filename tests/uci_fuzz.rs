//! Strangers' input: whatever is sent over UCI, the engine goes on, answers, and keeps its state when it refuses.

use std::{
    io::Cursor,
    sync::{Arc, Mutex},
};

use proptest::prelude::*;
use sparring_uci as uci;

/// What a writer was given, readable after the session.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A whole session: these bytes, then the end of input.
fn session(input: Vec<u8>) -> Vec<String> {
    let said = Said::default();
    uci::run(Cursor::new(input), said.clone()).unwrap();
    let bytes = said.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(str::to_owned).collect()
}

const FENS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/3pP3/8/8/8/4K2k w - d6 0 2",
    "7k/8/8/8/8/8/8/K7 w - - 99 80",
    "QQQQQQQQ/QQQQQQQQ/8/8/8/8/7k/K7 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKQNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/4P3/4K2R w K - 9999999999 1",
];

/// A FEN with some of its characters replaced, doubled or lost.
fn mutated_fen() -> impl Strategy<Value = String> {
    let edit = (
        0usize..90,
        0u8..3,
        prop::sample::select("pnbrqkPNBRQK12345678/ wbKQkq-aeh0369".chars().collect::<Vec<_>>()),
    );
    (0..FENS.len(), prop::collection::vec(edit, 0..5)).prop_map(|(which, edits)| {
        let mut text: Vec<char> = FENS[which].chars().collect();
        for (at, how, with) in edits {
            let at = at % text.len();
            match how {
                0 => text[at] = with,
                1 => text.insert(at, with),
                _ if text.len() > 1 => {
                    text.remove(at);
                }
                _ => {}
            }
        }
        text.into_iter().collect()
    })
}

/// Lines near enough to the protocol to get past its first checks, but none that takes long or fills the memory.
fn line() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (-5i64..40).prop_map(|number| number.to_string()),
        Just("99999999999999999999".to_owned()),
        Just("NaN".to_owned()),
    ];
    let nonsense = "(|0|-1|-99999999999999999999|ten|1\\.5|e2e5|\\?)";
    prop_oneof![
        mutated_fen().prop_map(|fen| format!("position fen {fen}")),
        (mutated_fen(), "[a-h][1-8][a-h][1-8][qnk]?").prop_map(|(fen, mv)| format!("position fen {fen} moves {mv}")),
        "position (startpos )?(moves )?([a-h][1-8][a-h][1-8][qrbn]? ?){0,4}",
        ("(MultiPV|Move Overhead|Ponder|UCI_ShowWDL|UCI_Chess960|UCI_AnalyseMode|OwnBook|VerifyBook|BookFile|Clear Hash|UCI_LimitStrength|UCI_Elo|Personality|EvalNoise|BlunderPercent|Seed|rfp_margin|Nothing)", number.clone())
            .prop_map(|(name, value)| format!("setoption name {name} value {value}")),
        "setoption name (Hash|Threads) value [0-3]",
        "go (infinite|ponder|ponder wtime 50 btime 50|mate 2|infinite searchmoves e2e4)",
        ("(nodes 300 |)", "(nodes|depth|movetime|wtime|btime|mate|searchmoves)", nonsense)
            .prop_map(|(before, limit, value)| format!("go {before}{limit} {value}")),
        ("(nodes|depth|movetime|wtime|btime|winc|movestogo|mate|searchmoves|ponder)", number)
            .prop_map(|(limit, value)| format!("go nodes 300 {limit} {value}")),
        "(uci|isready|ucinewgame|stop|ponderhit|d|eval|params|perft 2|debug on|register later)",
        "\\PC{0,30}".prop_filter("perft and bench can take long, and some words end the session", |text| {
            !["perft", "bench", "quit", "Hash", "Log"].iter().any(|word| text.contains(word))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_session_ends_in_a_panic_or_in_silence(lines in prop::collection::vec(line(), 1..12)) {
        // A search held by "go ponder" is let go by the stop.
        let script = format!("{}\nstop\nposition startpos\nisready\ngo nodes 50\n", lines.join("\n"));
        let said = session(script.into_bytes());
        let count = |start: &str| said.iter().filter(|line| line.starts_with(start)).count();
        prop_assert_eq!(count("readyok"), 1 + lines.iter().filter(|line| line.as_str() == "isready").count());
        // One answer to each search.
        let is_search = |line: &&String| line.split_ascii_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("go"));
        let searches = 1 + lines.iter().filter(is_search).count();
        prop_assert_eq!(count("bestmove"), searches, "{:?}", said);
        prop_assert!(said.last().is_some_and(|line| line.starts_with("bestmove")), "{said:?}");
    }

    #[test]
    fn raw_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        bytes.extend_from_slice(b"\nisready\n");
        let said = session(bytes);
        prop_assert!(said.iter().any(|line| line == "readyok"));
    }

    #[test]
    fn a_refused_line_changes_nothing(line in line().prop_filter("only what sets the state", |line| {
        line.starts_with("position") || line.starts_with("setoption")
    })) {
        let script = format!("position startpos moves e2e4 c7c5\nd\n{line}\nd\n");
        let said = session(script.into_bytes());
        let shown: Vec<&String> = said.iter().filter(|line| line.starts_with("fen ") || line.starts_with("moves ")).collect();
        prop_assert_eq!(shown.len(), 4);
        let refusals = said.iter().filter(|line| line.starts_with("info string")).count();
        prop_assert!(refusals <= 1, "one line of refusal: {said:?}");
        if refusals == 1 || line.starts_with("setoption") {
            prop_assert_eq!(&shown[..2], &shown[2..], "{}", line);
        }
    }

    #[test]
    fn every_position_that_is_taken_gets_a_move_that_is_legal(fen in mutated_fen()) {
        let script = format!("position fen {fen}\nd\ngo nodes 400\n");
        let said = session(script.into_bytes());
        let refused = said.iter().any(|line| line.starts_with("info string"));
        if let Some(best) = said.iter().find_map(|line| line.strip_prefix("bestmove ")).filter(|_| !refused) {
            let mv = best.split(' ').next().unwrap();
            let after = format!("position fen {fen} moves {mv}\nisready\n");
            let told = session(after.into_bytes());
            prop_assert!(mv == "(none)" || !told.iter().any(|line| line.starts_with("info string")), "{mv}: {told:?}");
        } else {
            prop_assert!(refused, "{said:?}");
        }
    }
}

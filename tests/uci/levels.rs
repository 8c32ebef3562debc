//! Weaker than the engine: levels, personalities, and the knobs set by hand.

use std::{
    io,
    sync::mpsc,
    time::{Duration, Instant},
};

use sparring_book::{Library, parse};
use sparring_personality::{Personalities, Personality, read};
use sparring_uci as uci;

use super::session::{Output, Session};

/// Says some lines to an engine with books and personalities, and returns what it says.
fn in_a_house(lines: &str) -> Vec<String> {
    let weak = read("personalities/weak.toml", "level = 600\n").0.unwrap();
    with_cast(vec![Personality::new("strong"), weak], lines)
}

/// Says some lines to an engine with these personalities, and returns what it says.
fn with_cast(profiles: Vec<Personality>, lines: &str) -> Vec<String> {
    let house = uci::UciResources {
        personalities: Some(Personalities::new(profiles)),
        ..uci::UciResources::default()
    };
    let (write, output) = mpsc::channel();
    let bytes = lines.as_bytes().to_vec();
    uci::run_in(&house, io::Cursor::new(bytes), Output::new(write)).unwrap();
    output.iter().collect()
}

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

#[test]
fn params_and_eval_show_what_the_next_search_plays_with() {
    let text = "mode = \"power\"\n[search]\nrfp_margin = 111\n[eval]\nmaterial = \"50%\"\n";
    let shown = |settings: &str| {
        let guest = read("personalities/guest.toml", text).0.unwrap();
        let lines =
            "position fen r1bqkb1r/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\nparams\neval\n";
        let said = with_cast(
            vec![guest],
            &format!("setoption name rfp_margin value 80\n{settings}{lines}"),
        );
        ["rfp_margin, ", "total "].map(|start| {
            let line = said.iter().find(|line| line.starts_with(start)).unwrap();
            line.clone()
        })
    };
    let plain = shown("");
    assert!(plain[0].starts_with("rfp_margin, int, 80.0,"), "{plain:?}");
    let own = shown(GUEST);
    assert!(own[0].starts_with("rfp_margin, int, 111.0,"), "{own:?}");
    assert_ne!(own[1], plain[1]);
    // Analysis plays with the engine's numbers and net, and a level that is asked for with its numbers.
    let analysis = format!("{GUEST}setoption name UCI_AnalyseMode value true\n");
    assert_eq!(shown(&analysis), plain);
    let level = "setoption name UCI_LimitStrength value true\n";
    let [params, total] = shown(&format!("{GUEST}{level}"));
    assert_eq!((&params, &total), (&plain[0], &shown(level)[1]));
    assert_ne!(total, plain[1], "it judges by terms alone");
}

#[test]
fn the_three_knobs_can_be_set_by_hand() {
    let ask = |settings: &str| {
        let said = in_a_house(&format!("{settings}go nodes 3000\n"));
        let last = said.iter().rfind(|line| line.contains(" score ")).unwrap();
        let (_, line) = last.split_once(" pv ").unwrap();
        line.to_owned()
    };
    let plain = ask("");
    assert_ne!(ask("setoption name EvalNoise value 300\n"), plain);
    assert_ne!(ask("setoption name BlunderPercent value 60\n"), plain);
    let analysis = "setoption name EvalNoise value 300\nsetoption name UCI_AnalyseMode value true\n";
    assert_eq!(ask(analysis), plain);
    // The same game errs in the same way.
    let noisy = "setoption name Seed value 5\nsetoption name EvalNoise value 300\nsetoption name BlunderPercent value 30\n";
    assert_eq!(ask(noisy), ask(noisy));
    let told = in_a_house("setoption name BlunderPercent value 101\n");
    assert!(told[0].contains("needs a number from 0 to 100"), "{told:?}");
}

#[test]
fn an_answer_waits_for_its_delay_and_a_stop_or_a_short_clock_ends_the_wait() {
    let session = Session::start();
    session.say("setoption name MoveDelay value 40");
    let begun = Instant::now();
    session.say("go depth 1").until("bestmove");
    assert!(begun.elapsed() >= Duration::from_millis(40));
    session.say("setoption name MoveDelay value 20000");
    let begun = Instant::now();
    session.say("go depth 1").say("stop").until("bestmove");
    session.say("go wtime 1000 btime 1000").until("bestmove");
    session.say("go movetime 30").until("bestmove");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// Says some lines to an engine with these books and one personality, and returns what it says of book moves.
fn with_books(personality: &str, books: &[(&str, &str)], lines: &str) -> Vec<String> {
    let (profile, findings) = read("personalities/guest.toml", personality);
    assert_eq!(findings.to_string(), "");
    let books = books.iter().map(|(name, text)| parse(name, text).0.unwrap());
    let house = uci::UciResources {
        personalities: Some(Personalities::new(profile.into_iter().collect())),
        library: Library::new(books.collect()),
    };
    let (write, output) = mpsc::channel();
    let bytes = format!("setoption name OwnBook value true\n{lines}").into_bytes();
    uci::run_in(&house, io::Cursor::new(bytes), Output::new(write)).unwrap();
    output
        .iter()
        .filter_map(|line| line.strip_prefix("info string book move ").map(str::to_owned))
        .collect()
}

const GUEST: &str = "setoption name Personality value guest\n";

#[test]
fn without_a_personality_the_sound_book_is_played_from_and_a_level_leaves_it_early() {
    let books = [
        ("books/beginner.book", "a3 a6\n"),
        ("books/main.book", "e4 e5 Nf3 Nc6 Bb5 a6  # Ruy Lopez\n"),
    ];
    let start = "position startpos\ngo depth 1\n";
    assert_eq!(
        with_books("", &books, start),
        ["e2e4: books/main.book:1, 100%, Ruy Lopez"]
    );
    assert_eq!(
        with_books("", &books, &format!("{GUEST}{start}")).len(),
        1,
        "a personality that names no book"
    );
    let late = "position startpos moves e2e4 e7e5 g1f3 b8c6\ngo depth 1\n";
    assert_eq!(with_books("", &books, late).len(), 1);
    let level = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 600\n";
    assert_eq!(with_books("", &books, &format!("{level}{start}")).len(), 1);
    assert_eq!(with_books("", &books, &format!("{level}{late}")), [""; 0]);
}

#[test]
fn a_personality_plays_from_its_books_in_its_way_as_it_would_on_lichess() {
    let books = [
        ("books/main.book", "e4 e5\n"),
        ("books/fast.book", "speeds: bullet\nc4 100 | b3 1\n"),
        ("books/sharp.book", "e4 c5\n"),
        ("books/own.book", "d4 1 | g4 99\n"),
    ];
    let fast = "books = [\"fast\", \"own\"]\nbooks-black = [\"sharp\"]\nbook-choice = \"best\"\n";
    let ask = |position: &str, clock: &str| {
        with_books(
            fast,
            &books,
            &format!("{GUEST}position {position}\ngo wtime {clock} btime {clock}\n"),
        )
    };
    assert_eq!(ask("startpos", "60000"), ["c2c4: books/fast.book:2, 100%"]);
    assert_eq!(ask("startpos", "300000"), ["g2g4: books/own.book:1, 100%"]);
    assert_eq!(
        ask("startpos moves e2e4", "60000"),
        ["c7c5: books/sharp.book:1, 100%"]
    );
}

#[test]
fn a_personality_that_asks_the_engine_plays_the_next_move_when_the_first_is_refused() {
    let books = [("books/own.book", "e4 e5 Qg4 1000 | Nf3 1\n")];
    let careful = "books = [\"own\"]\nbook-verify = 40\n";
    let said = with_books(
        careful,
        &books,
        &format!("{GUEST}position startpos moves e2e4 e7e5\ngo depth 4\n"),
    );
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].starts_with("d1g4 refused: books/own.book:1, 100%; it looks like "),
        "{said:?}"
    );
    assert!(said[1].starts_with("g1f3 verified: "), "{said:?}");
}

#[test]
fn an_engine_started_anew_plays_other_games_unless_it_gets_a_seed() {
    let books = [("books/main.book", "e4 | d4 | c4 | Nf3 | b3 | f4 | g3 | Nc3\n")];
    let start = |settings: &str| {
        let said = with_books("", &books, &format!("{settings}position startpos\ngo depth 1\n"));
        said.concat()
    };
    let seeded = |seed: u32| start(&format!("setoption name Seed value {seed}\n"));
    assert_eq!(seeded(3), seeded(3));
    let drawn: std::collections::BTreeSet<String> = (0..40).map(|_| start("")).collect();
    // All alike once in 8^39 times.
    assert!(drawn.len() > 1, "{drawn:?}");
}

//! Weaker than the engine: levels, personalities, and the knobs set by hand.

use std::{
    io,
    sync::mpsc,
    time::{Duration, Instant},
};

use sparring::{
    personality::{Cast, Profile, read},
    uci,
};

use super::session::{Output, Session};

/// Says some lines to an engine with books and personalities, and returns what it says.
fn in_a_house(lines: &str) -> Vec<String> {
    let weak = read("personalities/weak.toml", "level = 600\n").0.unwrap();
    let house = uci::House {
        cast: Some(Cast::new(vec![Profile::new("strong"), weak])),
        ..uci::House::default()
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
    let noisy = "setoption name EvalNoise value 300\nsetoption name BlunderPercent value 30\n";
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

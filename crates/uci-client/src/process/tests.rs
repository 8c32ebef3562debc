use super::*;
use crate::go_result::MOST_OF_A_MOVE;
use sparring_chess::{
    Move, Variant, parse_uci,
    units::{Centipawns, Depth},
};
use sparring_engine::Score;

/// An engine of a few lines of shell.
fn toy(program: &str) -> EngineSpec {
    EngineSpec {
        name: "toy".into(),
        command: ["sh", "-c", program].map(str::to_owned).into(),
        ..EngineSpec::default()
    }
}

#[test]
fn an_engine_reports_its_name_and_searches_one_move() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo "id name Toy 1.0"; echo "id author nobody"; echo uciok;;
        isready) echo readyok;;
        "go depth 3") echo "info depth 3 score cp 25"; echo "bestmove c7c5 ponder g1f3";;
        "go depth 3 searchmoves e7e5") echo "info depth 3 score cp -7"; echo "bestmove e7e5";;
        quit) exit;;
        esac; done"#;
    let mut player = UciProcess::start(&toy(program)).unwrap();
    assert_eq!(player.title(), Some("Toy 1.0"));
    let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
    let only = parse_uci(line.position(), "e7e5").unwrap();
    let mut consider = |only| {
        let answer = analyse(&mut player, &line, only, 3, Millis(10_000)).unwrap();
        (answer.best, answer.score.unwrap())
    };
    assert_eq!(consider(None), ("c7c5".to_owned(), Score::Cp(Centipawns(25))));
    assert_eq!(
        consider(Some(only)),
        ("e7e5".to_owned(), Score::Cp(Centipawns(-7)))
    );
}

#[test]
fn an_option_that_an_engine_does_not_offer_is_refused() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo "option name Move Overhead type spin default 20 min 0 max 100";
            echo "option name Style type combo default solid var solid var risky"; echo uciok;;
        isready) echo readyok;; quit) exit;;
        esac; done"#;
    let start = |option: &str, value: &str| {
        UciProcess::start(&EngineSpec {
            options: vec![(option.to_owned(), value.to_owned())],
            if_offered: vec![("Threads".to_owned(), "1".to_owned())],
            ..toy(program)
        })
    };
    assert!(start("move overhead", "5").is_ok());
    let refused = |option: &str, value: &str| start(option, value).unwrap_err().to_string();
    assert_eq!(
        refused("Move Overheat", "5"),
        "toy has no option \"Move Overheat\"; did you mean \"Move Overhead\"?"
    );
    assert_eq!(refused("UCI_Elo", "5"), "toy has no option \"UCI_Elo\"");
    assert_eq!(
        refused("move overhead", "500"),
        "toy takes for \"Move Overhead\" a number from 0 to 100, not \"500\""
    );
    assert_eq!(
        refused("Style", "riski"),
        "toy takes for \"Style\" one of solid, risky, not \"riski\"; did you mean \"risky\"?"
    );
}

#[test]
fn authors_may_use_any_encoding_and_output_is_limited() {
    let latin = r#"while read -r line; do case "$line" in
        uci) printf 'id author Jos\351\r\n'; echo uciok;; isready) echo readyok;; quit) exit;;
        esac; done"#;
    assert!(UciProcess::start(&toy(latin)).is_ok());
    let chatter = r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;; go*) while :; do echo "info string thinking"; done;;
        esac; done"#;
    let mut player = UciProcess::start(&toy(chatter)).unwrap();
    let line = GameHistory::new(Variant::Standard);
    let error = analyse(&mut player, &line, None, 1, Millis(50)).unwrap_err();
    assert!(matches!(error, UciError::Timeout { .. }), "{error}");
}

/// Searches one ply or more, or one move there.
fn analyse(
    player: &mut UciProcess,
    line: &GameHistory,
    only: Option<Move>,
    depth: u32,
    limit: Millis,
) -> Result<GoResult, UciError> {
    let limits = GoLimits {
        depth: Some(Depth(depth)),
        only,
        ..GoLimits::default()
    };
    player.search(line, &limits, Patience::of(limit))
}

/// An engine that gets ready, and prints this without end as soon as it gets `go`.
fn babbler(endless: &str) -> UciProcess {
    let program = format!(
        r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;; go*) {endless};; quit) exit;;
        esac; done"#
    );
    UciProcess::start(&toy(&program)).unwrap()
}

#[test]
fn a_line_without_end_is_the_fault_of_the_engine() {
    let line = GameHistory::new(Variant::Standard);
    for endless in ["exec cat /dev/zero", "exec tr '\\0' x < /dev/zero"] {
        let error = analyse(&mut babbler(endless), &line, None, 1, Millis::from_secs(60)).unwrap_err();
        assert_eq!(error.to_string(), "toy printed a line of more than 1 MiB");
    }
    let spec = toy("exec cat /dev/zero");
    let error = UciProcess::start(&spec).unwrap_err();
    assert!(matches!(error, UciError::LongLine { .. }), "{error}");
}

#[test]
fn unread_output_fills_no_memory_and_delays_no_answer() {
    let babble =
        r#"i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "info string $i"; done; echo bestmove e2e4"#;
    let mut player = babbler(babble);
    let line = GameHistory::new(Variant::Standard);
    for _ in 0..2 {
        let answer = analyse(&mut player, &line, None, 1, Millis::from_secs(60)).unwrap();
        assert_eq!(answer.best, "e2e4");
    }
    // An engine that prints before it gets `go`: the queue has a limit, and the answer is found after it.
    let unasked =
        r#"(i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "info string $i"; done); echo "bestmove e2e4""#;
    let program = format!(
        r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok; {unasked};; quit) exit;;
        esac; done"#
    );
    let mut player = UciProcess::start(&toy(&program)).unwrap();
    let answer = analyse(&mut player, &line, None, 1, Millis::from_secs(60)).unwrap();
    assert_eq!(answer.best, "e2e4");
}

#[test]
fn any_bytes_are_read_and_a_quoted_move_is_cut() {
    let line = GameHistory::new(Variant::Standard);
    let long =
        r#"printf 'info string \377\376\n\000\nbestmove e2e4'; head -c 100000 /dev/zero | tr '\0' x; echo"#;
    let answer = analyse(&mut babbler(long), &line, None, 1, Millis::from_secs(60)).unwrap();
    assert_eq!(answer.best.chars().count(), MOST_OF_A_MOVE);
    // Endless options: only so many are kept, and the timeout applies.
    let program = r#"yes "option name A type string" | head -n 200000; echo uciok; read -r line; echo readyok; cat > /dev/null"#;
    assert!(UciProcess::start(&toy(program)).is_ok());
}

#[test]
fn an_engine_has_time_to_write_down_what_it_wants_to_keep() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let program = format!(
        r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;;
        quit) i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo all > {}; exit;;
        esac; done"#,
        kept.display()
    );
    drop(UciProcess::start(&toy(&program)).unwrap());
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "all\n");
}

#[test]
fn a_program_that_is_no_engine_is_named() {
    let spec = |command: &str| EngineSpec {
        name: "odd".into(),
        command: vec![command.into()],
        ..EngineSpec::default()
    };
    assert!(matches!(
        UciProcess::start(&spec("/nowhere/engine")),
        Err(UciError::Start { .. })
    ));
    assert!(matches!(
        UciProcess::start(&spec("true")),
        Err(UciError::Ended { .. })
    ));
}

#[test]
fn an_engine_that_ends_says_why_in_its_last_lines() {
    let start = |program: &str| UciProcess::start(&toy(program)).unwrap_err().to_string();
    assert_eq!(start("exit 1"), "toy has ended");
    assert_eq!(
        start("echo 'loading'; echo 'no net: \"a.nnue\"' >&2; exit 1"),
        r#"toy has ended; it said "no net: \"a.nnue\"""#
    );
    assert_eq!(
        start(r"printf 'one\ntwo\n\nthree\033[31m\nfour' >&2; exit 1"),
        r#"toy has ended; it said "two; three\u{1b}[31m; four""#
    );
    let endless =
        start("i=0; while [ $i -lt 9999 ]; do echo xxxxxxxxxxxxxxxxxxxx; i=$((i+1)); done >&2; exit 1");
    assert!(
        endless.len() < 500 && endless.contains("; it said \""),
        "{endless}"
    );
}

#[test]
fn a_search_that_is_stopped_gives_its_move() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;; stop) echo "bestmove e2e4";; quit) exit;;
        esac; done"#;
    let mut player = UciProcess::start(&toy(program)).unwrap();
    let line = GameHistory::new(Variant::Standard);
    let late = Patience {
        stop_after: Some(Millis(1)),
        ..Patience::of(Millis::from_secs(60))
    };
    let abandoned = Patience {
        is_abandoned: &|| true,
        ..Patience::of(Millis::from_secs(60))
    };
    for patience in [late, abandoned] {
        let answer = player.search(&line, &GoLimits::default(), patience).unwrap();
        assert_eq!(answer.best, "e2e4");
    }
}

#[test]
fn variants_are_set_as_the_engine_spells_them() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo "option name UCI_Chess960 type check default false";
            echo "option name UCI_Variant type combo default chess var chess var kingofthehill var 3check"; echo uciok;;
        isready) echo readyok;; quit) exit;;
        esac; done"#;
    let mut player = UciProcess::start(&toy(program)).unwrap();
    for (variant, can) in [
        (Variant::Standard, true),
        (Variant::Chess960, true),
        (Variant::KingOfTheHill, true),
        (Variant::ThreeCheck, true),
        (Variant::Atomic, false),
    ] {
        assert_eq!(player.set_variant(variant).unwrap(), can, "{variant:?}");
    }
    let plain = r#"while read -r line; do case "$line" in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done"#;
    let mut player = UciProcess::start(&toy(plain)).unwrap();
    assert!(player.set_variant(Variant::Standard).unwrap());
    assert!(!player.set_variant(Variant::Chess960).unwrap());
}

/// Ponders about 1. e4 e5, and gives up on nothing.
fn pondering(program: &str) -> UciProcess {
    let mut player = UciProcess::start(&toy(program)).unwrap();
    let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
    let limits = GoLimits {
        nodes: Some(sparring_chess::units::Nodes(7)),
        ..GoLimits::default()
    };
    player.ponder(&line, &limits).unwrap();
    player
}

fn after(moves: &str) -> GameHistory {
    GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
}

#[test]
fn a_ponder_hit_is_answered_and_a_miss_is_stopped() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;;
        "go ponder nodes 7") echo "info depth 9 score cp 31";;
        ponderhit) echo "bestmove g1f3 ponder b8c6";;
        stop) echo "bestmove a2a3";;
        "go depth 3") echo "bestmove b1c3";; quit) exit;;
        esac; done"#;
    let patience = Patience::of(Millis(10_000));
    let mut player = pondering(program);
    let hit = player.ponder_hit(patience).unwrap();
    assert_eq!(
        (hit.best.as_str(), hit.ponder.as_deref(), hit.depth),
        ("g1f3", Some("b8c6"), Some(Depth(9)))
    );
    let mut player = pondering(program);
    let miss = analyse(&mut player, &after("e2e4 c7c5"), None, 3, Millis(10_000)).unwrap();
    assert_eq!(miss.best, "b1c3", "not the answer to the search before");
}

#[test]
fn an_engine_may_answer_before_it_is_told_of_the_hit() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;; "go ponder"*) echo "bestmove g1f3";;
        "go depth 3") echo "bestmove b1c3";; quit) exit;;
        esac; done"#;
    let mut player = pondering(program);
    assert_eq!(
        player.ponder_hit(Patience::of(Millis(10_000))).unwrap().best,
        "g1f3"
    );
    let mut player = pondering(program);
    while player.pondering.as_ref().unwrap().best.is_empty() {
        player.read_pondering().unwrap();
    }
    let miss = analyse(&mut player, &after("e2e4 c7c5"), None, 3, Millis(10_000)).unwrap();
    assert_eq!(miss.best, "b1c3");
}

#[test]
fn an_engine_that_ponders_on_after_a_stop_hangs() {
    let program = r#"while read -r line; do case "$line" in
        uci) echo uciok;; isready) echo readyok;; quit) exit;;
        esac; done"#;
    let error = pondering(program).stop_pondering().unwrap_err();
    assert!(
        matches!(error, UciError::Timeout { command: "stop", .. }),
        "{error}"
    );
}

//! The variants of lichess, by `UCI_Variant`.

use sparring_chess::Variant;

use super::session::{Scratch, Session};

fn session(variant: &str) -> Session {
    let session = Session::start();
    session.say(&format!("setoption name UCI_Variant value {variant}"));
    session
}

#[test]
fn each_variant_is_offered_and_begins_at_its_own_start() {
    let session = Session::start();
    let lines = session.say("uci").until("uciok");
    let listed = "option name UCI_Variant type combo default chess var chess var kingofthehill var 3check \
                  var antichess var atomic var horde var racingkings var crazyhouse";
    assert!(lines.iter().any(|line| line == listed), "{lines:?}");
    for variant in Variant::of_uci() {
        session.say(&format!(
            "setoption name UCI_Variant value {}",
            variant.uci_name()
        ));
        let expected = format!("fen {}", sparring_chess::write_fen(&variant.start()));
        for before in ["ucinewgame", "position startpos"] {
            assert_eq!(session.say(before).say("d").last("fen"), expected);
            session.until("repetitions");
        }
        let best = session.say("go depth 2").last("bestmove");
        assert_ne!(best, "bestmove (none)", "{variant}");
    }
    assert!(
        session
            .refusal("setoption name UCI_Variant value fairy")
            .contains("needs one of chess, kingofthehill, 3check")
    );
}

#[test]
fn chess960_is_still_an_option_of_its_own() {
    let session = session("chess");
    session.say("setoption name UCI_Chess960 value true");
    session.say("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let lines = session.say("perft 1").until("15 nodes");
    assert!(lines.iter().any(|line| line == "e1h1: 1"), "{lines:?}");
}

#[test]
fn pockets_and_checks_are_read_in_both_spellings_and_shown() {
    let crazyhouse = session("crazyhouse");
    for board in ["4k3/8/8/8/8/8/8/4K3[Qnn]", "4k3/8/8/8/8/8/8/4K3/Qnn"] {
        crazyhouse.say(&format!("position fen {board} w - - 0 1"));
        assert_eq!(crazyhouse.say("d").last("pockets"), "pockets: White Q, Black nn");
        crazyhouse.until("repetitions");
    }
    let three_check = session("3check");
    for tail in ["- - 2+1 0 1", "- - 0 1 +1+2"] {
        three_check.say(&format!("position fen 4k3/8/8/8/8/8/8/Q3K3 w {tail}"));
        let shown = three_check.say("d").until("repetitions");
        assert!(
            shown.iter().any(|line| line == "checks left: White 2, Black 1"),
            "{shown:?}"
        );
    }
}

#[test]
fn drops_and_kings_by_promotion_are_read_and_written() {
    let crazyhouse = session("crazyhouse");
    crazyhouse.say("position fen 7k/8/8/8/8/8/8/K7[Pq] w - - 0 1 moves P@e4");
    let lines = crazyhouse.say("perft 1").until("64 nodes");
    assert!(lines.iter().any(|line| line == "Q@e2: 1"), "{lines:?}");
    // A promoted queen that is captured is a pawn again.
    crazyhouse.say("position fen 7k/8/8/8/8/8/3b4/K1Q~5[] b - - 0 1 moves d2c1");
    assert_eq!(
        crazyhouse.say("d").last("pockets"),
        "pockets: White nothing, Black p"
    );
    crazyhouse.until("repetitions");
    crazyhouse.say("position fen 7k/6pp/8/8/8/8/8/7K[R] w - - 0 1");
    let mate = crazyhouse.say("go depth 3").last("bestmove");
    assert!(mate.starts_with("bestmove R@") && mate.ends_with('8'), "{mate}");
}

#[test]
fn antichess_promotes_to_kings_and_is_won_by_losing_all() {
    let antichess = session("antichess");
    antichess.say("position fen 8/P7/8/8/8/8/8/7r w - - 0 1");
    let lines = antichess.say("perft 1").until("5 nodes");
    assert!(lines.iter().any(|line| line == "a7a8k: 1"), "{lines:?}");
    antichess.say("position fen 8/P7/8/8/8/8/8/7r w - - 0 1 moves a7a8k");
    assert!(antichess.say("d").last("fen").contains("K7/8/8"));
}

#[test]
fn each_variant_is_won_in_its_own_way() {
    let wins: [(&str, &str, &[&str]); 5] = [
        ("kingofthehill", "7k/8/8/8/8/3K4/8/8 w - - 0 1", &["d3d4", "d3e4"]),
        (
            "3check",
            "4k3/8/8/8/8/8/8/Q3K3 w - - 1+3 0 1",
            &["a1a4", "a1a8", "a1e5", "a1h8"],
        ),
        ("racingkings", "8/K7/8/8/8/8/8/7k w - - 0 1", &["a7a8", "a7b8"]),
        ("atomic", "3qk3/8/8/8/8/8/8/3RK3 w - - 0 1", &["d1d8"]),
        ("antichess", "8/8/8/8/8/8/1p6/R7 w - - 0 1", &["a1c1"]),
    ];
    for (variant, fen, best) in wins {
        let session = session(variant);
        session.say(&format!("position fen {fen}"));
        let answer = session.say("go depth 4").last("bestmove");
        let played = answer.split(' ').nth(1).unwrap();
        assert!(best.contains(&played), "{variant}: {answer}");
    }
}

#[test]
fn positions_that_only_a_variant_knows_are_searched() {
    let horde = session("horde");
    horde.say("position startpos moves f5f6");
    assert!(
        horde
            .say("d")
            .last("fen")
            .starts_with("fen rnbqkbnr/pppppppp/5P2/")
    );
    horde.until("repetitions");
    let chess = Session::start();
    let fen = sparring_chess::write_fen(&Variant::Horde.start());
    assert!(!chess.refusal(&format!("position fen {fen}")).is_empty());
}

#[test]
fn a_book_of_a_variant_is_played_from_in_it_alone() {
    let session = session("atomic");
    session.say("setoption name OwnBook value true");
    let file = Scratch::new("atomic.book");
    std::fs::write(&file.0, "variant: atomic\n1. Nh3 e6\n").unwrap();
    let path = file.0.display();
    session.say(&format!("setoption name BookFile value {path}"));
    let lines = session.say("go depth 1").until("bestmove");
    let played = |line: &String| line.starts_with("info string book move g1h3: ");
    assert!(lines.iter().any(played), "{lines:?}");
    session.say("setoption name UCI_Variant value chess");
    let lines = session.say("go depth 1").until("bestmove");
    assert!(lines.iter().all(|line| !line.contains("book move")), "{lines:?}");
}

#[test]
fn chances_of_standard_chess_are_not_shown_in_a_variant() {
    let session = session("atomic");
    session.say("setoption name UCI_ShowWDL value true");
    let lines = session.say("go depth 2").until("bestmove");
    assert!(lines.iter().all(|line| !line.contains(" wdl ")), "{lines:?}");
    session.say("setoption name UCI_Variant value chess");
    let lines = session.say("go depth 2").until("bestmove");
    assert!(lines.iter().any(|line| line.contains(" wdl ")), "{lines:?}");
}

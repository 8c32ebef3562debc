//! Games of people and programs, and what is read of them.

mod words;

use super::*;

fn read(pgn: &[u8], plies: usize) -> Vec<RecordedGame> {
    let mut reader = Games::new(pgn, plies);
    std::iter::from_fn(|| reader.next_game().unwrap()).collect()
}

fn games(pgn: &str) -> Vec<RecordedGame> {
    read(pgn.as_bytes(), 60)
}

/// What stopped the reading; empty where nothing did.
fn broken(game: &RecordedGame) -> String {
    game.broken.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The moves of the only game, and what stopped its reading.
fn single(pgn: impl AsRef<[u8]>) -> (String, String) {
    let games = read(pgn.as_ref(), 400);
    assert_eq!(games.len(), 1, "{games:?}");
    (games[0].line.uci_moves(), broken(&games[0]))
}

/// The moves of the only game, which is whole.
fn moves(pgn: impl AsRef<[u8]>) -> String {
    let (moves, broken) = single(pgn.as_ref());
    assert_eq!(broken, "", "{:?}", String::from_utf8_lossy(pgn.as_ref()));
    moves
}

#[test]
fn tags_moves_and_results_are_read() {
    let read = games(
        "[White \"Ann\"]\n[Black \"?\"]\n[WhiteElo \"1512\"]\n[BlackElo \"-\"]\n[Result \"1/2-1/2\"]\n\n\
         1. e4! {best} e5 $1 (1... c5 2. Nf3) 2. Nf3 1/2-1/2\n\n[White \"Bob\"]\n\n1. d4 *\n",
    );
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].line.uci_moves(), "e2e4 e7e5 g1f3");
    assert_eq!(read[0].name_of(Color::White), Some("Ann"));
    assert_eq!(read[0].name_of(Color::Black), None);
    assert_eq!(read[0].rating_of(Color::White), Some(1512));
    assert_eq!(read[0].rating_of(Color::Black), None);
    assert_eq!(read[0].score_of(Color::Black), Some(1));
    assert_eq!(read[1].score_of_white(), None);
}

#[test]
fn a_broken_game_says_why_and_the_next_one_is_read() {
    let read = games(
        "1. e4 e5 2. Nf9 Nc6 *\n\n[Event \"x\"]\n\n1. e4 Ke7 *\n\n[FEN \"no\"]\n\n1. e4 *\n\n1. c4 *\n",
    );
    let broken: Vec<String> = read.iter().map(broken).collect();
    assert_eq!(broken[0], "line 1, column 13: \"Nf9\" is no legal move at move 2");
    assert_eq!(broken[1], "line 5, column 7: \"Ke7\" is no legal move at move 1");
    assert_eq!(
        broken[2],
        "line 7, column 1: \"no\" is not a FEN: invalid board part in fen"
    );
    assert_eq!(read.last().unwrap().line.uci_moves(), "c2c4");
}

#[test]
fn starts_and_variants_are_those_of_the_tags() {
    let read = games(
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *\n\n\
         [Variant \"King of the Hill\"]\n\n1. e4 *\n\n[Variant \"Chessopoly\"]\n\n1. e4 *\n",
    );
    assert_eq!(read[0].line.uci_moves(), "e2e4");
    assert_eq!(read[1].line.variant(), Variant::KingOfTheHill);
    assert!(read[2].broken.is_some());
}

/// The inputs that failed once, as they were kept.
#[test]
fn inputs_that_failed_once_are_read() {
    const TAGS: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n";
    for (text, expected) in [
        (
            "1. e4 e5 2. Sf3 Sc6 3. d4 exd4 4. Sxd4 1-0\n",
            "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4",
        ),
        (
            "1. d4 d5\n\n2. Nf3 Nf6 3. e3 e6 1-0",
            "d2d4 d7d5 g1f3 g8f6 e2e3 e7e6",
        ),
        (
            "1. e4 c5 2. d4 c:d4 3. c3 d:c3 4. N:c3 Nc6 1-0\n\n",
            "e2e4 c7c5 d2d4 c5d4 c2c3 d4c3 b1c3 b8c6",
        ),
        ("1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 1-0\n", "e2e4 e7e5 g1f3 b8c6"),
        (
            "1. e4 e5 2. f4 exf4 3. Bc4 d5 4. exd5 Qh4++ 5. Kf1 Bd6 6. Nf3 1-0\n\n",
            "e2e4 e7e5 f2f4 e5f4 f1c4 d7d5 e4d5 d8h4 e1f1 f8d6 g1f3",
        ),
        (
            "1. e4 a6 2. e5 d5 3. exd6e.p. exd6 1-0",
            "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6",
        ),
        (
            "1. e4 c5 2. e5 d5 3. exd6e.p. exd6 4. d4 1-0\n",
            "e2e4 c7c5 e4e5 d7d5 e5d6 e7d6 d2d4",
        ),
        (
            "1.\u{a0}e4 e5 2.\u{a0}Nf3 Nc6 3.\u{a0}Bb5 1-0\n",
            "e2e4 e7e5 g1f3 b8c6 f1b5",
        ),
    ] {
        assert_eq!(moves(format!("{TAGS}{text}")), expected);
    }
    let cut = games(&format!(
        "{TAGS}1. e4 e5 2. Nf3 1-0\n\n{TAGS}1. d4 d5 2. c4 {{the download ended he"
    ));
    assert_eq!(cut.len(), 2);
    assert_eq!(cut[0].line.uci_moves(), "e2e4 e7e5 g1f3");
    assert_eq!(cut[1].line.uci_moves(), "d2d4 d7d5 c2c4");
    assert_eq!(broken(&cut[1]), "line 11, column 16: the comment is not closed");
    let latin = read(
        b"[White \"M\xfcller\"]\n\n1. e4 {Gr\xfcnfeld \x96} e5 2. Nf3 1-0\n",
        60,
    );
    assert_eq!(latin[0].name_of(Color::White), Some("Müller"));
    assert_eq!(latin[0].line.uci_moves(), "e2e4 e7e5 g1f3");
}

#[test]
fn a_result_at_the_end_counts_where_the_tag_says_nothing() {
    let read = games(
        "[White \"Ann\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[Result \"1/2\"]\n\n1. d4 d5 1/2-1/2\n\n\
         [Result \"*\"]\n\n1. c4 e5 0-1\n\n[Result \"?\"]\n\n1. c4 1 - 0\n\n[Result \"0-1\"]\n\n1. c4 1-0\n\n\
         [Result \"½-½\"]\n\n1. c4 *\n\n1. c4 1/2 - 1/2\n\n1. c4 0.5-0.5\n\n1. c4 1:0\n\n1. c4 ½–½\n\n1. c4 *\n",
    );
    let scores: Vec<Option<u32>> = read.iter().map(RecordedGame::score_of_white).collect();
    assert_eq!(
        scores,
        [2, 1, 0, 2, 0, 1, 1, 1, 2, 1, 9].map(|score| Some(score).filter(|score| *score < 9))
    );
    assert!(read.iter().all(|game| game.broken.is_none()));
    // The moves are read to the limit, the result beyond it.
    let long = self::read(b"1. e4 e5 2. Nf3 {x} Nc6 (2... d6) 3. Bb5 0-1 1. d4 1-0", 2);
    assert_eq!(long[0].line.uci_moves(), "e2e4 e7e5");
    assert_eq!(long[0].score_of_white(), Some(0));
    assert_eq!(long[1].line.uci_moves(), "d2d4");
}

#[test]
fn games_without_tags_or_results_are_kept_apart() {
    for text in [
        "1. e4 e5 1-0 1. d4 d5 0-1",
        "1. e4 e5\n\n1. d4 d5\n",
        "1. e4 e5\n1. d4 d5\n",
        "1. e4 e5 1-0 White resigned in 2 moves 1. d4 d5 0-1 (on time)",
        "1. e4 e5 1-0 on time\n1. d4 d5 1/2-1/2 agreed\n",
        "1. e4 e5\n\n1.d4 d5",
        "1. e4 e5\n[Event \"x\"]\n1. d4 d5",
        "1. e4 e5 [Event \"x\"] 1. d4 d5",
        "[White \"A\"] [Black \"B\"]\n1. e4 e5 *[White \"C\"][Black \"D\"]1. d4 d5 *",
        "[Event \"a\"]\n[White \"b\"]\n\n1. e4 e5\n\n\n[Event \"a\"]\n\n1. d4 d5",
    ] {
        let read = games(text);
        let moves: Vec<String> = read.iter().map(|game| game.line.uci_moves()).collect();
        assert_eq!(moves, ["e2e4 e7e5", "d2d4 d7d5"], "{text}");
        assert!(read.iter().all(|game| game.broken.is_none()), "{text}");
        assert_eq!(read.iter().map(|game| game.number).collect::<Vec<_>>(), [1, 2]);
    }
    // A game without moves is one.
    let read = games("[Event \"a\"]\n[Result \"1-0\"]\n\n1-0\n\n[Event \"b\"]\n\n[Event \"c\"]\n\n1. e4 *");
    assert_eq!(read.len(), 3);
    assert!(games(" \n\u{feff}\n{nothing} ; here\n").is_empty());
}

#[test]
fn after_a_break_the_next_game_is_found() {
    for text in [
        "1. e4 hello 1-0 1. d4 d5 *",
        "1. e4 hello Nf3\n\n[Event \"x\"]\n\n1. d4 d5 *",
        "1. e4 (unclosed e5 1-0\n\n[Event \"x\"]\n\n1. d4 d5 *",
        "1. e4 {unclosed e5 1-0\n\n[Event \"x\"]\n\n1. d4 d5 *",
        "1. e4 ) e5 (1-0) *\n\n1. d4 d5 *",
        "1. e4 hello\n\n1. d4 d5 *",
        "1. e4 -- 1-0 1. d4 d5 *",
    ] {
        let read = games(text);
        let moves: Vec<String> = read.iter().map(|game| game.line.uci_moves()).collect();
        assert_eq!(moves, ["e2e4", "d2d4 d7d5"], "{text}");
        assert!(read[0].broken.is_some() && read[1].broken.is_none(), "{text}");
    }
    let after = games("1. e4 {unclosed\n\n[White \"Ann\"]\n[Black \"Bob\"]\n\n1. d4 d5 *");
    assert_eq!(
        after[1].tags,
        [("White".into(), "Ann".into()), ("Black".into(), "Bob".into())]
    );
}

#[test]
fn tags_may_be_long_broken_and_odd() {
    for (text, name, value) in [
        ("[White \"say \\\"hi\\\" \\\\\"]", "White", Some("say \"hi\" \\")),
        ("[White \"the \"bold\" one\"]", "White", Some("the \"bold\" one")),
        ("[ White\t\"Ann\" ]", "White", Some("Ann")),
        ("[White\n\"Ann\"\n]", "White", Some("Ann")),
        ("[White \"Ann\nBerta\"]", "White", Some("Ann Berta")),
        ("[White \"Ann]", "White", Some("Ann")),
        ("[White \"Ann\"", "White", Some("Ann")),
        ("[White \"Ann", "White", Some("Ann")),
        ("[White Ann]", "White", Some("Ann")),
        ("[white \"Ann\"]", "White", Some("Ann")),
        ("[White “Ann”]", "White", Some("Ann")),
        ("[White \"\"]", "White", None),
        ("[]\n[White \"Ann\"]", "White", Some("Ann")),
        ("[Event \"C:\\x\\\"]\n[White \"Ann\"]", "White", Some("Ann")),
        ("[Event \"a\"] [White \"Ann\"][Black \"b\"]", "White", Some("Ann")),
        (
            "[Event \"a;b {c\"]\n; no\n% no\n[White \"Ann\"]",
            "White",
            Some("Ann"),
        ),
    ] {
        let read = games(&format!("{text}\n[Round \"1\"]\n\n1. e4 *"));
        assert_eq!(read.len(), 1, "{text}");
        assert_eq!(read[0].tag(name), value, "{text}");
        assert_eq!(read[0].tag("Round"), Some("1"), "{text}");
        assert_eq!(read[0].line.uci_moves(), "e2e4", "{text}");
        assert_eq!(broken(&read[0]), "", "{text}");
    }
    for length in [4_000, 5_000, 300_000] {
        for before in [0, 1, 60_000, 65_530, 65_536] {
            let text = format!(
                ";{}\n[Event \"{}\"]\n[White \"Ann\"]\n\n1. e4 *\n\n1. d4 *",
                "x".repeat(before),
                "ü".repeat(length / 2)
            );
            let read = games(&text);
            assert_eq!(read.len(), 2);
            assert_eq!(read[0].tag("White"), Some("Ann"));
            assert_eq!(read[0].tag("Event").unwrap().len(), length.min(4096));
            assert_eq!(read[0].line.uci_moves(), "e2e4");
        }
    }
}

#[test]
fn a_text_cut_anywhere_gives_what_was_read() {
    let text = "[White \"Ann\"]\n[Result \"1-0\"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 $1 Nc6 3. Bb5 a6 4. O-O 1-0\n";
    let whole = moves(text);
    for end in 0..text.len() - 4 {
        let cut = games(&text[..end]);
        assert_eq!(cut.len(), usize::from(end > 0), "{end}");
        for game in cut {
            assert!(whole.starts_with(&game.line.uci_moves()), "{end}: {game:?}");
            assert!(end < 31 || game.broken.is_some(), "{end}: {game:?}");
        }
    }
    // Of a promotion this may be the beginning.
    let captures = "[FEN \"2r1k3/1P6/8/8/8/2p5/1P6/4K3 w - - 0 1\"]\n\n1. bxc";
    assert!(single(captures).1.contains("could be"), "{:?}", single(captures));
    // Of castling to the other side this may be the beginning.
    let castles = "[FEN \"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n1. O-O";
    assert_eq!(
        single(castles),
        (
            String::new(),
            "line 3, column 4: the text ends with \"O-O\"".into()
        )
    );
    assert_eq!(moves(format!("{castles}\n")), "e1g1");
}

#[test]
fn an_unknown_variant_breaks_its_own_game_and_suggests_the_nearest() {
    let read = games(
        "[Variant \"Atomik\"]\n\n1. e4 *\n\n[Variant \"atomic\"]\n\n1. e4 *\n\n[Variant \"losers\"]\n\n1. e4 *",
    );
    assert_eq!(
        broken(&read[0]),
        "line 1, column 1: \"Atomik\" is not a variant that lichess plays; did you mean \"Atomic\"?"
    );
    assert_eq!(read[1].line.variant(), Variant::Atomic);
    assert_eq!(
        broken(&read[2]),
        "line 9, column 1: \"losers\" is not a variant that lichess plays"
    );
}

#[test]
fn starts_of_chess960_are_read_whatever_the_tags_say() {
    for variant in ["", "[Variant \"fischerandom\"]\n", "[Variant \"Standard\"]\n"] {
        for rights in ["HAha", "KQkq"] {
            let text = format!(
                "{variant}[SetUp \"1\"]\n[FEN \"rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w {rights} - 0 1\"]\n\n1. O-O e5 *"
            );
            assert_eq!(moves(text), "b1h1 e7e5");
        }
    }
    assert_eq!(
        moves("[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. @d5 P@e3 *")
            .split(' ')
            .next_back(),
        Some("P@e3")
    );
}

#[test]
fn a_game_keeps_so_many_tags_and_no_more() {
    let tags: String = (0..1000)
        .map(|number| format!("[T{number} \"x\"]\n[Site \"y\"]\n"))
        .collect();
    let read = games(&format!("{tags}\n1. e4 *"));
    assert_eq!((read.len(), read[0].tags.len()), (1, TAGS));
    assert_eq!(read[0].line.uci_moves(), "e2e4");
}

#[test]
fn an_endless_line_is_no_game_and_is_skipped() {
    let endless = std::io::Read::take(std::io::repeat(b'x'), 3_000_000);
    let mut reader = Games::new(endless, 60);
    let game = reader.next_game().unwrap().unwrap();
    assert!(broken(&game).len() < 200, "{}", broken(&game));
    assert!(reader.next_game().unwrap().is_none());
    for sign in ["[", "(", "{", "[a \"", "1.", "((x", ")"] {
        let _ = games(&sign.repeat(100_000));
    }
}

//! What is read as a move, and what is not.

use super::{moves, read, single};

#[test]
fn every_spelling_of_a_legal_move_is_read() {
    const START: &str = "startpos";
    const CAPTURES: &str = "r3k2r/1P3ppp/8/3pP3/2B1n3/5N2/PPP2PPP/R3K2R w KQkq d6 0 1";
    for (fen, word, expected) in [
        (START, "e2e4", "e2e4"),
        (START, "e2-e4", "e2e4"),
        (START, "e4TN", "e2e4"),
        (CAPTURES, "exd6E.P.", "e5d6"),
        (CAPTURES, "exd6/e.p.", "e5d6"),
        (CAPTURES, "exd6i.p.", "e5d6"),
        (CAPTURES, "exd6a.p.", "e5d6"),
        (CAPTURES, "00", "e1g1"),
        (CAPTURES, "000", "e1c1"),
        (START, "Pe4", "e2e4"),
        (START, "♙e4", "e2e4"),
        (START, "Pe2-e4", "e2e4"),
        (START, "e2—e4", "e2e4"),
        (START, "♘f3", "g1f3"),
        (START, "♞f3", "g1f3"),
        (START, "Ng1f3", "g1f3"),
        (START, "N1f3", "g1f3"),
        (START, "Ngf3", "g1f3"),
        (START, "N-f3", "g1f3"),
        (START, "g1-f3", "g1f3"),
        (START, "nf3", "g1f3"),
        (START, "Nf3!?", "g1f3"),
        (START, "Nf3$1$14", "g1f3"),
        (START, "Nf3+/-", "g1f3"),
        (START, "Nf3±", "g1f3"),
        (START, "Nf3,", "g1f3"),
        (START, "N\u{200d}f3", "g1f3"),
        (START, "е4", "e2e4"),
        (CAPTURES, "exd6", "e5d6"),
        (CAPTURES, "exd6 e.p.", "e5d6"),
        (CAPTURES, "exd6ep", "e5d6"),
        (CAPTURES, "exd6 ep", "e5d6"),
        (CAPTURES, "e5xd6e.p.+", "e5d6"),
        (CAPTURES, "ed6", "e5d6"),
        (CAPTURES, "exd", "e5d6"),
        (CAPTURES, "ed", "e5d6"),
        (CAPTURES, "e:d", "e5d6"),
        (CAPTURES, "ed:", "e5d6"),
        (CAPTURES, "e5:d6", "e5d6"),
        (CAPTURES, "e×d6", "e5d6"),
        (CAPTURES, "Bd5", "c4d5"),
        (CAPTURES, "Bxd5", "c4d5"),
        (CAPTURES, "B:d5", "c4d5"),
        (CAPTURES, "Bd5:", "c4d5"),
        (CAPTURES, "Bc4xd5", "c4d5"),
        (CAPTURES, "bd5", "c4d5"),
        (CAPTURES, "b8Q", "b7b8q"),
        (CAPTURES, "b8=Q+", "b7b8q"),
        (CAPTURES, "b8=q", "b7b8q"),
        (CAPTURES, "b8/N", "b7b8n"),
        (CAPTURES, "b8(R)", "b7b8r"),
        (CAPTURES, "b8=(R)", "b7b8r"),
        (CAPTURES, "b8♕", "b7b8q"),
        (CAPTURES, "b7b8q", "b7b8q"),
        (CAPTURES, "b7-b8=Q", "b7b8q"),
        (CAPTURES, "bxa8B", "b7a8b"),
        (CAPTURES, "b7xa8=N", "b7a8n"),
        (CAPTURES, "ba8n", "b7a8n"),
        (CAPTURES, "O-O", "e1g1"),
        (CAPTURES, "0-0", "e1g1"),
        (CAPTURES, "o-o", "e1g1"),
        (CAPTURES, "O–O!", "e1g1"),
        (CAPTURES, "О-О", "e1g1"),
        (CAPTURES, "e1g1", "e1g1"),
        (CAPTURES, "Ke1-g1", "e1g1"),
        (CAPTURES, "Kg1", "e1g1"),
        (CAPTURES, "e1h1", "e1g1"),
        (CAPTURES, "0-0-0", "e1c1"),
        (CAPTURES, "O-O-O+", "e1c1"),
    ] {
        assert_eq!(
            moves(format!("[FEN \"{fen}\"]\n\n1. {word} *")),
            expected,
            "{word}"
        );
    }
    for word in [
        "Bxf7++",
        "Bxf7#",
        "Bxf7ch",
        "Bxf7 ch.",
        "Bxf7 dbl ch",
        "Bxf7mate",
        "Bxf7†",
    ] {
        assert_eq!(
            moves(format!("1. e4 e5 2. Bc4 Nc6 3. {word} *")),
            "e2e4 e7e5 f1c4 b8c6 c4f7",
            "{word}"
        );
    }
}

#[test]
fn what_spells_no_move_or_several_ends_the_game() {
    const FEN: &str = "4k3/1P3b2/8/2p5/1b1P4/5N2/P1P5/1N2K3 w - - 0 1";
    for (word, why) in [
        ("Nd2", "\"Nd2\" could be Nbd2 or Nfd2 at move 1"),
        ("b8", "\"b8\" is no legal move at move 1"),
        ("b7b8", "\"b7b8\" is no legal move at move 1"),
        ("Nxd2", "\"Nxd2\" is no legal move at move 1"),
        ("Sd2", "\"Sd2\" is no legal move at move 1"),
        ("dxc5e.p.", "\"dxc5e.p.\" is no legal move at move 1"),
        ("Nf9", "\"Nf9\" is no legal move at move 1"),
        ("N f3", "\"N\" is no legal move at move 1"),
        ("hello", "\"hello\" is no legal move at move 1"),
        ("}", "\"}\" is no legal move at move 1"),
        ("]", "\"]\" is no legal move at move 1"),
        ("[%clk", "\"[%clk\" is no legal move at move 1"),
        (")", "\")\" ends no variation"),
        ("--", "\"--\" is a null move, which no game can have"),
        ("Z0", "\"Z0\" is a null move, which no game can have"),
        ("0000", "\"0000\" is a null move, which no game can have"),
        ("@@@@", "\"@@@@\" is a null move, which no game can have"),
        ("null", "\"null\" is a null move, which no game can have"),
        ("$x", "\"$x\" is no legal move at move 1"),
        ("... Kd7", "\"...\" stands where move 1 of White is due"),
    ] {
        let (moves, broken) = single(format!("[FEN \"{FEN}\"]\n\n1. {word} Ke7 *"));
        assert_eq!((moves.as_str(), broken), ("", format!("line 3, column 4: {why}")));
    }
    // A move may contain a blank.
    assert_eq!(
        single("1. e4 e5 2. Nf3 N c6 3. Bb5 a6 *").1,
        "line 1, column 17: \"N\" and \"c6\" could be one move"
    );
    assert_eq!(
        moves("1. e4 e5 2. Nf3 N Nc6 D 3. Bb5 *"),
        "e2e4 e7e5 g1f3 b8c6 f1b5"
    );
}

#[test]
fn glyphs_comments_and_variations_are_passed_over() {
    let whole = "e2e4 e7e5 g1f3 b8c6";
    for text in [
        "1.e4 e5 2.Nf3 Nc6 *",
        "1. e4 1... e5 2. Nf3 2... Nc6 *",
        "1 e4 e5 2 Nf3 Nc6 *",
        "1. e4 1. ... e5 2 . Nf3 2. … Nc6 *",
        "1.e4 ...e5 2.Nf3 ..Nc6 *",
        "e4 e5 Nf3 Nc6 *",
        "1e4 e5 2Nf3 Nc6 *",
        "1. e4 $1 e5 !? 2. Nf3 ± Nc6 +/= *",
        "1. e4!! e5?! 2. Nf3= Nc6+- *",
        "1. e4 (1. d4 d5 (1... Nf6 {)} 2. -- junk ; )\n) {[(} 2. c4) e5 2. Nf3 Nc6 *",
        "1. e4{a}e5(x)2. Nf3{b}Nc6;c\n*",
        "% 1. d4 d5\n1. e4 e5\n% 2. c4\n2. Nf3 Nc6 *",
        "\u{feff}1. e4\te5\u{2009}2.\u{202f}Nf3\u{200b} Nc6 *",
        "1. e4\r\ne5\r\n\r\n2. Nf3 Nc6\r\n*\r\n",
        "1. e4\re5\r2. Nf3 Nc6 *\r",
        "1. e4 e5 2. Nf3 Nc6 3. *",
        "1. e4 e5 2. Nf3 Nc6",
        "1. e4 e5 2. Nf3 Nc6\n\n(2... d6) 1-0 {resigns} 1-0 (really) !\n",
    ] {
        assert_eq!(moves(text), whole, "{text}");
    }
}

#[test]
fn a_number_that_does_not_fit_ends_the_game() {
    for (text, expected, why) in [
        (
            "1. e4 e5 5. Nf3 Nc6 *",
            "e2e4 e7e5",
            "line 1, column 10: \"5.\" stands where move 2 of White is due",
        ),
        (
            "1. e4 2. Nf3 *",
            "e2e4",
            "line 1, column 7: \"2.\" stands where move 1 of Black is due",
        ),
        (
            "1. e4 e5 2... Nc6 *",
            "e2e4 e7e5",
            "line 1, column 10: \"2...\" stands where move 2 of White is due",
        ),
        (
            "1. e4 e5 2.Nf3 3.Bb5 *",
            "e2e4 e7e5 g1f3",
            "line 1, column 16: \"3.\" stands where move 2 of Black is due",
        ),
        // A move too many: what holds is what is left whichever of them it is.
        (
            "1. d4 Nf6 c4 2. d5 *",
            "d2d4 g8f6",
            "line 1, column 14: \"2.\" stands where move 2 of Black is due",
        ),
        (
            "1. e4 d6 Nf3 2. e5 1-0",
            "e2e4 d7d6",
            "line 1, column 14: \"2.\" stands where move 2 of Black is due",
        ),
        (
            "Nf3 1. g4 *",
            "",
            "line 1, column 5: \"1.\" stands where move 1 of Black is due",
        ),
        // Either side may have moved the queen.
        (
            "1. d4 d5 2. Qd3 Qd6 3. Qg3 4. Qg7 *",
            "d2d4 d7d5 d1d3 d8d6",
            "line 1, column 28: \"4.\" stands where move 3 of Black is due",
        ),
        (
            "7. e4 e5 *",
            "",
            "line 1, column 1: \"7.\" stands where move 1 of White is due",
        ),
        (
            "1. e4 99999999999999999999999. e5 *",
            "e2e4",
            "line 1, column 7: \"99999999999999999999999.\" stands where move 1 of Black is due",
        ),
    ] {
        let (moves, broken) = single(text);
        assert_eq!((moves.as_str(), broken.as_str()), (expected, why), "{text}");
    }
    let last = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 4294967295\"]\n\n4294967295. e4 e5 4294967295. Ke2 *";
    assert_eq!(single(last), ("e2e4 e7e5 e1e2".to_owned(), String::new()));
    let fen = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 30\"]\n\n";
    for text in [
        "30... e5 31. e4 *",
        "1... e5 2. e4 *",
        "30. ... e5 31. e4 *",
        "e5 31. e4 *",
        "e5 e4 *",
    ] {
        assert_eq!(moves(format!("{fen}{text}")), "e7e5 e2e4", "{text}");
    }
    for text in ["30... e5 2. e4 *", "1... e5 31. e4 *"] {
        assert_eq!(single(format!("{fen}{text}")).0, "e7e5", "{text}");
    }
}

#[test]
fn letters_of_other_languages_are_read_where_the_whole_game_is_in_one() {
    let spanish = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 d8d6 f1e1";
    for text in [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qd6 6. Re1 *",
        "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Dd6 6. Te1 *",
        "1. e4 e5 2. Cf3 Cc6 3. Ab5 a6 4. Axc6 dxc6 5. O-O Dd6 6. Te1 *",
        "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 4. Fxc6 dxc6 5. O-O Dd6 6. Te1 *",
        "1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Dd6 6. Te1 *",
        "1. e4 e5 2. Sf3 Sc6 3. Gb5 a6 4. Gxc6 dxc6 5. O-O Hd6 6. We1 *",
        "1. e4 e5 2. Jf3 Jc6 3. Sb5 a6 4. Sxc6 dxc6 5. O-O Dd6 6. Ve1 *",
        "1. e4 e5 2. Hf3 Hc6 3. Fb5 a6 4. Fxc6 dxc6 5. O-O Vd6 6. Be1 *",
        "1. e4 e5 2. Кf3 Кc6 3. Сb5 a6 4. Сxc6 dxc6 5. O-O Фd6 6. Лe1 *",
        "1. e4 e5 2. nf3 nc6 3. bb5 a6 4. bxc6 dxc6 5. o-o qd6 6. re1 *",
        "1. e4 e5 2. Nf3 nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qd6 6. re1 *",
    ] {
        assert_eq!(moves(text), spanish, "{text}");
    }
    // A word that is in no language breaks the game there; a single foreign word may be a slip.
    for (text, expected, why) in [
        (
            "1. e4 e5 2. Sf3 Nc6 *",
            "e2e4 e7e5",
            "line 1, column 13: \"Sf3\" is no legal move at move 2",
        ),
        (
            "1. e4 e5 2. Sf3 Sc6 3. Bb5 *",
            "e2e4 e7e5 g1f3 b8c6",
            "line 1, column 24: \"Bb5\" is no legal move at move 3",
        ),
        (
            "1. e4 e5 2. Sf3 Sc6 3. hello *",
            "e2e4 e7e5 g1f3 b8c6",
            "line 1, column 24: \"hello\" is no legal move at move 3",
        ),
        (
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 7. 0-0 *",
            "e2e4 e7e5 g1f3 b8c6",
            "line 1, column 31: \"7.\" stands where move 4 of White is due",
        ),
        // Knights of Finland and bishops of Romania, or the wrong piece.
        (
            "1. e4 e5 2. Rf3 d6 3. d4 *",
            "e2e4 e7e5",
            "line 1, column 13: \"Rf3\" is no legal move at move 2",
        ),
        (
            "1. d4 d5 2. Nf4 e6 *",
            "d2d4 d7d5",
            "line 1, column 13: \"Nf4\" is no legal move at move 2",
        ),
    ] {
        let (moves, broken) = single(text);
        assert_eq!((moves.as_str(), broken.as_str()), (expected, why), "{text}");
    }
    // What is cut is no word of another language.
    for (text, why) in [
        (
            "1. e4 e5 2. Sf3 Sc6 3. L",
            "line 1, column 24: the text ends with \"L\"",
        ),
        (
            "1. e4 e5 2. Sf3 Sc6 {unclosed",
            "line 1, column 21: the comment is not closed",
        ),
        (
            "1. e4 e5 2. Sf3 Sc6 3",
            "line 1, column 21: the text ends with \"3\"",
        ),
    ] {
        let expected = ("e2e4 e7e5 g1f3 b8c6".into(), why.into());
        assert_eq!(single(text), expected, "{text}");
    }
    // Nothing beyond the limit is read.
    assert_eq!(
        read(b"1. e4 e5 2. Sf3 Nc6 *", 3)[0].line.uci_moves(),
        "e2e4 e7e5 g1f3"
    );
    // T is the rook of some and nothing in English; R is a king or a rook.
    let fen = "[FEN \"1k6/8/8/8/8/8/8/R3K3 w - - 0 1\"]\n\n";
    assert_eq!(moves(format!("{fen}1. Rd1 *")), "a1d1");
    assert_eq!(moves(format!("{fen}1. Rd1 Rb7 2. Ta2 *")), "e1d1 b8b7 a1a2");
}

#[test]
fn letters_that_give_different_moves_in_different_languages_give_none() {
    // K is the knight in one language and the king in another, and no other word decides between them.
    let fen = "[FEN \"4k3/8/8/8/8/8/4A3/1T2C3 w - - 0 1\"]\n\n";
    assert!(single(format!("{fen}1. e4 *")).1.contains("not a FEN"));
    // The S of Poland is a knight, and that of Bohemia a bishop.
    let fen = "[FEN \"4k3/8/8/8/8/8/8/2B1K1N1 w - - 0 1\"]\n\n";
    assert_eq!(single(format!("{fen}1. Se3 Kd8 *")).0, "c1e3 e8d8");
    let fen = "[FEN \"4k3/8/8/8/8/8/5N2/2B1K3 w - - 0 1\"]\n\n";
    let (moves, broken) = single(format!("{fen}1. Kd2 Kd7 2. Sg4 *"));
    assert_eq!(moves, "e1d2 e8d7 f2g4");
    assert_eq!(broken, "");
    let fen = "[FEN \"4k3/8/8/8/8/5N2/8/2B1K3 w - - 0 1\"]\n\n";
    let (moves, broken) = single(format!("{fen}1. Kd1 Kd7 2. Sd2 *"));
    assert_eq!(moves, "e1d1 e8d7");
    assert_eq!(
        broken,
        "line 3, column 15: \"Sd2\" is another move in another language"
    );
}

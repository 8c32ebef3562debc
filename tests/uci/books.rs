//! Moves from a book file.

use sparring_book as book;

use super::session::{Scratch, Session};

#[test]
fn a_book_of_polyglot_is_played_from_and_a_spoiled_one_refused() {
    let session = Session::start();
    assert_eq!(
        session.refusal("setoption name OwnBook value true"),
        "info string there is no book to play from until \"BookFile\" opens one"
    );
    let file = Scratch::new("mine.bin");
    let (book, _) = book::parse_bytes("mine.book", b"1. b3 e5 2. Bb2\n");
    std::fs::write(&file.0, book::export_polyglot(&book.unwrap())).unwrap();
    let path = file.0.display();
    session.say(&format!("setoption name BookFile value {path}"));
    let lines = session
        .say("position startpos")
        .say("go depth 1")
        .until("bestmove");
    assert!(lines[0].starts_with("info string book move b2b3: "), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("bestmove b2b3"), "{lines:?}");
    std::fs::write(&file.0, [0; 17]).unwrap();
    let refusal = session.refusal(&format!("setoption name BookFile value {path}"));
    assert!(
        refusal.ends_with("mine.bin: 17 bytes are no Polyglot book: its records have 16 bytes each"),
        "{refusal}"
    );
    // The one opened before is still played from.
    session.say("position startpos moves b2b3 e7e5").say("go depth 1");
    assert!(
        session
            .until("bestmove")
            .last()
            .unwrap()
            .starts_with("bestmove c1b2")
    );
}

#[test]
fn a_book_of_polyglot_for_one_side_is_played_from_and_what_is_left_out_of_it_told() {
    let session = Session::start();
    session.say("setoption name OwnBook value true");
    let file = Scratch::new("white.bin");
    let (book, _) = book::parse_bytes("white.book", b"color: white\n1. b3 e5 2. Bb2\n1. f3xx\n");
    std::fs::write(&file.0, book::export_polyglot(&book.unwrap())).unwrap();
    let path = file.0.display();
    session.say(&format!("setoption name BookFile value {path}"));
    let lines = session
        .say("position startpos moves b2b3 e7e5")
        .say("go depth 1")
        .until("bestmove");
    assert!(
        lines
            .iter()
            .any(|line| *line
                == format!("info string {path}: 2 entries read; 1 entry left out: 1 of weight 0")),
        "{lines:?}"
    );
    assert!(lines.last().unwrap().starts_with("bestmove c1b2"), "{lines:?}");
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
    let told = [("b2b3", 1), ("f2f3", 2)]
        .map(|(mv, line)| format!("info string book move {mv}: {path}:{line}, 50%"));
    assert!(told.contains(&lines[0]), "{lines:?}");
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
    // Without time for a look it is the engine's turn.
    let lines = session.say("go movetime 1").until("bestmove");
    assert_eq!(lines[0], "info string there is no time to look at book moves");
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

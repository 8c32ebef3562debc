//! `sparring book learn` and `sparring book blunders`: what a book's lines scored in the games of the archive, where games turned,
//! and what follows from it.

#[path = "../src/store/test_fixtures.rs"]
mod sample;

use std::{fs, path::Path, process::Command};

use sparring::store::{Archive, End, GameRecord, MoveRecord, MoveSource, Thought};
use sparring_book as book;
use sparring_chess::{
    GameHistory, Variant, parse_san,
    units::{Centipawns, Depth, Elo, Millis, Nodes},
};
use sparring_engine::Score;
use sparring_lichess::model::Side;
use tempfile::TempDir;

const BOOK: &str = "# Mine.\n1. e4 60 | d4 40  # by mood\n1. e4 e5 2. Nf3\n1. d4 d5 2. c4\n";

fn game(number: usize, side: Side, winner: Option<Side>, moves: &str) -> GameRecord {
    let status = if winner.is_some() { "resign" } else { "draw" };
    GameRecord {
        own_rating: Some(Elo(1500)),
        end: sample::end(status, winner, moves).filter(|_| !moves.is_empty()),
        ..sample::game(&format!("game{number:04}"), side)
    }
}

const ENGINE: MoveSource = MoveSource::Engine {
    depth: Depth(9),
    nodes: Nodes(5000),
};

/// What is kept of a move from there.
fn from(source: MoveSource, note: &str) -> Thought {
    Thought {
        pondered: None,
        grounds: None,
        source,
        note: note.to_owned(),
        score: None,
        think: Millis(100),
    }
}

/// What is kept of a move of the engine, worth so many centipawns.
fn engine(score: i32) -> Thought {
    Thought {
        pondered: None,
        score: Some(Score::Cp(Centipawns(score))),
        ..from(ENGINE, "")
    }
}

/// Keeps a move of ours.
fn own(archive: &Archive, game: &GameRecord, ply: u32, uci: &str, thought: Thought) {
    let record = MoveRecord {
        ply,
        uci: uci.to_owned(),
        clock: None,
        thought: Some(thought),
    };
    archive.put_move(&game.id, &record).unwrap();
}

/// Six games lost after 1. e4, six won after 1. d4, one that runs, one as Black, and one that was aborted.
fn archive(path: &Path) {
    let archive = Archive::open(path).unwrap();
    for number in 0..6 {
        let lost = game(number, Side::White, Some(Side::Black), "e2e4 e7e5 g1f3 b8c6 a2a3");
        archive.put_game(&lost).unwrap();
        own(&archive, &lost, 5, "a2a3", engine(-80 - 10 * number as i32));
        let won = game(
            100 + number,
            Side::White,
            Some(Side::White),
            "d2d4 d7d5 c2c4 e7e6 b1c3",
        );
        archive.put_game(&won).unwrap();
        own(&archive, &won, 5, "b1c3", engine(30));
    }
    archive.put_game(&game(200, Side::White, None, "")).unwrap();
    let black = game(201, Side::Black, Some(Side::White), "e2e4 c7c5");
    archive.put_game(&black).unwrap();
    let mut aborted = game(202, Side::White, None, "e2e4");
    if let Some(end) = &mut aborted.end {
        end.status = "aborted".to_owned();
    }
    archive.put_game(&aborted).unwrap();
}

/// What `sparring book` shows in a folder, and what it says beside.
fn run(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    command.arg("book").args(arguments);
    let output = command.current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

fn learn(folder: &Path, arguments: &[&str]) -> (String, String) {
    run(folder, &[&["learn", "mine.book"], arguments].concat())
}

/// A folder with the book.
fn with_book() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.book"), BOOK).unwrap();
    folder
}

#[test]
fn the_archive_teaches_and_the_owner_decides() {
    let folder = with_book();
    let at = |name: &str| folder.path().join(name);
    archive(&at("archive.db"));
    let (table, said) = learn(folder.path(), &["--archive", "archive.db", "--patch", "p.diff"]);
    insta::assert_snapshot!(table, @r"
    games  points  expected surplus verdict         weight  move
        6     0.0       3.0    -3.0   -1.05        60 > 45  e4 after the start  [mine.book:2]
        6     0.0       3.0    -3.0   -1.05            100  Nf3 after 1. e4 e5  [mine.book:3]
        6     6.0       3.0    +3.0   +0.30        40 > 54  d4 after the start  [mine.book:2]
        6     6.0       3.0    +3.0   +0.30            100  c4 after 1. d4 d5  [mine.book:4]
    ");
    assert!(said.contains("12 of 13 games followed mine.book"), "{said}");
    assert_eq!(
        fs::read_to_string(at("mine.book")).unwrap(),
        BOOK,
        "the book is not touched"
    );
    assert_eq!(
        fs::read_to_string(at("p.diff")).unwrap(),
        "--- mine.book\n+++ mine.book\n@@ -2 +2 @@\n-1. e4 60 | d4 40  # by mood\n+1. e4 45 | d4 54  # by mood\n"
    );
}

#[test]
fn a_book_learns_from_the_moves_that_were_drawn_from_it_at_the_level_that_played() {
    let folder = with_book();
    let at = |name: &str| folder.path().join(name);
    let archive = Archive::open(&at("archive.db")).unwrap();
    let moves = "e2e4 e7e5 g1f3 b8c6";
    // Against an opponent of 1500 a level of 800 is to score little, whatever the account is rated.
    let mut booked = game(1, Side::White, Some(Side::White), moves);
    booked.level = Some(Elo(800));
    archive.put_game(&booked).unwrap();
    own(
        &archive,
        &booked,
        1,
        "e2e4",
        from(MoveSource::Book, "book books/mine.book:2 60%"),
    );
    own(
        &archive,
        &booked,
        3,
        "g1f3",
        from(MoveSource::Book, "book books/main.book:7 40%"),
    );
    let thought_up = game(2, Side::White, Some(Side::Black), moves);
    archive.put_game(&thought_up).unwrap();
    own(
        &archive,
        &thought_up,
        1,
        "e2e4",
        from(ENGINE, "engine +0.20 depth 9 nodes 5000"),
    );
    own(
        &archive,
        &thought_up,
        3,
        "g1f3",
        from(ENGINE, "engine +0.20 depth 9 nodes 5000"),
    );
    drop(archive);
    let (table, said) = learn(folder.path(), &["--archive", "archive.db", "--min", "1"]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 1, "{table}");
    assert_eq!(rows[0][..3], ["1", "1.0", "0.0"], "{table}");
    assert!(table.contains("e4 after the start"), "{table}");
    assert!(said.contains("1 of 2 games followed mine.book"), "{said}");
}

#[test]
fn the_engine_looks_anew_where_it_is_asked_to() {
    let folder = with_book();
    let at = |name: &str| folder.path().join(name);
    archive(&at("archive.db"));
    let (table, _) = learn(folder.path(), &["--archive", "archive.db", "--nodes", "2000"]);
    let verdicts: Vec<f64> = table
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().nth(4).unwrap().parse().unwrap())
        .collect();
    assert_eq!(verdicts.len(), 4);
    // Nothing is wrong with either opening, whatever the archive thought of the first.
    assert!(verdicts.iter().all(|verdict| verdict.abs() < 1.0), "{table}");
    assert_ne!(verdicts[0], -1.05);
}

#[test]
fn weights_lean_where_the_settings_say_so_and_stand_upright_again() {
    let folder = with_book();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("state")).unwrap();
    archive(&at("state/archive.db"));
    let show = || run(folder.path(), &["show", "mine.book", "-d", "1"]).0;
    let upright = show();
    let (_, said) = learn(folder.path(), &["--keep"]);
    assert!(
        said.contains("4 moves weigh more or less by their results"),
        "{said}"
    );
    assert_eq!(show(), upright, "not without the setting");
    fs::write(at("bot.toml"), "[state]\nbook-learning = true\n").unwrap();
    insta::assert_snapshot!(show(), @r"
     55%  1. d4    A40 Queen's Pawn Game  [mine.book:2]  learned ×1.35 from 6 games: 6.0 points of 3.0
     45%  1. e4    B00 King's Pawn Game  [mine.book:2]  learned ×0.74 from 6 games: 0.0 points of 3.0
    ");
    let (_, said) = learn(folder.path(), &["--forget"]);
    assert!(said.contains("mine.book plays by its text alone again"), "{said}");
    assert_eq!(show(), upright);
}

#[test]
fn without_an_archive_or_a_player_it_says_what_is_missing() {
    let folder = with_book();
    let (_, said) = learn(folder.path(), &[]);
    assert!(said.contains("there is no archive state/archive.db"), "{said}");
    let (_, said) = learn(folder.path(), &["games.pgn"]);
    assert!(said.contains("--player"), "{said}");
}

/// Two games in which the bot gave a knight for a pawn and saw it one move later.
fn archive_of_turns(path: &Path) {
    let archive = Archive::open(path).unwrap();
    for number in 0..2 {
        let moves = "e2e4 e7e5 g1f3 b8c6 f3e5 c6e5 d2d4 e5g6";
        let lost = game(number, Side::White, Some(Side::Black), moves);
        archive.put_game(&lost).unwrap();
        own(&archive, &lost, 3, "g1f3", engine(40));
        own(&archive, &lost, 5, "f3e5", engine(30));
        own(&archive, &lost, 7, "d2d4", engine(-200 - 20 * number as i32));
    }
}

#[test]
fn where_games_turned_is_told_and_a_book_plays_something_else_there() {
    let folder = tempfile::tempdir().unwrap();
    let turns = |arguments: &[&str]| {
        let command = ["blunders", "--archive", "archive.db"];
        run(folder.path(), &[&command, arguments].concat())
    };
    archive_of_turns(&folder.path().join("archive.db"));
    let (table, said) = turns(&[]);
    insta::assert_snapshot!(table, @r"
    games thought    then        instead  move
        2   +0.30   -2.10              -  Nxe5 after 1. e4 e5 2. Nf3 Nc6
    ");
    assert!(said.contains("in 2 games, 1 position turned"), "{said}");
    let (_, said) = turns(&["--margin", "300"]);
    assert!(said.contains("in 2 games, none turned"), "{said}");

    let (_, said) = turns(&["--nodes", "20000", "-o", "turns.book"]);
    assert!(said.contains("turns.book written: 1 move"), "{said}");
    let text = fs::read_to_string(folder.path().join("turns.book")).unwrap();
    let (book, findings) = book::check("turns.book", &text);
    let book = book.unwrap();
    assert_eq!(findings.to_string(), "");
    let before = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3 b8c6").unwrap();
    let lost = parse_san(before.position(), "Nxe5").unwrap();
    let entries = book.entries(*before.keys().last().unwrap());
    assert_eq!(entries.len(), 1);
    assert_ne!(entries[0].mv, lost);
    let (_, said) = turns(&["--nodes", "20000", "-o", "turns.book"]);
    assert!(said.contains("--force"), "{said}");
}

//! `sparring games`: the archive as people and programs see it.

#[path = "../src/store/sample.rs"]
mod sample;

use std::{path::Path, process::Command};

use sparring::{
    lichess::model::{GameId, Side},
    store::{Archive, End, GameRecord, MoveRecord, Source, Thought},
    units::{Elo, Millis},
};

fn game(id: &str, moves: &str) -> GameRecord {
    let end = sample::end("mate", Some(Side::Black), moves);
    GameRecord {
        own_rating: Some(Elo(1400)),
        end: end.filter(|_| !moves.is_empty()),
        ..sample::game(id, Side::Black)
    }
}

fn archive(path: &Path) {
    let archive = Archive::open(path).unwrap();
    let id: GameId = "abcd1234".parse().unwrap();
    archive
        .put_game(&game("abcd1234", "f2f3 e7e5 g2g4 d8h4"))
        .unwrap();
    archive.put_game(&game("efgh5678", "")).unwrap();
    let mine = MoveRecord {
        ply: 2,
        uci: "e7e5".to_owned(),
        clock: Some(Millis(299_500)),
        thought: Some(Thought {
            source: Source::Book,
            note: "book books/x.book:1 100%".to_owned(),
            score: None,
            think: Millis(40),
            grounds: None,
        }),
    };
    archive.put_move(&id, &mine).unwrap();
}

fn games(path: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    command.arg("games").args(arguments).arg("--archive").arg(path);
    let output = command.output().unwrap();
    let text = if output.status.success() {
        output.stdout
    } else {
        output.stderr
    };
    String::from_utf8(text).unwrap()
}

#[test]
fn games_are_listed_shown_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    archive(&path);
    insta::assert_snapshot!(games(&path, &["list", "--speed", "blitz"]), @r#"
    2026-11-21 06:20 abcd1234 won   as Black against Ana (1500), rated blitz, club, mate after 2 moves
    2026-11-21 06:20 efgh5678 runs  as Black against Ana (1500), rated blitz, club
    "#);
    assert_eq!(games(&path, &["list", "--casual"]), "");
    insta::assert_snapshot!(games(&path, &["show", "abcd1234"]), @r#"
    2026-11-21 06:20 abcd1234 won   as Black against Ana (1500), rated blitz, club, mate after 2 moves
        2 e7e5   299.5 s left  book books/x.book:1 100%, 40 ms thought
    "#);
    insta::assert_snapshot!(games(&path, &["export", "--since", "2026-11-21", "--opponent", "ANA", "--most", "2"]), @r#"
    [Event "Rated blitz game"]
    [Site "https://lichess.org/efgh5678"]
    [Date "2026.11.21"]
    [Round "-"]
    [White "Ana"]
    [Black "Sparring"]
    [Result "*"]
    [UTCDate "2026.11.21"]
    [UTCTime "06:20:37"]
    [WhiteElo "1500"]
    [BlackElo "1400"]
    [TimeControl "300+3"]
    [Personality "club"]

    *

    [Event "Rated blitz game"]
    [Site "https://lichess.org/abcd1234"]
    [Date "2026.11.21"]
    [Round "-"]
    [White "Ana"]
    [Black "Sparring"]
    [Result "0-1"]
    [UTCDate "2026.11.21"]
    [UTCTime "06:20:37"]
    [WhiteElo "1500"]
    [BlackElo "1400"]
    [TimeControl "300+3"]
    [Termination "mate"]
    [Personality "club"]

    1. f3 e5 { [%clk 0:04:59] book books/x.book:1 100% } 2. g4 Qh4# 0-1
    "#);
    assert_eq!(games(&path, &["list", "--since", "2026-11-22"]), "");
    let json = games(&path, &["show", "abcd1234", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&value["result"], &value["plies"][0]["thought"]["source"]),
        (&"won".into(), &"book".into())
    );
}

#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    assert!(games(&path, &["list"]).contains("there is no archive"));
    archive(&path);
    assert_eq!(
        games(&path, &["show", "zzzzzzzz"]),
        "sparring: there is no game zzzzzzzz in it\n"
    );
}

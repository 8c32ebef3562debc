//! `sparring games`: the archive as people and programs see it.

#[path = "../src/store/test_fixtures.rs"]
mod sample;

use std::{path::Path, process::Command};

use sparring::store::{Archive, ChallengeRecord, End, GameRecord, MoveRecord, MoveSource, Thought};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::{GameId, Side};

fn game(id: &str, moves: &str) -> GameRecord {
    let end = sample::end("mate", Some(Side::Black), moves);
    GameRecord {
        own_rating: Some(Elo(1400)),
        played: Some(Elo(1500)),
        account: Some("SparringBot".to_owned()),
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
            pondered: None,
            source: MoveSource::Book,
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
    2026-11-21 06:20 abcd1234 won   as Black against Ana (1500), rated blitz, club level 1500, mate after 2 moves
    2026-11-21 06:20 efgh5678 runs  as Black against Ana (1500), rated blitz, club level 1500
    "#);
    assert_eq!(games(&path, &["list", "--casual"]), "");
    insta::assert_snapshot!(games(&path, &["show", "abcd1234"]), @r#"
    2026-11-21 06:20 abcd1234 won   as Black against Ana (1500), rated blitz, club level 1500, mate after 2 moves
        2 e7e5   299.5 s left  book books/x.book:1 100%, 40 ms thought
    "#);
    insta::assert_snapshot!(games(&path, &["export", "--since", "2026-11-21", "--opponent", "ANA", "--most", "2"]), @r#"
    [Event "Rated blitz game"]
    [Site "https://lichess.org/efgh5678"]
    [Date "2026.11.21"]
    [Round "-"]
    [White "Ana"]
    [Black "SparringBot"]
    [Result "*"]
    [UTCDate "2026.11.21"]
    [UTCTime "06:20:37"]
    [WhiteElo "1500"]
    [BlackElo "1400"]
    [TimeControl "300+3"]
    [Personality "club"]
    [Level "1500"]

    *

    [Event "Rated blitz game"]
    [Site "https://lichess.org/abcd1234"]
    [Date "2026.11.21"]
    [Round "-"]
    [White "Ana"]
    [Black "SparringBot"]
    [Result "0-1"]
    [UTCDate "2026.11.21"]
    [UTCTime "06:20:37"]
    [WhiteElo "1500"]
    [BlackElo "1400"]
    [TimeControl "300+3"]
    [Termination "mate"]
    [Personality "club"]
    [Level "1500"]

    1. f3 e5 { [%clk 0:04:59] book books/x.book:1 100% } 2. g4 Qh4# 0-1
    "#);
    assert_eq!(games(&path, &["list", "--since", "2026-11-22"]), "");
    assert_eq!(games(&path, &["list", "--until", "2026-11-20"]), "");
    assert_eq!(
        games(&path, &["list", "--until", "2026-11-21"]).lines().count(),
        2
    );
    for (filters, count) in [
        (&["--result", "won", "--humans", "--color", "black"][..], 1),
        (
            &[
                "--result",
                "runs",
                "--personality",
                "club",
                "--variant",
                "standard",
            ],
            1,
        ),
        (&["--bots"], 0),
        (&["--color", "white"], 0),
    ] {
        let listed = games(&path, &[&["list"], filters].concat());
        assert_eq!(listed.lines().count(), count, "{filters:?}: {listed}");
    }
    let lines = games(&path, &["export", "--json", "--result", "won"]);
    let exported: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(exported.len(), 1);
    assert_eq!(
        (&exported[0]["account"], &exported[0]["plies"][0]["uci"]),
        (&"SparringBot".into(), &"e7e5".into())
    );
    assert_eq!(
        (&exported[0]["level"], &exported[0]["askedLevel"]),
        (&1500.into(), &serde_json::Value::Null),
        "the level played at, and the one asked for"
    );
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
        "sparring: the archive has no game zzzzzzzz\n"
    );
}

#[test]
fn challenges_are_listed_with_their_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    archive(&path);
    let archive = Archive::open(&path).unwrap();
    let challenge = |id: &str, sent, verdict: &str| ChallengeRecord {
        id: id.parse().unwrap(),
        at: Millis(1_795_242_037_000),
        opponent: "ana".parse().ok(),
        verdict: verdict.to_owned(),
        rule: if sent {
            "matchmaking"
        } else {
            "rule 2 \"no bots\", line 9"
        }
        .to_owned(),
        sent,
        game: Some("rated blitz 3+2, standard".to_owned()),
        repeats: None,
    };
    archive
        .put_challenge(&challenge("aaaaaaaa", false, "declined, noBot"))
        .unwrap();
    archive
        .put_challenge(&challenge("bbbbbbbb", true, "no answer"))
        .unwrap();
    insta::assert_snapshot!(games(&path, &["challenges"]), @r#"
    2026-11-21 06:20 aaaaaaaa from ana: declined, noBot (rule 2 "no bots", line 9), rated blitz 3+2, standard
    2026-11-21 06:20 bbbbbbbb to ana: no answer (matchmaking), rated blitz 3+2, standard
    "#);
    let line = games(&path, &["challenges", "--sent", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&value["sent"], &value["verdict"]),
        (&true.into(), &"no answer".into())
    );
    assert_eq!(games(&path, &["challenges", "--since", "2026-11-22"]), "");
}

#[test]
fn what_is_asked_for_may_be_spelt_in_any_case_and_what_there_is_not_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    archive(&path);
    let all = games(&path, &["list"]);
    for asked in [
        ["--variant", "Standard"],
        ["--speed", "BLITZ"],
        ["--personality", "Club"],
        ["--color", "Black"],
    ] {
        assert_eq!(games(&path, &["list", asked[0], asked[1]]), all, "{asked:?}");
    }
    assert_eq!(games(&path, &["list", "--personality", "long-gone"]), "");
    let said = games(&path, &["list", "--speed", "blizt"]);
    assert!(
        said.contains("'blitz'") && said.contains("correspondence"),
        "{said}"
    );
    let said = games(&path, &["export", "--variant", "chess961"]);
    assert!(
        said.contains("'chess960'") && said.contains("kingOfTheHill"),
        "{said}"
    );
}

#[test]
fn a_bare_copy_of_a_running_bots_archive_is_told_for_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copy] = ["archive.db", "copy.db"].map(|name| folder.path().join(name));
    // Open as by a bot that runs: nothing is in the file itself yet.
    let running = Archive::open(&path).unwrap();
    std::fs::copy(&path, &copy).unwrap();
    let said = games(&copy, &["list"]);
    assert!(said.contains("is empty") && said.contains(".backup"), "{said}");
    drop(running);
}

/// An archive of some short games at two levels.
fn analysed_archive(path: &Path) {
    let archive = Archive::open(path).unwrap();
    // Fool's mate with either side, and the Scotch without a blunder.
    for (id, side, winner, moves) in [
        ("foolmate", Side::Black, Some(Side::Black), "f2f3 e7e5 g2g4 d8h4"),
        ("foolself", Side::White, Some(Side::Black), "f2f3 e7e5 g2g4 d8h4"),
        ("scotch01", Side::White, None, "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4"),
    ] {
        archive
            .put_game(&GameRecord {
                side,
                played: Some(Elo(if id == "scotch01" { 1800 } else { 1500 })),
                end: sample::end("mate", winner, moves),
                ..sample::game(id, side)
            })
            .unwrap();
    }
    archive.put_game(&game("efgh5678", "")).unwrap();
}

#[test]
fn the_engine_judges_games_once_and_shards_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    analysed_archive(&path);
    let record = |name: &str| folder.path().join(name).display().to_string();
    let analyse = |words: &[&str]| games(&path, &[&["analyse", "--nodes", "2000"], words].concat());
    let whole = record("whole.ndjson");
    let table = analyse(&["--record", &whole]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert_eq!(rows[1][..3], ["club", "1500", "1500"], "{table}");
    assert_eq!(rows[2][..3], ["club", "1800", "1500"], "{table}");
    let text = std::fs::read_to_string(&whole).unwrap();
    let fool = text.lines().find(|line| line.contains("foolself")).unwrap();
    assert!(fool.contains(r#""worst":{"ply":3,"uci":"g2g4""#), "{fool}");
    // What is known is not searched for: a cache of wrong scores shows.
    let known = rusqlite::Connection::open(folder.path().join("analysis.db")).unwrap();
    let positions: u32 = known
        .query_row("SELECT count(*) FROM verdicts", [], |row| row.get(0))
        .unwrap();
    assert_eq!(
        positions,
        1 + 3 + 6,
        "the start is shared, and a mate needs no search"
    );
    known
        .execute("UPDATE verdicts SET score = 0, mate = NULL", [])
        .unwrap();
    assert!(analyse(&[]).contains("100.0"), "no move loses anything");
    known.execute("DELETE FROM verdicts", []).unwrap();
    let shards: Vec<String> = (1..=8)
        .map(|number| {
            let shard = record(&format!("{number}.ndjson"));
            analyse(&["--record", &shard, "--shard", &format!("{number}/8")]);
            shard
        })
        .collect();
    let merged = record("merged.ndjson");
    let merge = |words: &[&str]| {
        let mut merge = Command::new(env!("CARGO_BIN_EXE_sparring"));
        let output = merge.arg("merge").args(&shards).args(words).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let before = std::fs::read_to_string(&shards[0]).unwrap();
    for (words, expected) in [
        (&["-o", &shards[0]][..], "is one of the records to merge"),
        (&["-o", &shards[0], "--force"], "is one of the records to merge"),
        (&["-o", &whole], "is there already; --force writes over it"),
    ] {
        let (is_done, said) = merge(words);
        assert!(!is_done && said.contains(expected), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&shards[0]).unwrap(), before);
    let (is_done, said) = merge(&["-o", &merged]);
    assert!(is_done && said.contains("3 rows of games analyse in "), "{said}");
    assert_eq!(analyse(&["--record", &merged]), table);
    let sorted = |path: &str| {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&merged), sorted(&whole));
    // Another limit is another run.
    let refused = games(&path, &["analyse", "--nodes", "3000", "--record", &whole]);
    assert!(
        refused.contains(r#"is the record of another run: nodes is "2000" there and "3000" here"#),
        "{refused}"
    );
}

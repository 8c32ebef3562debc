//! What a push does to the common archive.

#[path = "../../src/store/test_fixtures.rs"]
mod sample;

use std::path::Path;

use rusqlite::Connection;
use sparring::store::{Archive, ChallengeRecord, End, GameRecord, MoveRecord};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::Side;

use crate::stage::{Stage, Test, ended};

pub const TRIALS: &[Test] = &[
    ("a_killed_push_loses_and_doubles_nothing", killed),
    ("a_lost_connection_is_told_and_made_up_for", disconnected),
    ("a_game_of_two_bots_is_there_once_for_each", each_other),
    ("what_changed_is_pushed_again", changed),
    ("an_archive_begun_anew_doubles_nothing", begun_anew),
    ("an_older_copy_of_an_archive_loses_nothing", older_copy),
    ("an_old_archive_without_accounts_is_pushed", without_accounts),
];

/// Games that are there when a push is held before the 150th: whole transactions of twenty.
const BEFORE_150: &str = "140";

fn killed(stage: &Stage<'_>) {
    let (other, archive) = (stage.archive("Other", 3, 1), stage.archive("Ana", 400, 2));
    assert_eq!(stage.push(&other).code, Some(0));
    let session = stage.hold(&archive, "Ana", 150);
    let mut push = stage.start(&archive);
    stage.until_held();
    push.kill().unwrap();
    push.wait().unwrap();
    assert_eq!(
        stage.query("SELECT count(*) FROM games WHERE account = 'Ana'"),
        BEFORE_150
    );
    drop(session);

    let again = stage.push(&archive);
    assert_eq!(again.code, Some(0), "{}", again.said);
    assert!(
        again.said.starts_with("260 games and ") && again.said.ends_with("140 were there already"),
        "{}",
        again.said
    );
    stage.assert_holds(&[&other, &archive]);
    let nothing = stage.push(&archive);
    assert!(
        nothing.said.starts_with("0 games and 0 moves in "),
        "{}",
        nothing.said
    );
    assert!(
        nothing.said.ends_with(" 400 were there already"),
        "{}",
        nothing.said
    );
    stage.assert_holds(&[&other, &archive]);
}

fn disconnected(stage: &Stage<'_>) {
    let (other, archive) = (stage.archive("Other", 3, 1), stage.archive("Ana", 400, 2));
    stage.push(&other);
    let session = stage.hold(&archive, "Ana", 150);
    let push = stage.start(&archive);
    let pid = stage.until_held();
    stage.query(&format!("SELECT pg_terminate_backend({pid})"));
    let lost = ended(push);
    assert_eq!(lost.code, Some(69), "{}", lost.said);
    assert!(
        lost.said.contains("is lost: ") && lost.said.contains("; 140 of 400 games are there, "),
        "{}",
        lost.said
    );
    drop(session);
    assert_eq!(stage.push(&archive).code, Some(0));
    stage.assert_holds(&[&other, &archive]);
}

fn game(account: &str, id: &str, side: Side, moves: &str) -> GameRecord {
    GameRecord {
        account: Some(account.to_owned()),
        end: sample::end("mate", Some(Side::White), moves),
        ..sample::game(id, side)
    }
}

fn shown(ply: u32, uci: &str) -> MoveRecord {
    MoveRecord {
        ply,
        uci: uci.to_owned(),
        clock: Some(Millis(1000)),
        thought: None,
    }
}

fn challenge(verdict: &str) -> ChallengeRecord {
    ChallengeRecord {
        id: "aaaaaaaa".parse().unwrap(),
        at: Millis(1_795_242_037_000),
        opponent: "ana".parse().ok(),
        verdict: verdict.to_owned(),
        rule: "rule 1".to_owned(),
        sent: false,
        game: None,
        repeats: None,
    }
}

fn each_other(stage: &Stage<'_>) {
    let paths = ["Ana", "Boris"].map(|account| stage.path(account));
    for (path, side) in paths.iter().zip([Side::White, Side::Black]) {
        let account = path.file_name().unwrap().to_str().unwrap();
        let game = game(account, "abcd1234", side, "e2e4 e7e5");
        let archive = Archive::open(path).unwrap();
        archive.put_game(&game).unwrap();
        archive.put_move(&game.id, &shown(1, "e2e4")).unwrap();
        assert_eq!(stage.push(path).code, Some(0));
    }
    let [ana, boris] = &paths;
    stage.assert_holds(&[ana, boris]);
    assert_eq!(
        stage.query("SELECT account, id, side FROM games ORDER BY 1"),
        "Ana|abcd1234|white\nBoris|abcd1234|black"
    );
}

fn changed(stage: &Stage<'_>) {
    let path = stage.archive("Ana", 30, 3);
    stage.push(&path);
    let archive = Archive::open(&path).unwrap();
    let late = game("Ana", "abcd1234", Side::White, "e2e4 e7e5 f1c4");
    archive.put_game(&late).unwrap();
    archive.put_challenge(&challenge("queued")).unwrap();
    for (ply, uci) in (1..).zip(["e2e4", "e7e5", "f1c4"]) {
        archive.put_move(&late.id, &shown(ply, uci)).unwrap();
    }
    assert!(stage.push(&path).said.starts_with("1 game and 3 moves"));
    stage.assert_holds(&[&path]);

    // The end without the last move, another move, and the challenge: each is a change of its own.
    archive
        .put_game(&game("Ana", "abcd1234", Side::White, "e2e4 e7e5"))
        .unwrap();
    archive.put_challenge(&challenge("accepted")).unwrap();
    assert!(stage.push(&path).said.starts_with("1 game and 2 moves"));
    stage.assert_holds(&[&path]);
    archive.put_move(&late.id, &shown(2, "c7c5")).unwrap();
    assert!(stage.push(&path).said.starts_with("1 game and 2 moves"));
    stage.assert_holds(&[&path]);
    assert!(stage.push(&path).said.starts_with("0 games and 0 moves"));
}

fn begun_anew(stage: &Stage<'_>) {
    let path = stage.archive("Ana", 100, 4);
    stage.push(&path);
    // The same games in an archive of another identity, as after damage, which cost half the moves.
    let anew = stage.path("anew.db");
    crate::common_archive::made_games::write(&anew, "Ana", 100, 4).unwrap();
    let sql = Connection::open(&anew).unwrap();
    sql.execute_batch(
        "DELETE FROM moves WHERE ply % 2 = 0; UPDATE games SET personality = 'anew' WHERE revision % 3 = 0",
    )
    .unwrap();
    let pushed = stage.push(&anew);
    assert!(pushed.said.starts_with("100 games and "), "{}", pushed.said);
    assert_eq!(
        stage.query("SELECT count(*) FROM games WHERE personality = 'anew'"),
        "33"
    );
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch("UPDATE games SET personality = 'anew' WHERE revision % 3 = 0")
        .unwrap();
    stage.assert_holds(&[&path]);
}

fn older_copy(stage: &Stage<'_>) {
    let path = stage.archive("Ana", 30, 5);
    let backup = stage.path("backup.db");
    Connection::open(&path)
        .unwrap()
        .execute("VACUUM INTO ?", [backup.to_str().unwrap()])
        .unwrap();
    let add = |path: &Path, ids: &[&str]| {
        let archive = Archive::open(path).unwrap();
        for id in ids {
            archive.put_game(&game("Ana", id, Side::White, "e2e4")).unwrap();
        }
    };
    add(&path, &["aaaaaaaa", "bbbbbbbb", "cccccccc"]);
    stage.push(&path);
    add(&backup, &["dddddddd"]);
    assert_eq!(stage.push(&backup).code, Some(0));
    // Of more than that copy had ever seen.
    assert_eq!(stage.query("SELECT count(*) FROM games"), "34");
    add(&path, &["dddddddd"]);
    stage.assert_holds(&[&path]);
}

fn without_accounts(stage: &Stage<'_>) {
    let path = stage.path("old.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../fixtures/archive-1.sql"))
        .unwrap();
    drop(old);
    let archive = Archive::open(&path).unwrap();
    archive.put_challenge(&challenge("declined")).unwrap();
    assert_eq!(stage.push(&path).code, Some(0));
    let rows = "SELECT (SELECT count(*) FROM challenges) + (SELECT count(*) FROM games)";
    assert_eq!(stage.query(rows), "0", "nobody knows yet whose they are");
    archive
        .put_game(&game("Ana", "abcd9999", Side::White, "e2e4"))
        .unwrap();
    assert_eq!(stage.push(&path).code, Some(0));
    let accounts = "SELECT string_agg(account || ' ' || id, ', ' ORDER BY id) FROM ";
    assert_eq!(stage.query(&format!("{accounts} challenges")), "Ana aaaaaaaa");
    assert_eq!(
        stage.query(&format!("{accounts} games")),
        "Ana abcd1234, Ana abcd9999"
    );
}

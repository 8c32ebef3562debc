//! A start in the middle of games with settings that cannot be used: the games are played to their end, and no more.

use std::{fs, path::Path, process::Stdio};

use sparring::store::{Archive, GameRecord};
use sparring_chess::units::Elo;

use crate::{
    program::{begin, ends, furnish, hang_up, misspell, plies, start},
    stage::{BLACK, PATIENCE},
    table::{Lines, Table},
};

/// A game that the program has begun at level 1500 and was killed in: its id, and Anna's stream of it.
async fn interrupted(folder: &Path, table: &Table) -> (String, Lines) {
    furnish(folder);
    let settings = folder.join("bot.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(settings, text.replace("[play]", "[play]\nlevel = 1500")).unwrap();
    let mut program = start(folder, table, Stdio::null());
    let (id, mut lines) = begin(table).await;
    plies(&mut lines, 1).await;
    let archive = folder.join("state/archive.db");
    let written = async {
        while kept(&archive, &id).is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, written)
        .await
        .expect("the game is not kept");
    program.kill().await.unwrap();
    (id, lines)
}

/// The game as an archive has it.
fn kept(archive: &Path, id: &str) -> Option<GameRecord> {
    Archive::read(archive).ok()?.game(&id.parse().unwrap()).ok()?
}

/// What becomes of a challenge of Anna: `gameStart` or `challengeDeclined`.
async fn fate_of_a_challenge(table: &Table) -> String {
    let mut events = table.anna.events().await;
    let (status, challenge) = table.anna.post("/api/challenge/SandBot", &BLACK).await;
    assert_eq!(status, 200, "{challenge}");
    let id = &challenge["id"];
    let decided = async {
        loop {
            let event = events.next().await;
            if &event["game"]["gameId"] == id || event["type"] == "challengeDeclined" {
                return event["type"].as_str().unwrap().to_owned();
            }
        }
    };
    tokio::time::timeout(PATIENCE, decided)
        .await
        .expect("nobody decides")
}

#[tokio::test]
async fn f52_a_game_of_the_last_run_is_played_to_its_end_before_bad_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (id, mut lines) = interrupted(folder.path(), &table).await;
    let personality = folder.path().join("personalities/quick.toml");
    fs::write(personality, "nodes = \"many\"\n").unwrap();
    table.anna.plays(&id, "move/e7e5").await;
    let program = start(folder.path(), &table, Stdio::piped());
    plies(&mut lines, 3).await;
    assert_eq!(fate_of_a_challenge(&table).await, "challengeDeclined");
    table.anna.plays(&id, "resign").await;
    let (code, said) = ends(program).await;
    assert_eq!(code, Some(78), "{said}");
    assert!(
        said.contains("quick.toml:1") && said.contains("new ones are declined"),
        "{said}"
    );
    let game = kept(&folder.path().join("state/archive.db"), &id).unwrap();
    assert_eq!(game.end.unwrap().status, "resign");
    assert_eq!(
        (game.personality.as_str(), game.level),
        ("stand-in", Some(Elo(1500))),
        "nobody becomes stronger in the middle of a game"
    );
}

#[tokio::test]
async fn settings_that_are_mended_during_the_last_runs_games_let_new_ones_in() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (id, mut lines) = interrupted(folder.path(), &table).await;
    let good = fs::read_to_string(folder.path().join("bot.toml")).unwrap();
    misspell(folder.path());
    table.anna.plays(&id, "move/e7e5").await;
    let mut program = start(folder.path(), &table, Stdio::null());
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3", "who plays is still there");
    fs::write(folder.path().join("bot.toml"), good).unwrap();
    hang_up(&program);
    while fate_of_a_challenge(&table).await != "gameStart" {}
    table.anna.plays(&id, "resign").await;
    assert_eq!(program.try_wait().unwrap(), None, "it goes on");
}

#[tokio::test]
async fn f52_settings_that_are_spoiled_between_two_runs_cost_no_running_game() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (id, mut lines) = interrupted(folder.path(), &table).await;
    fs::write(folder.path().join("bot.toml"), "[games]\nmax = 4\n[play").unwrap();
    table.anna.plays(&id, "move/e7e5").await;
    let program = start(folder.path(), &table, Stdio::piped());
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3", "its book is still there");
    assert_eq!(fate_of_a_challenge(&table).await, "challengeDeclined");
    table.anna.plays(&id, "resign").await;
    let (code, said) = ends(program).await;
    assert_eq!(code, Some(78), "{said}");
    assert!(
        said.contains("bot.toml:3:6") && said.contains("new ones are declined"),
        "{said}"
    );
    let game = kept(&folder.path().join("state/archive.db"), &id).unwrap();
    assert_eq!(
        (
            game.personality.as_str(),
            game.level,
            game.end.unwrap().status.as_str()
        ),
        ("quick", Some(Elo(1500)), "resign"),
    );
    let again = start(folder.path(), &table, Stdio::piped());
    let (code, said) = ends(again).await;
    assert_eq!(code, Some(78), "{said}");
    assert!(!said.contains("played to their end"), "nothing runs: {said}");
}

#[tokio::test]
async fn settings_that_were_lost_and_come_back_let_new_games_in() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (id, mut lines) = interrupted(folder.path(), &table).await;
    let (settings, aside) = (folder.path().join("bot.toml"), folder.path().join("aside"));
    fs::rename(&settings, &aside).unwrap();
    table.anna.plays(&id, "move/e7e5").await;
    let mut program = start(folder.path(), &table, Stdio::null());
    plies(&mut lines, 3).await;
    hang_up(&program);
    assert_eq!(fate_of_a_challenge(&table).await, "challengeDeclined");
    fs::rename(&aside, &settings).unwrap();
    hang_up(&program);
    while fate_of_a_challenge(&table).await != "gameStart" {}
    assert_eq!(program.try_wait().unwrap(), None, "it goes on");
}

#[tokio::test]
async fn a_game_that_ended_while_nobody_was_there_keeps_no_spoiled_settings_alive() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (id, _lines) = interrupted(folder.path(), &table).await;
    table.anna.plays(&id, "resign").await;
    fs::write(folder.path().join("bot.toml"), "[play").unwrap();
    let (code, said) = ends(start(folder.path(), &table, Stdio::piped())).await;
    assert_eq!(code, Some(78), "{said}");
}

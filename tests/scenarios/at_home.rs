//! `sparring play` as the page in the browser meets it: the real program, its server and its bot.

use std::process::Stdio;

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::{
    program::furnish,
    stage::PATIENCE,
    table::{Player, answer},
};

/// The program at work, and a guest of its page.
async fn at_home(folder: &std::path::Path) -> (Child, Player) {
    furnish(folder);
    let mut program = Command::new(env!("CARGO_BIN_EXE_sparring"))
        .args(["play", "--port", "0", "--config", "bot.toml"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(program.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, shown.next_line())
        .await
        .expect("it says nothing");
    let line = line.unwrap().expect("it ends at once");
    let address = line.split(' ').find(|word| word.starts_with("http://"));
    let url = address.unwrap_or_else(|| panic!("no address in {line:?}"));
    let _ = rustls::crypto::ring::default_provider().install_default(); // another test may have chosen already
    let mut guest = Player {
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        url: url.trim_end_matches('/').to_owned(),
        token: String::new(),
        interface: "board",
    };
    let (_, account) = answer(guest.request(reqwest::Method::POST, "/sandbox/guest")).await;
    guest.token = account["token"].as_str().unwrap().to_owned();
    (program, guest)
}

#[tokio::test]
async fn games_that_a_guest_has_left_keep_them_from_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let (_program, guest) = at_home(folder.path()).await;
    for _ in 0..4 {
        let mut events = guest.events().await;
        let (status, challenge) = guest.post("/api/challenge/Sparring", &[("color", "white")]).await;
        assert_eq!(status, 200, "{challenge}");
        let begun =
            |event: &Value| event["type"] == "gameStart" && event["game"]["gameId"] == challenge["id"];
        let begins = async { while !begun(&events.next().await) {} };
        timeout(PATIENCE, begins).await.expect("the bot does not answer");
        let id = challenge["id"].as_str().unwrap();
        guest.plays(id, "move/e2e4").await;
    }
}

#[tokio::test]
async fn nobody_else_on_the_machine_has_a_hand_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_program, guest) = at_home(folder.path()).await;
    let form = [("name", "Intruder"), ("bot", "true"), ("scopes", "bot:play")];
    assert_eq!(guest.post("/sandbox/users", &form).await.0, 404);
    assert_eq!(guest.post("/sandbox/connections/drop", &[]).await.0, 404);
}

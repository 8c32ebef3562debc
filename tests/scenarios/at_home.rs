//! `sparring play` as the page in the browser meets it: the real program, its server and its bot.

use std::process::Stdio;

use reqwest::Method;
use serde_json::{Value, json};
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

const KEY: &str = "x-sandbox-key";

/// The program at work, somebody of the same machine, and the key that the program printed.
async fn at_home(folder: &std::path::Path) -> (Child, Player, String) {
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
    let address = address.unwrap_or_else(|| panic!("no address in {line:?}"));
    let (url, key) = address.split_once("/#key=").expect("a key in the address");
    let _ = rustls::crypto::ring::default_provider().install_default(); // another test may have chosen already
    let somebody = Player {
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        url: url.to_owned(),
        token: String::new(),
        interface: "board",
    };
    (program, somebody, key.to_owned())
}

/// A guest of the page, who has opened the whole address.
async fn guest_at_home(folder: &std::path::Path) -> (Child, Player) {
    let (program, mut guest, key) = at_home(folder).await;
    let enters = guest.request(Method::POST, "/sandbox/guest");
    let (_, account) = answer(enters.header(KEY, key)).await;
    guest.token = account["token"].as_str().unwrap().to_owned();
    (program, guest)
}

#[tokio::test]
async fn games_that_a_guest_has_left_keep_them_from_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let (_program, guest) = guest_at_home(folder.path()).await;
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
    let (_program, guest) = guest_at_home(folder.path()).await;
    let form = [("name", "Intruder"), ("bot", "true"), ("scopes", "bot:play")];
    assert_eq!(guest.post("/sandbox/users", &form).await.0, 404);
    assert_eq!(guest.post("/sandbox/connections/drop", &[]).await.0, 404);
}

#[tokio::test]
async fn another_user_of_the_machine_plays_reads_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_program, stranger, key) = at_home(folder.path()).await;
    let book = std::fs::read_to_string(folder.path().join("books/only.book")).unwrap();
    let ask = |method: &Method, path: &str, key: &str| {
        let request = stranger
            .http
            .request(method.clone(), format!("{}{path}", stranger.url));
        request.header(KEY, key).header("origin", &stranger.url)
    };
    let guesses = [
        String::new(),
        "0".repeat(key.len()),
        key[1..].to_owned(),
        format!("{key}0"),
    ];
    let draft = json!({"kind": "book", "name": "only", "text": "1. d4\n", "version": "any"});
    for guess in &guesses {
        for path in [
            "/sandbox/lobby",
            "/reloads",
            "/edit/files",
            "/edit/file/book/only",
            "/api/users/status?ids=you",
            "/api/bot/online",
        ] {
            let (status, said) = answer(ask(&Method::GET, path, guess)).await;
            assert_eq!((status, &said["needs"]), (403, &json!("key")), "{path}");
            assert!(
                said["error"]
                    .as_str()
                    .unwrap()
                    .contains("printed in the terminal"),
                "{said}"
            );
        }
        for path in [
            "/sandbox/guest",
            "/api/challenge/Sparring",
            "/api/token/test",
            "/edit/check",
            "/edit/save",
        ] {
            let (status, said) = answer(ask(&Method::POST, path, guess).json(&draft)).await;
            assert_eq!(status, 403, "{path}: {said}");
        }
        let query = format!("/sandbox/lobby?key={key}");
        assert_eq!(
            answer(ask(&Method::GET, &query, guess)).await.0,
            403,
            "no key in what may be logged"
        );
    }
    for path in ["/edit/save", "/edit/files"] {
        // Not even with a token that nobody gave out.
        let request = ask(&Method::POST, path, "").bearer_auth("lip_invented");
        assert_eq!(answer(request.json(&draft)).await.0, 403, "{path}");
    }
    // Who has the key gets to the books.
    let (status, files) = answer(ask(&Method::GET, "/edit/files", &key)).await;
    assert_eq!((status, files["files"].as_array().map(Vec::len)), (200, Some(2)));
    let (_, opened) = answer(ask(&Method::GET, "/edit/file/book/only", &key)).await;
    assert_eq!(opened["text"], book.as_str(), "nobody has written it");
}

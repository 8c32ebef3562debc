//! What the owner sees of a daemon at work in a browser, and may ask of it.

use std::time::Duration;

use serde_json::Value;
use sparring::cli::{
    dashboard::{Panel, Wish, router},
    health::Watched,
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    time::{Instant, timeout},
};

use crate::{
    stage::{Stage, WHITE, replies},
    table::Lines,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// Serves the dashboard of the stage's daemon; gives its address and what is wished.
async fn served(stage: &Stage) -> (String, mpsc::Receiver<Wish>) {
    let bot = stage.bot.as_ref().unwrap();
    let (wishes, wished) = mpsc::channel(4);
    let panel = Panel {
        watched: Watched {
            status: bot.status.clone(),
            pulse: bot.pulse.clone(),
            meters: stage.crew.meters.clone(),
            store: stage.crew.store.clone(),
        },
        boards: stage.crew.boards.clone(),
        options: bot.options.subscribe(),
        paused: watch::channel(false).1,
        wishes,
        begun: Instant::now(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router(panel)).await });
    (address, wished)
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

async fn json(address: &str) -> Value {
    let answer = client().get(address).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{address}");
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test]
async fn a_game_is_watched_live_and_explained_when_it_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5"]).archive(&path).open().await;
    let (address, _wished) = served(&stage).await;
    let mut live = Lines::open(client().get(format!("{address}/api/live"))).await;
    assert_eq!(live.next().await["type"], "all");
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    let shown = timeout(PATIENCE, async {
        loop {
            let line = live.next().await;
            if line["plies"] == 2 {
                return line;
            }
        }
    });
    let shown = shown.await.expect("the board follows the game");
    assert_eq!(
        (&shown["last"], &shown["side"]),
        (&"e7e5".into(), &"black".into())
    );
    let id = shown["id"].as_str().unwrap().to_owned();
    let running = json(&format!("{address}/api/game/{id}")).await;
    assert_eq!(running["decisions"], Value::Null, "not while it runs");
    assert_eq!(running["line"][1]["san"], "e5");
    assert_eq!(json(&format!("{address}/api/overview")).await["games"], 1);

    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    assert_eq!(live.next_of("gone").await["id"], id.as_str());
    let over = json(&format!("{address}/api/game/{id}")).await;
    assert_eq!(over["decisions"]["decisions"][0]["san"], "e5");
    assert_eq!(over["result"], "won");
    let listed = json(&format!("{address}/api/games")).await;
    assert_eq!(listed["games"][0]["id"], id.as_str());
    let figures = json(&format!("{address}/api/figures")).await;
    assert_eq!(figures["bySpeed"][0]["won"], 1);
    let opponents = json(&format!("{address}/api/opponents")).await;
    assert_eq!(opponents["opponents"][0]["games"], 1);
    for told in [&over, &listed, &figures, &opponents] {
        assert!(!told.to_string().contains(&stage.table.bot.token));
    }
}

#[tokio::test]
async fn only_the_own_page_may_ask_for_anything_and_no_page_talks_to_others() {
    let stage = replies(&[]).open().await;
    let (address, mut wished) = served(&stage).await;
    let ask = |path: &str, origin: Option<&str>| {
        let mut request = client().post(format!("{address}{path}"));
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!(ask("/api/control/pause", Some(&address)).await, 200);
    assert_eq!(wished.recv().await, Some(Wish::Pause));
    assert_eq!(ask("/api/control/drain", Some("http://evil.example")).await, 403);
    assert_eq!(
        ask("/api/control/drain", None).await,
        403,
        "a form without an origin"
    );
    assert_eq!(ask("/api/control/explode", Some(&address)).await, 404);
    assert!(wished.try_recv().is_err(), "nothing else was wished");

    for path in ["/", "/api/overview", "/nowhere"] {
        let answer = client().get(format!("{address}{path}")).send().await.unwrap();
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';"), "{path}: {policy}");
    }
    let foreign = client()
        .get(format!("{address}/api/games"))
        .header("host", "evil.example");
    assert_eq!(
        foreign.send().await.unwrap().status(),
        403,
        "a false name leads nowhere"
    );
    let without = client().get(format!("{address}/api/games")).send().await.unwrap();
    assert_eq!(without.status(), 503, "this daemon keeps no archive");
}

//! What the owner sees of a daemon at work in a browser, and may ask of it.

#[path = "../../src/store/test_fixtures.rs"]
#[expect(dead_code, reason = "shared with tests of how games end")]
mod sample;

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use sparring::{
    config::Paths,
    reload::open,
    store::{End, GameRecord},
    web::log_buffer::Warnings,
    web::{
        auth::Access,
        dashboard::{DashboardState, LIMITS, Load, Overrides, OwnerCommand, Viewers, router},
        editor::Editor,
        health::HealthSources,
    },
};
use sparring_chess::units::{Elo, Millis};
use sparring_http_server::{Acceptor, Connections, serve};
use sparring_lichess::model::Side;
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    time::{Instant, timeout},
};

use tokio_util::sync::CancellationToken;

use crate::{
    stage::{Stage, WHITE, replies},
    table::Lines,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// Serves the dashboard of the stage's daemon; gives its address and what is wished.
async fn served(stage: &Stage) -> (String, mpsc::Receiver<OwnerCommand>) {
    served_with(stage, &Paths::default(), None, Access::default()).await
}

/// The same with the books and personalities of these folders, and with access.
async fn served_with(
    stage: &Stage,
    paths: &Paths,
    editing: Option<()>,
    access: Access,
) -> (String, mpsc::Receiver<OwnerCommand>) {
    let (stock, _, _) = open(paths);
    let bot = stage.bot.as_ref().unwrap();
    let (wishes, wished) = mpsc::channel(4);
    let panel = DashboardState {
        health: HealthSources {
            status: bot.status.clone(),
            pulse: bot.pulse.clone(),
            meters: stage.crew.meters.clone(),
            store: stage.crew.store.clone(),
            refusal: watch::channel(None).1,
            is_behind: watch::channel(false).1,
        },
        live_games: stage.crew.boards.clone(),
        options: bot.options.subscribe(),
        overrides: watch::channel(Overrides::default()).1,
        controls: true,
        editor: editing.map(|()| Editor::new(paths.clone(), stock.library.clone())),
        library: stock.library,
        personalities: stock.personalities,
        warnings: Warnings::default(),
        reload_log: stock.reload_log,
        access,
        commands: wishes,
        begun: Instant::now(),
        load: Load::default(),
        viewers: Viewers::default(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let acceptor = Acceptor::new(listener, Arc::new(Connections::new(LIMITS)));
    tokio::spawn(serve(acceptor, router(panel), CancellationToken::new()));
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
    assert!(
        !running.to_string().contains("king safety"),
        "nor what it is worth"
    );
    assert_eq!(running["line"][1]["san"], "e5");
    assert_eq!(json(&format!("{address}/api/overview")).await["games"], 1);

    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    assert_eq!(live.next_of("gone").await["id"], id.as_str());
    let over = json(&format!("{address}/api/game/{id}")).await;
    assert_eq!(over["decisions"]["decisions"][0]["san"], "e5");
    let evaluation = &over["decisions"]["evaluation"];
    assert!(
        evaluation["terms"].to_string().contains("king safety"),
        "{evaluation}"
    );
    let after = evaluation["after"].as_array().unwrap();
    assert_eq!(after.len(), 2);
    assert_eq!(
        after[1]["named"],
        json!([]),
        "both sides stand alike: {evaluation}"
    );
    assert!(
        after[1]["total"].as_i64() < Some(0),
        "for the bot, whose turn it is not: {evaluation}"
    );
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
async fn pages_of_games_are_short_and_lead_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let stage = replies(&[])
        .archive(&folder.path().join("archive.db"))
        .open()
        .await;
    let (address, _wished) = served(&stage).await;
    for number in 0..450 {
        stage.crew.store.game(GameRecord {
            // Many begin at the same moment.
            began: Millis(1_795_000_000_000 + number / 100),
            ..sample::game(&format!("{number:08}"), Side::White)
        });
        stage.crew.store.flush().await;
    }
    let page = async |query: &str| {
        let page = json(&format!("{address}/api/games?{query}")).await;
        let ids = page["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["id"].as_str().unwrap().to_owned());
        (ids.collect::<Vec<_>>(), page["next"].as_str().map(str::to_owned))
    };
    let (first, next) = page("most=20000").await;
    assert_eq!((first.len(), next.as_ref()), (200, first.last()));
    let mut all = first;
    let mut next = next;
    while let Some(after) = next {
        let (more, last) = page(&format!("most=200&after={after}")).await;
        all.extend(more);
        next = last;
    }
    assert_eq!(all.len(), 450);
    let (newest, _) = page("most=1&speed=Blitz&opponent=ana").await;
    assert_eq!(newest, ["00000400"]);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 450, "each comes once");
    let lost = client().get(format!("{address}/api/games?after=99999999"));
    assert_eq!(lost.send().await.unwrap().status(), 404);
    for most in ["abc", "-1", "", "1.5", "99999999999"] {
        let asked = client().get(format!("{address}/api/games?most={most}"));
        let refused = asked.send().await.unwrap();
        assert_eq!(refused.status(), 400, "{most}");
        let said: serde_json::Value = refused.json().await.unwrap();
        assert_eq!(said["error"], "most must be a whole number up to 200", "{most}");
    }
}

#[tokio::test]
async fn another_site_makes_no_browser_ask_for_anything() {
    let stage = replies(&[]).open().await;
    let (address, _wished) = served(&stage).await;
    for path in [
        "/api/games?most=20000",
        "/api/overview",
        "/api/live",
        "/reloads",
        "/metrics",
        "/healthz",
    ] {
        let asked = client().get(format!("{address}{path}"));
        let foreign = asked
            .header("sec-fetch-site", "cross-site")
            .header("sec-fetch-mode", "no-cors");
        assert_eq!(foreign.send().await.unwrap().status(), 403, "{path}");
        let foreign = client()
            .get(format!("{address}{path}"))
            .header("origin", "http://evil.example");
        assert_eq!(foreign.send().await.unwrap().status(), 403, "{path}");
    }
    let link = client().get(&address).header("sec-fetch-site", "cross-site");
    let link = link
        .header("sec-fetch-mode", "navigate")
        .header("sec-fetch-dest", "document");
    assert_eq!(
        link.send().await.unwrap().status(),
        200,
        "a link leads to the page"
    );
    for host in ["LOCALHOST", "localhost.:1", "127.0.0.2:9464", "[::1]:9464"] {
        let own = client().get(format!("{address}/healthz")).header("host", host);
        assert_eq!(own.send().await.unwrap().status(), 200, "{host}");
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
    assert_eq!(wished.recv().await, Some(OwnerCommand::Pause));
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

/// Posts JSON as the own page does; gives status and answer.
async fn post(address: &str, path: &str, said: &Value) -> (u16, Value) {
    let request = client()
        .post(format!("{address}{path}"))
        .header("origin", address)
        .json(said);
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (
        status,
        serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default(),
    )
}

#[tokio::test]
async fn the_level_of_casual_games_is_asked_for_within_its_range() {
    let stage = replies(&[]).open().await;
    let (address, mut wished) = served(&stage).await;
    let level = "/api/control/level";
    assert_eq!(post(&address, level, &json!({"level": 1500})).await.0, 200);
    assert_eq!(wished.recv().await, Some(OwnerCommand::Level(Some(Elo(1500)))));
    assert_eq!(post(&address, level, &json!({"level": null})).await.0, 200);
    assert_eq!(wished.recv().await, Some(OwnerCommand::Level(None)));
    assert_eq!(post(&address, level, &json!({"level": 99})).await.0, 422);
    assert!(wished.try_recv().is_err());
    let table = json(&format!("{address}/api/levels")).await;
    assert!(table["levels"].as_array().unwrap().len() > 5, "{table}");
    let warnings = json(&format!("{address}/api/warnings")).await;
    assert_eq!(warnings["warnings"], json!([]));
    let reloads = json(&format!("{address}/reloads")).await;
    assert_eq!(reloads["reloads"], json!([]));
}

#[tokio::test]
async fn without_the_password_nothing_is_shown_from_anywhere() {
    let stage = replies(&[]).open().await;
    let access = Access::by_password("correct horse battery".to_owned().into());
    let (address, mut wished) = served_with(&stage, &Paths::default(), Some(()), access).await;
    let ask = |path: &str, password: Option<&str>| {
        let mut request = client()
            .get(format!("{address}{path}"))
            .header("host", "bot.example:9464");
        if let Some(password) = password {
            request = request.basic_auth("owner", Some(password));
        }
        async move { request.send().await.unwrap() }
    };
    for path in ["/", "/api/overview", "/api/live", "/healthz", "/metrics"] {
        let answer = ask(path, None).await;
        assert_eq!(answer.status(), 401, "{path}");
        assert!(
            answer.headers()["www-authenticate"]
                .to_str()
                .unwrap()
                .starts_with("Basic ")
        );
    }
    assert_eq!(ask("/api/overview", Some("wrong")).await.status(), 401);
    assert_eq!(
        ask("/api/overview", Some("correct horse battery")).await.status(),
        200
    );
    let answer = ask("/edit/files", Some("correct horse battery")).await;
    assert_eq!(answer.status(), 403, "files are edited from this machine alone");
    let at_home = client().get(format!("{address}/edit/files"));
    assert_eq!(
        at_home.send().await.unwrap().status(),
        401,
        "and by who knows the password"
    );
    let foreign = client()
        .post(format!("{address}/api/control/pause"))
        .header("origin", "http://evil.example")
        .basic_auth("owner", Some("correct horse battery"));
    assert_eq!(foreign.send().await.unwrap().status(), 403);
    assert!(wished.try_recv().is_err());
}

#[tokio::test]
async fn a_book_is_opened_checked_saved_and_kept_from_others() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths {
        books: folder.path().join("books"),
        personalities: folder.path().join("personalities"),
        syzygy: Vec::new(),
    };
    std::fs::create_dir(&paths.books).unwrap();
    std::fs::create_dir(&paths.personalities).unwrap();
    let file = paths.books.join("mine.book");
    std::fs::write(&file, "1. e4 e5\n").unwrap();
    std::fs::write(folder.path().join("secret.book"), "1. d4\n").unwrap();
    let stage = replies(&[]).open().await;
    let (address, _wished) = served_with(&stage, &paths, Some(()), Access::default()).await;

    let listed = json(&format!("{address}/edit/files")).await;
    assert_eq!(listed["files"][0]["name"], "mine");
    assert_eq!(listed["files"].as_array().unwrap().len(), 1);
    for name in ["secret", "..%2Fsecret", "%2e%2e%2fsecret", "mine.book"] {
        let answer = client()
            .get(format!("{address}/edit/file/book/{name}"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 404, "{name}");
    }
    let opened = json(&format!("{address}/edit/file/book/mine")).await;
    assert_eq!(opened["text"], "1. e4 e5\n");

    let draft =
        |text: &str| json!({"kind": "book", "name": "mine", "text": text, "version": opened["version"]});
    let (status, judged) = post(&address, "/edit/check", &draft("1. e4 e5 2. Nf9\n")).await;
    assert_eq!((status, &judged["usable"]), (200, &json!(false)));
    assert_eq!(judged["findings"][0]["column"], 13);
    let (status, refused) = post(&address, "/edit/save", &draft("1. e4 e5 2. Nf9\n")).await;
    assert_eq!((status, &refused["findings"][0]["line"]), (422, &json!(1)));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "1. e4 e5\n");

    let (status, saved) = post(&address, "/edit/save", &draft("1. e4 c5\n")).await;
    assert_eq!(status, 200, "{saved}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "1. e4 c5\n");
    assert_eq!(
        std::fs::read_to_string(saved["backup"].as_str().unwrap()).unwrap(),
        "1. e4 e5\n"
    );
    let (status, conflict) = post(&address, "/edit/save", &draft("1. d4\n")).await;
    assert_eq!((status, &conflict["version"]), (409, &saved["version"]));

    let foreign = client()
        .post(format!("{address}/edit/save"))
        .header("origin", "http://evil.example")
        .json(&draft("1. d4\n"));
    assert_eq!(foreign.send().await.unwrap().status(), 403);
    let huge = draft(&"#".repeat(2 << 20));
    assert_eq!(post(&address, "/edit/check", &huge).await.0, 413);
}

#[tokio::test]
async fn editing_is_off_unless_it_is_switched_on() {
    let stage = replies(&[]).open().await;
    let (address, _wished) = served(&stage).await;
    for path in ["/edit/files", "/edit.html"] {
        let answer = client().get(format!("{address}{path}")).send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path}");
    }
    assert_eq!(json(&format!("{address}/api/overview")).await["edit"], false);
}

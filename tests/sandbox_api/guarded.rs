//! The server against other pages, broken connections and its own end.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use sparring_chess::units::Millis;
use sparring_sandbox::{AnonymousAccess, Key, Options};

use crate::harness::{BLITZ, Table, answer, standing_still};

#[tokio::test]
async fn foreign_names_and_pages_are_turned_away() {
    let table = Table::set(standing_still()).await;
    let rebound = table
        .anna
        .request(Method::GET, "/api/account")
        .header("host", "evil.example");
    assert_eq!(answer(rebound).await.0, 403);
    let foreign = || {
        table
            .anna
            .request(Method::POST, "/sandbox/guest")
            .header("origin", "http://evil.example")
    };
    assert_eq!(answer(foreign()).await.0, 403);
    let own = table
        .anna
        .request(Method::POST, "/sandbox/guest")
        .header("origin", &table.url);
    assert_eq!(answer(own).await.0, 200);
    let response = table.anna.request(Method::GET, "/").send().await.unwrap();
    assert!(
        response.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("frame-ancestors 'none'")
    );
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    let huge = table
        .anna
        .request(Method::POST, "/sandbox/guest")
        .body("x".repeat(65 * 1024));
    assert_eq!(answer(huge).await.0, 413);
}

/// The status of a request with this key and no token.
async fn by_key(table: &Table, method: Method, path: &str, key: &str) -> u16 {
    let request = table.anna.http.request(method, format!("{}{path}", table.url));
    answer(request.header("x-sandbox-key", key)).await.0
}

#[tokio::test]
async fn tokens_and_control_are_for_the_owner_and_lichess_calls_for_all() {
    let key = Key::random().unwrap();
    let options = Options {
        access: AnonymousAccess::Public(key.clone()),
        ..standing_still()
    };
    let table = Table::set(options).await;
    for (method, path) in [
        (Method::GET, "/sandbox/clock"),
        (Method::POST, "/sandbox/guest"),
        (Method::POST, "/sandbox/faults"),
    ] {
        // A token makes nobody the owner.
        let (status, said) = answer(table.anna.request(method.clone(), path)).await;
        assert_eq!((status, &said["needs"]), (403, &json!("key")), "{path}");
        for wrong in ["", "0", &key.expose()[1..]] {
            assert_eq!(by_key(&table, method.clone(), path, wrong).await, 403, "{path}");
        }
    }
    assert_eq!(
        by_key(&table, Method::GET, "/sandbox/clock", key.expose()).await,
        200
    );
    assert_eq!(
        by_key(&table, Method::POST, "/sandbox/guest", key.expose()).await,
        200
    );
    for path in ["/sandbox/lobby", "/api/user/anna", "/api/users/status?ids=anna"] {
        assert_eq!(by_key(&table, Method::GET, path, "").await, 200, "{path}");
    }
}

#[tokio::test]
async fn a_private_server_has_nothing_for_strangers_but_the_files_of_its_pages() {
    let key = Key::random().unwrap();
    let options = Options {
        access: AnonymousAccess::Private(key.clone()),
        ..standing_still()
    };
    let table = Table::set(options).await;
    let id = table.game(&BLITZ).await;
    for path in [
        "/sandbox/lobby",
        "/sandbox/clock",
        "/sandbox/connections",
        "/api/account",
        "/api/user/anna",
        "/api/users/status?ids=anna",
        "/api/bot/online",
        "/api/stream/event",
        &format!("/sandbox/game/{id}/view"),
        &format!("/sandbox/game/{id}/decisions"),
        &format!("/game/export/{id}"),
        &format!("/api/board/game/stream/{id}"),
    ] {
        assert_eq!(by_key(&table, Method::GET, path, "").await, 403, "{path}");
    }
    for path in [
        "/sandbox/guest",
        "/sandbox/users",
        "/api/token/test",
        "/api/challenge/anna",
    ] {
        assert_eq!(by_key(&table, Method::POST, path, "").await, 403, "{path}");
    }
    let invented = table.anna.http.get(format!("{}/api/account", table.url));
    assert_eq!(answer(invented.bearer_auth("lip_invented")).await.0, 403);
    // Who has a token or the key is served as ever, and a key opens no account.
    assert_eq!(table.anna.get("/sandbox/lobby").await.0, 200);
    assert_eq!(table.anna.get("/api/account").await.0, 200);
    assert_eq!(table.anna.get("/sandbox/clock").await.0, 403);
    assert_eq!(
        by_key(&table, Method::GET, "/sandbox/lobby", key.expose()).await,
        200
    );
    assert_eq!(
        by_key(&table, Method::GET, "/api/account", key.expose()).await,
        401
    );
    // Pages are opened and probes sent by whoever.
    for path in ["/", "/__ping"] {
        let opened = table.anna.http.get(format!("{}{path}", table.url)).send().await;
        assert_eq!(opened.unwrap().status(), 200, "{path}");
    }
}

#[tokio::test]
async fn where_nobody_has_control_no_call_gives_any() {
    let options = Options {
        control: false,
        ..standing_still()
    };
    let table = Table::set(options).await;
    let form = [("name", "Intruder"), ("bot", "true"), ("millis", "60000")];
    for call in ["users", "clock/advance", "connections/drop", "faults"] {
        let path = format!("/sandbox/{call}");
        assert_eq!(table.anna.post(&path, &form).await.0, 404, "{path}");
    }
    assert_eq!(table.anna.get("/sandbox/clock").await.0, 404);
    assert_eq!(table.sandbox.now(), Millis(1_786_000_000_000));
    assert_eq!(
        table.anna.get("/sandbox/lobby").await.0,
        200,
        "the page is served"
    );
}

#[tokio::test]
async fn time_is_moved_through_the_control_routes() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let mut bot = table.bot.watches(&id).await;
    table.anna.plays(&id, "move/e2e4").await;
    table.bot.plays(&id, "move/e7e5").await;
    let (status, _) = table
        .anna
        .post("/sandbox/clock/advance", &[("millis", "310000")])
        .await;
    assert_eq!(status, 200);
    let mut last = bot.next_of("gameState").await;
    while last["status"] == "started" {
        last = bot.next_of("gameState").await;
    }
    assert_eq!(
        (&last["status"], &last["winner"]),
        (&json!("outoftime"), &json!("black"))
    );
    assert_eq!(
        table
            .anna
            .post("/sandbox/clock/speed", &[("factor", "-1")])
            .await
            .0,
        400
    );
    let before = table.sandbox.now();
    for (call, field, number) in [
        ("advance", "millis", u64::MAX.to_string()),
        ("speed", "factor", "1e300".to_owned()),
    ] {
        let path = format!("/sandbox/clock/{call}");
        let (status, refused) = table.anna.post(&path, &[(field, &number)]).await;
        assert_eq!(status, 400, "{refused}");
    }
    assert_eq!(table.sandbox.now(), before, "the clock is not pinned");
}

#[tokio::test]
async fn flags_fall_by_themselves_when_time_runs() {
    let options = Options {
        speed_factor: 1000.0,
        ..Options::default()
    };
    let table = Table::set(options).await;
    let id = table.game(&BLITZ).await;
    let mut bot = table.bot.watches(&id).await;
    table.anna.plays(&id, "move/e2e4").await;
    table.bot.plays(&id, "move/e7e5").await;
    let mut last = bot.next_of("gameState").await;
    while last["status"] == "started" {
        last = bot.next_of("gameState").await;
    }
    assert_eq!(last["status"], "outoftime");
}

#[tokio::test]
async fn a_player_who_lost_his_connection_takes_up_the_game_again() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let mut before = table.bot.watches(&id).await;
    before.next_of("gameFull").await;
    table.anna.plays(&id, "move/e2e4").await;
    assert!(!table.sandbox.connections().is_empty());
    assert!(table.sandbox.drop_connections() > 0);
    while before.line().await.is_some() {}
    let mut after = table.bot.watches(&id).await;
    assert_eq!(after.next().await["state"]["moves"], "e2e4");
    table.bot.plays(&id, "move/c7c5").await;
    assert_eq!(after.next_of("gameState").await["moves"], "e2e4 c7c5");
}

#[tokio::test]
async fn a_second_stream_of_the_same_program_ends_the_first() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let mut first = table.bot.watches(&id).await;
    first.next_of("gameFull").await;
    let mut second = table.bot.watches(&id).await;
    first.ends().await;
    second.next_of("gameFull").await;
    table.anna.plays(&id, "abort").await;
    assert_eq!(second.next_of("gameState").await["status"], "aborted");
    second.ends().await;
    let mut late = table.bot.watches(&id).await;
    assert_eq!(late.next().await["state"]["status"], "aborted");
    late.ends().await;
}

#[tokio::test]
async fn a_silent_server_keeps_its_connections_and_speaks_again() {
    let options = Options {
        keep_alive: Millis(10),
        ..standing_still()
    };
    let table = Table::set(options).await;
    let mut events = table.bot.events().await;
    assert_eq!(events.line().await.as_deref(), Some(""));
    table.sandbox.set_silent(true);
    // What was under way still arrives; then there is nothing for a hundred keep-alives. Time passes only while client and
    // server have nothing to do, however slow the machine.
    tokio::time::pause();
    let hundred = Duration::from_secs(1);
    let falls_silent = async {
        while let Ok(line) = tokio::time::timeout(hundred, events.line()).await {
            assert_eq!(line.as_deref(), Some(""), "the connection is kept");
        }
    };
    tokio::time::timeout(hundred * 5, falls_silent)
        .await
        .expect("the server should fall silent");
    tokio::time::resume();
    table.sandbox.set_silent(false);
    assert_eq!(events.line().await.as_deref(), Some(""));
}

#[tokio::test]
async fn shutting_down_ends_streams_and_the_server() {
    let table = Table::set(standing_still()).await;
    let mut events = table.bot.events().await;
    drop(table.stop);
    events.ends().await;
    tokio::time::timeout(Duration::from_secs(5), table.served)
        .await
        .expect("the server should end")
        .unwrap()
        .unwrap();
}

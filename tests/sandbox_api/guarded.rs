//! The server against other pages, broken connections and its own end.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use sparring::{
    sandbox::{Control, Options},
    units::Millis,
};

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

#[tokio::test]
async fn control_may_ask_for_a_key() {
    let options = Options {
        control: Control::Behind("sesame".into()),
        ..standing_still()
    };
    let table = Table::set(options).await;
    assert_eq!(table.anna.get("/sandbox/clock").await.0, 403);
    let with_key = table
        .anna
        .request(Method::GET, "/sandbox/clock")
        .header("x-sandbox-key", "sesame");
    assert_eq!(
        answer(with_key).await,
        (200, json!({ "now": 1_786_000_000_000_u64, "speed": 0.0 }))
    );
    assert_eq!(
        table.anna.get("/sandbox/lobby").await.0,
        200,
        "the page needs no key"
    );
}

#[tokio::test]
async fn where_nobody_has_control_no_call_gives_any() {
    let options = Options {
        control: Control::Nobody,
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
    // What was under way still arrives; then there is nothing for many keep-alives.
    let pause = Duration::from_millis(200);
    let falls_silent = async { while tokio::time::timeout(pause, events.line()).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(5), falls_silent)
        .await
        .expect("the server should fall silent");
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

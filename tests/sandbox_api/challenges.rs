//! The life of challenges over HTTP.

use serde_json::json;
use sparring_chess::units::Millis;

use crate::harness::{BLITZ, Lines, Table, standing_still};

#[tokio::test]
async fn a_kept_alive_challenge_tells_its_fate_and_ends() {
    let options = sparring_sandbox::Options {
        challenge_keep_alive: Millis(20),
        ..standing_still()
    };
    let table = Table::set(options).await;
    let form = [("clock.limit", "180"), ("keepAliveStream", "true")];
    let path = "/api/challenge/SandBot";
    let mut waiting = Lines::open(table.anna.request(reqwest::Method::POST, path).form(&form)).await;
    let challenge = waiting.next().await;
    assert_eq!(challenge["direction"], "out");
    assert_eq!(
        waiting.line().await.as_deref(),
        Some(""),
        "silence is broken by an empty line"
    );
    table.sandbox.advance(Millis(60_000));
    let id = challenge["id"].as_str().unwrap();
    table.bot.does(&format!("/api/challenge/{id}/accept")).await;
    assert_eq!(waiting.next().await, json!({ "done": "accepted" }));
    waiting.ends().await;
}

#[tokio::test]
async fn challenges_are_made_by_json_listed_declined_and_shown() {
    let table = Table::set(standing_still()).await;
    let mut anna = table.anna.events().await;
    // What berserk and lichess-bot send.
    let body =
        json!({ "rated": false, "clock.limit": 300, "clock.increment": 3, "days": null, "color": "random" });
    let request = table
        .anna
        .request(reqwest::Method::POST, "/api/challenge/sandbot")
        .json(&body);
    let (status, challenge) = crate::harness::answer(request).await;
    assert_eq!(status, 200, "{challenge}");
    assert_eq!(challenge["timeControl"]["show"], "5+3");
    let id = challenge["id"].as_str().unwrap();
    assert_eq!(
        table.bot.get("/api/challenge").await.1["in"][0]["id"],
        challenge["id"]
    );
    let path = format!("/api/challenge/{id}/decline");
    let (status, _) = table.bot.post(&path, &[("reason", "tooFast")]).await;
    assert_eq!(status, 200);
    let declined = anna.next_of("challengeDeclined").await;
    assert_eq!(declined["challenge"]["declineReasonKey"], "toofast");
    let (_, shown) = table.anna.get(&format!("/api/challenge/{id}/show")).await;
    assert_eq!(shown["status"], "declined");
    assert_eq!(
        table.bot.post(&path, &[]).await.0,
        404,
        "it cannot be declined twice"
    );
}

#[tokio::test]
async fn rules_come_as_a_list_or_as_a_text() {
    let table = Table::set(standing_still()).await;
    table.another_human("Berta");
    for rules in [json!(["noAbort", "noClaimWin"]), json!("noAbort,noClaimWin")] {
        let request = table
            .anna
            .request(reqwest::Method::POST, "/api/challenge/berta")
            .json(&json!({ "clock.limit": 300, "rules": rules }));
        let (status, challenge) = crate::harness::answer(request).await;
        assert_eq!(status, 200, "{challenge}");
        assert_eq!(challenge["rules"], json!(["noAbort", "noClaimWin"]));
    }
}

#[tokio::test]
async fn a_canceled_challenge_cannot_be_accepted() {
    let table = Table::set(standing_still()).await;
    let mut bot = table.bot.events().await;
    let (_, challenge) = table.anna.post("/api/challenge/SandBot", &BLITZ).await;
    let id = challenge["id"].as_str().unwrap();
    table.anna.does(&format!("/api/challenge/{id}/cancel")).await;
    assert_eq!(
        bot.next_of("challengeCanceled").await["challenge"]["status"],
        "canceled"
    );
    let (status, body) = table.bot.post(&format!("/api/challenge/{id}/accept"), &[]).await;
    assert_eq!(
        (status, &body["error"]),
        (400, &json!("The challenge has been canceled."))
    );
}

#[tokio::test]
async fn an_event_stream_begins_with_running_games_and_waiting_challenges() {
    let table = Table::set(standing_still()).await;
    let game = table.game(&BLITZ).await;
    table.anna.post("/api/challenge/SandBot", &BLITZ).await;
    let mut first = table.bot.events().await;
    assert_eq!(first.next().await["game"]["gameId"], game);
    let challenge = first.next().await;
    assert_eq!(challenge["type"], "challenge");
    assert_eq!(
        challenge.get("compat"),
        None,
        "the burst says nothing of interfaces"
    );
    let mut second = table.bot.events().await;
    first.ends().await;
    assert_eq!(second.next().await["type"], "gameStart");
}

#[tokio::test]
async fn an_event_stream_begins_with_every_running_game_however_many_wait_with_challenges() {
    let table = Table::set(standing_still()).await;
    let game = table.game(&BLITZ).await;
    for number in 0..40 {
        let human = table.another_human(&format!("Guest{number}"));
        assert_eq!(human.post("/api/challenge/SandBot", &BLITZ).await.0, 200);
    }
    let mut events = table.bot.events().await;
    let first = events.next().await;
    assert_eq!(
        (&first["type"], &first["game"]["gameId"]),
        (&json!("gameStart"), &json!(game))
    );
    for _ in 0..40 {
        assert_eq!(events.next().await["type"], "challenge");
    }
}

#[tokio::test]
async fn a_rematch_is_accepted_by_its_id() {
    let table = Table::set(standing_still()).await;
    let mut bot = table.bot.events().await;
    let first = table.game(&BLITZ).await;
    table.anna.plays(&first, "abort").await;
    let (status, offer) = table
        .anna
        .post(&format!("/sandbox/game/{first}/rematch"), &[])
        .await;
    assert_eq!(status, 200, "{offer}");
    bot.next_of("gameFinish").await;
    let offered = bot.next_of("challenge").await;
    assert_eq!(offered["challenge"]["rematchOf"], first);
    let id = offered["challenge"]["id"].as_str().unwrap().to_owned();
    table.bot.does(&format!("/api/challenge/{id}/accept")).await;
    let start = bot.next_of("gameStart").await;
    assert_eq!(
        (&start["game"]["gameId"], &start["game"]["color"]),
        (&json!(id), &json!("white"))
    );
}

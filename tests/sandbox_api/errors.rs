//! What lichess refuses, with its status and words.

use reqwest::Method;
use serde_json::json;
use sparring_chess::units::Millis;
use sparring_sandbox::{Fault, FaultKind, Limits, Options, Rules};

use crate::harness::{BLITZ, Player, Table, answer, standing_still};

#[tokio::test]
async fn tokens_that_do_not_fit_are_refused_in_lichess_words() {
    let table = Table::set(standing_still()).await;
    let bare = table.bot.http.get(format!("{}/api/account", table.url));
    let missing = answer(bare).await;
    assert_eq!(missing, (401, json!({ "error": "Missing authorization header" })));
    let stranger = Player {
        token: "lip_nobody".into(),
        ..table.bot.clone()
    };
    assert_eq!(
        stranger.get("/api/account").await,
        (401, json!({ "error": "No such token" }))
    );
    let weak = Player {
        token: table.sandbox.grant("SandBot", &["challenge:write"]).unwrap(),
        ..table.bot.clone()
    };
    let (status, body) = weak.post("/api/bot/game/abcdefgh/abort", &[]).await;
    assert_eq!(
        (status, body),
        (403, json!({ "error": "Missing scope: bot:play" }))
    );
    let named = table
        .bot
        .request(Method::GET, "/api/account")
        .header("user-agent", "x user:Anna");
    assert_eq!(answer(named).await.0, 401);
    assert!(table.sandbox.revoke(&table.bot.token));
    assert_eq!(table.bot.get("/api/account").await.0, 401);
}

#[tokio::test]
async fn answers_say_what_the_token_may_do() {
    let table = Table::set(standing_still()).await;
    let response = table
        .bot
        .request(Method::GET, "/api/challenge")
        .send()
        .await
        .unwrap();
    assert_eq!(
        response.headers()["x-oauth-scopes"],
        "bot:play, challenge:read, challenge:write"
    );
    assert_eq!(response.headers()["x-accepted-oauth-scopes"], "challenge:read");
}

#[tokio::test]
async fn commands_that_make_no_sense_are_refused_in_lichess_words() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let not_your_turn = "Not your turn, or game already over";
    for (player, game, command, status, text) in [
        (
            &table.anna,
            id.as_str(),
            "move/e2e5",
            400,
            "Piece on e2 cannot move to e5",
        ),
        (&table.anna, &id, "move/e2x4", 400, "Invalid UCI: e2x4"),
        (&table.bot, &id, "move/e7e5", 400, not_your_turn),
        (&table.bot, "abcdefgh", "abort", 404, "No such game"),
        (&table.bot, "no-id", "abort", 404, "No such game"),
    ] {
        let refused = player.fails(game, command).await;
        assert_eq!(refused, (status, text.to_owned()), "{command}");
    }
    let on_the_wrong_door = table.bot.post(&format!("/api/board/game/{id}/resign"), &[]).await;
    assert_eq!(on_the_wrong_door.0, 403);
    let token = table
        .sandbox
        .add_user("Ben", false, &["bot:play", "board:play"])
        .unwrap();
    let ben = Player {
        token,
        ..table.anna.clone()
    };
    assert_eq!(ben.fails(&id, "resign").await, (404, "Not your game".to_owned()));
    let (status, body) = ben.post(&format!("/api/bot/game/{id}/resign"), &[]).await;
    assert_eq!(status, 400);
    assert!(
        body["error"]
            .as_str()
            .unwrap()
            .starts_with("This endpoint can only be used with a Bot account.")
    );
    for command in ["move/e2e4", "draw/yes", "takeback/0"] {
        table.anna.plays(&id, command).await;
    }
    table.bot.plays(&id, "move/e7e5").await;
    assert_eq!(
        table.bot.fails(&id, "abort").await,
        (400, "This game can no longer be aborted".into())
    );
    table.bot.plays(&id, "resign").await;
    assert_eq!(
        table.anna.fails(&id, "move/d2d4").await,
        (400, not_your_turn.into())
    );
    assert_eq!(table.anna.fails(&id, "claim-victory/").await.0, 400);
}

#[tokio::test]
async fn challenges_that_cannot_be_are_refused() {
    let table = Table::set(standing_still()).await;
    for (path, form, status, text) in [
        ("nobody", &BLITZ[..], 400, "No such user: nobody"),
        ("Anna", &BLITZ[..], 404, "Not found"),
        (
            "SandBot",
            &[("clock.limit", "15")][..],
            400,
            "Bots cannot play UltraBullet. Choose a slower time control.",
        ),
        (
            "SandBot",
            &[("rules", "noAbort")][..],
            400,
            "Rules not applicable for bots",
        ),
    ] {
        let (found, body) = table.anna.post(&format!("/api/challenge/{path}"), form).await;
        assert_eq!((found, &body["error"]), (status, &json!(text)), "{path} {form:?}");
    }
    let (status, body) = table
        .anna
        .post("/api/challenge/SandBot", &[("clock.limit", "61")])
        .await;
    assert_eq!(status, 400);
    assert_eq!(
        body,
        json!({ "error": { "clock.limit": ["Invalid value"] }, "clock.limit": ["Invalid value"] })
    );
    let (_, body) = table
        .bot
        .post("/api/challenge/Anna", &[("clock.limit", "15")])
        .await;
    assert_eq!(body["error"]["global"], json!(["Invalid speed"]));
}

#[tokio::test]
async fn chat_lines_are_bounded_and_links_of_bots_vanish() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    assert_eq!(table.anna.says(&id, "").await.0, 400);
    assert_eq!(table.anna.says(&id, &"é".repeat(141)).await.0, 400);
    assert_eq!(table.anna.says(&id, &"é".repeat(140)).await.0, 200);
    assert_eq!(table.bot.says(&id, "see https://example.org").await.0, 200);
    assert_eq!(table.bot.says(&id, "hello").await.0, 200);
    let (_, lines) = table.anna.get(&format!("/api/board/game/{id}/chat")).await;
    let users: Vec<_> = lines
        .as_array()
        .unwrap()
        .iter()
        .map(|line| &line["user"])
        .collect();
    assert_eq!(users, ["Anna", "SandBot"]);
}

#[tokio::test]
async fn calls_that_nobody_serves_are_remembered() {
    let table = Table::set(standing_still()).await;
    let (status, body) = table.bot.get("/api/swiss/abc").await;
    assert_eq!((status, body), (404, json!({ "error": "Not found" })));
    table.bot.post("/api/account", &[]).await;
    let (status, body) = table.bot.post("/api/challenge/ai", &[("level", "1")]).await;
    assert_eq!(status, 400, "{body}");
    // Nobody needs a token for it.
    let open = table.bot.http.post(format!("{}/api/challenge/open", table.url));
    assert_eq!(answer(open).await, (404, json!({ "error": "Not found" })));
    let unserved = table.bot.get("/sandbox/unserved").await.1;
    assert_eq!(
        unserved,
        json!({
            "GET /api/swiss/abc": 1,
            "POST /api/account": 1,
            "POST /api/challenge/ai": 1,
            "POST /api/challenge/open": 1,
        })
    );
}

#[tokio::test]
async fn what_an_address_says_in_no_known_way_was_not_said() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let (status, playing) = table.bot.get("/api/account/playing?nb=abc&nb=2").await;
    assert_eq!((status, &playing["nowPlaying"][0]["gameId"]), (200, &json!(id)));
    let _events = table.bot.events().await;
    let (status, online) = table.anna.get("/api/bot/online?nb=-1").await;
    assert_eq!((status, &online["username"]), (200, &json!("SandBot")));
    let (status, body) = table.anna.get("/api/users/status?id=anna").await;
    assert_eq!(
        (status, &body["error"]["ids"][0]),
        (400, &json!("This field is required"))
    );
    let (status, game) = table
        .anna
        .get(&format!("/game/export/{id}?clocks=1&moves=what"))
        .await;
    assert_eq!((status, game.get("moves")), (200, None));
    assert!(game["clocks"].is_array(), "{game}");
    let played = format!("/api/board/game/{id}/move/e2e4?offeringDraw=false&offeringDraw=1");
    table.anna.does(&played).await;
    let unreadable = table
        .anna
        .http
        .post(format!("{}/api/users", table.url))
        .body(vec![0xff_u8, b',', b'a', b'n', b'n', b'a']);
    let (status, users) = answer(unreadable).await;
    assert_eq!((status, &users[0]["id"]), (200, &json!("anna")));
}

#[tokio::test]
async fn bots_play_each_other_a_hundred_times_a_day() {
    let options = Options {
        rules: Rules {
            limits: Limits::Real,
            ..Rules::default()
        },
        ..standing_still()
    };
    let table = Table::set(options).await;
    let other = table.another_bot("Other");
    let challenge = || table.bot.post("/api/challenge/Other", &BLITZ);
    for _ in 0..100 {
        let (status, challenge) = challenge().await;
        assert_eq!(status, 200, "{challenge}");
        let id = challenge["id"].as_str().unwrap();
        other.does(&format!("/api/challenge/{id}/accept")).await;
        other.plays(id, "abort").await;
        table.sandbox.advance(Millis(10_000));
    }
    let (status, body) = challenge().await;
    assert_eq!(
        (status, &body["ratelimit"]["key"]),
        (429, &json!("bot.vsBot.day"))
    );
    // The first game began a day less a thousand seconds from now.
    assert_eq!(body["ratelimit"]["seconds"], 24 * 3600 - 1000);
    table.sandbox.add_bot("Third").unwrap();
    let third = table.sandbox.grant("Third", &["bot:play"]).unwrap();
    let third = Player {
        token: third,
        ..table.bot.clone()
    };
    let (status, body) = third.post("/api/challenge/Other", &BLITZ).await;
    assert_eq!(
        (status, &body["ratelimit"]["key"]),
        (400, &json!("bot.vsBot.day"))
    );
    assert_eq!(
        table.anna.post("/api/challenge/Other", &BLITZ).await.0,
        200,
        "humans always may"
    );
}

#[tokio::test]
async fn an_armed_fault_hits_its_request_and_no_other() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    table.sandbox.arm(Fault {
        on: "/move/".into(),
        skip: 0,
        times: 1,
        what: FaultKind::Answer {
            status: 502,
            body: "<html>Bad Gateway".into(),
            content_type: "text/html".into(),
            retry_after: None,
        },
    });
    assert_eq!(table.anna.get("/api/account").await.0, 200);
    assert_eq!(table.anna.fails(&id, "move/e2e4").await.0, 502);
    table.anna.plays(&id, "move/e2e4").await;
    let lost = json!({ "on": "/move/", "what": "loseAnswer", "after": 1 });
    let arm = table.anna.request(Method::POST, "/sandbox/faults").json(&lost);
    assert_eq!(answer(arm).await.0, 200);
    assert_eq!(table.bot.fails(&id, "move/e7e5").await.0, 504);
    let played = table.bot.fails(&id, "move/e7e5").await;
    assert_eq!(
        played,
        (400, "Not your turn, or game already over".into()),
        "the move had its effect"
    );
}

//! What the board's page asks for, accounts, and exports.

use serde_json::json;
use sparring_chess::units::Millis;
use sparring_sandbox::{ExplanationSource, LobbyOptions, Options};

use crate::harness::{BLITZ, Player, Table, answer, standing_still};

#[tokio::test]
async fn a_guest_finds_the_bot_and_plays() {
    let options = Options {
        lobby: LobbyOptions::new(|| json!({ "personalities": [{ "name": "patzer" }], "clocks": ["5+3"] })),
        ..standing_still()
    };
    let table = Table::set(options).await;
    let (_, lobby) = table.anna.get("/sandbox/lobby").await;
    assert_eq!(lobby["bot"], json!({ "username": "SandBot", "online": false }));
    assert_eq!(lobby["personalities"][0]["name"], "patzer");
    let _events = table.bot.events().await;
    assert_eq!(
        table.anna.get("/sandbox/lobby").await.1["bot"]["online"],
        json!(true)
    );
    let (_, guest) = table.anna.post("/sandbox/guest", &[("name", "Anna")]).await;
    assert_eq!(guest["username"], "Anna2", "the name was taken");
    let guest = Player {
        token: guest["token"].as_str().unwrap().to_owned(),
        ..table.anna.clone()
    };
    assert_eq!(guest.get("/api/account").await.1["id"], "anna2");
    assert_eq!(guest.post("/api/challenge/SandBot", &BLITZ).await.0, 200);
    assert_eq!(table.anna.post("/sandbox/guest", &[("name", "<b>")]).await.0, 400);
}

#[tokio::test]
async fn the_page_sees_where_pieces_may_go() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let path = format!("/sandbox/game/{id}/view");
    let (_, view) = table.anna.get(&path).await;
    assert_eq!(view["dests"]["e2"], json!(["e3", "e4"]));
    assert_eq!(view["legal"].as_array().unwrap().len(), 20);
    assert_eq!(
        (&view["turn"], &view["result"], &view["reason"]),
        (&json!("white"), &json!("*"), &json!("White to move."))
    );
    for (index, uci) in "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6".split(' ').enumerate() {
        let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
        mover.plays(&id, &format!("move/{uci}")).await;
    }
    let (_, view) = table.anna.get(&path).await;
    assert_eq!(view["ply"], 6);
    assert_eq!(view["moves"][4]["san"], "Bb5");
    let king = view["dests"]["e1"].as_array().unwrap();
    assert!(
        king.contains(&json!("g1")) && king.contains(&json!("h1")),
        "{king:?}"
    );
    table.anna.plays(&id, "move/e1h1").await;
    table.bot.plays(&id, "resign").await;
    let (_, view) = table.anna.get(&path).await;
    assert_eq!(view["moves"][6]["uci"], "e1g1");
    assert_eq!(view["dests"], json!({}));
    assert_eq!(
        (&view["status"], &view["winner"], &view["result"]),
        (&json!("resign"), &json!("white"), &json!("1-0"))
    );
    assert_eq!(view["reason"], "Black resigned; White won.");
}

#[tokio::test]
async fn a_guest_takes_more_time_in_a_casual_game_with_a_clock() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    let more = format!("/sandbox/game/{id}/more-time");
    let mut stream = table.bot.watches(&id).await;
    assert_eq!(stream.next().await["type"], "gameFull");
    assert_eq!(table.anna.post(&more, &[]).await, (200, json!({ "ok": true })));
    let state = stream.next_of("gameState").await;
    assert_eq!(
        (&state["wtime"], &state["btime"]),
        (&json!(315_000), &json!(300_000))
    );
    let (_, chat) = table.anna.get(&format!("/api/board/game/{id}/chat")).await;
    assert_eq!(
        chat[0],
        json!({ "text": "White + 15 seconds", "user": "lichess" })
    );
    let stranger = table.another_human("Berta");
    assert_eq!(stranger.post(&more, &[]).await.0, 404);
    table.anna.plays(&id, "resign").await;
    assert_eq!(table.anna.post(&more, &[]).await.0, 400);

    let unlimited = table.game(&[("color", "white")]).await;
    let more = format!("/sandbox/game/{unlimited}/more-time");
    assert_eq!(table.anna.post(&more, &[]).await.0, 400);
}

#[tokio::test]
async fn accounts_are_shown_as_clients_expect() {
    let table = Table::set(standing_still()).await;
    let (_, account) = table.bot.get("/api/account").await;
    assert_eq!(
        (&account["id"], &account["title"]),
        (&json!("sandbot"), &json!("BOT"))
    );
    assert_eq!(account["perfs"]["blitz"]["rating"], 1500);
    let raw = table
        .bot
        .http
        .post(format!("{}/api/token/test", table.url))
        .body(format!("{},lip_bad", table.bot.token));
    let (_, tokens) = answer(raw).await;
    assert_eq!(tokens["lip_bad"], json!(null));
    assert_eq!(tokens[&table.bot.token]["userId"], "sandbot");
    let id = table.game(&BLITZ).await;
    let (_, playing) = table.anna.get("/api/account/playing").await;
    assert_eq!(playing["nbMyTurn"], 1);
    assert_eq!(playing["nowPlaying"][0]["gameId"], id);
    let _events = table.bot.events().await;
    let (_, online) = table.anna.get("/api/bot/online?nb=5").await;
    assert_eq!(online["username"], "SandBot");
    let (_, status) = table.anna.get("/api/users/status?ids=anna,SandBot,nobody").await;
    assert_eq!(
        status,
        json!([
            { "id": "anna", "name": "Anna", "playing": true },
            { "id": "sandbot", "name": "SandBot", "title": "BOT", "online": true, "playing": true },
        ])
    );
    assert_eq!(table.anna.get("/api/user/nobody").await.0, 404);
    let (_, fresh) = table
        .anna
        .post(
            "/sandbox/users",
            &[("name", "Fresh"), ("scopes", "board:play, bot:play")],
        )
        .await;
    let fresh = Player {
        token: fresh["token"].as_str().unwrap().to_owned(),
        ..table.anna.clone()
    };
    fresh.does("/api/bot/account/upgrade").await;
    assert_eq!(fresh.get("/api/account").await.1["title"], "BOT");
}

#[tokio::test]
async fn a_game_is_exported_with_clocks() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    for (index, uci) in "e2e4 e7e5 g1f3 b8c6".split(' ').enumerate() {
        table.sandbox.advance(Millis(2_500));
        let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
        mover.plays(&id, &format!("move/{uci}")).await;
    }
    table.bot.plays(&id, "resign").await;
    let response = table
        .anna
        .http
        .get(format!("{}/game/export/{id}", table.url))
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "application/x-chess-pgn");
    let pgn = response
        .text()
        .await
        .unwrap()
        .replace(&id, "GAMEID")
        .replace(&table.url, "SITE");
    insta::assert_snapshot!(pgn);
    let (_, export) = table.anna.get(&format!("/game/export/{id}")).await;
    assert_eq!(export["moves"], "e4 e5 Nf3 Nc6");
    assert_eq!(export["clocks"], json!([30_000, 30_000, 30_050, 30_050]));
    assert_eq!(
        (&export["status"], &export["winner"]),
        (&json!("resign"), &json!("white"))
    );
}

#[tokio::test]
async fn an_export_holds_what_was_asked_for() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    table.anna.plays(&id, "move/e2e4").await;
    let export = async |query| table.anna.get(&format!("/game/export/{id}?{query}")).await.1;
    let whole = export("").await;
    assert_eq!((&whole["moves"], whole.get("pgn")), (&json!("e4"), None));
    assert_eq!(export("moves=false").await.get("moves"), None);
    assert_eq!(export("clocks=false").await.get("clocks"), None);
    let pgn = export("pgnInJson=true&tags=false&clocks=false").await["pgn"].clone();
    assert_eq!(pgn, "1. e4 *\n\n");
}

#[tokio::test]
async fn the_address_of_a_game_leads_to_its_board() {
    let table = Table::set(standing_still()).await;
    let (_, challenge) = table.anna.post("/api/challenge/SandBot", &BLITZ).await;
    assert_eq!(challenge["perf"], json!({ "icon": "\u{e01d}", "name": "Blitz" }));
    let id = challenge["id"].as_str().unwrap();
    table.bot.does(&format!("/api/challenge/{id}/accept")).await;
    let still = reqwest::redirect::Policy::none();
    let browser = reqwest::Client::builder()
        .no_proxy()
        .redirect(still)
        .build()
        .unwrap();
    let answer = browser
        .get(challenge["url"].as_str().unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 303);
    assert_eq!(answer.headers()["location"], format!("/#/game/{id}"));
    let nothing = browser
        .get(format!("{}/zzzzzzzz", table.url))
        .send()
        .await
        .unwrap();
    assert_eq!(nothing.status(), 404);
}

#[tokio::test]
async fn why_the_bot_moved_is_told_once_the_game_is_over_and_not_before() {
    let options = Options {
        explanation_source: Some(ExplanationSource::new(
            |id| async move { Some(json!({ "game": id })) },
        )),
        ..standing_still()
    };
    let table = Table::set(options).await;
    let id = table.game(&BLITZ).await;
    let path = format!("/sandbox/game/{id}/decisions");
    let (status, refused) = table.anna.get(&path).await;
    assert_eq!(
        (status, &refused["error"]),
        (403, &json!("The game is still running"))
    );
    table.anna.plays(&id, "resign").await;
    assert_eq!(table.anna.get(&path).await, (200, json!({ "game": id })));
    assert_eq!(table.anna.get("/sandbox/game/zzzzzzzz/decisions").await.0, 404);
}

#[tokio::test]
async fn a_sandbox_that_nobody_told_anything_knows_no_reasons() {
    let table = Table::set(standing_still()).await;
    let id = table.game(&BLITZ).await;
    table.anna.plays(&id, "resign").await;
    let (status, _) = table.anna.get(&format!("/sandbox/game/{id}/decisions")).await;
    assert_eq!(status, 404);
}

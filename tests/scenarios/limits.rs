//! Limits of the server and of ourselves: too many requests, too many challenges, too many games.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sparring_chess::units::Millis;
use tokio::time::timeout;

use crate::{
    human::Game,
    stage::{Act, PATIENCE, Stage, WHITE, acts, replies},
    table::Lines,
};

fn challenge(id: &str, challenger: &str) -> Value {
    json!({"type": "challenge", "challenge": {
        "id": id, "challenger": {"id": challenger, "name": challenger}, "variant": {"key": "standard"},
        "speed": "blitz", "timeControl": {"type": "clock", "limit": 300, "increment": 0}
    }})
}

#[tokio::test]
async fn f8_an_answer_that_must_wait_is_sent_when_the_wait_is_over_and_games_go_on() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    let limit = r#"{"error":"Too many","ratelimit":{"key":"challenge.accept","seconds":1}}"#;
    stage.answers("/accept", 1, 429, limit);
    let begin = Instant::now();
    let (_, mut events) = stage.challenge(&WHITE).await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    timeout(PATIENCE, events.next_of("gameStart"))
        .await
        .expect("the first game is listed");
    timeout(PATIENCE, events.next_of("gameStart"))
        .await
        .expect("never accepted");
    assert!(begin.elapsed() >= Duration::from_secs(1));
    assert_eq!(stage.crew.plies(), [1, 3]);
}

#[tokio::test]
async fn f11_a_bot_that_has_played_enough_today_is_left_alone_and_others_are_asked() {
    let stage = replies(&["e2e4"]).courting(Millis(20)).open().await;
    let limit = r#"{"error":"Tired played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":3600}}"#;
    stage.answers("POST /api/challenge/tired", 100, 400, limit);
    let _tired = stage.table.another_bot("Tired").events().await;
    let asked = async { while stage.waiting_faults().await[0] > 99 {} };
    timeout(PATIENCE, asked).await.expect("nobody was asked");
    let mut fresh = stage.table.another_bot("Fresh").events().await;
    timeout(PATIENCE, fresh.next_of("challenge"))
        .await
        .expect("nobody else was asked");
    assert_eq!(stage.waiting_faults().await, [99], "asked once and no more");
}

#[tokio::test]
async fn f11_a_bot_whose_own_games_of_the_day_are_played_asks_no_other_and_plays_with_people() {
    let stage = replies(&["e7e5"]).courting(Millis(20)).open().await;
    let limit = r#"{"error":"You played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":3600}}"#;
    for name in ["one", "two"] {
        stage.answers(&format!("POST /api/challenge/{name}"), 100, 429, limit);
    }
    let [one, two] = ["One", "Two"].map(|name| stage.table.another_bot(name));
    let (mut events, _others) = (one.events().await, two.events().await);
    let asked = async { while stage.waiting_faults().await.iter().sum::<u64>() > 199 {} };
    timeout(PATIENCE, asked).await.expect("nobody was asked");
    // Nor is a bot that asks us accepted.
    assert_eq!(one.post("/api/challenge/SandBot", &WHITE).await.0, 200);
    let declined = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .expect("no answer");
    assert_eq!(declined["challenge"]["declineReasonKey"], "later");
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    let left: u64 = stage.waiting_faults().await.iter().sum();
    assert_eq!(left, 199, "asked once and no more, by the whole class");
}

#[tokio::test]
async fn f11_a_limit_of_our_own_on_challenges_is_not_held_against_whom_we_asked() {
    let stage = replies(&["e2e4"]).courting(Millis(20)).open().await;
    let limit = r#"{"error":"Too many","ratelimit":{"key":"challenge.create.user","seconds":1}}"#;
    stage.answers("POST /api/challenge/only", 1, 429, limit);
    let mut events = stage.table.another_bot("Only").events().await;
    let begin = Instant::now();
    timeout(PATIENCE, events.next_of("challenge"))
        .await
        .expect("never asked again");
    assert!(begin.elapsed() >= Duration::from_millis(900));
}

#[tokio::test]
async fn f39_a_burst_of_challenges_is_decided_once_each_and_refused_slowly() {
    let mut server = replies(&[])
        .rules("[[rule]]\nthen = \"decline\"\n")
        .on_strings()
        .await;
    let begin = Instant::now();
    for _ in 0..2 {
        for number in 0..50 {
            let id = format!("abcd{number:04}");
            server.events.line(&challenge(&id, &format!("user{number}")));
        }
    }
    server
        .bot
        .until("all judged", |status| status.challenges == 100)
        .await;
    let posts = server.posted(4).await;
    assert!(begin.elapsed() >= Duration::from_millis(1500), "{posts:?}");
    let expected: Vec<String> = (0..posts.len())
        .map(|number| format!("challenge/abcd{number:04}/decline"))
        .collect();
    assert_eq!(posts, expected);
}

#[tokio::test]
async fn f37_more_games_than_seats_are_all_played_and_nothing_new_is_accepted() {
    let mut server = acts(|_, _| Act::Play("e2e4", 0))
        .rules("[[rule]]\nthen = \"accept\"\n")
        .options(|options| options.config_mut().games.max = 1)
        .on_strings()
        .await;
    let ids = ["game0001", "game0002", "game0003"];
    for (before, id) in ids.into_iter().enumerate() {
        let game = server.game(id).await;
        game.line(&crate::puppet::full(id, ""));
        server.posted(before + 1).await;
        server.keep(game);
    }
    server.bot.until("three games", |status| status.games == 3).await;
    server.events.line(&challenge("abcd0001", "ana"));
    let mut posts = server.posted(4).await;
    assert_eq!(posts.pop().unwrap(), "challenge/abcd0001/decline", "no seat");
    posts.sort_unstable();
    assert_eq!(posts, ids.map(|id| format!("bot/game/{id}/move/e2e4")));
}

#[tokio::test]
async fn f35_a_game_whose_news_was_lost_is_found_in_the_list() {
    let mut server = replies(&["e2e4"])
        .options(|options| options.timing.reservation = Millis(100))
        .on_strings()
        .await;
    server.plays(json!([{"gameId": "abcd0001", "fullId": "abcd0001xyzw"}]));
    server.events.line(&challenge("abcd0001", "ana"));
    assert_eq!(server.posted(1).await, ["challenge/abcd0001/accept"]);
    let game = server.opens_again("abcd0001").await;
    game.line(&crate::puppet::full("abcd0001", ""));
    assert_eq!(server.posted(2).await[1], "bot/game/abcd0001/move/e2e4");
}

#[tokio::test]
async fn f38_a_rematch_is_taken_like_any_challenge() {
    let stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_resigns_to("black").await;
    let (offer, mut events) = rematch(&stage, &game).await;
    let begun = timeout(PATIENCE, events.next_of("gameStart"))
        .await
        .expect("no rematch");
    assert_eq!(begun["game"]["gameId"], offer["id"]);
}

/// Anna wants the game repeated: the challenge, and her event stream from before it on.
async fn rematch(stage: &Stage, game: &Game) -> (Value, Lines) {
    let events = stage.table.anna.events().await;
    let path = format!("/sandbox/game/{}/rematch", game.id);
    let (status, offer) = stage.table.anna.post(&path, &[]).await;
    assert_eq!(status, 200, "{offer}");
    (offer, events)
}

#[tokio::test]
async fn who_wants_more_rematches_than_the_personality_likes_is_asked_to_come_later() {
    let mut profile = crate::stage::silent("choosy");
    profile.rematches = Some(0);
    let stage = replies(&["e7e5"]).personality(profile).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_resigns_to("black").await;
    let (_, mut events) = rematch(&stage, &game).await;
    let declined = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .expect("no answer");
    assert_eq!(declined["challenge"]["declineReasonKey"], "later");
}

#[tokio::test]
async fn f35_a_game_that_nobody_announced_is_found_within_a_look_at_the_list() {
    let mut server = replies(&["e2e4"])
        .options(|options| options.timing.poll_every = Millis(200))
        .on_strings()
        .await;
    server.plays(json!([{"gameId": "abcd0001", "fullId": "abcd0001xyzw"}]));
    let game = server.opens_again("abcd0001").await;
    game.line(&crate::puppet::full("abcd0001", ""));
    assert_eq!(server.posted(1).await[0], "bot/game/abcd0001/move/e2e4");
}

#[test]
fn running_games_are_looked_for_each_minute() {
    let options = sparring::bot::Options::from(sparring::config::Config::default());
    assert_eq!(options.timing.poll_every, Millis::from_secs(60));
}

#[tokio::test]
async fn a_game_whose_stream_was_refused_once_is_tried_again() {
    let stage = replies(&["e7e5"]).open().await;
    stage.answers("GET /api/bot/game/stream", 1, 404, r#"{"error":"Not found"}"#);
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
}

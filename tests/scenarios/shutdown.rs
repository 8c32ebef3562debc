//! Leaving in good order.

use std::time::{Duration, Instant};

use serde_json::Value;
use sparring_chess::units::Millis;
use tokio::time::timeout;

use crate::stage::{Act, PATIENCE, WHITE, acts, replies};

#[tokio::test]
async fn an_idle_daemon_leaves_when_it_is_asked_to() {
    let mut stage = replies(&[]).open().await;
    stage.bot.take().unwrap().drained().await;
}

#[tokio::test]
async fn running_games_are_played_on_and_no_new_ones_begun() {
    let mut stage = replies(&["e7e5", "d8h4"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("f2f3").await.bot_answers("e7e5").await;
    let mut bot = stage.bot.take().unwrap();
    bot.signals.drain.cancel();
    bot.until("draining", |status| status.is_draining).await;
    let (_, mut events) = stage.challenge(&WHITE).await;
    let declined = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .unwrap();
    assert_eq!(declined["challenge"]["declineReasonKey"], Value::from("later"));
    game.human_plays("g2g4").await.bot_answers("d8h4").await;
    assert_eq!(bot.end().await, Ok(()));
}

#[tokio::test]
async fn a_second_request_leaves_within_two_seconds_and_the_game_stays() {
    let mut stage = acts(|_, _| Act::Hang).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.crew.thinks(1).await;
    let bot = stage.bot.take().unwrap();
    bot.signals.drain.cancel();
    bot.signals.leave.cancel();
    let begin = Instant::now();
    assert_eq!(bot.end().await, Ok(()));
    assert!(begin.elapsed() < Duration::from_secs(2));
    let (_, playing) = stage.table.anna.get("/api/account/playing").await;
    assert_eq!(playing["nowPlaying"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn games_that_take_too_long_are_left() {
    let mut stage = acts(|_, _| Act::Hang)
        .options(|options| options.config_mut().games.drain = Millis(100))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.crew.thinks(1).await;
    stage.bot.take().unwrap().drained().await;
}

#[tokio::test]
async fn a_challenge_of_the_bot_is_taken_back_before_it_leaves() {
    let mut stage = replies(&[]).courting(Millis(50)).open().await;
    let rival = stage.table.another_bot("Rival");
    let mut events = rival.events().await;
    let challenge = timeout(PATIENCE, events.next_of("challenge")).await.unwrap();
    stage.bot.take().unwrap().drained().await;
    let id = challenge["challenge"]["id"].as_str().unwrap();
    let (_, shown) = rival.get(&format!("/api/challenge/{id}/show")).await;
    assert_eq!(shown["status"], "canceled", "{shown}");
}

#[tokio::test]
async fn who_waits_for_a_seat_is_told_before_the_bot_leaves() {
    let mut stage = replies(&[])
        .options(|options| options.config_mut().games.max = 0)
        .open()
        .await;
    let (_, mut events) = stage.challenge(&WHITE).await;
    stage.bot().until("waiting", |status| status.waiting == 1).await;
    stage.bot.take().unwrap().drained().await;
    let declined = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .unwrap();
    assert_eq!(declined["challenge"]["declineReasonKey"], Value::from("later"));
}

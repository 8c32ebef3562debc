//! What can be asked for by chat, and what comes of it.

use sparring::{
    personality::Profile,
    sandbox::Mishap,
    units::{Elo, Millis},
};

use crate::stage::{BLACK, WHITE, replies};

#[tokio::test]
async fn a_level_counts_from_the_next_move() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 1400")
        .await
        .bot_says("From my next move on I play at level 1400")
        .await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    let levels: Vec<_> = stage.asked().iter().map(|asked| asked.level).collect();
    assert_eq!(levels, [None, Some(Elo(1400))]);
}

#[tokio::test]
async fn another_personality_takes_over() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!play attacker").await.bot_says("attacker").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    let who: Vec<_> = stage.asked().into_iter().map(|asked| asked.personality).collect();
    assert_eq!(who, ["club", "attacker"]);
}

#[tokio::test]
async fn strength_stays_as_it_is_in_rated_games() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&[&WHITE[..], &[("rated", "true")]].concat()).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 600").await.bot_says("rated games").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    assert!(stage.asked().iter().all(|asked| asked.level.is_none()));
}

#[tokio::test]
async fn what_was_asked_for_survives_the_daemon_and_nothing_is_said_twice() {
    let mut stage = replies(&["e7e5", "b8c6", "g8f6"])
        .personality(Profile::new("friendly"))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.bot_says("Hello Anna").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 1400").await.bot_says("level 1400").await;
    stage.kill();
    game.human_plays("g1f3").await;
    stage.start().await;
    game.bot_answers("b8c6").await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    let levels: Vec<_> = stage.asked().iter().map(|asked| asked.level).collect();
    assert_eq!(levels, [None, Some(Elo(1400)), Some(Elo(1400))]);
    assert_eq!(game.lines_of_the_bot(), 2, "one greeting, one answer");
}

#[tokio::test]
async fn f32_strangers_text_never_comes_back_and_never_disturbs() {
    let stage = replies(&["e2e4", "g1f3"]).open().await;
    let mut game = stage.game(&BLACK).await;
    game.bot_answers("e2e4").await;
    for text in [
        "!play http://evil.example",
        "\u{202e}!level 1400\u{1b}[2J",
        "'; DROP TABLE games; --",
        "!",
    ] {
        game.human_says(text).await;
    }
    game.bot_says("I know attacker, club").await;
    game.human_plays("e7e5").await.bot_answers("g1f3").await;
    assert_eq!(stage.asked()[1].level, None);
    assert_eq!(game.lines_of_the_bot(), 1);
}

#[tokio::test]
async fn speed_can_be_asked_for() {
    let stage = replies(&["e2e4", "g1f3"]).open().await;
    let mut game = stage.game(&BLACK).await;
    game.bot_answers("e2e4").await;
    game.human_says("!fast").await.bot_says("do not pause").await;
    game.human_plays("e7e5").await.bot_answers("g1f3").await;
    let fast: Vec<_> = stage.asked().iter().map(|asked| asked.fast).collect();
    assert_eq!(fast, [false, true]);
}

#[tokio::test]
async fn what_is_asked_before_the_bots_stream_is_open_counts() {
    let stage = replies(&["e7e5"]).open().await;
    stage.arm("/api/bot/game/stream", 1, Mishap::Delay { by: Millis(300) });
    let mut game = stage.game(&WHITE).await;
    // The bot's stream is still on its way, and streams do not repeat what was said.
    game.human_says("!level 1400").await;
    game.bot_says("level 1400").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(stage.asked()[0].level, Some(Elo(1400)));
}

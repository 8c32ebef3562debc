//! Networks and servers that fail for a while, as a whole.

use std::time::{Duration, Instant};

use sparring_chess::units::Millis;
use sparring_sandbox::FaultKind;

use crate::{
    proxy::Proxy,
    stage::{WHITE, answer, replies},
};

#[tokio::test]
async fn f2_f46_bytes_that_come_one_by_one_make_a_game_all_the_same() {
    let mut stage = replies(&["e7e5", "b8c6", "g8f6"]).open().await;
    stage.kill();
    let proxy = Proxy::before(&stage.table.url).await;
    proxy.slice(Duration::from_micros(50));
    let mut bot = stage.crew.daemon(&proxy.url, &stage.table.bot.token);
    bot.until("listening", |status| status.is_listening).await;
    let mut game = stage.game(&WHITE).await;
    for (human, bot) in [("e2e4", "e7e5"), ("g1f3", "b8c6"), ("f1c4", "g8f6")] {
        game.human_plays(human).await.bot_answers(bot).await;
    }
    assert_eq!(stage.crew.plies(), [1, 3, 5]);
}

#[tokio::test]
async fn f46_answers_that_are_late_by_chance_make_no_request_for_a_move_come_twice() {
    let moves = [("e2e4", "e7e5"), ("g1f3", "b8c6")];
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    stage.kill();
    for (_, own) in moves {
        // A second request would meet this one.
        stage.arm_after(&format!("/move/{own}"), 1, 1, answer(500, ""));
    }
    let proxy = Proxy::before(&stage.table.url).await;
    let mut bot = stage.crew.daemon(&proxy.url, &stage.table.bot.token);
    bot.until("listening", |status| status.is_listening).await;
    proxy.jitter(Duration::from_millis(800));
    let mut game = stage.game(&WHITE).await;
    for (human, own) in moves {
        game.human_plays(human).await.bot_answers(own).await;
    }
    assert_eq!(stage.crew.plies(), [1, 3]);
    assert_eq!(stage.waiting_faults().await, [1, 1], "one request was enough");
}

#[tokio::test]
async fn f1_f5_connections_that_are_reset_in_the_middle_cost_no_move() {
    let mut stage = replies(&["e7e5", "b8c6", "g8f6"]).open().await;
    stage.kill();
    let proxy = Proxy::before(&stage.table.url).await;
    let mut bot = stage.crew.daemon(&proxy.url, &stage.table.bot.token);
    bot.until("listening", |status| status.is_listening).await;
    let mut game = stage.game(&WHITE).await;
    for (human, bot) in [("e2e4", "e7e5"), ("g1f3", "b8c6"), ("f1c4", "g8f6")] {
        game.human_plays(human).await;
        proxy.reset();
        game.bot_answers(bot).await;
    }
    assert_eq!(stage.crew.plies(), [1, 3, 5]);
}

#[tokio::test]
async fn f5_f43_a_server_that_restarts_is_found_again_with_its_games() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    let mut doomed = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("two games", |status| status.games == 2).await;
    stage.server_goes_down().await;
    stage.bot().until("deaf", |status| !status.is_listening).await;
    // As when lichess restarts: the gateway is up before the server, and a game is aborted.
    stage.answers("/api/", 6, 502, "<html>502 Bad Gateway</html>");
    stage.server_comes_up().await;
    stage.bot().until("listening", |status| status.is_listening).await;
    stage.table.sandbox.disarm();
    doomed.returns().await.human_does("abort").await;
    game.returns()
        .await
        .human_plays("g1f3")
        .await
        .bot_answers("b8c6")
        .await;
    stage.bot().until("one game", |status| status.games == 1).await;
    let own: Vec<usize> = stage
        .crew
        .plies()
        .into_iter()
        .filter(|ply| ply % 2 == 1)
        .collect();
    assert_eq!(own, [1, 3]);
}

#[tokio::test]
async fn f5_a_challenge_is_accepted_within_a_second_of_the_loss_of_the_stream() {
    let stage = replies(&["e7e5"]).open().await;
    let mut took = Vec::new();
    for _ in 0..3 {
        stage.table.sandbox.end_streams();
        let lost = Instant::now();
        let mut game = stage.game(&WHITE).await;
        took.push(lost.elapsed());
        game.human_does("abort").await;
    }
    // The best of three: a machine that is busy with something else may be late once or twice.
    assert!(took.iter().min() < Some(&Duration::from_secs(1)), "{took:?}");
}

#[tokio::test]
async fn f46_the_time_kept_for_the_way_follows_a_slow_server() {
    let stage = replies(&["e7e5", "b8c6"])
        .options(|options| options.config_mut().play.move_overhead = Millis(50))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    stage.arm("/move/e7e5", 1, FaultKind::Delay { by: Millis(400) });
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    let overheads: Vec<Millis> = stage.crew.asked().iter().map(|asked| asked.overhead).collect();
    assert_eq!(overheads[0], Millis(50));
    assert!(overheads[1] >= Millis(400), "{overheads:?}");
}

#[tokio::test]
async fn f47_a_flag_that_falls_with_the_move_on_its_way_is_a_lesson_for_the_next_game() {
    let mut stage = replies(&["e7e5", "b8c6"])
        .options(|options| options.config_mut().play.move_overhead = Millis(50))
        .sandbox(|sandbox| sandbox.rules.strict_flags = true)
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.arm("/move/b8c6", 1, FaultKind::Delay { by: Millis(60_000) });
    game.human_plays("g1f3").await;
    stage.crew.thinks(2).await;
    stage.table.sandbox.advance(Millis(600_000));
    game.ends("outoftime", Some("white")).await;
    stage.bot().until("free again", |status| status.games == 0).await;
    let mut next = stage.game(&WHITE).await;
    next.human_plays("e2e4").await.bot_answers("e7e5").await;
    let overhead = stage.crew.asked().last().unwrap().overhead;
    assert_eq!(
        overhead,
        Millis(150),
        "a tenth of a second more than the settings say"
    );
}

//! Connections that break, and daemons that die: the game goes on, and no move is decided twice.

use std::time::{Duration, Instant};

use sparring_chess::units::Millis;

use crate::stage::{Act, BLACK, WHITE, acts, replies, silent};

#[tokio::test]
async fn f5_cut_connections_cost_nothing_but_a_moment() {
    let stage = replies(&["e7e5", "b8c6", "g8f6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    for (human, bot) in [("g1f3", "b8c6"), ("f1c4", "g8f6")] {
        assert!(stage.table.sandbox.drop_connections() > 0);
        game.returns()
            .await
            .human_plays(human)
            .await
            .bot_answers(bot)
            .await;
    }
    assert_eq!(stage.crew.plies(), [1, 3, 5]);
}

#[tokio::test]
async fn f43_streams_that_end_politely_are_opened_again() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.table.sandbox.end_streams();
    game.returns()
        .await
        .human_plays("g1f3")
        .await
        .bot_answers("b8c6")
        .await;
    // The event stream is back as well, and its burst has not started the game a second time.
    stage.bot().until("listening", |status| status.is_listening).await;
    assert_eq!(stage.crew.plies(), [1, 3]);
}

#[tokio::test]
async fn f5_a_thought_survives_the_loss_of_its_stream() {
    let (open, gate) = tokio::sync::watch::channel(false);
    let mut stern = silent("stern");
    stern.takebacks = 0;
    let stage = acts(move |request, _| match request.line.ply() {
        1 => Act::Play("e7e5", 0),
        _ => Act::When(gate.clone(), "b8c6"),
    })
    .personality(stern)
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await;
    stage.crew.thinks(2).await;
    assert!(stage.table.sandbox.drop_connections() > 0);
    game.returns().await.human_does("takeback/yes").await;
    // Its stream is back when it has refused: a thought that began anew would have begun by then.
    let offered = |state: &serde_json::Value| state["wtakeback"] == true;
    game.until("a takeback is offered", offered).await;
    game.until("it is refused", |state| !offered(state)).await;
    open.send_replace(true);
    game.bot_answers("b8c6").await;
    assert_eq!(stage.crew.plies(), [1, 3], "asked once each");
}

#[tokio::test]
async fn f44_a_dead_daemon_is_replaced_in_the_middle_of_its_turn() {
    let mut stage = acts(|_, before| {
        if before == 0 {
            Act::Hang
        } else {
            Act::Play("e7e5", 0)
        }
    })
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.crew.thinks(1).await;
    stage.kill();
    stage.start().await;
    game.bot_answers("e7e5").await;
    assert_eq!(stage.crew.plies(), [1, 1]);
}

#[tokio::test]
async fn f44_with_three_seconds_left_a_new_daemon_still_moves_in_time() {
    let mut stage = acts(|request, before| match (request.line.ply(), before) {
        (1, _) => Act::Play("e7e5", 0),
        (_, 1) => Act::Hang,
        _ => Act::Play("b8c6", 0),
    })
    .sandbox(|sandbox| sandbox.rules.strict_flags = true)
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await;
    stage.crew.thinks(2).await;
    stage.kill();
    stage.table.sandbox.advance(Millis(597_000));
    let begin = Instant::now();
    stage.start().await;
    game.bot_answers("b8c6").await;
    let took = begin.elapsed();
    // From the log-in on, not only from the first line of the game's stream.
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(stage.crew.plies(), [1, 3, 3]);
}

#[tokio::test]
async fn f45_a_stream_taken_over_by_our_double_is_taken_back() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("one game", |status| status.games == 1).await;
    // Same token and same name: lichess ends our stream when this one opens.
    let name = concat!("sparring/", env!("CARGO_PKG_VERSION"), " user:sandbot");
    let path = format!("/api/bot/game/stream/{}", game.id);
    let request = stage.table.bot.request(reqwest::Method::GET, &path);
    let mut double = crate::table::Lines::open(request.header("user-agent", name)).await;
    assert_eq!(double.next().await["type"], "gameFull");
    double.ends().await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    assert_eq!(stage.crew.plies(), [1, 3]);
}

#[tokio::test]
async fn f43_several_games_are_adopted_at_once() {
    let mut stage = replies(&["e2e4", "d2d4"]).open().await;
    let mut games = Vec::new();
    for _ in 0..2 {
        let mut game = stage.game(&BLACK).await;
        game.bot_answers("e2e4").await;
        games.push(game);
    }
    stage.kill();
    for game in &mut games {
        game.human_plays("e7e5").await;
    }
    stage.start().await;
    for game in &mut games {
        game.bot_answers("d2d4").await;
    }
    stage.bot().until("two games", |status| status.games == 2).await;
}

#[tokio::test]
async fn f3_silence_is_taken_for_a_loss() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.table.sandbox.set_silent(true);
    stage.bot().until("deaf", |status| !status.is_listening).await;
    stage.table.sandbox.set_silent(false);
    stage.bot().until("listening", |status| status.is_listening).await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
}

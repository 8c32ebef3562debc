//! Connections that break, and daemons that die: the game goes on, and no move is decided twice.

use crate::stage::{Act, BLACK, WHITE, acts, replies};

#[tokio::test]
async fn cut_connections_cost_nothing_but_a_moment() {
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
    assert_eq!(stage.plies(), [1, 3, 5]);
}

#[tokio::test]
async fn streams_that_end_politely_are_opened_again() {
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
    assert_eq!(stage.plies(), [1, 3]);
}

#[tokio::test]
async fn a_thought_survives_the_loss_of_its_stream() {
    let think = tokio::sync::watch::channel(false);
    let mut stage = replies(&[])
        .mind(sparring::bot::mind::Mind::Scripted({
            let gate = think.1.clone();
            std::sync::Arc::new(move |request| {
                let mut gate = gate.clone();
                Box::pin(async move {
                    gate.wait_for(|open| *open).await.unwrap();
                    let mv = sparring::chess::parse_uci(request.line.position(), "e7e5").unwrap();
                    Some(sparring::bot::mind::Decision::play(mv, "script"))
                })
            })
        }))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.table.sandbox.drop_connections();
    stage.bot().until("deaf", |status| !status.is_listening).await;
    stage.bot().until("listening", |status| status.is_listening).await;
    think.0.send(true).unwrap();
    game.returns().await.bot_answers("e7e5").await;
}

#[tokio::test]
async fn a_dead_daemon_is_replaced_in_the_middle_of_its_turn() {
    let mut stage = acts(|_, before| {
        if before == 0 {
            Act::Ponder
        } else {
            Act::Play("e7e5", 0)
        }
    })
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.thinks(1).await;
    stage.kill();
    stage.start().await;
    game.bot_answers("e7e5").await;
    assert_eq!(stage.plies(), [1, 1]);
}

#[tokio::test]
async fn several_games_are_adopted_at_once() {
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
async fn silence_is_taken_for_a_loss() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.table.sandbox.set_silent(true);
    stage.bot().until("deaf", |status| !status.is_listening).await;
    stage.table.sandbox.set_silent(false);
    stage.bot().until("listening", |status| status.is_listening).await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
}

//! A server that misbehaves: moves arrive once, and the mind is asked once.

use std::time::{Duration, Instant};

use sparring_chess::units::Millis;
use sparring_personality::Personality;
use sparring_sandbox::FaultKind;
use tokio::{sync::watch, time::timeout};

use crate::{
    human::Game,
    logs::Log,
    puppet::{full, state},
    stage::{Act, Stage, WHITE, acts, answer, replies},
};

/// Plays two moves with something wrong about the first, and looks that each was decided once.
async fn two_moves(stage: &Stage) {
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    assert_eq!(stage.crew.plies(), [1, 3]);
}

/// A game in which the bot has so much left after two moves of each side, on a server whose clocks stand still. It plays
/// g8f6 next.
async fn short_of_time(left: Millis) -> (Stage, Game) {
    let (open, gate) = watch::channel(false);
    let stage = acts(move |request, _| match request.line.ply() {
        1 => Act::Play("e7e5", 0),
        3 => Act::When(gate.clone(), "b8c6"),
        _ => Act::Play("g8f6", 0),
    })
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    stage.table.sandbox.set_speed(0.0);
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await;
    stage.crew.thinks(2).await;
    stage.table.sandbox.advance(Millis::from_secs(600) - left);
    open.send_replace(true);
    game.bot_answers("b8c6").await;
    (stage, game)
}

#[tokio::test]
async fn f12_errors_of_the_server_on_a_move_are_outlasted() {
    for (status, body) in [
        (500, "Sorry, something went wrong."),
        (502, "<html>502 Bad Gateway</html>"),
        (503, ""),
        (504, r#"{"error":"timeout"}"#),
    ] {
        let stage = replies(&["e7e5", "b8c6"]).open().await;
        stage.answers("/move/e7e5", 3, status, body);
        two_moves(&stage).await;
    }
}

#[tokio::test]
async fn f13_a_page_with_status_200_is_not_taken_for_a_move() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    stage.answers("/move/e7e5", 1, 200, "<html>maintenance</html>");
    two_moves(&stage).await;
}

#[tokio::test]
async fn f14_a_move_whose_answer_is_lost_is_not_played_twice() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    stage.arm("/move/e7e5", 1, FaultKind::LoseAnswer { after: Millis(50) });
    two_moves(&stage).await;
}

#[tokio::test]
async fn f14_a_request_that_hangs_is_given_up_within_the_clock_and_the_stream_decides() {
    let (stage, mut game) = short_of_time(Millis::from_secs(4)).await;
    stage.arm("/move/g8f6", 1, FaultKind::Delay { by: Millis(60_000) });
    let begin = Instant::now();
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    let took = begin.elapsed();
    // With more on the clock it would be given up after five.
    assert!(
        took >= Duration::from_millis(500) && took < Duration::from_millis(4500),
        "{took:?}"
    );
    assert_eq!(stage.crew.plies(), [1, 3, 5]);
}

#[tokio::test]
async fn f8_silence_that_a_look_is_asked_for_leaves_most_of_the_clock() {
    let (stage, mut game) = short_of_time(Millis::from_secs(15)).await;
    let limit = r#"{"error":"Too many","ratelimit":{"key":"x","seconds":60}}"#;
    stage.answers("/move/g8f6", 1, 502, "");
    stage.answers("GET /api/bot/game/stream", 1, 429, limit);
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    assert!(stage.waiting_faults().await.is_empty());
}

#[tokio::test]
async fn f12_f16_pages_of_a_gateway_give_no_game_up() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    stage.answers("/move/e7e5", 1, 404, "<html>404 Not Found</html>");
    stage.answers("/move/e7e5", 1, 302, "<html>Please log in</html>");
    stage.answers("/move/e7e5", 1, 400, "");
    stage.answers("GET /api/bot/game/stream", 1, 404, "<html>404 Not Found</html>");
    two_moves(&stage).await;
    assert!(stage.waiting_faults().await.is_empty());
}

#[tokio::test]
async fn f15_a_refusal_of_a_move_that_was_played_is_a_success() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.game("abcd1234").await;
    server.answers(
        "/move/e2e4",
        400,
        r#"{"error":"Not your turn, or game already over"}"#,
    );
    game.line(&full("abcd1234", ""));
    let game = server.opens_again("abcd1234").await;
    game.line(&full("abcd1234", "e2e4"));
    game.line(&state("e2e4 e7e5"));
    let expected = ["e2e4", "g1f3"].map(|uci| format!("bot/game/abcd1234/move/{uci}"));
    assert_eq!(server.posted(2).await, expected);
}

#[tokio::test]
async fn f15_a_move_is_called_not_ours_is_looked_for() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    stage.answers(
        "/move/e7e5",
        1,
        400,
        r#"{"error":"Not your turn, or game already over"}"#,
    );
    two_moves(&stage).await;
}

#[tokio::test]
async fn f10_too_many_requests_on_a_move_are_waited_out() {
    let mut server = replies(&["e2e4", "g1f3"])
        .personality(Personality::new("friendly"))
        .on_strings()
        .await;
    let game = server.game("abcd1234").await;
    for _ in 0..2 {
        let limit = r#"{"error":"Too many requests. Try again later."}"#;
        server.answers("/move/e2e4", 429, limit);
    }
    let begin = Instant::now();
    game.line(&full("abcd1234", ""));
    server.posted(3).await;
    let took = begin.elapsed();
    assert!(took >= Duration::from_secs(3), "1 s, then 2 s: {took:?}");
    game.line(&state("e2e4 e7e5"));
    // No greeting among them, though one was due after a second: chat waits for longer.
    let expected = ["e2e4", "e2e4", "e2e4", "g1f3"].map(|uci| format!("bot/game/abcd1234/move/{uci}"));
    assert_eq!(server.posted(4).await, expected);
    assert_eq!(server.crew.plies(), [0, 2], "no move was decided twice");
}

#[tokio::test]
async fn f9_too_many_requests_in_chat_keep_no_move_back() {
    let stage = replies(&["e7e5", "b8c6"])
        .personality(Personality::new("friendly"))
        .open()
        .await;
    let mut limited = answer(429, "<html>slow down</html>");
    if let FaultKind::Answer { retry_after, .. } = &mut limited {
        *retry_after = Some("600".to_owned());
    }
    stage.arm("/chat", 1, limited);
    let begin = Instant::now();
    two_moves(&stage).await;
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_greeting_that_is_refused_keeps_no_move_back() {
    let stage = replies(&["e7e5", "b8c6"])
        .personality(Personality::new("friendly"))
        .open()
        .await;
    // Asking for the chat of before, and the greeting.
    stage.answers("/chat", 2, 400, r#"{"error":{"text":["too long"]}}"#);
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    // Nobody is greeted in the first second.
    let refused = async { while stage.waiting_faults().await.iter().any(|times| *times > 0) {} };
    timeout(Duration::from_secs(20), refused)
        .await
        .expect("a greeting");
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
}

#[tokio::test]
async fn f46_a_slow_server_gets_no_second_request_for_a_move() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    stage.arm("/move/e7e5", 1, FaultKind::Delay { by: Millis(1500) });
    // A second request would meet this one.
    stage.answers("/move/e7e5", 1, 500, "");
    two_moves(&stage).await;
    assert_eq!(stage.waiting_faults().await, [1], "one request was enough");
}

#[tokio::test]
async fn f46_a_server_that_takes_two_seconds_for_every_answer_is_played_on() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    for on in ["/api/bot/", "/accept"] {
        stage.arm(on, 100, FaultKind::Delay { by: Millis(2000) });
    }
    two_moves(&stage).await;
}

#[tokio::test]
async fn f16_a_game_that_the_server_refuses_to_play_is_given_up() {
    let (log, _guard) = Log::keep();
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.answers(
        "/move/b8c6",
        9,
        400,
        r#"{"error":"Piece on b8 cannot move to c6"}"#,
    );
    game.human_plays("g1f3").await.ends("resign", Some("white")).await;
    assert_eq!(
        stage.waiting_faults().await,
        [7],
        "sent once more, and no third time"
    );
    assert_eq!(stage.crew.plies(), [1, 3]);
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    let told = format!("the server refuses b8c6 in {fen} after \"e2e4 e7e5 g1f3\"");
    assert!(log.text().contains(&told), "{}", log.text());
}

#[tokio::test]
async fn a_game_that_falls_over_is_resumed_once() {
    let mut stage = acts(|_, before| {
        if before == 0 {
            Act::Panic
        } else {
            Act::Play("e7e5", 0)
        }
    })
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("playing", |status| status.games == 1).await;
}

#[tokio::test]
async fn a_game_that_falls_over_again_is_resigned_and_harms_no_other() {
    let mut stage = acts(|request, _| match request.line.uci_moves().as_str() {
        "d2d4" => Act::Play("d7d5", 0),
        _ => Act::Panic,
    })
    .open()
    .await;
    let mut good = stage.game(&WHITE).await;
    let mut bad = stage.game(&WHITE).await;
    bad.human_plays("e2e4").await;
    bad.until("it is over", |state| {
        state["status"] == "aborted" || state["status"] == "resign"
    })
    .await;
    good.human_plays("d2d4").await.bot_answers("d7d5").await;
    stage.bot().until("one game", |status| status.games == 1).await;
}

#[tokio::test]
async fn f12_an_event_stream_that_will_not_open_is_opened_later() {
    for (status, body) in [
        (502, "<html>502 Bad Gateway</html>"),
        (404, "<html>404 Not Found</html>"),
        (404, r#"{"error":"Not found"}"#),
    ] {
        let mut stage = replies(&["e7e5", "b8c6"]).open().await;
        stage.answers("/api/stream/event", 3, status, body);
        stage.table.sandbox.drop_connections();
        stage.bot().until("deaf", |status| !status.is_listening).await;
        stage.bot().until("listening", |status| status.is_listening).await;
        two_moves(&stage).await;
    }
}

#[tokio::test]
async fn f12_a_list_of_running_games_that_gets_lost_is_asked_for_again() {
    let mut stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    stage.kill();
    game.human_plays("e2e4").await;
    // Only the list knows of the game.
    stage.answers(
        "GET /api/stream/event",
        100_000,
        502,
        "<html>502 Bad Gateway</html>",
    );
    stage.answers("/api/account/playing", 2, 502, "<html>502 Bad Gateway</html>");
    stage.bot = Some(stage.daemon(&stage.table.bot.token));
    game.bot_answers("e7e5").await;
}

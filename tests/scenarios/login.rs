//! What is said at the door: tokens, accounts and servers that will not do.

use sparring::{
    bot::Exit,
    lichess::CallError,
    sandbox::{Mishap, Sandbox},
};

use crate::stage::{WHITE, replies};

#[tokio::test]
async fn an_unknown_token_is_refused() {
    let stage = replies(&[]).open().await;
    let exit = stage.daemon("lip_nobody").end().await;
    assert_eq!(exit, Err(Exit::UnknownToken));
}

#[tokio::test]
async fn a_token_that_may_not_play_is_refused_with_what_it_may() {
    let stage = replies(&[]).open().await;
    let sandbox: &Sandbox = &stage.table.sandbox;
    let token = sandbox.grant("SandBot", &["challenge:read"]).unwrap();
    let exit = stage.daemon(&token).end().await;
    assert_eq!(exit, Err(Exit::MissingScope("challenge:read".into())));
}

#[tokio::test]
async fn a_person_is_not_played_for() {
    let stage = replies(&[]).open().await;
    let token = stage.table.sandbox.grant("Anna", &["bot:play"]).unwrap();
    let exit = stage.daemon(&token).end().await;
    assert_eq!(exit, Err(Exit::NotABot("Anna".into())));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_after_a_while() {
    let mut stage = replies(&[]).open().await;
    // Nobody listens on port 9 of this machine.
    stage.table.url = "http://127.0.0.1:9".to_owned();
    let exit = stage.daemon("lip_any").end().await.unwrap_err();
    assert!(
        matches!(&exit, Exit::Unreachable(CallError::Transient { .. })),
        "{exit}"
    );
}

#[tokio::test]
async fn a_server_in_trouble_at_the_start_is_tried_again() {
    let stage = replies(&[]).open().await;
    stage.answers("/api/token/test", 1, 502, "<html>502 Bad Gateway</html>");
    stage.arm(
        "/api/account",
        1,
        Mishap::Answer {
            status: 200,
            body: "<html>maintenance</html>".into(),
            content_type: "text/html".into(),
            retry_after: None,
        },
    );
    let mut bot = stage.daemon(&stage.table.bot.token);
    bot.until("listening", |status| status.is_listening).await;
}

#[tokio::test]
async fn a_token_that_was_taken_back_ends_the_daemon_at_its_next_call() {
    let mut stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    assert!(stage.table.sandbox.revoke(&stage.table.bot.token));
    game.human_plays("e2e4").await;
    let exit = stage.bot.take().unwrap().end().await;
    assert_eq!(exit, Err(Exit::UnknownToken));
}

#[tokio::test]
async fn a_refusal_that_is_not_about_the_token_ends_nothing() {
    let stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    stage.answers("/move/e7e5", 1, 401, r#"{"error":"No such token"}"#);
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
}

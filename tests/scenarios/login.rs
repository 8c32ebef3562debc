//! What is said at the door: tokens, accounts and servers that will not do.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::{Router, response::Redirect};
use futures::FutureExt as _;
use rustls::pki_types::PrivatePkcs8KeyDer;
use sparring::{bot::DaemonError, store::Archive};
use sparring_chess::units::Millis;
use sparring_lichess::CallError;
use sparring_sandbox::{FaultKind, Sandbox};
use tokio::{net::TcpListener, time::timeout};

use crate::stage::{PATIENCE, WHITE, replies};

#[tokio::test]
async fn an_unknown_token_is_refused() {
    let stage = replies(&[]).open().await;
    let exit = stage.daemon("lip_nobody").end().await;
    assert_eq!(exit, Err(DaemonError::UnknownToken));
}

#[tokio::test]
async fn a_token_that_may_not_play_is_refused_with_what_it_may() {
    let stage = replies(&[]).open().await;
    let sandbox: &Sandbox = &stage.table.sandbox;
    let token = sandbox.grant("SandBot", &["challenge:read"]).unwrap();
    let exit = stage.daemon(&token).end().await;
    assert_eq!(exit, Err(DaemonError::MissingScope("challenge:read".into())));
}

#[tokio::test]
async fn a_person_is_not_played_for() {
    let stage = replies(&[]).open().await;
    let token = stage.table.sandbox.grant("Anna", &["bot:play"]).unwrap();
    let exit = stage.daemon(&token).end().await;
    assert_eq!(exit, Err(DaemonError::NotABot("Anna".into())));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_after_a_while() {
    let mut stage = replies(&[]).open().await;
    // Nobody listens on port 9 of this machine.
    stage.table.url = "http://127.0.0.1:9".to_owned();
    let exit = stage.daemon("lip_any").end().await.unwrap_err();
    assert!(
        matches!(&exit, DaemonError::Unreachable(CallError::Transient { .. })),
        "{exit}"
    );
}

#[tokio::test]
async fn f53_a_redirect_is_refused_and_the_token_goes_nowhere_else() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/", elsewhere.local_addr().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(move || async move { Redirect::temporary(&target) });
    tokio::spawn(async { axum::serve(listener, router).await });
    let exit = replies(&[])
        .crew()
        .daemon(&url, "lip_any")
        .end()
        .await
        .unwrap_err();
    assert!(
        exit.to_string().contains("redirected to http://127.0.0.1"),
        "{exit}"
    );
    assert!(
        elsewhere.accept().now_or_never().is_none(),
        "somebody called there"
    );
}

#[tokio::test]
async fn f13_an_answer_that_repeats_the_token_is_not_told() {
    const TOKEN: &str = "lip_onlymine";
    for body in [
        r#"{"lip_onlymine":{"userId":"x","scopes":["bot:play"],"expires":null}}"#,
        "<html>you sent lip_onlymine</html>",
        "<html>you sent lip_only",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(move || async move { body });
        tokio::spawn(async { axum::serve(listener, router).await });
        let exit = replies(&[])
            .options(|options| options.timing.connect_timeout = Millis(500))
            .crew()
            .daemon(&url, TOKEN)
            .end()
            .await
            .unwrap_err();
        let text = exit.to_string();
        assert!(
            text.contains("repeats the token") && !text.contains("lip_only"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn f53_a_server_with_the_certificate_of_another_host_never_sees_the_token() {
    let _ = rustls::crypto::ring::default_provider().install_default(); // another test may have chosen already
    let certificate = include_bytes!("../fixtures/tls/elsewhere.cert.der").to_vec();
    let key = include_bytes!("../fixtures/tls/elsewhere.key.der").to_vec();
    let settings = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.into()], PrivatePkcs8KeyDer::from(key).into())
        .unwrap();
    let settings = std::sync::Arc::new(settings);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let (tell, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = rustls::ServerConnection::new(std::sync::Arc::clone(&settings)).unwrap();
            let mut text = String::new();
            let mut stream = rustls::StreamOwned::new(connection, socket.unwrap());
            let read = std::io::Read::read_to_string(&mut stream, &mut text);
            let _ = tell.send((read.is_err(), text)); // the test may be over
        }
    });
    let exit = replies(&[])
        .options(|options| options.timing.connect_timeout = sparring_chess::units::Millis(500))
        .crew()
        .daemon(&url, "lip_secret")
        .end()
        .await
        .unwrap_err();
    assert!(exit.to_string().contains("certificate"), "{exit}");
    let (is_refused, text) = heard.recv().unwrap();
    assert!(is_refused && text.is_empty(), "{text}");
}

#[tokio::test]
async fn f12_f13_a_server_in_trouble_at_the_start_is_tried_again() {
    let stage = replies(&[])
        // What counts is that it is tried again, on a machine however busy.
        .options(|options| options.timing.connect_timeout = Millis::from_secs(20))
        .open()
        .await;
    stage.answers("/api/token/test", 1, 502, "<html>502 Bad Gateway</html>");
    stage.arm(
        "/api/account",
        1,
        FaultKind::Answer {
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
async fn f17_a_token_that_was_taken_back_ends_the_daemon_at_its_next_call() {
    let mut stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    assert!(stage.table.sandbox.revoke(&stage.table.bot.token));
    game.human_plays("e2e4").await;
    let exit = stage.bot.take().unwrap().end().await;
    assert_eq!(exit, Err(DaemonError::UnknownToken));
}

#[tokio::test]
async fn f17_a_token_that_was_taken_back_is_noticed_without_a_game() {
    let mut stage = replies(&[]).open().await;
    // The event stream stays open: it is the answer to the challenge that is refused.
    assert!(stage.table.sandbox.revoke(&stage.table.bot.token));
    stage.challenge(&WHITE).await;
    let exit = stage.bot.take().unwrap().end().await;
    assert_eq!(exit, Err(DaemonError::UnknownToken));
}

#[tokio::test]
async fn f17_an_account_that_is_shut_out_ends_the_daemon_with_a_code_and_without_a_storm() {
    let mut stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.table.sandbox.revoke(&stage.table.bot.token);
    stage.answers("/api/", 1000, 403, r#"{"error":"Missing scope: bot:play"}"#);
    stage.table.sandbox.end_streams();
    let exit = stage.bot.take().unwrap().end().await.unwrap_err();
    let left = stage.waiting_faults().await[0];
    assert!(left > 990, "{} calls before it gave up", 1000 - left);
    let error = sparring::cli::bootstrap::failure(&exit);
    assert_eq!(
        sparring::cli::exit::code_of(&error),
        sparring::cli::exit::Exit::NoPermission,
        "which is not restarted: {exit}"
    );
}

#[tokio::test]
async fn f17_a_refusal_that_is_not_about_the_token_ends_nothing() {
    let stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    stage.answers("/move/e7e5", 1, 401, r#"{"error":"No such token"}"#);
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
}

#[tokio::test]
async fn f17_a_game_that_was_let_go_is_taken_up_again_though_no_list_names_it() {
    let stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    stage.answers("/api/account/playing", 1000, 502, "<html>502 Bad Gateway</html>");
    stage.answers("/move/e7e5", 1, 401, r#"{"error":"No such token"}"#);
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
}

#[tokio::test]
async fn f8_a_server_that_wants_no_log_in_yet_is_left_alone_for_as_long_as_it_asks() {
    let stage = replies(&[]).open().await;
    let limit = r#"{"error":"Too many","ratelimit":{"key":"token.test","seconds":2}}"#;
    stage.answers("/api/token/test", 1, 429, limit);
    let begin = Instant::now();
    // Longer than a server that cannot be reached is waited for.
    let mut bot = stage.daemon(&stage.table.bot.token);
    bot.until("listening", |status| status.is_listening).await;
    assert!(begin.elapsed() >= Duration::from_secs(2), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn f8_the_silence_that_a_log_in_was_asked_for_is_kept_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&[]).archive(&path).open().await;
    stage.kill();
    let limit = r#"{"error":"Too many","ratelimit":{"key":"token.test","seconds":3600}}"#;
    stage.answers("/api/token/test", 1, 429, limit);
    let first = stage.daemon(&stage.table.bot.token);
    let archive = Archive::read(&path).unwrap();
    let kept = async {
        loop {
            stage.crew.store.flush().await;
            let limits = archive.limits(Millis::ZERO, sparring::store::ALWAYS).unwrap();
            if !limits.is_empty() {
                return limits;
            }
            tokio::task::yield_now().await;
        }
    };
    let limits = timeout(PATIENCE, kept).await.expect("it was not kept");
    assert_eq!(limits[0].0, "class.account");
    first.ended.abort();
    // An hour is over sooner for a test.
    let epoch = Millis::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap());
    stage.crew.past.limits = vec![(limits[0].0.clone(), epoch + Millis::from_secs(2))];
    let begin = Instant::now();
    let mut second = stage.daemon(&stage.table.bot.token);
    second.until("listening", |status| status.is_listening).await;
    assert!(
        begin.elapsed() >= Duration::from_millis(1900),
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test]
async fn f8_f44_silence_that_other_calls_were_asked_for_keeps_no_restart_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5", "b8c6"])
        .courting(Millis(20))
        .options(|options| options.timing.poll_every = Millis(100))
        .archive(&path)
        .open()
        .await;
    let limit = r#"{"error":"Too many","ratelimit":{"key":"x","seconds":3600}}"#;
    stage.answers("GET /api/bot/online", 1, 429, limit);
    stage.answers("GET /api/account/playing", 1, 429, limit);
    let archive = Archive::read(&path).unwrap();
    let kept = async {
        loop {
            stage.crew.store.flush().await;
            let limits = archive.limits(Millis::ZERO, sparring::store::ALWAYS).unwrap();
            if !limits.is_empty() && stage.waiting_faults().await.is_empty() {
                return limits;
            }
        }
    };
    let limits = timeout(PATIENCE, kept).await.expect("nobody was asked");
    assert_eq!(
        limits.iter().map(|limit| limit.0.as_str()).collect::<Vec<_>>(),
        ["class.read"]
    );
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.kill();
    game.human_plays("g1f3").await;
    stage.crew.past.limits = limits;
    stage.start().await;
    game.bot_answers("b8c6").await;
}

#[tokio::test]
async fn f17_a_game_that_stays_shut_is_tried_less_and_less_often_and_others_go_on() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut open = stage.game(&WHITE).await;
    let shut = stage.game(&WHITE).await;
    stage.bot().until("two games", |status| status.games == 2).await;
    let path = format!("/stream/{}", shut.id);
    stage.answers(&path, 1000, 403, r#"{"error":"Not your game"}"#);
    stage.table.sandbox.end_streams();
    stage.bot().until("one game", |status| status.games == 1).await;
    let begin = Instant::now();
    open.returns()
        .await
        .human_plays("e2e4")
        .await
        .bot_answers("e7e5")
        .await;
    let third = async {
        while stage.waiting_faults().await[0] > 997 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, third).await.expect("it was given up");
    assert!(
        begin.elapsed() >= Duration::from_millis(1400),
        "{:?}",
        begin.elapsed()
    );
    open.human_plays("g1f3").await.bot_answers("b8c6").await;
}

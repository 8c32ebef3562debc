//! What probes and monitors see of a daemon at work.

use std::sync::Arc;

use sparring::web::{
    auth::Access,
    health::{HealthSources, router},
};
use tokio::{net::TcpListener, sync::watch};

use crate::stage::{Stage, WHITE, replies};

/// Serves the pages of the stage's daemon and gives their address.
async fn served(stage: &mut Stage) -> String {
    served_with(stage, watch::channel(None).1, watch::channel(false).1).await
}

/// The same of a daemon whose settings may have been refused, at its start or since.
async fn served_with(
    stage: &mut Stage,
    refusal: watch::Receiver<Option<Arc<str>>>,
    is_behind: watch::Receiver<bool>,
) -> String {
    let watched = HealthSources {
        status: stage.bot().status.clone(),
        pulse: stage.bot().pulse.clone(),
        meters: stage.crew.meters.clone(),
        store: stage.crew.store.clone(),
        refusal,
        is_behind,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router(watched, Access::default())).await });
    address
}

async fn page(address: &str, host: Option<&str>) -> (u16, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.get(address);
    if let Some(host) = host {
        request = request.header("host", host);
    }
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_daemon_at_work_is_well_and_counts() {
    let mut stage = replies(&["e7e5"]).open().await;
    let address = served(&mut stage).await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    let (status, health) = page(&format!("{address}/healthz"), None).await;
    assert_eq!(status, 200, "{health}");
    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    let (status, metrics) = page(&format!("{address}/metrics"), None).await;
    assert_eq!(status, 200);
    for line in [
        "sparring_games_begun_total 1",
        "sparring_games_ended_total{result=\"won\"} 1",
        "sparring_move_round_trip_seconds_count 1",
        "sparring_challenges_total{verdict=\"accepted\"} 1",
    ] {
        assert!(metrics.contains(line), "{line} is not on\n{metrics}");
    }
    assert!(!metrics.contains(&stage.table.bot.token) && !health.contains(&stage.table.bot.token));
    let (status, _) = page(&format!("{address}/metrics"), Some("evil.example")).await;
    assert_eq!(status, 403, "a false name leads nowhere");
}

#[tokio::test]
async fn a_daemon_whose_settings_were_refused_is_well_and_says_so() {
    let mut stage = replies(&[]).open().await;
    let why: Arc<str> = "bot.toml:3:6: a mistake that is nobody's business".into();
    let (refused, refusal) = watch::channel(Some(why));
    let (read_again, is_behind) = watch::channel(false);
    let address = served_with(&mut stage, refusal, is_behind).await;
    let (status, health) = page(&format!("{address}/healthz"), None).await;
    assert_eq!(status, 200, "a restart would mend nothing: {health}");
    assert!(
        health.contains("bot.toml cannot be used") && !health.contains("nobody's business"),
        "{health}"
    );
    let (_, metrics) = page(&format!("{address}/metrics"), None).await;
    assert!(metrics.contains("sparring_settings_refused 1"), "{metrics}");
    refused.send_replace(None);
    let (_, health) = page(&format!("{address}/healthz"), None).await;
    assert!(health.contains("\"note\":null"), "{health}");
    let (_, metrics) = page(&format!("{address}/metrics"), None).await;
    assert!(metrics.contains("sparring_settings_refused 0"), "{metrics}");
    read_again.send_replace(true);
    let (status, health) = page(&format!("{address}/healthz"), None).await;
    assert_eq!(status, 200, "{health}");
    assert!(health.contains("the last good settings are in force"), "{health}");
    let (_, metrics) = page(&format!("{address}/metrics"), None).await;
    assert!(metrics.contains("sparring_settings_refused 1"), "{metrics}");
}

#[tokio::test]
async fn a_daemon_that_is_gone_is_not_well() {
    let mut stage = replies(&[]).open().await;
    let address = served(&mut stage).await;
    stage.kill();
    for probe in ["healthz", "readyz", "livez"] {
        let (status, health) = page(&format!("{address}/{probe}"), None).await;
        assert_eq!(status, 503, "{probe}");
        assert!(health.contains("the event loop does not answer"), "{health}");
    }
}

#[tokio::test]
async fn an_outage_and_the_end_of_the_last_games_are_no_reason_to_kill() {
    let mut stage = replies(&["e7e5"]).open().await;
    let address = served(&mut stage).await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(page(&format!("{address}/readyz"), None).await.0, 200);
    stage.server_goes_down().await;
    stage.bot().until("cut off", |status| !status.is_listening).await;
    let (status, health) = page(&format!("{address}/readyz"), None).await;
    assert_eq!(status, 503);
    assert!(health.contains("the event stream is not open"), "{health}");
    assert_eq!(page(&format!("{address}/livez"), None).await.0, 200);
    stage.bot().signals.drain.cancel();
    stage.bot().until("draining", |status| status.is_draining).await;
    let (status, health) = page(&format!("{address}/readyz"), None).await;
    assert_eq!(status, 503);
    assert!(health.contains("stopping"), "{health}");
    let (status, health) = page(&format!("{address}/livez"), None).await;
    assert_eq!((status, health.as_str()), (200, "{\"ok\":true,\"why\":null}"));
}

//! `/livez`, `/readyz` (also `/healthz`) and `/metrics`: health and metrics of the daemon, for probes and monitoring.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::json;
use tokio::sync::watch;

use crate::web::auth::{self, Access};
use crate::{
    bot::{
        Status,
        observe::{liveness::LivenessProbe, metrics::Metrics},
    },
    platform::resident_bytes,
    store::ArchiveWriter,
};

/// An event loop that does not answer within this time hangs.
const PATIENCE: Duration = Duration::from_secs(5);
/// Notes on bot.toml. The findings are in the log only, since they quote the settings.
const PLAYS_LAST_GAMES: &str = "bot.toml cannot be used: the bot only finishes the games of the last run, until the file is \
                                fixed and reloaded; the log says what is wrong";
const IS_BEHIND: &str =
    "bot.toml cannot be used as it is now: the last good settings are in force; the log says what is wrong";
/// The note on an archive that cannot be opened or written.
const ARCHIVE_FAILS: &str =
    "the archive cannot be written: games go on, and up to a thousand rows are queued; the log says why";
/// The content type of OpenMetrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The sources of health and metrics.
#[derive(Debug, Clone)]
pub struct HealthSources {
    /// The daemon's status.
    pub status: watch::Receiver<Status>,
    /// Asks whether the event loop answers.
    pub pulse: LivenessProbe,
    /// The daemon's metrics.
    pub meters: Metrics,
    /// The archive.
    pub store: ArchiveWriter,
    /// Why bot.toml was unusable at the start, while only the last run's games are played.
    pub refusal: watch::Receiver<Option<Arc<str>>>,
    /// Whether bot.toml is unusable and the earlier settings are in force.
    pub is_behind: watch::Receiver<bool>,
}

/// The pages, behind `access`.
pub fn router(watched: HealthSources, access: Access) -> Router {
    Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .route("/healthz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(access, auth::check))
        .with_state(watched)
}

/// Why a restart would help, if it would. Before the login there is no event loop; the login has its own timeouts.
async fn hang(watched: &HealthSources) -> Option<&'static str> {
    let is_starting = watched.status.borrow().user.is_none();
    let is_alive = is_starting || watched.pulse.is_alive(PATIENCE).await;
    (!is_alive).then_some("the event loop does not answer")
}

/// Why the daemon is down, if it is.
pub(crate) async fn problem(watched: &HealthSources) -> Option<&'static str> {
    let hang = hang(watched).await;
    let status = watched.status.borrow().clone();
    hang.or(match (status.is_listening, status.is_draining) {
        (_, true) => Some("stopping"),
        (false, false) => Some("the event stream is not open"),
        (true, false) => None,
    })
}

/// Problems that a restart would not fix.
pub(crate) fn note(watched: &HealthSources) -> Option<String> {
    let is_refused = watched.refusal.borrow().is_some();
    let notes = [
        (is_refused, PLAYS_LAST_GAMES),
        (!is_refused && *watched.is_behind.borrow(), IS_BEHIND),
        (watched.store.is_failing(), ARCHIVE_FAILS),
    ];
    let notes: Vec<&str> = notes
        .iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, note)| *note)
        .collect();
    (!notes.is_empty()).then(|| notes.join(". "))
}

/// 200 unless a restart would help: neither an outage of the server nor the end of the last games is a reason to kill.
async fn livez(State(watched): State<HealthSources>) -> Response {
    let why = hang(&watched).await;
    (code(why), Json(json!({"ok": why.is_none(), "why": why}))).into_response()
}

fn code(why: Option<&str>) -> StatusCode {
    why.map_or(StatusCode::OK, |_| StatusCode::SERVICE_UNAVAILABLE)
}

/// 200 when the event loop answers and the event stream is open, else 503 with the reason. Bad settings and a failing archive are
/// only notes, since a restart would only take time from running games; a failing archive makes the status "degraded".
async fn readyz(State(watched): State<HealthSources>) -> Response {
    let why = problem(&watched).await;
    let status = watched.status.borrow().clone();
    let health = match why {
        Some(_) => "down",
        None if watched.store.is_failing() => "degraded",
        None => "ok",
    };
    let page = json!({
        "ok": why.is_none(), "status": health, "why": why, "note": note(&watched), "user": status.user, "games": status.games,
        "asleep": status.parked,
    });
    (code(why), Json(page)).into_response()
}

async fn metrics(State(watched): State<HealthSources>) -> Response {
    let status = watched.status.borrow().clone();
    watched
        .meters
        .settings_refused(watched.refusal.borrow().is_some() || *watched.is_behind.borrow());
    let page = watched.meters.page(&status, &watched.store, resident_bytes());
    ([(header::CONTENT_TYPE, OPEN_METRICS)], page).into_response()
}

//! `/healthz` and `/metrics`: how the daemon is doing, for probes and monitors.

use std::{fs, sync::Arc, time::Duration};

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
    store::ArchiveWriter,
};

/// A loop that has not answered within this time hangs.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is to be known of a daemon that is well for as long as its games run. The log has the mistakes themselves: they
/// quote the settings.
const PLAYS_LAST_GAMES: &str = "bot.toml cannot be used: the games of the last run are played to their end and no others \
                                begun, until it is mended and read again; the log says what is wrong";
const IS_BEHIND: &str =
    "bot.toml cannot be used as it is now: the settings of before are in force; the log says what is wrong";
/// The same of one whose archive cannot be opened or written.
const KEEPS_NOTHING: &str = "the archive cannot be written: games are played as always, and up to a thousand rows wait for it; \
                             the log says why";
/// What OpenMetrics calls itself.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Everything there is to show.
#[derive(Debug, Clone)]
pub struct HealthSources {
    /// What the daemon is doing.
    pub status: watch::Receiver<Status>,
    /// Whether its loop turns.
    pub pulse: LivenessProbe,
    /// What it has counted.
    pub meters: Metrics,
    /// Where games are kept.
    pub store: ArchiveWriter,
    /// Why the settings at the start were refused, as long as only the games of the last run are played.
    pub refusal: watch::Receiver<Option<Arc<str>>>,
    /// Whether the settings in force are older than those in the file, which cannot be used.
    pub is_behind: watch::Receiver<bool>,
}

/// The pages, for those who have access.
pub fn router(watched: HealthSources, access: Access) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(access, auth::check))
        .with_state(watched)
}

/// What keeps the daemon from being well, if anything does.
pub(crate) async fn problem(watched: &HealthSources) -> Option<&'static str> {
    let turns = watched.pulse.is_alive(PATIENCE).await;
    let status = watched.status.borrow().clone();
    match (turns, status.is_listening, status.is_draining) {
        (false, _, _) => Some("the loop does not answer"),
        (true, _, true) => Some("ending"),
        (true, false, false) => Some("the event stream is not open"),
        (true, true, false) => None,
    }
}

/// What is to be known of the daemon besides: nothing that a restart would mend.
pub(crate) fn note(watched: &HealthSources) -> Option<String> {
    let is_refused = watched.refusal.borrow().is_some();
    let notes = [
        (is_refused, PLAYS_LAST_GAMES),
        (!is_refused && *watched.is_behind.borrow(), IS_BEHIND),
        (watched.store.is_failing(), KEEPS_NOTHING),
    ];
    let notes: Vec<&str> = notes
        .iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, note)| *note)
        .collect();
    (!notes.is_empty()).then(|| notes.join(". "))
}

/// 200 when the loop turns and the event stream is open, else 503 and why. Settings that cannot be used are a note: who
/// starts again what is not well would only take time from the games that run. So is an archive that cannot be written, and the
/// status is "degraded" then.
async fn healthz(State(watched): State<HealthSources>) -> Response {
    let why = problem(&watched).await;
    let status = watched.status.borrow().clone();
    let code = why.map_or(StatusCode::OK, |_| StatusCode::SERVICE_UNAVAILABLE);
    let health = match why {
        Some(_) => "down",
        None if watched.store.is_failing() => "degraded",
        None => "ok",
    };
    let page = json!({
        "ok": why.is_none(), "status": health, "why": why, "note": note(&watched), "user": status.user, "games": status.games,
        "asleep": status.parked,
    });
    (code, Json(page)).into_response()
}

async fn metrics(State(watched): State<HealthSources>) -> Response {
    let status = watched.status.borrow().clone();
    watched
        .meters
        .settings_refused(watched.refusal.borrow().is_some() || *watched.is_behind.borrow());
    let page = watched.meters.page(&status, &watched.store, resident_bytes());
    ([(header::CONTENT_TYPE, OPEN_METRICS)], page).into_response()
}

/// Memory of this process in bytes, as Linux tells it.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

//! `GET /reloads`: the last reloads of books and personalities.

use axum::{Json, Router, extract::State, middleware::from_fn_with_state, routing::get};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::reload::ReloadLog;
use crate::web::auth::{self, Access};

/// The route, behind `access`.
pub(crate) fn router(reload_log: watch::Receiver<ReloadLog>, access: Access) -> Router {
    Router::new()
        .route("/reloads", get(recent))
        .layer(from_fn_with_state(access, auth::check))
        .with_state(reload_log)
}

/// The reloads, newest first.
async fn recent(State(reload_log): State<watch::Receiver<ReloadLog>>) -> Json<Value> {
    let reload_log = reload_log.borrow().clone();
    let rows: Vec<Value> = reload_log
        .recent()
        .map(|event| json!({"number": event.number, "at": event.at, "good": event.good, "text": event.text}))
        .collect();
    Json(json!({"reloads": rows}))
}

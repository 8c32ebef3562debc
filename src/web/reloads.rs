//! The last books and personalities that were read again, for the pages: `GET /reloads`.

use axum::{Json, Router, extract::State, middleware::from_fn_with_state, routing::get};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::reload::ReloadLog;
use crate::web::auth::{self, Access};

/// The call, for those who have access.
pub(crate) fn router(tidings: watch::Receiver<ReloadLog>, access: Access) -> Router {
    Router::new()
        .route("/reloads", get(recent))
        .layer(from_fn_with_state(access, auth::check))
        .with_state(tidings)
}

/// The newest first.
async fn recent(State(tidings): State<watch::Receiver<ReloadLog>>) -> Json<Value> {
    let tidings = tidings.borrow().clone();
    let rows: Vec<Value> = tidings
        .recent()
        .map(|tiding| {
            json!({"number": tiding.number, "at": tiding.at, "good": tiding.good, "text": tiding.text})
        })
        .collect();
    Json(json!({"reloads": rows}))
}

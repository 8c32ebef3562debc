//! Access middleware: what requests without the owner's key may do.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde_json::json;

use super::{auth, hub::Hub, options::AnonymousAccess};

/// Only for the owner, if the server has a key.
pub async fn owner_only(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    match &hub.options.access {
        AnonymousAccess::Public(key) | AnonymousAccess::Private(key) if !key.is_in(request.headers()) => {
            refusal()
        }
        _ => next.run(request).await,
    }
}

/// Only for the owner and holders of a token, if the server is private.
pub async fn known_only(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let has_token = || {
        let token = auth::bearer(headers);
        token.is_some_and(|token| hub.with(|world, _| world.users().granted(token).is_some()))
    };
    match &hub.options.access {
        AnonymousAccess::Private(key) if !key.is_in(headers) && !has_token() => refusal(),
        _ => next.run(request).await,
    }
}

/// The page reads `needs`. A key of an earlier start is refused like a missing one.
fn refusal() -> Response {
    let why = "Only with the key: open the address that the program printed in the terminal when it started";
    (
        StatusCode::FORBIDDEN,
        Json(json!({ "error": why, "needs": "key" })),
    )
        .into_response()
}

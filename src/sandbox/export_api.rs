//! Games for keeping: PGN and JSON.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;

use super::{
    challenge_api::parse_id,
    hub::Hub,
    world::{Contents, Refusal},
};

/// The routes of exports, and the one that only says that somebody is here.
pub fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/game/export/{id}", get(export))
        .route("/__ping", get(|| async { "pong" }))
}

#[derive(Deserialize)]
struct Wanted {
    moves: Option<bool>,
    tags: Option<bool>,
    clocks: Option<bool>,
}

async fn export(
    State(hub): State<Arc<Hub>>,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = parse_id(&id)?;
    let wants_json = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("application/json"));
    let contents = Contents {
        moves: wanted.moves.unwrap_or(true),
        tags: wanted.tags.unwrap_or(true),
        clocks: wanted.clocks.unwrap_or(true),
    };
    hub.with(|world, _| {
        let game = world.game(&id).ok_or(Refusal::NotFound)?;
        if wants_json {
            return Ok(Json(game.export(world.users())).into_response());
        }
        let pgn = game.pgn(world.users(), world.site(), contents);
        Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn")], pgn).into_response())
    })
}

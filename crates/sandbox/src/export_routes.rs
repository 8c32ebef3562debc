//! Games for keeping: PGN and JSON.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::json;

use super::{
    challenge_routes::parse_id,
    fields::QueryFields,
    hub::Hub,
    world::{ApiError, Contents},
};

/// The routes of exports.
pub fn routes() -> Router<Arc<Hub>> {
    Router::new().route("/game/export/{id}", get(export))
}

async fn export(
    State(hub): State<Arc<Hub>>,
    Path(id): Path<String>,
    QueryFields(wanted): QueryFields,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = parse_id(&id)?;
    let wants_json = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("application/json"));
    let contents = Contents {
        moves: wanted.flag_or("moves", true),
        tags: wanted.flag_or("tags", true),
        clocks: wanted.flag_or("clocks", true),
    };
    hub.with(|world, _| {
        let game = world.game(&id).ok_or(ApiError::NotFound)?;
        let pgn = game.pgn(world.users(), world.site(), contents);
        if wants_json {
            let mut export = game.export(world.users(), contents);
            if wanted.flag("pgnInJson") {
                export["pgn"] = json!(pgn);
            }
            return Ok(Json(export).into_response());
        }
        Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn")], pgn).into_response())
    })
}

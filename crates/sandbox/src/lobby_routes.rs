//! Routes of the board's page beyond the lichess API: guest account, opponents, legal moves, rematch, more time.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, State},
    http::StatusCode,
    middleware::from_fn_with_state,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    access,
    answer::{Done, error},
    auth::{self, Authenticated, RequiredScopes},
    challenge_routes::parse_id,
    fields::BodyFields,
    hub::Hub,
    world::{ApiError, Game, View},
};
use sparring_lichess::model::Challenge;

/// The routes of the page.
pub fn routes(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    let players = Router::new()
        .route("/sandbox/game/{id}/rematch", post(rematch))
        .route("/sandbox/game/{id}/more-time", post(more_time))
        .route_layer(from_fn_with_state(
            RequiredScopes::new(hub, &["board:play", "bot:play"]),
            auth::check,
        ));
    let owner = Router::new()
        .route("/sandbox/guest", post(guest))
        .route_layer(from_fn_with_state(hub.clone(), access::owner_only));
    Router::new()
        .route("/sandbox/lobby", get(lobby))
        .route("/sandbox/game/{id}/view", get(view))
        .route("/sandbox/game/{id}/decisions", get(decisions))
        .merge(owner)
        .merge(players)
}

async fn guest(State(hub): State<Arc<Hub>>, BodyFields(fields): BodyFields) -> Result<Json<Value>, ApiError> {
    let (username, token) = hub.with(|world, now| world.add_guest(fields.text("name"), now))?;
    Ok(Json(json!({ "username": username, "token": token })))
}

/// The lobby options and the first bot.
async fn lobby(State(hub): State<Arc<Hub>>) -> Json<Value> {
    let bot = hub.with(|world, _| {
        let bot = world.users().bots().next();
        bot.map(|bot| json!({ "username": bot.name, "online": bot.is_online() }))
    });
    let mut lobby = json!({ "personalities": [], "levels": {}, "clocks": [] });
    if let Value::Object(given) = hub.options.lobby.describe() {
        for (key, value) in given {
            lobby[key] = value;
        }
    }
    lobby["bot"] = json!(bot);
    Json(lobby)
}

async fn view(State(hub): State<Arc<Hub>>, Path(id): Path<String>) -> Result<Json<View>, ApiError> {
    let id = parse_id(&id)?;
    // Copied, so that writing the SAN of a long game does not hold the lock.
    let game = hub
        .with(|world, _| world.game(&id).cloned())
        .ok_or(ApiError::NotFound)?;
    Ok(Json(View::of(&game)))
}

/// Explanations of the bot's moves, for finished games only.
async fn decisions(State(hub): State<Arc<Hub>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let id = parse_id(&id)?;
    let is_running = hub.with(|world, _| world.game(&id).map(Game::is_running));
    if is_running.ok_or(ApiError::NotFound)? {
        return Ok(error(StatusCode::FORBIDDEN, "The game is still running"));
    }
    let source = hub
        .options
        .explanation_source
        .as_ref()
        .ok_or(ApiError::NotFound)?;
    let explanation = source.explain(id).await.ok_or(ApiError::NotFound)?;
    Ok(Json(explanation).into_response())
}

async fn rematch(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
) -> Result<Json<Challenge>, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, now| world.rematch(&caller.user, &id, now))
        .map(Json)
}

async fn more_time(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
) -> Result<Done, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, now| {
        world.command(&caller.user, &id, now, |game, color| {
            game.take_more_time(color, now)
        })
    })?;
    Ok(Done)
}

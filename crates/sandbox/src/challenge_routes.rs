//! The event stream and challenges.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, State},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    answer::Done,
    auth::{self, Authenticated, RequiredScopes},
    fields::BodyFields,
    hub::{Hub, Topic},
    ndjson,
    world::{ApiError, LimitedAction},
};
use sparring_lichess::model::{Challenge, GameId};

/// Routes about challenges, and the stream that announces them.
pub fn routes(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    const STREAM: &[&str] = &["challenge:read", "bot:play", "board:play"];
    const WRITE: &[&str] = &["challenge:write", "bot:play", "board:play"];
    const READ: &[&str] = &["challenge:read"];
    let require = |accepted| from_fn_with_state(RequiredScopes::new(hub, accepted), auth::check);
    let stream = Router::new()
        .route("/api/stream/event", get(events))
        .route_layer(require(STREAM));
    let write = Router::new()
        .route("/api/challenge/ai", post(challenge_computer))
        // The parameter is a user name here; the router requires one parameter name for all these paths.
        .route("/api/challenge/{id}", post(challenge))
        .route("/api/challenge/{id}/accept", post(accept))
        .route("/api/challenge/{id}/decline", post(decline))
        .route("/api/challenge/{id}/cancel", post(cancel))
        .route_layer(require(WRITE));
    let read = Router::new()
        .route("/api/challenge", get(list))
        .route("/api/challenge/{id}/show", get(show))
        .route_layer(require(READ));
    Router::new()
        .route("/api/challenge/open", post(challenge_anybody))
        .merge(stream)
        .merge(write)
        .merge(read)
}

async fn events(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
) -> Result<Response, ApiError> {
    let user = caller.user;
    let topic = Topic::Events {
        user: user.clone(),
        token: caller.token,
    };
    let subscription = hub.subscribe(topic, |world, now, queue| {
        world.admit(LimitedAction::OpenEvents, &user, now)?;
        for event in world.event_stream_opened(&user, now) {
            queue.begin_with(&event);
        }
        Ok::<_, ApiError>(())
    })?;
    Ok(ndjson::stream(subscription, hub.options.keep_alive))
}

async fn challenge(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(name): Path<String>,
    BodyFields(fields): BodyFields,
) -> Result<Response, ApiError> {
    let challenge = hub.with(|world, now| world.challenge(&caller.user, &name, &fields, now))?;
    if !fields.flag("keepAliveStream") {
        return Ok(Json(challenge).into_response());
    }
    wait_on_stream(&hub, &challenge)
}

/// The first line is the challenge, the last its outcome. It may be decided already.
fn wait_on_stream(hub: &Arc<Hub>, challenge: &Challenge) -> Result<Response, ApiError> {
    let id = challenge.id.clone();
    let topic = Topic::Challenge {
        challenge: id.clone(),
    };
    let subscription = hub.subscribe(topic, |world, _, queue| {
        queue.begin_with(challenge);
        match world.challenge_done(&id) {
            Some(done) => {
                queue.begin_with(&json!({ "done": done }));
                queue.close();
            }
            None => world.waits_for(&id),
        }
        Ok::<_, ApiError>(())
    })?;
    Ok(ndjson::stream(subscription, hub.options.challenge_keep_alive))
}

/// Answers an unknown route with a hint and counts it as unserved.
async fn challenge_computer(State(hub): State<Arc<Hub>>) -> ApiError {
    hub.record_unserved("POST /api/challenge/ai".to_owned());
    ApiError::NoComputer
}

/// An open challenge. It needs no token, and a route of its own, as `open` would be a user name otherwise.
async fn challenge_anybody(State(hub): State<Arc<Hub>>) -> ApiError {
    hub.record_unserved("POST /api/challenge/open".to_owned());
    ApiError::NotFound
}

/// Ids that cannot be one belong to nothing.
pub(super) fn parse_id(text: &str) -> Result<GameId, ApiError> {
    text.parse().map_err(|_| ApiError::NotFound)
}

async fn accept(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
) -> Result<Done, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, now| world.accept(&caller.user, &id, now))
        .map(|()| Done)
}

async fn decline(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
    BodyFields(fields): BodyFields,
) -> Result<Done, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, now| world.decline(&caller.user, &id, fields.text("reason"), now))
        .map(|()| Done)
}

async fn cancel(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
) -> Result<Done, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, now| world.cancel(&caller.user, &id, now))
        .map(|()| Done)
}

async fn list(State(hub): State<Arc<Hub>>, Extension(caller): Extension<Authenticated>) -> Json<Value> {
    let (to_me, from_me) = hub.with(|world, _| world.challenges_of(&caller.user));
    Json(json!({ "in": to_me, "out": from_me }))
}

async fn show(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
) -> Result<Json<Challenge>, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, _| world.show_challenge(&caller.user, &id))
        .map(Json)
}

//! Routes of tournaments and teams.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, State},
    middleware::from_fn_with_state,
    response::Response,
    routing::{get, post},
};
use serde_json::Value;

use super::{
    answer::Done,
    auth::{self, Authenticated, RequiredScopes},
    fields::BodyFields,
    hub::Hub,
    ndjson,
    world::{ApiError, LimitedAction},
};
use sparring_lichess::model::ArenaId;

/// The routes of tournaments and teams.
pub fn routes(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    let require = |accepted| from_fn_with_state(RequiredScopes::new(hub, accepted), auth::check);
    let tournaments = Router::new()
        .route("/api/tournament/{id}/join", post(join))
        .route("/api/tournament/{id}/withdraw", post(withdraw))
        .route_layer(require(&["tournament:write"]));
    let teams = Router::new()
        .route("/team/{id}/join", post(join_team))
        .route_layer(require(&["team:write"]));
    Router::new()
        .route("/api/tournament/{id}", get(show))
        .route("/api/team/{id}/arena", get(list))
        .merge(tournaments)
        .merge(teams)
}

fn tournament_id(id: &str) -> Result<ArenaId, ApiError> {
    id.parse().map_err(|_| ApiError::NotFound)
}

async fn show(State(hub): State<Arc<Hub>>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let id = tournament_id(&id)?;
    hub.with(|world, now| world.tournament(&id, now)).map(Json)
}

async fn list(State(hub): State<Arc<Hub>>, Path(team): Path<String>) -> Response {
    ndjson::list(hub.with(|world, now| world.team_tournaments(&team, now)))
}

async fn join(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
    BodyFields(fields): BodyFields,
) -> Result<Done, ApiError> {
    let id = tournament_id(&id)?;
    hub.with(|world, now| {
        world.admit(LimitedAction::JoinTournament, &caller.user, now)?;
        world.join_tournament(&caller.user, &id, fields.flag("pairMeAsap"), now)
    })?;
    Ok(Done)
}

async fn withdraw(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(id): Path<String>,
) -> Result<Done, ApiError> {
    let id = tournament_id(&id)?;
    hub.with(|world, _| world.leave_tournament(&caller.user, &id))?;
    Ok(Done)
}

async fn join_team(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Path(team): Path<String>,
) -> Done {
    hub.with(|world, _| world.join_team(&caller.user, &team));
    Done
}

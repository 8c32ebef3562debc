//! Control routes for tests: time, connections, accounts, faults. Never under `/api`.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    middleware::from_fn_with_state,
    response::Response,
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    access,
    answer::{Done, error},
    fields::BodyFields,
    hub::Hub,
    scripted_faults::Fault,
    time::SPEEDS,
    world::{ApiError, BOT_SCOPES, HUMAN_SCOPES},
};
use sparring_chess::units::Millis;
use sparring_http_server::ConnectionInfo;

/// The longest jump of the clock: a leap year.
const LONGEST_JUMP: Millis = Millis::from_secs(366 * 24 * 60 * 60);

/// The control routes, for the owner only; none if control is off.
pub fn routes(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    if !hub.options.control {
        return Router::new();
    }
    Router::new()
        .route("/sandbox/clock", get(clock))
        .route("/sandbox/clock/advance", post(advance))
        .route("/sandbox/clock/speed", post(speed))
        .route("/sandbox/connections", get(connections))
        .route("/sandbox/connections/drop", post(drop_connections))
        .route("/sandbox/connections/silence", post(silence))
        .route("/sandbox/unserved", get(unserved))
        .route("/sandbox/users", post(add_user))
        .route("/sandbox/tokens/revoke", post(revoke))
        .route("/sandbox/faults", get(faults).post(arm).delete(disarm))
        .route_layer(from_fn_with_state(hub.clone(), access::owner_only))
}

fn show_clock(hub: &Hub) -> Json<Value> {
    Json(json!({ "now": hub.clock.now(), "speed": hub.clock.speed() }))
}

async fn clock(State(hub): State<Arc<Hub>>) -> Json<Value> {
    show_clock(&hub)
}

async fn advance(
    State(hub): State<Arc<Hub>>,
    BodyFields(fields): BodyFields,
) -> Result<Json<Value>, ApiError> {
    let millis = fields
        .number("millis")?
        .ok_or(ApiError::form("millis", "This field is required"))?;
    if Millis(millis) > LONGEST_JUMP {
        return Err(ApiError::form("millis", "Must be at most 31622400000"));
    }
    hub.advance(Millis(millis));
    Ok(show_clock(&hub))
}

async fn speed(State(hub): State<Arc<Hub>>, BodyFields(fields): BodyFields) -> Result<Json<Value>, ApiError> {
    let factor: f64 = fields
        .text("factor")
        .and_then(|factor| factor.parse().ok())
        .filter(|factor: &f64| SPEEDS.contains(factor))
        .ok_or(ApiError::form("factor", "Numeric value expected"))?;
    hub.clock.set_speed(factor);
    Ok(show_clock(&hub))
}

async fn connections(State(hub): State<Arc<Hub>>) -> Json<Vec<ConnectionInfo>> {
    Json(hub.connections.list())
}

async fn drop_connections(State(hub): State<Arc<Hub>>) -> Json<Value> {
    Json(json!({ "dropped": hub.connections.drop_all() }))
}

/// Silences this connection too: the response arrives after the process itself ends the silence.
async fn silence(State(hub): State<Arc<Hub>>, BodyFields(fields): BodyFields) -> Done {
    hub.connections.set_silent(fields.flag("silent"));
    Done
}

async fn unserved(State(hub): State<Arc<Hub>>) -> Json<BTreeMap<String, u64>> {
    Json(hub.unserved())
}

async fn add_user(
    State(hub): State<Arc<Hub>>,
    BodyFields(fields): BodyFields,
) -> Result<Json<Value>, ApiError> {
    let name = fields
        .text("name")
        .ok_or(ApiError::form("name", "This field is required"))?;
    let is_bot = fields.flag("bot");
    let scopes: Vec<&str> = match fields.text("scopes") {
        Some(scopes) => scopes.split(',').map(str::trim).collect(),
        None if is_bot => BOT_SCOPES.to_vec(),
        None => HUMAN_SCOPES.to_vec(),
    };
    let token = hub.with(|world, now| world.add_user(name, is_bot, &scopes, now))?;
    Ok(Json(json!({ "username": name, "token": token })))
}

async fn revoke(State(hub): State<Arc<Hub>>, BodyFields(fields): BodyFields) -> Result<Done, ApiError> {
    let token = fields
        .text("token")
        .ok_or(ApiError::form("token", "This field is required"))?;
    match hub.with(|world, _| world.revoke(token)) {
        true => Ok(Done),
        false => Err(ApiError::NotFound),
    }
}

async fn faults(State(hub): State<Arc<Hub>>) -> Json<Vec<Fault>> {
    Json(hub.faults.armed())
}

async fn arm(
    State(hub): State<Arc<Hub>>,
    fault: Result<Json<Fault>, axum::extract::rejection::JsonRejection>,
) -> Response {
    use axum::response::IntoResponse as _;
    match fault {
        Ok(Json(fault)) => {
            hub.faults.arm(fault);
            Done.into_response()
        }
        Err(rejection) => error(StatusCode::BAD_REQUEST, rejection.body_text()),
    }
}

async fn disarm(State(hub): State<Arc<Hub>>) -> Done {
    hub.faults.clear();
    Done
}

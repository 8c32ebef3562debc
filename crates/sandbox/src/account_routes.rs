//! Routes of accounts, tokens and online status.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Extension, Json, Router,
    extract::{Path, State},
    middleware::from_fn_with_state,
    response::Response,
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    answer::Done,
    auth::{self, Authenticated, RequiredScopes},
    fields::{BodyText, QueryFields},
    hub::Hub,
    ndjson,
    world::{ApiError, Fields, LimitedAction, Profile, World},
};
use sparring_lichess::model::{NowPlaying, TokenInfo};

/// Routes about accounts.
pub fn routes(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    let any_token = Router::new()
        .route("/api/account", get(account))
        .route("/api/account/playing", get(playing))
        .route_layer(from_fn_with_state(RequiredScopes::new(hub, &[]), auth::check));
    let bots = Router::new()
        .route("/api/bot/account/upgrade", post(upgrade))
        .route_layer(from_fn_with_state(
            RequiredScopes::new(hub, &["bot:play"]),
            auth::check,
        ));
    Router::new()
        .route("/api/token/test", post(test_tokens))
        .route("/api/bot/online", get(online_bots))
        .route("/api/users/status", get(status))
        .route("/api/users", post(by_ids))
        .route("/api/user/{name}", get(user))
        .merge(any_token)
        .merge(bots)
}

/// An account with the fields that third-party lichess clients need.
fn extended(world: &World, profile: &Profile) -> Value {
    let mut account = json!(profile.as_account());
    let games = profile.games;
    account["createdAt"] = json!(profile.created_at);
    account["seenAt"] = json!(profile.created_at);
    account["url"] = json!(format!("{}/@/{}", world.site(), profile.name));
    account["count"] = json!({
        "all": games, "rated": 0, "draw": 0, "loss": 0, "win": 0,
        "bookmark": 0, "playing": 0, "import": 0, "me": 0,
    });
    for (flag, value) in [("followable", true), ("following", false), ("blocking", false)] {
        account[flag] = json!(value);
    }
    account
}

async fn account(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
) -> Result<Json<Value>, ApiError> {
    hub.with(|world, now| {
        world.admit(LimitedAction::ShowAccount, &caller.user, now)?;
        let profile = world.users().profile(&caller.user).ok_or(ApiError::NotFound)?;
        Ok(Json(extended(world, profile)))
    })
}

async fn upgrade(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
) -> Result<Done, ApiError> {
    hub.with(|world, _| world.upgrade(&caller.user)).map(|()| Done)
}

/// The row limit of the query string, if it is a number.
fn count(asked: &Fields) -> Option<usize> {
    let number = asked.number("nb").ok().flatten()?;
    usize::try_from(number).ok()
}

async fn playing(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    QueryFields(asked): QueryFields,
) -> Json<NowPlaying> {
    let mut games = hub.with(|world, now| world.running_games(&caller.user, now));
    let mine = games.iter().filter(|game| game.is_my_turn).count();
    games.truncate(count(&asked).unwrap_or(9).min(50));
    for game in &mut games {
        // Lists lack the fields of streams.
        game.id = None;
        game.compat = None;
    }
    Json(NowPlaying {
        nb_my_turn: u32::try_from(mine).ok(),
        now_playing: games,
    })
}

/// The body is a comma-separated list of tokens, whatever its media type.
async fn test_tokens(
    State(hub): State<Arc<Hub>>,
    BodyText(tokens): BodyText,
) -> Json<BTreeMap<String, Option<TokenInfo>>> {
    const MOST: usize = 1000;
    let tested = hub.with(|world, _| {
        let tokens = tokens.split(',').map(str::trim).filter(|token| !token.is_empty());
        tokens
            .take(MOST)
            .map(|token| {
                let info = world.users().granted(token).map(|grant| TokenInfo {
                    user_id: grant.user.clone(),
                    scopes: grant.scopes.join(","),
                    expires: None,
                });
                (token.to_owned(), info)
            })
            .collect()
    });
    Json(tested)
}

async fn online_bots(State(hub): State<Arc<Hub>>, QueryFields(asked): QueryFields) -> Response {
    let most = count(&asked).unwrap_or(100).clamp(1, 512);
    let bots: Vec<Value> = hub.with(|world, _| {
        let online = world.users().bots().filter(|bot| bot.is_online());
        online.take(most).map(|bot| extended(world, bot)).collect()
    });
    ndjson::list(bots)
}

async fn status(
    State(hub): State<Arc<Hub>>,
    QueryFields(asked): QueryFields,
) -> Result<Json<Vec<Value>>, ApiError> {
    let ids = asked
        .text("ids")
        .ok_or(ApiError::form("ids", "This field is required"))?;
    Ok(Json(hub.with(|world, now| {
        named(world, ids, 100)
            .map(|profile| {
                let mut row = json!({ "id": profile.id, "name": profile.name });
                if let Some(title) = profile.title() {
                    row["title"] = json!(title);
                }
                if profile.is_online() {
                    row["online"] = json!(true);
                }
                if !world.running_games(&profile.id, now).is_empty() {
                    row["playing"] = json!(true);
                }
                row
            })
            .collect()
    })))
}

async fn by_ids(State(hub): State<Arc<Hub>>, BodyText(ids): BodyText) -> Json<Vec<Value>> {
    Json(hub.with(|world, _| {
        named(world, &ids, 300)
            .map(|profile| extended(world, profile))
            .collect()
    }))
}

async fn user(State(hub): State<Arc<Hub>>, Path(name): Path<String>) -> Result<Json<Value>, ApiError> {
    hub.with(|world, _| {
        let profile = world.users().named(&name).ok_or(ApiError::NotFound)?;
        Ok(Json(extended(world, profile)))
    })
}

/// Known users among names separated by commas.
fn named<'a>(world: &'a World, names: &'a str, most: usize) -> impl Iterator<Item = &'a Profile> {
    names
        .split(',')
        .take(most)
        .filter_map(|name| world.users().named(name.trim()))
}

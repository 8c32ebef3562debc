//! Streams and commands of games, the same for bots and boards.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json, Router,
    extract::{Path, Request, State},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;

use super::{
    answer::Done,
    auth::{self, Authenticated, RequiredScopes},
    challenge_routes::parse_id,
    fields::{BodyFields, QueryFields},
    hub::{Hub, Topic},
    move_audit::{EntryId, MoveOutcome},
    ndjson,
    world::{ApiError, Game},
};
use sparring_chess::{Color, units::Millis};
use sparring_lichess::model::{ChatMessage, GameEvent, GameId, Room, UserId};

/// lichess takes its time with claims.
const CLAIM_DELAY: Duration = Duration::from_millis(500);

/// One of the two doors to the same games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// For accounts with the title BOT.
    Bot,
    /// For everybody else.
    Board,
}

impl Interface {
    fn path(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Board => "board",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bot => "Bot",
            Self::Board => "Board",
        }
    }

    fn scopes(self) -> &'static [&'static str] {
        match self {
            Self::Bot => &["bot:play"],
            Self::Board => &["board:play"],
        }
    }
}

/// The routes of an interface.
pub fn routes(hub: &Arc<Hub>, interface: Interface) -> Router<Arc<Hub>> {
    let under = |rest: &str| format!("/api/{}/game/{rest}", interface.path());
    let mut router = Router::new()
        .route(&under("stream/{id}"), get(stream))
        .route(&under("{id}/move/{uci}"), post(play))
        .route(&under("{id}/abort"), post(abort))
        .route(&under("{id}/resign"), post(resign))
        .route(&under("{id}/draw/{answer}"), post(draw))
        .route(&under("{id}/takeback/{answer}"), post(takeback))
        .route(&under("{id}/chat"), get(chat).post(say));
    for (claim, handler) in [
        ("claim-victory", post(claim_victory)),
        ("claim-draw", post(claim_draw)),
    ] {
        // berserk writes a slash at the end.
        router = router
            .route(&under(&format!("{{id}}/{claim}")), handler.clone())
            .route(&under(&format!("{{id}}/{claim}/")), handler);
    }
    router
        .route_layer(from_fn_with_state(hub.clone(), admit))
        .route_layer(from_fn(move |mut request: Request, next: Next| async move {
            request.extensions_mut().insert(interface);
            next.run(request).await
        }))
        .route_layer(from_fn_with_state(
            RequiredScopes::new(hub, interface.scopes()),
            auth::check,
        ))
}

/// The routes that everybody may read.
pub fn public_routes() -> Router<Arc<Hub>> {
    Router::new().route("/api/game/{id}/chat", get(spectators_chat))
}

/// The game that a request is about, by its first parameter.
#[derive(Debug, Clone)]
struct About(GameId);

#[derive(Deserialize)]
struct GamePath {
    id: String,
}

/// Lets only the right kind of account through, to a game of its own that this interface can play.
async fn admit(
    State(hub): State<Arc<Hub>>,
    Extension(interface): Extension<Interface>,
    Extension(caller): Extension<Authenticated>,
    Path(path): Path<GamePath>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let game: GameId = path.id.parse().map_err(|_| ApiError::NoSuchGame)?;
    hub.with(|world, _| {
        let is_bot = world
            .users()
            .profile(&caller.user)
            .is_some_and(|profile| profile.is_bot);
        match (interface, is_bot) {
            (Interface::Bot, false) => Err(ApiError::NotABot),
            (Interface::Board, true) => Err(ApiError::NotForBots),
            _ => world.check_interface(&caller.user, &game, interface.name()),
        }
    })?;
    request.extensions_mut().insert(About(game));
    Ok(next.run(request).await)
}

async fn stream(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
) -> Result<Response, ApiError> {
    let topic = Topic::Game {
        game: game.clone(),
        user: caller.user.clone(),
        agent: caller.agent,
    };
    let subscription = hub.subscribe(topic, |world, now, queue| {
        let (full, is_running) = world.game_stream_opened(&caller.user, &game, now)?;
        queue.begin_with(&GameEvent::Full(Box::new(full)));
        if !is_running {
            queue.close();
        }
        Ok::<_, ApiError>(())
    })?;
    Ok(ndjson::stream(subscription, hub.options.keep_alive))
}

/// Runs a command. Its effect is on the caller's own stream before the response.
async fn command(
    hub: &Hub,
    user: &UserId,
    game: &GameId,
    command: impl FnOnce(&mut Game, Color, Millis) -> Result<(), ApiError>,
) -> Result<Done, ApiError> {
    hub.with(|world, now| world.command(user, game, now, |game, color| command(game, color, now)))?;
    hub.delivered(user, game).await;
    Ok(Done)
}

#[derive(Deserialize)]
struct MovePath {
    uci: String,
}

async fn play(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
    entry: Option<Extension<EntryId>>,
    Path(MovePath { uci }): Path<MovePath>,
    QueryFields(query): QueryFields,
) -> Result<Done, ApiError> {
    let offering = query.flag("offeringDraw");
    command(&hub, &caller.user, &game, |state, color, now| {
        let (ply, clock, was_running) = (state.ply(), state.left(color, now), state.is_running());
        let played = state.play(color, &uci, offering, now);
        if let Some(Extension(entry)) = entry {
            hub.move_audit.amend(entry, |posted| {
                (posted.ply, posted.clock) = (ply, clock);
                posted.outcome = match &played {
                    Ok(()) if state.ply() > ply => MoveOutcome::Played,
                    Err(refusal) if was_running => MoveOutcome::Refused(refusal.to_string()),
                    _ => MoveOutcome::Late,
                };
            });
        }
        played
    })
    .await
}

async fn abort(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
) -> Result<Done, ApiError> {
    command(&hub, &caller.user, &game, |game, _, now| game.abort(now)).await
}

async fn resign(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
) -> Result<Done, ApiError> {
    command(&hub, &caller.user, &game, |game, color, now| {
        game.resign(color, now)
    })
    .await
}

#[derive(Deserialize)]
struct AnswerPath {
    answer: String,
}

impl AnswerPath {
    /// Clients write yes in three ways; everything else is no.
    fn is_yes(&self) -> bool {
        matches!(self.answer.as_str(), "yes" | "true" | "1")
    }
}

async fn draw(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
    Path(answer): Path<AnswerPath>,
) -> Result<Done, ApiError> {
    command(&hub, &caller.user, &game, |game, color, now| {
        if answer.is_yes() {
            game.offer_draw(color, now);
        } else {
            game.decline_draw(color, now);
        }
        Ok(())
    })
    .await
}

async fn takeback(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
    Path(answer): Path<AnswerPath>,
) -> Result<Done, ApiError> {
    command(&hub, &caller.user, &game, |game, color, now| {
        if answer.is_yes() {
            game.offer_takeback(color, now);
        } else {
            game.decline_takeback(color, now);
        }
        Ok(())
    })
    .await
}

async fn claim_victory(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
) -> Result<Done, ApiError> {
    claim(&hub, &caller.user, &game, Game::claim_victory).await
}

async fn claim_draw(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
) -> Result<Done, ApiError> {
    claim(&hub, &caller.user, &game, Game::claim_draw).await
}

/// Claims, and answers as late as lichess does.
async fn claim(
    hub: &Hub,
    user: &UserId,
    game: &GameId,
    claim: impl FnOnce(&mut Game, Color, Millis) -> Result<(), ApiError>,
) -> Result<Done, ApiError> {
    let done = command(hub, user, game, claim).await?;
    tokio::time::sleep(CLAIM_DELAY).await;
    Ok(done)
}

async fn chat(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
) -> Result<Json<Vec<ChatMessage>>, ApiError> {
    hub.with(|world, _| world.chat(&caller.user, &game, &Room::Player))
        .map(Json)
}

async fn spectators_chat(
    State(hub): State<Arc<Hub>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<ChatMessage>>, ApiError> {
    let id = parse_id(&id)?;
    hub.with(|world, _| world.game(&id).map(|game| game.chat(&Room::Spectator)))
        .map(Json)
        .ok_or(ApiError::NotFound)
}

async fn say(
    State(hub): State<Arc<Hub>>,
    Extension(caller): Extension<Authenticated>,
    Extension(About(game)): Extension<About>,
    BodyFields(fields): BodyFields,
) -> Result<Response, ApiError> {
    let room = match fields.text("room") {
        Some("spectator") => Room::Spectator,
        Some("player") => Room::Player,
        _ => return Err(ApiError::form("room", "This field is required")),
    };
    let text = fields.text("text").unwrap_or_default();
    hub.with(|world, now| world.say(&caller.user, &game, room, text, now))?;
    Ok(Done.into_response())
}

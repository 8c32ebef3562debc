//! Middleware of the lichess API: injects scripted and random faults, and records posted moves.

use std::{io, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::Response,
};
use futures::{StreamExt as _, stream};

use super::{
    auth::bearer,
    hub::Hub,
    move_audit::{EntryId, MoveOutcome, PostedMove},
    scripted_faults::FaultKind,
    world::World,
};
use sparring_lichess::model::{GameId, UserId};

/// Longest body of an answer that is cut.
const LONGEST_CUT: usize = 1024 * 1024;

/// Serves a request with its fault, if it gets one.
pub async fn intercept(State(hub): State<Arc<Hub>>, mut request: Request, next: Next) -> Response {
    let name = format!("{} {}", request.method(), request.uri().path());
    let served = record_move(&hub, &name, request.headers()).map(|entry| InFlightMove {
        hub: Arc::clone(&hub),
        entry,
    });
    let armed = hub.faults.take_for(&name);
    let what = armed.or_else(|| random_fault(&hub, &name, request.headers()));
    if let Some(InFlightMove { entry, .. }) = &served {
        hub.move_audit
            .amend(*entry, |posted| posted.fault.clone_from(&what));
        request.extensions_mut().insert(*entry);
    }
    match what {
        None => next.run(request).await,
        Some(FaultKind::Answer {
            status,
            body,
            content_type,
            retry_after,
        }) => {
            let mut response = Response::new(Body::from(body));
            *response.status_mut() =
                StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let headers = [
                (header::CONTENT_TYPE, Some(content_type)),
                (header::RETRY_AFTER, retry_after),
            ];
            for (name, value) in headers {
                if let Some(value) = value.and_then(|value| value.parse().ok()) {
                    response.headers_mut().insert(name, value);
                }
            }
            response
        }
        Some(FaultKind::Delay { by }) => {
            tokio::time::sleep(by.into()).await;
            next.run(request).await
        }
        Some(FaultKind::LoseAnswer { after }) => {
            let (_, ()) = tokio::join!(next.run(request), tokio::time::sleep(Duration::from(after)));
            let mut response = Response::new(Body::from("<html>504 Gateway Time-out</html>"));
            *response.status_mut() = StatusCode::GATEWAY_TIMEOUT;
            response
        }
        Some(FaultKind::CutAnswer { after }) => cut(next.run(request).await, after).await,
    }
}

/// The answer up to so many bytes of its body, and then an error, which ends the connection.
async fn cut(answer: Response, after: usize) -> Response {
    let (head, body) = answer.into_parts();
    let whole = axum::body::to_bytes(body, LONGEST_CUT).await.unwrap_or_default();
    let begun = whole.slice(..after.min(whole.len()));
    let rest = [Ok(begun), Err(io::Error::from(io::ErrorKind::ConnectionReset))];
    // Without this the first bytes could wait for the error, and be lost with it.
    let paced = stream::iter(rest).then(|part| async {
        tokio::task::yield_now().await;
        part
    });
    let mut response = Response::from_parts(head, Body::from_stream(paced));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}

/// A recorded move request in flight. Dropping it records the end, also when the sender hung up.
struct InFlightMove {
    hub: Arc<Hub>,
    entry: EntryId,
}

impl Drop for InFlightMove {
    fn drop(&mut self) {
        self.hub.move_audit.finish(self.entry, self.hub.clock.now());
    }
}

/// Records a bot's move before any fault applies.
fn record_move(hub: &Hub, name: &str, headers: &HeaderMap) -> Option<EntryId> {
    let (game, uci) = name
        .strip_prefix("POST /api/bot/game/")
        .and_then(|rest| rest.split_once("/move/"))
        .filter(|_| hub.move_audit.is_recording())?;
    let game: GameId = game.parse().ok()?;
    let bot = bot(hub, headers)?;
    let (at, ply, clock) = hub.with(|world, now| {
        let (game, color) = world.game_of(&bot, &game).ok()?;
        Some((now, game.ply(), game.left(color, now)))
    })?;
    hub.move_audit.record(PostedMove {
        game,
        uci: uci.to_owned(),
        at,
        finished_at: None,
        overlaps: false,
        ply,
        clock,
        fault: None,
        outcome: MoveOutcome::NotDelivered,
    })
}

/// The random fault of a bot's request.
fn random_fault(hub: &Hub, name: &str, headers: &HeaderMap) -> Option<FaultKind> {
    if !hub.random_faults.is_active() {
        return None;
    }
    let bot = bot(hub, headers)?;
    let (about, now) = hub.with(|world, now| (about(world, &bot, name), now));
    hub.random_faults.request_fault(name, about.as_ref(), now)
}

/// The game or challenge that a bot's request names, and the opponent.
fn about(world: &World, bot: &UserId, name: &str) -> Option<(GameId, UserId)> {
    let ids = name.split('/').filter_map(|part| part.parse::<GameId>().ok());
    let other = |id: &GameId| {
        if let Some(game) = world.game(id) {
            let player = game.players.iter().find(|player| player.user != *bot)?;
            return Some(player.user.clone());
        }
        let challenge = world.show_challenge(bot, id).ok()?;
        let both = [challenge.challenger, challenge.dest_user];
        let ids = both.into_iter().flatten().map(|user| user.id);
        ids.into_iter().find(|user| user != bot)
    };
    ids.into_iter().find_map(|id| other(&id).map(|user| (id, user)))
}

/// The bot that sent a request, if a bot did.
fn bot(hub: &Hub, headers: &HeaderMap) -> Option<UserId> {
    let token = bearer(headers)?;
    hub.with(|world, _| {
        let grant = world.users().granted(token)?;
        world.is_bot(&grant.user).then(|| grant.user.clone())
    })
}

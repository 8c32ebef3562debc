//! Scripted fault injection: faults that tests arm.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::Response,
};
use serde::{Deserialize, Serialize};

use super::{
    hub::Hub,
    move_audit::{EntryId, MoveOutcome, PostedMove},
    world::World,
};
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};

/// An armed fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Requests whose method and path contain this text, as in `POST /api/bot/game/` or `/move/`.
    pub on: String,
    /// How many such requests pass first.
    #[serde(default)]
    pub skip: u32,
    /// How many it then hits.
    #[serde(default = "once")]
    pub times: u32,
    /// The kind of fault.
    #[serde(flatten)]
    pub what: FaultKind,
}

fn once() -> u32 {
    1
}

/// Kind of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "camelCase")]
pub enum FaultKind {
    /// The request has no effect and gets this response.
    #[serde(rename_all = "camelCase")]
    Answer {
        /// The status.
        status: u16,
        /// The body, empty if missing.
        #[serde(default)]
        body: String,
        /// The media type of the body.
        #[serde(default = "json")]
        content_type: String,
        /// The header `Retry-After`, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
    },
    /// The request is served late. Real time.
    Delay {
        /// The delay.
        by: Millis,
    },
    /// The request has its effect, but its response is a late 504. Real time.
    LoseAnswer {
        /// The delay.
        after: Millis,
    },
}

fn json() -> String {
    "application/json".to_owned()
}

/// The armed faults.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    /// Arms a fault. Of several that match a request, the one armed first applies.
    pub fn arm(&self, fault: Fault) {
        self.with(|armed| armed.push(fault));
    }

    /// Disarms all.
    pub fn clear(&self) {
        self.with(Vec::clear);
    }

    /// The faults that are still armed.
    #[must_use]
    pub fn armed(&self) -> Vec<Fault> {
        self.with(|armed| armed.clone())
    }

    /// The fault of a request such as `GET /api/account`, used up by it.
    fn take_for(&self, request: &str) -> Option<FaultKind> {
        self.with(|armed| {
            let fault = armed
                .iter_mut()
                .find(|fault| fault.times > 0 && request.contains(&fault.on))?;
            if fault.skip > 0 {
                fault.skip -= 1;
                return None;
            }
            fault.times -= 1;
            let what = fault.what.clone();
            armed.retain(|fault| fault.times > 0);
            Some(what)
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<Fault>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Middleware of the lichess API: injects faults and records posted moves.
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
    }
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
        is_beside: false,
        ply,
        clock,
        fault: None,
        outcome: MoveOutcome::Unheard,
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
    let token = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let token = token.strip_prefix("Bearer ")?.trim();
    hub.with(|world, _| {
        let grant = world.users().granted(token)?;
        world.is_bot(&grant.user).then(|| grant.user.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_lets_some_requests_pass_and_then_hits_so_many() {
        let faults = Faults::default();
        faults.arm(Fault {
            on: "/move/".into(),
            skip: 1,
            times: 2,
            what: FaultKind::Delay { by: Millis(1) },
        });
        let hits: Vec<bool> = (0..4)
            .map(|_| faults.take_for("POST /api/bot/game/x/move/e2e4").is_some())
            .collect();
        assert_eq!(hits, [false, true, true, false]);
        assert_eq!(faults.take_for("GET /api/account"), None);
        assert!(faults.armed().is_empty());
    }

    #[test]
    fn the_faults_of_the_documentation_can_be_armed() {
        let page = include_str!("../../../docs/sandbox.md");
        let examples: Vec<&str> = page.lines().filter(|line| line.starts_with("{\"on\"")).collect();
        assert!(examples.len() >= 4);
        for example in examples {
            let fault: Fault = serde_json::from_str(example).unwrap();
            assert!(fault.times > 0, "{example}");
        }
    }

    #[test]
    fn faults_are_written_as_flat_json() {
        let fault: Fault =
            serde_json::from_str(r#"{"on":"/move/","what":"answer","status":502,"body":"<html>"}"#).unwrap();
        assert_eq!((fault.times, fault.skip), (1, 0));
        assert!(matches!(fault.what, FaultKind::Answer { status: 502, .. }));
    }
}

//! The sandbox server: accounts, routes, serving, and control for tests.

use std::{io, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    access, account_routes,
    answer::error,
    challenge_routes, control, export_routes,
    game_routes::{self, Interface},
    guard,
    hub::{Hub, Topic},
    intercept, lobby_routes,
    move_audit::PostedMove,
    online_routes,
    options::Options,
    pages,
    random_faults::InjectedFault,
    scripted_faults::Fault,
    tournament_routes,
    world::{ApiError, BOT_SCOPES, HUMAN_SCOPES, TournamentPlan},
};
use sparring_chess::units::Millis;
use sparring_http_server::{self as http_server, Acceptor, ConnectionInfo};
use sparring_lichess::model::{ArenaId, GameId, UserId};

/// Longest request body, in bytes.
const LONGEST_BODY: usize = 64 * 1024;

/// Time for connections to close after their streams ended.
const CLOSE_DELAY: Duration = Duration::from_millis(500);

/// A server with lichess' bot and board API. Clones share one world.
#[derive(Debug, Clone)]
pub struct Sandbox {
    hub: Arc<Hub>,
}

impl Sandbox {
    /// An empty sandbox. Its time follows tokio's clock.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            hub: Arc::new(Hub::new(options)),
        }
    }

    /// Creates a bot account and returns its token.
    ///
    /// # Errors
    /// [`ApiError`] for a name that is taken or cannot be one.
    pub fn add_bot(&self, name: &str) -> Result<String, ApiError> {
        self.add_user(name, true, &BOT_SCOPES)
    }

    /// Creates a human account and returns its token.
    ///
    /// # Errors
    /// [`ApiError`] for a name that is taken or cannot be one.
    pub fn add_human(&self, name: &str) -> Result<String, ApiError> {
        self.add_user(name, false, &HUMAN_SCOPES)
    }

    /// Creates an account and returns a token with these scopes.
    ///
    /// # Errors
    /// [`ApiError`] for a name that is taken or cannot be one.
    pub fn add_user(&self, name: &str, is_bot: bool, scopes: &[&str]) -> Result<String, ApiError> {
        self.hub
            .with(|world, now| world.add_user(name, is_bot, scopes, now))
    }

    /// Another token for an account, with just these scopes.
    ///
    /// # Errors
    /// [`ApiError::NoSuchUser`] if there is no such account.
    pub fn grant(&self, name: &str, scopes: &[&str]) -> Result<String, ApiError> {
        self.hub.with(|world, _| world.grant(name, scopes))
    }

    /// Creates an arena tournament and returns its id.
    ///
    /// # Errors
    /// Never as things are.
    pub fn add_tournament(&self, plan: TournamentPlan) -> Result<ArenaId, ApiError> {
        self.hub.with(|world, now| world.add_tournament(plan, now))
    }

    /// Players of a tournament who have not withdrawn.
    #[must_use]
    pub fn tournament_players(&self, id: &ArenaId) -> Vec<UserId> {
        self.hub.with(|world, _| world.tournament_players(id))
    }

    /// Somebody who is no player says something in the spectators' room of a game.
    ///
    /// # Errors
    /// [`ApiError::NoSuchGame`].
    pub fn spectator_says(&self, name: &str, game: &GameId, text: &str) -> Result<(), ApiError> {
        self.hub
            .with(|world, now| world.spectator_says(name, game, text, now))
    }

    /// Revokes a token. Returns whether there was one. Its open streams stay.
    pub fn revoke(&self, token: &str) -> bool {
        self.hub.with(|world, _| world.revoke(token))
    }

    /// The time in the sandbox.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.hub.clock.now()
    }

    /// Advances the clock and runs everything that falls due.
    pub fn advance(&self, span: Millis) {
        self.hub.advance(span);
    }

    /// Sets the speed of the clock: 1 is real time, 0 stops it.
    pub fn set_speed(&self, factor: f64) {
        self.hub.clock.set_speed(factor);
    }

    /// Every open connection, if the sandbox is served.
    #[must_use]
    pub fn connections(&self) -> Vec<ConnectionInfo> {
        self.hub.connections.list()
    }

    /// Topics of the open streams.
    #[must_use]
    pub fn streams(&self) -> Vec<Topic> {
        self.hub.topics()
    }

    /// Resets every connection. Returns how many there were.
    pub fn drop_connections(&self) -> usize {
        self.hub.connections.drop_all()
    }

    /// Ends every stream, as at a shutdown, and goes on serving.
    pub fn end_streams(&self) {
        self.hub.close_streams();
    }

    /// Stops answering without closing connections, or resumes.
    pub fn set_silent(&self, silent: bool) {
        self.hub.connections.set_silent(silent);
    }

    /// Arms a fault.
    pub fn arm(&self, fault: Fault) {
        self.hub.faults.arm(fault);
    }

    /// Injects faults into this share (0 to 1) of the bots' requests and stream lines from now on. The seed decides which and how.
    pub fn set_random_faults(&self, share: f64, seed: u64) {
        self.hub.random_faults.set_share(share, seed);
    }

    /// Number of random faults injected so far.
    #[must_use]
    pub fn random_fault_count(&self) -> u64 {
        self.hub.random_faults.count()
    }

    /// Random faults so far that cost time.
    #[must_use]
    pub fn injected_faults(&self) -> Vec<InjectedFault> {
        self.hub.random_faults.injected()
    }

    /// Records every move that a bot posts from now on, for [`take_posted_moves`](Self::take_posted_moves).
    pub fn audit_moves(&self) {
        self.hub.move_audit.start();
    }

    /// The moves that bots posted since the last call, in order.
    #[must_use]
    pub fn take_posted_moves(&self) -> Vec<PostedMove> {
        self.hub.move_audit.take()
    }

    /// Disarms all faults.
    pub fn disarm(&self) {
        self.hub.faults.clear();
    }

    /// Calls to unknown routes, with their counts.
    #[must_use]
    pub fn unserved(&self) -> std::collections::BTreeMap<String, u64> {
        self.hub.unserved()
    }

    /// All routes, for another server than [`serve`](Self::serve). Without [`run_timers`](Self::run_timers) timers run at the next
    /// request.
    pub fn router(&self) -> Router {
        let hub = &self.hub;
        let lichess = Router::new()
            .merge(account_routes::routes(hub))
            .merge(challenge_routes::routes(hub))
            .merge(game_routes::routes(hub, Interface::Bot))
            .merge(game_routes::routes(hub, Interface::Board))
            .merge(game_routes::public_routes())
            .merge(export_routes::routes())
            .merge(tournament_routes::routes(hub))
            .merge(online_routes::routes())
            .route_layer(from_fn_with_state(hub.clone(), intercept::intercept));
        Router::new()
            .merge(lichess)
            .merge(lobby_routes::routes(hub))
            .merge(control::routes(hub))
            .route_layer(from_fn_with_state(hub.clone(), access::known_only))
            .route("/__ping", get(|| async { "pong" }))
            .fallback(fallback)
            .method_not_allowed_fallback(fallback)
            .layer(DefaultBodyLimit::max(LONGEST_BODY))
            .layer(from_fn_with_state(hub.clone(), guard::check))
            .with_state(hub.clone())
    }

    /// Runs the timers until `stop`: flags, expiring challenges, absences.
    pub async fn run_timers(&self, stop: CancellationToken) {
        self.hub.run_timers(stop).await;
    }

    /// Serves a listener until `shutdown`, then ends every stream and, half a second later, every connection.
    ///
    /// # Errors
    /// [`io::Error`] of the listener.
    pub async fn serve(self, listener: TcpListener, shutdown: CancellationToken) -> io::Result<()> {
        self.serve_beside(Router::new(), listener, shutdown).await
    }

    /// Adds routes. A private server keeps them private; they need their own Origin checks.
    ///
    /// # Errors
    /// [`io::Error`] of the listener.
    pub async fn serve_beside(
        self,
        others: Router,
        listener: TcpListener,
        shutdown: CancellationToken,
    ) -> io::Result<()> {
        let site = format!("http://{}", listener.local_addr()?);
        self.hub.with(|world, _| world.set_site(site));
        let others = others.layer(from_fn_with_state(self.hub.clone(), access::known_only));
        let acceptor = Acceptor::new(listener, self.hub.connections.clone());
        let router = self.router().merge(others);
        let server = http_server::serve(acceptor, router, shutdown.clone());
        let timers = self.run_timers(shutdown.clone());
        let last_word = async {
            shutdown.cancelled().await;
            // Otherwise their connections would never close.
            self.hub.close_streams();
            tokio::time::sleep(CLOSE_DELAY).await;
            self.hub.connections.set_silent(false);
            self.hub.connections.drop_all();
        };
        let (served, (), ()) = tokio::join!(server, timers, last_word);
        served
    }
}

/// The page's files, and unknown routes, which are counted.
async fn fallback(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let path = request.uri().path();
    if hub.options.pages
        && request.method().is_safe()
        && let Some(asset) = pages::asset(path)
    {
        return page(asset, request.headers());
    }
    if hub.options.pages
        && request.method().is_safe()
        && let Some(id) = path.strip_prefix('/').and_then(|id| id.parse::<GameId>().ok())
        && hub.with(|world, _| world.game(&id).is_some())
    {
        // The address in challenges and exports.
        return Redirect::to(&format!("/#/game/{id}")).into_response();
    }
    hub.record_unserved(format!("{} {path}", request.method()));
    error(StatusCode::NOT_FOUND, "Not found")
}

/// A file, or 304. Browsers revalidate each time, so a new build shows at once.
fn page(asset: &'static pages::Asset, headers: &HeaderMap) -> Response {
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|etag| etag.as_bytes() == asset.etag.as_bytes());
    let about = [(header::ETAG, asset.etag), (header::CACHE_CONTROL, "no-cache")];
    if known {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = [(header::CONTENT_TYPE, asset.content_type)];
    (about, kind, asset.bytes).into_response()
}

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
    account_routes,
    answer::error,
    challenge_routes, control, export_routes,
    game_routes::{self, Interface},
    guard,
    hub::{Hub, Topic},
    key, lobby_routes,
    move_audit::PostedMove,
    options::Options,
    pages,
    random_faults::InjectedFault,
    scripted_faults::{self, Fault},
    tournament_routes,
    world::{ApiError, ArenaPlan, BOT_SCOPES, HUMAN_SCOPES},
};
use sparring_chess::units::Millis;
use sparring_http_server::{self as http_server, Acceptor, ConnectionInfo};
use sparring_lichess::model::{ArenaId, GameId, UserId};

/// No request is longer.
const LONGEST_BODY: usize = 64 * 1024;

/// How long connections may take to end after their streams did.
const FAREWELL: Duration = Duration::from_millis(500);

/// A server that speaks lichess' interfaces for bots and boards. Clones share one world.
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

    /// Makes a bot's account and gives its token.
    ///
    /// # Errors
    /// [`Refusal`] for a name that is taken or cannot be one.
    pub fn add_bot(&self, name: &str) -> Result<String, ApiError> {
        self.add_user(name, true, &BOT_SCOPES)
    }

    /// Makes a human's account and gives its token.
    ///
    /// # Errors
    /// [`Refusal`] for a name that is taken or cannot be one.
    pub fn add_human(&self, name: &str) -> Result<String, ApiError> {
        self.add_user(name, false, &HUMAN_SCOPES)
    }

    /// Makes an account and gives a token with just these scopes.
    ///
    /// # Errors
    /// [`Refusal`] for a name that is taken or cannot be one.
    pub fn add_user(&self, name: &str, is_bot: bool, scopes: &[&str]) -> Result<String, ApiError> {
        self.hub
            .with(|world, now| world.add_user(name, is_bot, scopes, now))
    }

    /// Another token for an account, with just these scopes.
    ///
    /// # Errors
    /// [`Refusal::NoSuchUser`] if there is no such account.
    pub fn grant(&self, name: &str, scopes: &[&str]) -> Result<String, ApiError> {
        self.hub.with(|world, _| world.grant(name, scopes))
    }

    /// Makes an arena and gives its id.
    ///
    /// # Errors
    /// Never as things are.
    pub fn add_arena(&self, plan: ArenaPlan) -> Result<ArenaId, ApiError> {
        self.hub.with(|world, now| world.add_arena(plan, now))
    }

    /// Who has joined an arena and not left it.
    #[must_use]
    pub fn arena_players(&self, id: &ArenaId) -> Vec<UserId> {
        self.hub.with(|world, _| world.arena_players(id))
    }

    /// Takes a token back; says whether there was one. Streams that it opened stay.
    pub fn revoke(&self, token: &str) -> bool {
        self.hub.with(|world, _| world.revoke(token))
    }

    /// The time in the sandbox.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.hub.clock.now()
    }

    /// Moves time forward: everything that falls due on the way happens before this returns.
    pub fn advance(&self, span: Millis) {
        self.hub.advance(span);
    }

    /// Lets time run at another speed, 1 being real time and 0 standing still.
    pub fn set_speed(&self, factor: f64) {
        self.hub.clock.set_speed(factor);
    }

    /// Every open connection, if the sandbox is served.
    #[must_use]
    pub fn connections(&self) -> Vec<ConnectionInfo> {
        self.hub.connections.list()
    }

    /// What the open streams are about.
    #[must_use]
    pub fn streams(&self) -> Vec<Topic> {
        self.hub.topics()
    }

    /// Resets every connection; says how many there were.
    pub fn drop_connections(&self) -> usize {
        self.hub.connections.drop_all()
    }

    /// Ends every stream politely, as a server does that shuts down; it goes on serving.
    pub fn end_streams(&self) {
        self.hub.close_streams();
    }

    /// Stops answering without closing anything, or goes on.
    pub fn set_silent(&self, silent: bool) {
        self.hub.connections.set_silent(silent);
    }

    /// Arms a fault.
    pub fn arm(&self, fault: Fault) {
        self.hub.faults.arm(fault);
    }

    /// From now on this share of the bots' requests and of the lines of their streams goes wrong, each time in a way
    /// that the seed decides; none at 0. Other accounts are left alone.
    pub fn let_loose(&self, share: f64, seed: u64) {
        self.hub.chaos.let_loose(share, seed);
    }

    /// How many requests and lines have gone wrong by chance.
    #[must_use]
    pub fn spoiled(&self) -> u64 {
        self.hub.chaos.spoiled()
    }

    /// Every request that has gone wrong by chance, and every game's line that was cut.
    #[must_use]
    pub fn struck(&self) -> Vec<InjectedFault> {
        self.hub.chaos.struck()
    }

    /// From now on every move that a bot posts is noted, for [`posted`](Self::posted).
    pub fn note_moves(&self) {
        self.hub.ledger.open();
    }

    /// The moves that bots have posted since the last time, in order.
    #[must_use]
    pub fn posted(&self) -> Vec<PostedMove> {
        self.hub.ledger.take()
    }

    /// Disarms all faults.
    pub fn disarm(&self) {
        self.hub.faults.clear();
    }

    /// Calls that nobody served, with how often they came: what a client wanted and lichess may have.
    #[must_use]
    pub fn unserved(&self) -> std::collections::BTreeMap<String, u64> {
        self.hub.unserved()
    }

    /// All routes, for serving by other means than [`serve`](Self::serve). Without
    /// [`run_timers`](Self::run_timers) what is due happens at the next request.
    pub fn router(&self) -> Router {
        let hub = &self.hub;
        let lichess = Router::new()
            .merge(account_routes::routes(hub))
            .merge(challenge_routes::routes(hub))
            .merge(game_routes::routes(hub, Interface::Bot))
            .merge(game_routes::routes(hub, Interface::Board))
            .merge(export_routes::routes())
            .merge(tournament_routes::routes(hub))
            .route_layer(from_fn_with_state(hub.clone(), scripted_faults::intercept));
        Router::new()
            .merge(lichess)
            .merge(lobby_routes::routes(hub))
            .merge(control::routes(hub))
            .route_layer(from_fn_with_state(hub.clone(), key::known_only))
            .route("/__ping", get(|| async { "pong" }))
            .fallback(elsewhere)
            .method_not_allowed_fallback(elsewhere)
            .layer(DefaultBodyLimit::max(LONGEST_BODY))
            .layer(from_fn_with_state(hub.clone(), guard::check))
            .with_state(hub.clone())
    }

    /// Lets flags fall and challenges expire on time until `stop`.
    pub async fn run_timers(&self, stop: CancellationToken) {
        self.hub.run_timers(stop).await;
    }

    /// Serves a listener until `shutdown`, then ends every stream and closes what is left half a second later.
    ///
    /// # Errors
    /// Whatever the listener cannot tell about itself.
    pub async fn serve(self, listener: TcpListener, shutdown: CancellationToken) -> io::Result<()> {
        self.serve_beside(Router::new(), listener, shutdown).await
    }

    /// The same, with routes of somebody else beside those of the sandbox. A private server keeps them to itself; from pages
    /// of other sites they protect themselves.
    ///
    /// # Errors
    /// Whatever the listener cannot tell about itself.
    pub async fn serve_beside(
        self,
        others: Router,
        listener: TcpListener,
        shutdown: CancellationToken,
    ) -> io::Result<()> {
        let site = format!("http://{}", listener.local_addr()?);
        self.hub.with(|world, _| world.set_site(site));
        let others = others.layer(from_fn_with_state(self.hub.clone(), key::known_only));
        let acceptor = Acceptor::new(listener, self.hub.connections.clone());
        let router = self.router().merge(others);
        let server = http_server::serve(acceptor, router, shutdown.clone());
        let timers = self.run_timers(shutdown.clone());
        let last_word = async {
            shutdown.cancelled().await;
            // Otherwise their connections would never be done.
            self.hub.close_streams();
            tokio::time::sleep(FAREWELL).await;
            self.hub.connections.set_silent(false);
            self.hub.connections.drop_all();
        };
        let (served, (), ()) = tokio::join!(server, timers, last_word);
        served
    }
}

/// The page's files, and what nobody serves, which is noted.
async fn elsewhere(State(hub): State<Arc<Hub>>, request: Request) -> Response {
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
        // The address that challenges and exports name.
        return Redirect::to(&format!("/#/game/{id}")).into_response();
    }
    hub.note_unserved(format!("{} {path}", request.method()));
    error(StatusCode::NOT_FOUND, "Not found")
}

/// A file, or word that the browser's copy is still good. Browsers ask each time, so a new build shows at once.
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

//! The daemon: its dependencies, login, and the start of the event loop.

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::bot::{
    challenges::rule_context,
    event_loop::{EventLoop, Handles},
    game_task::{ChatRateLimit, Context},
    games::{finished::FinishedGames, flags::GameFlagsByGame, live::LiveGames},
    moves::{move_overhead::LagMargin, selector::MoveSelector},
    observe::{liveness::LivenessResponder, metrics::Metrics},
    opponents::{memory::OpponentMemory, stats::OpponentStats},
    options::Options,
    restored::RestoredState,
    server::{
        login::{self, DaemonError},
        rate_limits::PersistedRateLimits,
    },
    shutdown::Shutdown,
    status::Status,
    wall_clock::epoch,
};
use crate::{store::ArchiveWriter, user_lists::UserLists};
use sparring_lichess::{Client, model::UserId};
use sparring_personality::Personalities;

/// Locks an account for this process, once its name is known and before the event stream opens; none if another process
/// holds the lock.
pub type ClaimAccount = Box<dyn FnOnce(&UserId) -> BoxFuture<'static, Option<LockGuard>> + Send>;

/// The lock, held until it is dropped.
pub type LockGuard = Box<dyn Send>;

/// The dependencies of the daemon.
pub struct Daemon {
    /// The client of the account.
    pub client: Client,
    /// Locks the account.
    pub claim: ClaimAccount,
    /// The options, now and after a reload.
    pub options: watch::Receiver<Options>,
    /// The personalities, now and after an edit.
    pub personalities: watch::Receiver<Arc<Personalities>>,
    /// The user lists, now and after a change.
    pub lists: watch::Receiver<Arc<UserLists>>,
    /// The archive.
    pub store: ArchiveWriter,
    /// What earlier runs left.
    pub restored: RestoredState,
    /// Selects the moves.
    pub selector: Arc<dyn MoveSelector>,
    /// Metrics.
    pub metrics: Metrics,
    /// Snapshots of running games.
    pub live_games: LiveGames,
    /// Answers liveness probes of the event loop.
    pub liveness: LivenessResponder,
    /// Its status.
    pub status: watch::Sender<Status>,
    /// The seed of all jitter.
    pub seed: u64,
    /// Dry run: says what it would do, and sends only reading calls.
    pub dry: bool,
}

impl Daemon {
    /// Runs until asked to end.
    ///
    /// # Errors
    /// [`DaemonError`] when the account cannot be used, or not any more.
    pub async fn run(self, signals: Shutdown) -> Result<(), DaemonError> {
        let (patience, wanted) = {
            let options = self.options.borrow();
            (
                options.timing.connect_timeout,
                options.config.tournaments.scopes(),
            )
        };
        // A rate limit of an earlier run holds for the login too.
        let mut limits =
            PersistedRateLimits::restore(&self.restored.limits, &self.client, self.store.clone(), epoch());
        let login = async {
            if self.dry {
                login::look(self.client.read_only()).await
            } else {
                login::login(self.client, patience, &mut limits, wanted, self.seed).await
            }
        };
        let (client, account) = tokio::select! {
            known = login => known?,
            () = signals.leave.cancelled() => return Ok(()),
            () = signals.drain.cancelled() => return Ok(()),
        };
        // Two tokens may belong to one account.
        let Some(_held) = (self.claim)(&account.id).await else {
            return Err(DaemonError::Taken(account.username));
        };
        self.status
            .send_modify(|status| status.user = Some(account.id.clone()));
        let shared = Arc::new(Context {
            client,
            ratings: watch::channel(Arc::new(rule_context::ratings(&account))).0,
            me: account.id,
            selector: self.selector,
            personalities: self.personalities,
            lists: self.lists,
            game_flags: GameFlagsByGame::restore(&self.restored.game_flags, self.store.clone()),
            finished_games: FinishedGames::default(),
            opponent_stats: OpponentStats::of(&self.restored.scores),
            opponent_memory: OpponentMemory::restore(
                &self.restored.requested_personas,
                &self.restored.decided_today,
                self.store.clone(),
                epoch(),
            ),
            store: self.store,
            metrics: self.metrics,
            live_games: self.live_games,
            chat_rate_limit: ChatRateLimit::default(),
            spectator_rate_limit: ChatRateLimit::default(),
            lag_margin: LagMargin::default(),
        });
        let event_loop = EventLoop::new(
            shared,
            Handles {
                options: self.options,
                status: self.status,
                liveness: self.liveness,
            },
            &self.restored,
            limits,
            self.seed,
            self.dry,
            signals.leave.clone(),
        );
        event_loop.run(signals).await
    }
}

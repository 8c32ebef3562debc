//! The daemon as the roof sees it: what it is made of, how it is steered, and what it shows.

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

/// Claims an account for this process, once its name is known and before anything is heard or played; none where another
/// process has it.
pub type ClaimAccount = Box<dyn FnOnce(&UserId) -> BoxFuture<'static, Option<LockGuard>> + Send>;

/// A claim that holds until it is dropped.
pub type LockGuard = Box<dyn Send>;

/// Everything the daemon is made of.
pub struct Daemon {
    /// The server and the account.
    pub client: Client,
    /// Keeps one account to one daemon.
    pub claim: ClaimAccount,
    /// How to behave, now and after a reload.
    pub options: watch::Receiver<Options>,
    /// The personalities, now and after an edit.
    pub personalities: watch::Receiver<Arc<Personalities>>,
    /// Who is on which list, now and after a change.
    pub lists: watch::Receiver<Arc<UserLists>>,
    /// What is kept of games, and what was kept before.
    pub store: ArchiveWriter,
    /// What earlier runs left behind.
    pub restored: RestoredState,
    /// Who decides on moves.
    pub selector: Arc<dyn MoveSelector>,
    /// What is counted.
    pub metrics: Metrics,
    /// Where running games are shown.
    pub live_games: LiveGames,
    /// Answers whether the loop still turns.
    pub liveness: LivenessResponder,
    /// Where to show what it is doing.
    pub status: watch::Sender<Status>,
    /// Decides all jitter.
    pub seed: u64,
    /// Listens, and says what it would do, but asks nothing of the server that changes anything.
    pub dry: bool,
}

impl Daemon {
    /// Is the bot until asked to end.
    ///
    /// # Errors
    /// [`Exit`] when it cannot be, or not any more.
    pub async fn run(self, signals: Shutdown) -> Result<(), DaemonError> {
        let (patience, wanted) = {
            let options = self.options.borrow();
            (options.patience, options.tournaments.scopes())
        };
        // What the server asked an earlier run to leave alone is left alone by the log-in too.
        let mut limits =
            PersistedRateLimits::restore(&self.restored.limits, &self.client, self.store.clone(), epoch());
        let login = async {
            if self.dry {
                login::look(self.client.reading_only()).await
            } else {
                login::login(self.client, patience, &mut limits, wanted, self.seed).await
            }
        };
        let (client, account) = tokio::select! {
            known = login => known?,
            () = signals.leave.cancelled() => return Ok(()),
            () = signals.drain.cancelled() => return Ok(()),
        };
        // Tokens may differ and the account be the same.
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
            lag_margin: LagMargin::default(),
        });
        let desk = EventLoop::new(
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
        desk.run(signals).await
    }
}

//! The daemon as the roof sees it: what it is made of, how it is steered, and what it shows.

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::bot::{
    challenges::rule_context,
    event_loop::{EventLoop, Handles, epoch},
    game_task::{ChatRateLimit, Context},
    games::{finished::FinishedGames, flags::GameFlagsByGame, live::LiveGames},
    moves::{move_overhead::LagMargin, selector::MoveSelector},
    observe::{liveness::LivenessResponder, metrics::Metrics},
    opponents::{memory::OpponentMemory, stats::OpponentStats},
    server::{
        login::{self, DaemonError},
        rate_limits::PersistedRateLimits,
    },
};
use crate::{
    config::{Chat, Config, Games, Matchmaking, Play, Rule, Tournaments},
    store::{ArchiveWriter, ChallengeCooldown, GameFlags, OpponentScore, RequestedPersona},
    user_lists::UserLists,
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    Client,
    model::{GameId, UserId},
};
use sparring_personality::Personalities;

/// A server that cannot be reached for so long at the start is left to the service manager.
const PATIENCE: Millis = Millis::from_secs(30);

/// Running games are looked at so often.
const SWEEP: Millis = Millis::from_secs(60);
/// Streams of games without a running clock are closed after the opponent was silent for so long.
const IDLE: Millis = Millis::from_secs(60);

/// A promised seat is free again if no game has come after so long.
const LEASE: Millis = Millis::from_secs(15);

/// The first line of a game's stream is the whole game; a stream that keeps it back so long is opened anew.
const FRAME: Millis = Millis::from_secs(10);

/// A challenge of ours that nobody answers is taken back after this time. It is kept alive by its stream: otherwise
/// lichess would forget it after 20 s, which a bot that is about to end a game may need.
const ANSWER: Millis = Millis::from_secs(45);

/// Its own ratings are asked for so often, for rules that compare.
const RATINGS: Millis = Millis::from_secs(3600);

/// How the daemon behaves: the settings that may change while it runs. A change counts from the next challenge or
/// game on.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How many games, and how they end early. Games that are there anyway are always played.
    pub games: Games,
    /// Whom to play, and how.
    pub rules: Arc<Vec<Rule>>,
    /// Who plays, and how, where no rule says otherwise.
    pub play: Play,
    /// What opponents may ask for.
    pub chat: Chat,
    /// Whom to challenge when nobody comes.
    pub matchmaking: Matchmaking,
    /// Which arenas to play in.
    pub tournaments: Tournaments,
    /// How long the server may be out of reach at the start.
    pub patience: Millis,
    /// Between two looks at the list of running games.
    pub poll_every: Millis,
    /// How long the opponent may think in a game of days, or in one without a clock, before its stream is closed. The next
    /// look at the list then finds the move.
    pub idle: Millis,
    /// Between two looks at the bot's own ratings.
    pub ratings: Millis,
    /// How long a seat is kept for a challenge that was accepted.
    pub lease: Millis,
    /// How long a challenge of ours may go without an answer.
    pub answer: Millis,
    /// How long an open stream of a game may keep its first line back.
    pub frame: Millis,
}

impl From<&Config> for Options {
    fn from(config: &Config) -> Self {
        Self {
            games: config.games,
            rules: Arc::new(config.rules.clone()),
            play: config.play.clone(),
            chat: config.chat.clone(),
            matchmaking: config.matchmaking.clone(),
            tournaments: config.tournaments.clone(),
            patience: PATIENCE,
            poll_every: SWEEP,
            idle: IDLE,
            ratings: RATINGS,
            lease: LEASE,
            answer: ANSWER,
            frame: FRAME,
        }
    }
}

/// How the daemon is asked to end.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Accept nothing more, and end when no game runs.
    pub drain: CancellationToken,
    /// End within two seconds; games stay on lichess.
    pub leave: CancellationToken,
}

/// What the daemon is doing, for whoever shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Who it is, once known.
    pub user: Option<UserId>,
    /// Whether it hears the event stream.
    pub is_listening: bool,
    /// How many games run.
    pub games: usize,
    /// How many games without a clock wait for the opponent with no stream open.
    pub parked: usize,
    /// How many challenges wait for a seat.
    pub waiting: usize,
    /// How many challenges were judged so far.
    pub challenges: u64,
    /// Whether it accepts nothing more.
    pub is_draining: bool,
}

/// What earlier runs of the daemon left behind that still matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoredState {
    /// With whom games were begun since midnight UTC, once for each game, and whether that was a bot.
    pub opponents_today: Vec<(UserId, bool)>,
    /// Casual games begun since then that were not drawn: against whom, and whether the opponent won.
    pub decided_today: Vec<(UserId, bool)>,
    /// Whom opponents asked for in a game in which it was too late.
    pub requested_personas: Vec<(UserId, RequestedPersona)>,
    /// Limits of the server that may still hold, and until when, in milliseconds since 1970.
    pub limits: Vec<(String, Millis)>,
    /// Who is not challenged for a while, until when since 1970.
    pub cooldowns: Vec<ChallengeCooldown>,
    /// Challenges of ours since midnight UTC.
    pub asked_today: u32,
    /// Challenges of the last day that wanted to repeat a game, the oldest first, each with that game.
    pub repeats: Vec<(GameId, GameId)>,
    /// What was played with each opponent ever.
    pub scores: Vec<(UserId, OpponentScore)>,
    /// Games that were running when the last run ended: what became of those that run no more is still to be kept.
    pub unfinished: Vec<GameId>,
    /// What was granted in those games so far.
    pub game_flags: Vec<(GameId, GameFlags)>,
}

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
                heart: self.liveness,
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

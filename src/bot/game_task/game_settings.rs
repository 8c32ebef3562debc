//! Inputs and outputs of a game task: the shared context, its settings, notes and outcome.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::watch;

use super::{RematchOffer, chat_queue::ChatRateLimit};
use crate::{
    bot::{
        challenges::rule_context::LocalContext,
        game_task::state::GameError,
        games::{finished::FinishedGames, flags::GameFlagsByGame, live::LiveGames},
        moves::{move_overhead::LagMargin, selector::MoveSelector},
        observe::metrics::Metrics,
        opponents::{memory::OpponentMemory, stats::OpponentStats},
    },
    config::Config,
    store::ArchiveWriter,
    user_lists::UserLists,
};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::{
    CallError, Client,
    model::{GameId, Side, UserId},
};
use sparring_personality::Personalities;

/// What all games of the daemon share.
pub(in crate::bot) struct Context {
    /// Where commands go.
    pub(in crate::bot) client: Client,
    /// Who we are.
    pub(in crate::bot) me: UserId,
    /// Selects the moves.
    pub(in crate::bot) selector: Arc<dyn MoveSelector>,
    /// The current personalities.
    pub(in crate::bot) personalities: watch::Receiver<Arc<Personalities>>,
    /// Our ratings, by lichess' keys.
    pub(in crate::bot) ratings: watch::Sender<Arc<BTreeMap<String, Elo>>>,
    /// The user lists.
    pub(in crate::bot) lists: watch::Receiver<Arc<UserLists>>,
    /// The archive.
    pub(in crate::bot) store: ArchiveWriter,
    /// Metrics.
    pub(in crate::bot) metrics: Metrics,
    /// Snapshots of running games for the dashboard.
    pub(in crate::bot) live_games: LiveGames,
    /// Takebacks and offers of each game.
    pub(in crate::bot) game_flags: GameFlagsByGame,
    /// Games whose result was counted.
    pub(in crate::bot) finished_games: FinishedGames,
    /// All-time scores by opponent.
    pub(in crate::bot) opponent_stats: OpponentStats,
    /// What opponents asked for.
    pub(in crate::bot) opponent_memory: OpponentMemory,
    /// The rate limit of chat answers.
    pub(in crate::bot) chat_rate_limit: ChatRateLimit,
    /// The rate limit of answers to spectators.
    pub(in crate::bot) spectator_rate_limit: ChatRateLimit,
    /// The extra move overhead learned from losses on time.
    pub(in crate::bot) lag_margin: LagMargin,
}

/// How a game is to be played.
#[derive(Debug, Clone)]
pub(in crate::bot) struct TaskSettings {
    /// Which game.
    pub(in crate::bot) id: GameId,
    /// Whether it was running before we came: then its chat may hold what was said and asked for.
    pub(in crate::bot) adopted: bool,
    /// Against whom, where the event stream says so.
    pub(in crate::bot) opponent: Option<UserId>,
    /// With which pieces, where it says so.
    pub(in crate::bot) side: Option<Side>,
    /// The configuration in force when the game began.
    pub(in crate::bot) config: Arc<Config>,
    /// What rules may ask besides the game itself.
    pub(in crate::bot) local_context: LocalContext,
    /// How long the opponent may take for the first move; none where lichess sees to that, as in tournaments.
    pub(in crate::bot) no_show: Option<Millis>,
    /// A game without a clock is parked when the opponent has not moved for so long.
    pub(in crate::bot) park_after: Millis,
    /// A stream whose `gameFull` does not come in so long is reopened.
    pub(in crate::bot) game_full_timeout: Millis,
}

/// What the daemon tells a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bot) enum TaskNote {
    /// The event stream says that the game is over.
    Finished,
}

/// How a game's task ended.
#[derive(Debug)]
pub(in crate::bot) enum TaskOutcome {
    /// The game is over; with the rematch that may be offered.
    Ended(Option<Box<RematchOffer>>),
    /// The event stream says that the game is over, and its own has not shown how.
    Unseen,
    /// It was stopped; the game goes on without us.
    Left,
    /// The game is parked until the opponent has moved.
    Asleep,
    /// The game cannot be played, and was aborted or resigned.
    Unplayable(GameError),
    /// The server does not let us into the game.
    Refused(CallError),
    /// The token is not accepted any more, or so it seems.
    Unauthorized(CallError),
}

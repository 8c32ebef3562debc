//! What a game's task is given, told, and leaves behind.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::watch;

use super::chat_queue::ChatRateLimit;
use crate::{
    bot::{
        challenges::rule_context::LocalContext,
        game_task::state::GameError,
        games::{finished::FinishedGames, flags::GameFlagsByGame, live::LiveGames},
        moves::{move_overhead::LagMargin, selector::MoveSelector},
        observe::metrics::Metrics,
        opponents::{memory::OpponentMemory, stats::OpponentStats},
    },
    config::{Chat, Play, Rule},
    store::ArchiveWriter,
    user_lists::UserLists,
};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::{
    CallError, Client,
    model::{GameId, Side, UserId},
};
use sparring_personality::Personalities;

/// What all games of a daemon share.
pub(in crate::bot) struct Context {
    /// Where commands go.
    pub(in crate::bot) client: Client,
    /// Who we are.
    pub(in crate::bot) me: UserId,
    /// Who decides.
    pub(in crate::bot) selector: Arc<dyn MoveSelector>,
    /// The personalities of this moment.
    pub(in crate::bot) personalities: watch::Receiver<Arc<Personalities>>,
    /// My ratings of this hour, by lichess' keys.
    pub(in crate::bot) ratings: watch::Sender<Arc<BTreeMap<String, Elo>>>,
    /// Who is on which list.
    pub(in crate::bot) lists: watch::Receiver<Arc<UserLists>>,
    /// What is kept of games.
    pub(in crate::bot) store: ArchiveWriter,
    /// What is counted.
    pub(in crate::bot) metrics: Metrics,
    /// Where running games are shown.
    pub(in crate::bot) live_games: LiveGames,
    /// What was granted in each game.
    pub(in crate::bot) game_flags: GameFlagsByGame,
    /// Which ends of games were counted.
    pub(in crate::bot) finished_games: FinishedGames,
    /// What was played with opponents ever.
    pub(in crate::bot) opponent_stats: OpponentStats,
    /// What is kept of opponents.
    pub(in crate::bot) opponent_memory: OpponentMemory,
    /// What all games share of the right to answer in chat.
    pub(in crate::bot) chat_rate_limit: ChatRateLimit,
    /// What is kept off the clocks because moves came too late before.
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
    /// Who sits down, and with which books, where no rule says otherwise.
    pub(in crate::bot) play: Play,
    /// What its opponent may ask for.
    pub(in crate::bot) chat: Chat,
    /// The rules.
    pub(in crate::bot) rules: Arc<Vec<Rule>>,
    /// What rules may ask besides what the game itself says.
    pub(in crate::bot) local_context: LocalContext,
    /// How long an opponent may leave the first move out; none where the server itself sees to that, as in arenas.
    pub(in crate::bot) no_show: Option<Millis>,
    /// A game without a clock in which the opponent is silent for so long needs no stream.
    pub(in crate::bot) idle: Millis,
    /// The first line of a stream is the whole game; a stream that keeps it back so long is opened anew.
    pub(in crate::bot) frame_within: Millis,
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
    /// The game is over.
    Ended,
    /// The event stream says that the game is over, and its own has not shown how.
    Unseen,
    /// It was told to leave; the game goes on without us.
    Left,
    /// The opponent may take days for the next move.
    Asleep,
    /// The game cannot be played, and was aborted or resigned.
    Unplayable(GameError),
    /// The server does not let us into the game.
    Refused(CallError),
    /// The token is not accepted any more, or so it seems.
    Unauthorized(CallError),
}

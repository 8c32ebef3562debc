//! External engine of one game: a thread owns the process, restarts it with back-off, and answers in time or with an error.

mod style_choice;
mod supervisor;

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread,
    time::Instant,
};

use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tracing::warn;

use crate::{bot::observe::metrics::Metrics, config};
use sparring_chess::{
    GameHistory, Move, Variant,
    units::{Depth, Elo, Millis, Nodes},
};
use sparring_engine::{Score, StyleBonus};
use sparring_uci_client::{GoLimits, UciError};
use supervisor::Supervisor;

pub(super) use style_choice::StyleChoice;

/// The share of a move's time, and the most of it, that a game waits for an engine that is still starting.
const READY_SHARE: f64 = 0.25;
const LONGEST_START: Millis = Millis::from_secs(5);
/// How long an answer may take from the engine's thread to the game.
const HANDOVER: Millis = Millis(50);

/// A search to make.
#[derive(Debug, Clone)]
pub struct ExternalSearch {
    /// The game so far.
    pub line: GameHistory,
    /// The level, for engines that can limit their strength.
    pub level: Option<Elo>,
    /// The style that chooses among the lines of engines that print several; all zero for none.
    pub style: StyleBonus,
    /// When the engine shall end by itself.
    pub limits: GoLimits,
    /// Time until `stop` is sent.
    pub stop_after: Millis,
    /// Time until its move is too late.
    pub limit: Millis,
}

/// A move of an external engine.
#[derive(Debug, Clone)]
pub struct ExternalMove {
    /// The move; it is legal.
    pub mv: Move,
    /// Its score for the side to move.
    pub score: Option<Score>,
    /// The reply that it expects.
    pub reply: Option<Move>,
    /// The depth it reports.
    pub depth: Depth,
    /// The nodes it reports.
    pub nodes: Nodes,
    /// The lines that a style chose it from; none where the engine alone chose.
    pub style: Option<StyleChoice>,
}

/// Why there is no move of an external engine.
#[derive(Debug, Error)]
pub enum ExternalError {
    /// It cannot be started, has ended, hangs, or prints what is no UCI.
    #[error(transparent)]
    Uci(#[from] UciError),
    /// It answered with a move that the rules do not allow.
    #[error("{name} answered \"{best}\", which is no legal move here")]
    Illegal {
        /// The engine.
        name: String,
        /// What it answered.
        best: String,
    },
    /// It does not know the variant.
    #[error("{name} does not play {}", variant.name())]
    Variant {
        /// The engine.
        name: String,
        /// The variant.
        variant: Variant,
    },
    /// It failed a moment ago and is not started again yet.
    #[error("{name} failed and is started again later")]
    Waiting {
        /// The engine.
        name: String,
    },
    /// It was not ready in time.
    #[error("{name} is not ready yet")]
    Late {
        /// The engine.
        name: String,
    },
}

impl ExternalError {
    /// The label of the metric; none where nothing failed.
    fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Uci(error) => Some(match error {
                UciError::Start { .. } => "start",
                UciError::Option { .. } | UciError::Value { .. } => "option",
                UciError::Ended { .. } => "ended",
                UciError::LongLine { .. } => "garbage",
                UciError::Timeout { .. } => "timeout",
            }),
            Self::Illegal { .. } => Some("illegal"),
            Self::Variant { .. } | Self::Waiting { .. } | Self::Late { .. } => None,
        }
    }
}

/// One game's external engine; none runs until it is asked for. Clones share it. The process ends with the last of them.
#[derive(Clone, Default)]
pub struct ExternalSlot(Arc<Mutex<Option<Running>>>);

/// The thread of an engine, which ends when its jobs can come no more.
struct Running {
    config: Arc<config::ExternalEngine>,
    jobs: Sender<Job>,
}

/// Work for the engine's thread.
enum Job {
    /// Start, so that the first move need not wait.
    Prepare,
    Search(Box<SearchJob>),
    /// Think about a position that may come, until the next search.
    Ponder(Box<ExternalSearch>, OwnedSemaphorePermit),
}

struct SearchJob {
    search: ExternalSearch,
    asked_at: Instant,
    /// Takes a message when the engine is ready to search.
    ready: Option<oneshot::Sender<()>>,
    reply: oneshot::Sender<Result<ExternalMove, ExternalError>>,
}

impl ExternalSlot {
    /// Starts the engine if it does not run yet.
    pub fn prepare(&self, config: &Arc<config::ExternalEngine>, metrics: &Metrics) {
        self.send(config, metrics, Job::Prepare);
    }

    /// Searches. Dropping the future stops the engine.
    ///
    /// # Errors
    /// [`ExternalError`] when it gives no legal move in time.
    pub async fn search(
        &self,
        config: &Arc<config::ExternalEngine>,
        metrics: &Metrics,
        search: ExternalSearch,
    ) -> Result<ExternalMove, ExternalError> {
        let late = || ExternalError::Late {
            name: config.name.clone(),
        };
        let (ready, is_ready) = oneshot::channel();
        let (reply, answer) = oneshot::channel();
        let limit = search.limit + HANDOVER;
        let ready_within = search.stop_after.scaled(READY_SHARE).min(LONGEST_START);
        let job = SearchJob {
            search,
            asked_at: Instant::now(),
            ready: Some(ready),
            reply,
        };
        self.send(config, metrics, Job::Search(Box::new(job)));
        // Whoever fails at once drops this sender, and has answered.
        if tokio::time::timeout(ready_within.into(), is_ready).await.is_err() {
            return Err(late());
        }
        match tokio::time::timeout(limit.into(), answer).await {
            Ok(Ok(answer)) => answer,
            // The thread still starts the engine, or the system gave none.
            Ok(Err(_)) | Err(_) => Err(late()),
        }
    }

    /// Ponders about a position that may come, until the next search or for a minute. The permit is kept so long.
    pub fn ponder(
        &self,
        config: &Arc<config::ExternalEngine>,
        metrics: &Metrics,
        search: ExternalSearch,
        permit: OwnedSemaphorePermit,
    ) {
        self.send(config, metrics, Job::Ponder(Box::new(search), permit));
    }

    fn send(&self, config: &Arc<config::ExternalEngine>, metrics: &Metrics, job: Job) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_none_or(|running| running.config != *config) {
            *running = start_thread(config, metrics);
        }
        let Some(thread) = running.as_ref() else { return };
        if thread.jobs.send(job).is_err() {
            // A thread that panicked takes no more jobs; the next call starts another.
            *running = None;
        }
    }
}

impl fmt::Debug for ExternalSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalSlot").finish_non_exhaustive()
    }
}

fn start_thread(config: &Arc<config::ExternalEngine>, metrics: &Metrics) -> Option<Running> {
    let (jobs, inbox) = channel();
    let supervisor = Supervisor::new(Arc::clone(config), metrics.clone());
    let started = thread::Builder::new()
        .name("external-engine".to_owned())
        .spawn(move || supervisor.serve(&inbox));
    match started {
        Ok(_) => Some(Running {
            config: Arc::clone(config),
            jobs,
        }),
        Err(why) => {
            warn!("no thread for the engine {}: {why}", config.name);
            None
        }
    }
}

#[cfg(test)]
mod tests;

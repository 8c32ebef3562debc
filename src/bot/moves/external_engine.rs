//! External engine of one game: a thread owns the process, restarts it with back-off, and answers in time or with an error.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use thiserror::Error;
use tokio::sync::oneshot;
use tracing::{debug, info, warn};

use crate::{bot::observe::metrics::Metrics, config};
use sparring_chess::{
    GameHistory, Move, Variant, parse_uci,
    units::{Depth, Elo, Millis, Nodes},
};
use sparring_engine::Score;
use sparring_uci_client::{GoLimits, GoResult, Patience, UciError, UciProcess};

/// Pause before the first restart; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause before a restart.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
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
    /// When the engine shall end by itself.
    pub limits: GoLimits,
    /// Time until `stop` is sent.
    pub stop_after: Millis,
    /// Time until its move is too late.
    pub limit: Millis,
}

/// A move of an external engine.
#[derive(Debug, Clone, Copy)]
pub struct ExternalMove {
    /// The move; it is legal.
    pub mv: Move,
    /// Its score for the side to move.
    pub score: Option<Score>,
    /// The depth it reports.
    pub depth: Depth,
    /// The nodes it reports.
    pub nodes: Nodes,
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
    let supervisor = Supervisor {
        config: Arc::clone(config),
        metrics: metrics.clone(),
        engine: None,
        failures: 0,
        retry_at: None,
    };
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

/// A process, and what it was last set to.
struct Started {
    process: UciProcess,
    variant: Variant,
    level: Option<Elo>,
}

/// Owns the process of one engine, and starts it again when it fails.
struct Supervisor {
    config: Arc<config::ExternalEngine>,
    metrics: Metrics,
    engine: Option<Started>,
    /// Failures in a row.
    failures: u32,
    retry_at: Option<Instant>,
}

impl Supervisor {
    /// Handles jobs until the slot is dropped.
    fn serve(mut self, jobs: &Receiver<Job>) {
        for job in jobs {
            match job {
                Job::Prepare => {
                    if let Err(error) = self.ready() {
                        self.failed(error.kind(), &with_cause(&error));
                    }
                }
                Job::Search(mut job) => {
                    if job.reply.is_closed() {
                        continue;
                    }
                    let result = self.search(&mut job);
                    // The game goes on at once, if it still waits; ending a process may take a while.
                    let note = result
                        .as_ref()
                        .err()
                        .map(|error| (error.kind(), with_cause(error)));
                    let _ = job.reply.send(result);
                    match note {
                        None => self.succeeded(),
                        Some((kind, note)) => self.failed(kind, &note),
                    }
                }
            }
        }
    }

    fn search(&mut self, job: &mut SearchJob) -> Result<ExternalMove, ExternalError> {
        let SearchJob { search, asked_at, .. } = job;
        let name = self.config.name.clone();
        let (variant, level) = (search.line.variant(), search.level);
        let follows_level = !self.config.sets_strength();
        let engine = self.ready()?;
        if engine.variant != variant && !engine.process.set_variant(variant)? {
            return Err(ExternalError::Variant { name, variant });
        }
        engine.variant = variant;
        if follows_level && engine.level != level {
            limit_strength(&mut engine.process, level)?;
            engine.level = level;
        }
        if let Some(ready) = job.ready.take() {
            let _ = ready.send(()); // the game may have gone on without it
        }
        let elapsed = Millis::from(asked_at.elapsed());
        let patience = Patience {
            stop_after: Some(search.stop_after - elapsed),
            limit: search.limit - elapsed,
            is_abandoned: &|| job.reply.is_closed(),
        };
        let answer = engine.process.search(&search.line, &search.limits, patience)?;
        legal(&search.line, &answer).ok_or(ExternalError::Illegal {
            name,
            best: answer.best,
        })
    }

    /// The process, started if there is none.
    fn ready(&mut self) -> Result<&mut Started, ExternalError> {
        if self.engine.is_none() {
            if self.retry_at.is_some_and(|at| Instant::now() < at) {
                return Err(ExternalError::Waiting {
                    name: self.config.name.clone(),
                });
            }
            let mut process = UciProcess::start(&self.config.spec())?;
            process.new_game()?;
            info!(
                "the engine {} runs: {}",
                self.config.name,
                process.title().unwrap_or("it gives no name")
            );
            self.engine = Some(Started {
                process,
                variant: Variant::Standard,
                level: None,
            });
        }
        self.engine.as_mut().ok_or_else(|| ExternalError::Late {
            name: self.config.name.clone(),
        })
    }

    fn succeeded(&mut self) {
        if self.failures > 0 {
            info!("the engine {} plays again", self.config.name);
        }
        self.failures = 0;
        self.retry_at = None;
    }

    /// Ends the process after a failure of this kind, and says once that the embedded engine moves instead.
    fn failed(&mut self, kind: Option<&'static str>, note: &str) {
        let Some(kind) = kind else {
            debug!("{note}");
            return;
        };
        self.metrics.external_engine_failed(kind);
        self.engine = None;
        let pause = FIRST_PAUSE
            .saturating_mul(1 << self.failures.min(6))
            .min(LONGEST_PAUSE);
        if self.failures == 0 {
            warn!("{note}: the embedded engine moves until it is started again");
        } else {
            debug!("{note}: it is started again in {} s", pause.as_secs());
        }
        self.failures += 1;
        self.retry_at = Some(Instant::now() + pause);
    }
}

/// The error in words, with what the system says about it.
fn with_cause(error: &ExternalError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Lets an engine play like a person of this rating where it can, or as well as it can without one.
fn limit_strength(process: &mut UciProcess, level: Option<Elo>) -> Result<(), UciError> {
    let elo = level.and_then(|level| process.option("UCI_Elo")?.nearest(i64::from(level.0)));
    if process.set_if_offered("UCI_LimitStrength", if elo.is_some() { "true" } else { "false" })?
        && let Some(elo) = elo
    {
        process.set_if_offered("UCI_Elo", &elo.to_string())?;
    }
    Ok(())
}

/// The answer as a move, if the rules allow it.
fn legal(line: &GameHistory, answer: &GoResult) -> Option<ExternalMove> {
    Some(ExternalMove {
        mv: parse_uci(line.position(), &answer.best).ok()?,
        score: answer.score,
        depth: answer.depth.unwrap_or(Depth(0)),
        nodes: answer.nodes.unwrap_or(Nodes(0)),
    })
}

#[cfg(test)]
mod tests;

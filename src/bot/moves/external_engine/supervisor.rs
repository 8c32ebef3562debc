//! The thread that owns an external engine's process: it starts it, asks it, and starts it again when it fails.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use tokio::sync::OwnedSemaphorePermit;
use tracing::{debug, info, warn};

use super::{ExternalError, ExternalMove, ExternalSearch, Job, SearchJob, style_choice};
use crate::{bot::observe::metrics::Metrics, config};
use sparring_chess::{
    GameHistory, Variant, parse_uci,
    units::{Depth, Elo, Millis, Nodes},
};
use sparring_engine::{Line, StyleBonus};
use sparring_uci_client::{GoResult, Patience, UciError, UciProcess};

/// Pause before the first restart; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause before a restart.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long an engine ponders about one reply at most.
const LONGEST_PONDERING: Duration = Duration::from_secs(60);
/// A pondering engine is read so often.
const PONDER_READ: Duration = Duration::from_millis(50);

/// A process, and what it was last set to.
struct Started {
    process: UciProcess,
    variant: Variant,
    level: Option<Elo>,
    /// How many lines it prints.
    lines: usize,
    /// Whether it is set to ponder.
    ponders: bool,
    pondering: Option<Pondering>,
}

/// What an engine thinks about on the opponent's time.
struct Pondering {
    line: GameHistory,
    until: Instant,
    _permit: OwnedSemaphorePermit,
}

/// Owns the process of one engine, and starts it again when it fails.
pub(super) struct Supervisor {
    config: Arc<config::ExternalEngine>,
    metrics: Metrics,
    engine: Option<Started>,
    /// Failures in a row.
    failures: u32,
    pub(super) retry_at: Option<Instant>,
}

impl Supervisor {
    pub(super) fn new(config: Arc<config::ExternalEngine>, metrics: Metrics) -> Self {
        Self {
            config,
            metrics,
            engine: None,
            failures: 0,
            retry_at: None,
        }
    }

    /// Handles jobs until the slot is dropped.
    pub(super) fn serve(mut self, jobs: &Receiver<Job>) {
        while let Some(job) = self.next_job(jobs) {
            let failure = match job {
                Job::Prepare => self.ready().err(),
                Job::Ponder(search, permit) => self.ponder(&search, permit).err(),
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
                    continue;
                }
            };
            if let Some(error) = failure {
                self.failed(error.kind(), &with_cause(&error));
            }
        }
    }

    /// The next job; none when no more can come. Meanwhile a pondering engine is read, and stopped when its time is over.
    fn next_job(&mut self, jobs: &Receiver<Job>) -> Option<Job> {
        loop {
            let Some(engine) = self.engine.as_mut() else {
                return jobs.recv().ok();
            };
            let Some(pondering) = &engine.pondering else {
                return jobs.recv().ok();
            };
            match jobs.recv_timeout(PONDER_READ) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let kept_up = if Instant::now() < pondering.until {
                engine.process.read_pondering()
            } else {
                engine.pondering = None;
                engine.process.stop_pondering()
            };
            if let Err(error) = kept_up {
                let error = ExternalError::from(error);
                self.failed(error.kind(), &with_cause(&error));
            }
        }
    }

    /// Begins to ponder, if the engine offers that.
    fn ponder(&mut self, search: &ExternalSearch, permit: OwnedSemaphorePermit) -> Result<(), ExternalError> {
        let engine = self.prepared(search)?;
        engine.ponders = engine.ponders || engine.process.set_if_offered("Ponder", "true")?;
        if engine.ponders {
            engine.process.ponder(&search.line, &search.limits)?;
            engine.pondering = Some(Pondering {
                line: search.line.clone(),
                until: Instant::now() + LONGEST_PONDERING,
                _permit: permit,
            });
        }
        Ok(())
    }

    pub(super) fn search(&mut self, job: &mut SearchJob) -> Result<ExternalMove, ExternalError> {
        let name = self.config.name.clone();
        let SearchJob { search, asked_at, .. } = job;
        let pondering = self.engine.as_mut().and_then(|engine| engine.pondering.take());
        let is_hit = pondering.is_some_and(|pondering| pondering.line.moves() == search.line.moves());
        let engine = if is_hit {
            self.ready()?
        } else {
            self.prepared(search)?
        };
        if let Some(ready) = job.ready.take() {
            let _ = ready.send(()); // the game may have gone on without it
        }
        let elapsed = Millis::from(asked_at.elapsed());
        let patience = Patience {
            stop_after: Some(search.stop_after - elapsed),
            limit: search.limit - elapsed,
            is_abandoned: &|| job.reply.is_closed(),
        };
        let answer = if is_hit {
            engine.process.ponder_hit(patience)
        } else {
            engine.process.search(&search.line, &search.limits, patience)
        }?;
        let found = legal(&search.line, &answer).ok_or(ExternalError::Illegal {
            name,
            best: answer.best.clone(),
        })?;
        Ok(in_style(found, &search.line, &answer, &search.style))
    }

    /// The process, set to variant, level and style of a search. It ponders no more.
    fn prepared(&mut self, search: &ExternalSearch) -> Result<&mut Started, ExternalError> {
        let name = self.config.name.clone();
        let (variant, level) = (search.line.variant(), search.level);
        let follows_level = !self.config.sets_strength();
        let follows_style = !self.config.sets("MultiPV");
        let engine = self.ready()?;
        engine.pondering = None;
        engine.process.stop_pondering()?;
        if engine.variant != variant && !engine.process.set_variant(variant)? {
            return Err(ExternalError::Variant { name, variant });
        }
        engine.variant = variant;
        if follows_level && engine.level != level {
            limit_strength(&mut engine.process, level)?;
            engine.level = level;
        }
        if follows_style {
            print_lines(engine, style_choice::lines_for(&search.line, &search.style))?;
        }
        Ok(engine)
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
                lines: 1,
                ponders: false,
                pondering: None,
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
    pub(super) fn failed(&mut self, kind: Option<&'static str>, note: &str) {
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

/// Lets an engine print so many lines, or as many as it can, where it offers that.
fn print_lines(engine: &mut Started, lines: usize) -> Result<(), UciError> {
    let wanted = i64::try_from(lines).unwrap_or(i64::MAX);
    let takes = engine.process.option("MultiPV");
    if engine.lines != lines
        && let Some(number) = takes.and_then(|option| option.nearest(wanted))
    {
        engine.process.set_if_offered("MultiPV", &number.to_string())?;
        engine.lines = lines;
    }
    Ok(())
}

/// The same move, or the one that a style prefers to it.
fn in_style(found: ExternalMove, line: &GameHistory, answer: &GoResult, style: &StyleBonus) -> ExternalMove {
    let choice = style_choice::choose(line, answer, style);
    let preferred = choice.as_ref().filter(|choice| choice.passed_over().is_some());
    let styled = match preferred.and_then(|choice| choice.lines.first()) {
        Some(Line { pv, score, .. }) if let [mv, replies @ ..] = &pv[..] => ExternalMove {
            mv: *mv,
            score: Some(*score),
            reply: replies.first().copied(),
            ..found
        },
        _ => found,
    };
    ExternalMove {
        style: choice,
        ..styled
    }
}

/// The answer as a move, if the rules allow it.
fn legal(line: &GameHistory, answer: &GoResult) -> Option<ExternalMove> {
    let mv = parse_uci(line.position(), &answer.best).ok()?;
    let reply = answer.ponder.as_ref().and_then(|reply| {
        let mut after = line.clone();
        after.play(mv);
        parse_uci(after.position(), reply).ok()
    });
    Some(ExternalMove {
        mv,
        reply,
        score: answer.score,
        depth: answer.depth.unwrap_or(Depth(0)),
        nodes: answer.nodes.unwrap_or(Nodes(0)),
        style: None,
    })
}

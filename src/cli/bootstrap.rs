//! Builds the daemon from settings: for lichess, for `play` and for measurements.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context as _;
use tokio::sync::{Semaphore, watch};
use tracing::{info, warn};

use crate::cli::{
    exit::{Exit, Failure},
    threads::Searches,
};
use crate::{
    bot::{
        self, Daemon, Options, RestoredState, Status,
        games::live::LiveGames,
        moves::{engine_pool::EnginePool, online_sources::OnlineSources, selector::Pipeline},
        observe::{
            liveness::{LivenessProbe, liveness},
            metrics::Metrics,
        },
    },
    config::Config,
    reload::Assets,
    store::ArchiveWriter,
    user_lists::UserLists,
};
use sparring_engine::Tablebase;
use sparring_lichess::Client;

/// A daemon that is ready to run, and the handles to control and watch it.
pub struct Service {
    /// The daemon.
    pub daemon: Daemon,
    /// Takes new settings.
    pub options: watch::Sender<Options>,
    /// The daemon's status.
    pub status: watch::Receiver<Status>,
    /// Asks whether its event loop answers.
    pub pulse: LivenessProbe,
    /// Servers that it asks for moves.
    pub online: OnlineSources,
}

/// Builds a daemon. `seed` decides everything random outside of games.
///
/// # Errors
/// When the engine threads cannot be started.
pub fn assemble(config: &Config, client: Client, stock: &Assets, seed: u64) -> anyhow::Result<Service> {
    let searches = Searches::here(config.engine.threads);
    if let Some((wanted, allowed)) = searches.cut {
        warn!(
            "running {} searches at a time instead of {wanted}: the system allows this program {allowed} threads in all (TasksMax of \
             the unit, --pids-limit of a container, ulimit -u)",
            searches.count
        );
    }
    let (options, current) = watch::channel(Options::from(config.clone()));
    let (show, status) = watch::channel(Status::default());
    let (pulse, heart) = liveness();
    let metrics = Metrics::default();
    let online = OnlineSources::default();
    let daemon = Daemon {
        client,
        // Claims nothing; `run` replaces it.
        claim: Box::new(|_| Box::pin(async { Some(Box::new(()) as bot::LockGuard) })),
        options: current,
        personalities: stock.personalities.clone(),
        // Only the names in bot.toml; `run` adds those of files and addresses.
        lists: watch::channel(Arc::new(UserLists::written(&config.lists))).1,
        metrics: metrics.clone(),
        live_games: LiveGames::default(),
        liveness: heart,
        store: ArchiveWriter::default(),
        restored: RestoredState::default(),
        selector: Arc::new(Pipeline {
            pool: EnginePool::new(searches.count, config.engine.hash)
                .context("cannot start the engine's threads")?,
            library: stock.library.clone(),
            tablebase: tablebase(&config.paths.syzygy),
            online: online.clone(),
            metrics,
            pondering: Arc::new(Semaphore::new(searches.count)),
        }),
        status: show,
        seed,
        dry: false,
    };
    Ok(Service {
        daemon,
        options,
        status,
        pulse,
        online,
    })
}

/// The Syzygy tablebases of these folders; none where they cannot be used.
fn tablebase(folders: &[PathBuf]) -> Option<Arc<Tablebase>> {
    if folders.is_empty() {
        return None;
    }
    match Tablebase::open(folders) {
        Ok(tablebase) => {
            info!("{}", tablebase.summary());
            Some(Arc::new(tablebase))
        }
        Err(error) => {
            warn!("playing without endgame tablebases: {error}");
            None
        }
    }
}

/// The daemon's error with its exit code.
#[must_use]
pub fn failure(end: &bot::DaemonError) -> anyhow::Error {
    let exit = match end {
        bot::DaemonError::Unreachable(_) | bot::DaemonError::Refused(_) => Exit::Unavailable,
        bot::DaemonError::Taken(_) => Exit::Taken,
        _ => Exit::NoPermission,
    };
    Failure::error(exit, end.to_string())
}

/// A random seed that nobody can guess, since the sandbox's tokens follow from one.
#[must_use]
pub fn fresh_seed() -> u64 {
    // The standard library keys its hash maps with random numbers of the system, so the hash of nothing is random.
    RandomState::new().build_hasher().finish()
}

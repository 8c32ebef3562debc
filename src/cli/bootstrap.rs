//! Builds the daemon from settings: for lichess, for `play` and for measurements.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context as _;
use tokio::sync::watch;
use tracing::{info, warn};

use crate::cli::{
    exit::{Exit, Failure},
    threads::Searches,
};
use crate::{
    bot::{
        self, Daemon, Options, RestoredState, Status,
        games::live::LiveGames,
        moves::{engine_pool::EnginePool, selector::Pipeline},
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

/// A daemon that is ready to run, and the handles to whoever steers and watches it.
pub struct Service {
    /// The daemon.
    pub daemon: Daemon,
    /// Takes new settings.
    pub options: watch::Sender<Options>,
    /// Shows what the daemon is doing.
    pub status: watch::Receiver<Status>,
    /// Asks whether its loop turns.
    pub pulse: LivenessProbe,
}

/// Puts a daemon together. The seed decides everything random that no game decides.
///
/// # Errors
/// When the threads of the engine cannot be started.
pub fn assemble(config: &Config, client: Client, stock: &Assets, seed: u64) -> anyhow::Result<Service> {
    let searches = Searches::here(config.engine.threads);
    if let Some((wanted, allowed)) = searches.cut {
        warn!(
            "{} searches run at the same time and not {wanted}: the system allows the program {allowed} threads in all (TasksMax of \
             the unit, --pids-limit of a container, ulimit -u)",
            searches.count
        );
    }
    let (options, current) = watch::channel(Options::from(config));
    let (show, status) = watch::channel(Status::default());
    let (pulse, heart) = liveness();
    let daemon = Daemon {
        client,
        // Whoever shares the account with other programs replaces it.
        claim: Box::new(|_| Box::pin(async { Some(Box::new(()) as bot::LockGuard) })),
        options: current,
        personalities: stock.personalities.clone(),
        // As written; whoever keeps files and addresses fresh replaces them.
        lists: watch::channel(Arc::new(UserLists::written(&config.lists))).1,
        metrics: Metrics::default(),
        live_games: LiveGames::default(),
        liveness: heart,
        store: ArchiveWriter::default(),
        restored: RestoredState::default(),
        selector: Arc::new(Pipeline {
            pool: EnginePool::new(searches.count, config.engine.hash)
                .context("cannot start the engine's threads")?,
            library: stock.library.clone(),
            tablebase: tablebase(&config.paths.syzygy),
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
    })
}

/// The endgame tables of these folders. None where there are none or they cannot be used: nobody loses a game for want of them.
fn tablebase(folders: &[PathBuf]) -> Option<Arc<Tablebase>> {
    if folders.is_empty() {
        return None;
    }
    match Tablebase::open(folders) {
        Ok(tablebase) => {
            info!("{}", tablebase.extent());
            Some(Arc::new(tablebase))
        }
        Err(error) => {
            warn!("playing without endgame tables: {error}");
            None
        }
    }
}

/// Why the daemon ended, as the program's own end.
#[must_use]
pub fn failure(end: &bot::DaemonError) -> anyhow::Error {
    let exit = match end {
        bot::DaemonError::Unreachable(_) | bot::DaemonError::Refused(_) => Exit::Unavailable,
        bot::DaemonError::Taken(_) => Exit::Taken,
        _ => Exit::NoPermission,
    };
    Failure::error(exit, end.to_string())
}

/// A seed that nobody chose and nobody can guess: tokens of the sandbox follow from one. Everything that should repeat
/// takes a seed instead.
#[must_use]
pub fn fresh_seed() -> u64 {
    // The library keys its hash maps with random numbers of the system: what such a hash makes of nothing is as random.
    RandomState::new().build_hasher().finish()
}

//! What may be changed while the daemon runs: the settings, read again, and whether new games are begun.

use std::path::PathBuf;

use tokio::sync::watch;
use tracing::{error, info, warn};

use super::run::settings;
use crate::{
    bot::Options,
    config::{Config, UserList},
};

/// Steers a running daemon.
#[derive(Debug)]
pub(super) struct Helm {
    path: PathBuf,
    /// The settings that it was started with: some of them count only then.
    started: Config,
    /// The options as the settings have them.
    wanted: Options,
    options: watch::Sender<Options>,
    lists: watch::Sender<Vec<UserList>>,
    paused: watch::Sender<bool>,
}

impl Helm {
    /// Takes the helm of a daemon that was started with these settings.
    pub(super) fn new(
        path: PathBuf,
        started: Config,
        options: watch::Sender<Options>,
        lists: watch::Sender<Vec<UserList>>,
    ) -> Self {
        Self {
            path,
            wanted: Options::from(&started),
            started,
            options,
            lists,
            paused: watch::channel(false).0,
        }
    }

    /// Whether nothing is begun, now and later.
    pub(super) fn paused(&self) -> watch::Receiver<bool> {
        self.paused.subscribe()
    }

    /// Reads the settings again. Bad ones change nothing; accounts and addresses need a restart.
    pub(super) fn reload(&mut self) {
        match settings(&self.path) {
            Ok(fresh) => {
                let started = &self.started;
                if fresh.lichess != started.lichess
                    || fresh.paths != started.paths
                    || fresh.engine != started.engine
                    || fresh.state != started.state
                    || fresh.status != started.status
                {
                    warn!("[lichess], [paths], [engine], [state] and [status] count from the next start on");
                }
                self.wanted = Options::from(&fresh);
                self.lists.send_replace(fresh.lists);
                self.steer();
                info!("{} read again", self.path.display());
            }
            Err(why) => error!("the settings stay as they were: {why:#}"),
        }
    }

    /// Begins nothing more, or does again. Running games go on, and so does reading the settings.
    pub(super) fn pause(&mut self, paused: bool) {
        if self.paused.send_replace(paused) != paused {
            info!(
                "{}",
                if paused {
                    "paused: no new games"
                } else {
                    "new games again"
                }
            );
            self.steer();
        }
    }

    fn steer(&self) {
        let mut options = self.wanted.clone();
        if *self.paused.borrow() {
            // Without seats whoever comes is asked to come later, as when all are taken.
            options.games.max = 0;
            options.matchmaking.enabled = false;
        }
        self.options.send_replace(options);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_outlasts_a_reload_and_takes_no_setting_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        std::fs::write(&path, "[games]\nmax = 3\n").unwrap();
        let started = settings(&path).unwrap();
        let (options, seen) = watch::channel(Options::from(&started));
        let mut helm = Helm::new(path.clone(), started, options, watch::channel(Vec::new()).0);
        helm.pause(true);
        assert_eq!(seen.borrow().games.max, 0);
        std::fs::write(&path, "[games]\nmax = 5\n").unwrap();
        helm.reload();
        assert_eq!(seen.borrow().games.max, 0);
        helm.pause(false);
        assert_eq!(seen.borrow().games.max, 5);
        std::fs::write(&path, "[games]\nmax = \"many\"\n").unwrap();
        helm.reload();
        assert_eq!(seen.borrow().games.max, 5, "bad settings change nothing");
    }
}

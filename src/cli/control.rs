//! Control of a running daemon: reload, pause, resume, level of casual games.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::watch;
use tracing::{error, info, warn};

use crate::{
    bot::Options,
    config::{Conditions, Config, GameSettings, Mode, Rule, UserList},
    reload::Assets,
};
use crate::{
    cli::{
        config_backup,
        config_recovery::ConfigState,
        exit::{Exit, Failure},
        settings::{self, Accepted},
    },
    web::dashboard::Overrides,
};
use sparring_chess::units::Elo;
use sparring_personality::LevelSetting;

/// Changes the settings of a running daemon.
#[derive(Debug)]
pub(super) struct DaemonControl {
    path: PathBuf,
    /// The settings at the start: some sections take effect only then.
    started: Config,
    /// All books and personalities.
    stock: Assets,
    /// The configuration of the file, without overrides.
    wanted: Arc<Config>,
    options: watch::Sender<Options>,
    lists: watch::Sender<Vec<UserList>>,
    overrides: watch::Sender<Overrides>,
    /// The backup of the settings in force.
    copy: config_backup::Copy,
    /// Why bot.toml was unusable at the start, while only the last run's games are played.
    refusal: watch::Sender<Option<Arc<str>>>,
    /// Whether bot.toml is unusable and the earlier settings are in force.
    is_behind: watch::Sender<bool>,
}

impl DaemonControl {
    /// The control of a daemon that was started with these settings.
    pub(super) fn new(
        path: PathBuf,
        started: Config,
        stock: Assets,
        options: watch::Sender<Options>,
        lists: watch::Sender<Vec<UserList>>,
    ) -> Self {
        Self {
            path,
            wanted: Arc::new(started.clone()),
            started,
            stock,
            options,
            lists,
            overrides: watch::channel(Overrides::default()).0,
            copy: config_backup::Copy::default(),
            refusal: watch::channel(None).0,
            is_behind: watch::channel(false).0,
        }
    }

    /// Records how the settings came about, and backs them up to `kept_in` from now on. If they were refused, only the last run's games
    /// are played.
    pub(super) fn standing(self, standing: ConfigState, kept_in: Option<PathBuf>) -> Self {
        let mut copy = config_backup::Copy::new(kept_in);
        match standing {
            ConfigState::Accepted(text) => copy.keep(text),
            ConfigState::Refused(refusal) => {
                self.refusal.send_replace(Some(format!("{refusal:#}").into()));
            }
        }
        Self { copy, ..self }
    }

    /// Whether the backup of the settings failed so far.
    pub(super) fn owes_a_copy(&self) -> bool {
        self.copy.is_owed()
    }

    /// Tries the backup again.
    pub(super) fn keep_again(&mut self) {
        self.copy.try_again();
    }

    /// Why bot.toml was unusable at the start, while only the last run's games are played.
    pub(super) fn refusal(&self) -> watch::Receiver<Option<Arc<str>>> {
        self.refusal.subscribe()
    }

    /// Whether bot.toml is unusable and the earlier settings are in force.
    pub(super) fn is_behind(&self) -> watch::Receiver<bool> {
        self.is_behind.subscribe()
    }

    /// Whether only the last run's games are played, until bot.toml can be used.
    pub(super) fn is_in_rescue(&self) -> bool {
        self.refusal.borrow().is_some()
    }

    /// Ends the mode in which only the last run's games are played, and returns the error of bot.toml.
    pub(super) fn give_up(&self) -> Option<anyhow::Error> {
        let why = self.refusal.send_replace(None)?;
        Some(Failure::error(Exit::BadConfiguration, &*why))
    }

    /// The owner's overrides of the settings.
    pub(super) fn overrides(&self) -> watch::Receiver<Overrides> {
        self.overrides.subscribe()
    }

    /// Reloads bot.toml. Settings with errors change nothing; some sections need a restart.
    pub(super) fn reload(&mut self) {
        match settings::read_with(&self.path, &self.started.paths, &self.stock, &[]) {
            Ok(Accepted { config: fresh, text }) => {
                let started = &self.started;
                if fresh.lichess != started.lichess
                    || fresh.paths != started.paths
                    || fresh.engine != started.engine
                    || fresh.state != started.state
                    || fresh.status != started.status
                {
                    warn!(
                        "changes of [lichess], [paths], [engine], [state] and [dashboard] take effect at the next start"
                    );
                }
                self.lists.send_replace(fresh.lists.clone());
                self.wanted = Arc::new(fresh);
                self.publish_options();
                self.copy.keep(text);
                self.is_behind.send_replace(false);
                info!("{} read again", self.path.display());
                if self.refusal.send_replace(None).is_some() {
                    info!("these settings can be used: new games again");
                }
            }
            Err(why) => {
                self.is_behind.send_replace(true);
                error!("the settings stay as they were: {why:#}");
            }
        }
    }

    /// Pauses or resumes new games. Running games and reloads of the settings go on.
    pub(super) fn pause(&mut self, paused: bool) {
        if self.change_overrides(|overrides| overrides.paused = paused) {
            info!(
                "{}",
                if paused {
                    "paused: no new games"
                } else {
                    "new games again"
                }
            );
            self.publish_options();
        }
    }

    /// Sets the level of new casual games; none for that of the settings.
    pub(super) fn casual_level(&mut self, level: Option<Elo>) {
        if self.change_overrides(|overrides| overrides.casual_level = level) {
            match level {
                Some(level) => info!("casual games are played at level {level} from now on"),
                None => info!("casual games are played as the settings say again"),
            }
            self.publish_options();
        }
    }

    /// Changes the overrides. Returns whether they differ from before.
    fn change_overrides(&self, change: impl FnOnce(&mut Overrides)) -> bool {
        self.overrides.send_if_modified(|overrides| {
            let before = *overrides;
            change(overrides);
            *overrides != before
        })
    }

    /// Publishes the configuration of the file with the overrides.
    fn publish_options(&self) {
        let mut wanted = Arc::clone(&self.wanted);
        let overrides = *self.overrides.borrow();
        if let Some(level) = overrides.casual_level {
            Arc::make_mut(&mut wanted).rules.insert(0, casual_at(level));
        }
        if overrides.paused {
            // Without slots, challenges are declined with reason `later`.
            let config = Arc::make_mut(&mut wanted);
            config.games.max = 0;
            config.matchmaking.enabled = false;
            // Leaves the joined arenas, which could start a game at any moment.
            config.tournaments.enabled = false;
        }
        self.options.send_modify(|options| options.config = wanted);
    }
}

/// The rule, before all others, for a level set by the owner.
fn casual_at(level: Elo) -> Rule {
    Rule {
        name: Some("the level of the dashboard".to_owned()),
        when: Conditions {
            mode: Some(Mode::Casual),
            ..Conditions::default()
        },
        settings: GameSettings {
            level: Some(LevelSetting::Fixed(level)),
            ..GameSettings::default()
        },
        ..Rule::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::assets::shipped;

    #[test]
    fn a_pause_outlasts_a_reload_and_takes_no_setting_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        std::fs::write(&path, "[games]\nmax = 3\n").unwrap();
        let started = settings::read(&path).unwrap();
        let (options, seen) = watch::channel(Options::from(started.clone()));
        let mut control = DaemonControl::new(
            path.clone(),
            started,
            shipped(),
            options,
            watch::channel(Vec::new()).0,
        );
        control.pause(true);
        assert_eq!(seen.borrow().config.games.max, 0);
        let is_off = {
            let options = seen.borrow();
            !options.config.tournaments.enabled && !options.config.matchmaking.enabled
        };
        assert!(is_off, "nothing is sought either");
        std::fs::write(
            &path,
            "[games]\nmax = 5\n[tournaments]\nenabled = true\narenas = [\"abcd1234\"]\n",
        )
        .unwrap();
        control.reload();
        assert_eq!(seen.borrow().config.games.max, 0);
        control.pause(false);
        assert_eq!(seen.borrow().config.games.max, 5);
        assert!(seen.borrow().config.tournaments.enabled);
        std::fs::write(&path, "[games]\nmax = \"many\"\n").unwrap();
        control.reload();
        assert_eq!(seen.borrow().config.games.max, 5, "bad settings change nothing");
        assert!(*control.is_behind().borrow(), "and are told of");
        std::fs::write(&path, "[games]\nmax = 9\n[play]\npersonality = \"clup\"\n").unwrap();
        control.reload();
        assert_eq!(
            seen.borrow().config.games.max,
            5,
            "nor do those that name nobody who is there"
        );
        std::fs::write(&path, "[games]\nmax = 6\n").unwrap();
        control.reload();
        assert!(!*control.is_behind().borrow(), "mended");
    }

    #[test]
    fn a_level_for_casual_games_outlasts_a_reload_and_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        std::fs::write(&path, "[[rule]]\nlevel = 900\n").unwrap();
        let started = settings::read(&path).unwrap();
        let (options, seen) = watch::channel(Options::from(started.clone()));
        let mut control = DaemonControl::new(path, started, shipped(), options, watch::channel(Vec::new()).0);
        control.casual_level(Some(Elo(1500)));
        control.reload();
        let rules = seen.borrow().config.rules.clone();
        assert_eq!(rules.len(), 2);
        assert_eq!(rules[0].settings.level, Some(LevelSetting::Fixed(Elo(1500))));
        assert_eq!(
            rules[0].when.mode,
            Some(Mode::Casual),
            "rated games are left alone"
        );
        assert_eq!(rules[0].then, None, "who is played is left to the settings");
        control.casual_level(None);
        assert_eq!(seen.borrow().config.rules.len(), 1);
    }
}

//! Backup of the last valid `bot.toml` in the state folder, for a restart in the middle of games.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tracing::{info, warn};

use crate::cli::state_dir;
use crate::config::{self, Config};
use sparring_files::{
    self as files,
    atomic_file::{self, Readers},
};

/// The backup's name in the state folder.
const NAME: &str = "last-good.toml";
/// The first line of the backup.
const HEAD: &str = "# Sparring's backup of the last good settings, for a start with a bad bot.toml. Edit bot.toml instead.\n";

/// Backs up the text of the settings in force, which holds no token. A failed backup is retried.
#[derive(Debug, Default)]
pub(super) struct Copy {
    /// The state folder; none for no backup.
    folder: Option<PathBuf>,
    /// The text whose backup failed.
    owed: Option<Arc<str>>,
}

impl Copy {
    /// A backup in `folder`, or none.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, owed: None }
    }

    /// Writes the backup.
    pub(super) fn keep(&mut self, text: Arc<str>) {
        let Some(folder) = &self.folder else { return };
        self.owed = match write(folder, &text) {
            Ok(()) => None,
            Err(why) => {
                warn!(
                    "cannot back up the settings to {}, will try again: {why}",
                    folder.display()
                );
                Some(text)
            }
        };
    }

    /// Whether the last backup failed.
    pub(super) fn is_owed(&self) -> bool {
        self.owed.is_some()
    }

    /// Retries a failed backup. Only the first failure was logged.
    pub(super) fn try_again(&mut self) {
        let (Some(folder), Some(text)) = (&self.folder, &self.owed) else {
            return;
        };
        if write(folder, text).is_ok() {
            info!("the settings are backed up again");
            self.owed = None;
        }
    }
}

/// The settings of the backup, with paths relative to the folder of `bot.toml`; none without a usable backup.
pub(super) fn read(folder: &Path, settings: &Path) -> Option<Config> {
    let path = folder.join(NAME);
    let text = files::read_text(&path, files::TEXT).ok()?;
    let (config, findings) = config::read(&path.display().to_string(), &text);
    if config.is_none() {
        warn!("the backup of the settings cannot be used either:\n{findings}");
    }
    config.map(|config| config.within(state_dir::beside(settings)))
}

/// Writes the backup atomically, readable by its owner alone, if the text has changed.
fn write(folder: &Path, text: &str) -> io::Result<()> {
    let (path, text) = (folder.join(NAME), format!("{HEAD}{text}"));
    if files::read_text(&path, files::TEXT).is_ok_and(|kept| kept == text) {
        return Ok(());
    }
    // A full disk may have prevented the folder too.
    fs::create_dir_all(folder)?;
    atomic_file::replace(&path, text.as_bytes(), Readers::Owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(folder: &Path, text: &str) {
        Copy::new(Some(folder.to_owned())).keep(text.into());
    }

    #[test]
    fn a_backup_is_read_again_with_paths_relative_to_bot_toml() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path(), Path::new("/etc/bot.toml")), None);
        keep(folder.path(), "[games]\nmax = 2\n");
        keep(folder.path(), "[games]\nmax = 3\n[paths]\nbooks = \"b\"\n");
        let config = read(folder.path(), Path::new("/etc/bot.toml")).unwrap();
        assert_eq!((config.games.max, &*config.paths.books), (3, Path::new("/etc/b")));
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "nothing half written is left");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_backup() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), "");
        let mode = fs::metadata(folder.path().join(NAME))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_backup_with_errors_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), "[games]\nmax = \"many\"\n");
        assert_eq!(read(folder.path(), Path::new("bot.toml")), None);
    }

    #[test]
    fn a_failed_backup_is_written_once_it_can_be() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        fs::write(&folder, "").unwrap();
        let mut copy = Copy::new(Some(folder.clone()));
        copy.keep("[games]\nmax = 2\n".into());
        copy.try_again();
        assert!(copy.is_owed());
        fs::remove_file(&folder).unwrap();
        copy.try_again();
        assert!(!copy.is_owed());
        assert_eq!(read(&folder, Path::new("bot.toml")).unwrap().games.max, 2);
    }
}

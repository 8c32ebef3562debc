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

/// The text's name in the folder.
const NAME: &str = "last-good.toml";
/// Tells whoever finds it what it is.
const HEAD: &str =
    "# The settings in force, kept by Sparring for a start that finds them spoiled. Edit bot.toml instead.\n";

/// Keeps the text of settings that are in force, which holds no token. Where that cannot be done the bot plays without, and
/// tries again from time to time.
#[derive(Debug, Default)]
pub(super) struct Copy {
    /// Where it is kept; none for nowhere.
    folder: Option<PathBuf>,
    /// What could not be kept so far.
    owed: Option<Arc<str>>,
}

impl Copy {
    /// Keeps in a folder, or nowhere.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, owed: None }
    }

    /// Keeps this text from now on.
    pub(super) fn keep(&mut self, text: Arc<str>) {
        let Some(folder) = &self.folder else { return };
        self.owed = match write(folder, &text) {
            Ok(()) => None,
            Err(why) => {
                warn!(
                    "the settings in force are not kept in {} until they can be: {why}",
                    folder.display()
                );
                Some(text)
            }
        };
    }

    /// Whether there is something to try again.
    pub(super) fn is_owed(&self) -> bool {
        self.owed.is_some()
    }

    /// Tries again what could not be done. That it cannot be done was said at first.
    pub(super) fn try_again(&mut self) {
        let (Some(folder), Some(text)) = (&self.folder, &self.owed) else {
            return;
        };
        if write(folder, text).is_ok() {
            info!("the settings in force are kept again");
            self.owed = None;
        }
    }
}

/// The settings that were in force last, their paths counted from where `bot.toml` lies; none where they were not kept or
/// this program cannot use them.
pub(super) fn read(folder: &Path, settings: &Path) -> Option<Config> {
    let path = folder.join(NAME);
    let text = files::read_text(&path, files::TEXT).ok()?;
    let (config, findings) = config::read(&path.display().to_string(), &text);
    if config.is_none() {
        warn!("the settings that were in force last cannot be used either:\n{findings}");
    }
    config.map(|config| config.within(state_dir::beside(settings)))
}

/// Whole or not at all, for the owner's eyes only, and only if it says something new.
fn write(folder: &Path, text: &str) -> io::Result<()> {
    let (path, text) = (folder.join(NAME), format!("{HEAD}{text}"));
    if files::read_text(&path, files::TEXT).is_ok_and(|kept| kept == text) {
        return Ok(());
    }
    // It may be that there was no room for the folder either.
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
    fn settings_are_read_as_they_were_kept_and_count_from_where_they_lay() {
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
    fn nobody_else_can_read_what_is_kept() {
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
    fn what_no_program_can_use_any_more_is_no_settings() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), "[games]\nmax = \"many\"\n");
        assert_eq!(read(folder.path(), Path::new("bot.toml")), None);
    }

    #[test]
    fn what_a_full_disk_did_not_take_is_kept_as_soon_as_it_does() {
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

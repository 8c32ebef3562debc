//! The settings in force, kept as text in the state folder: they are in force again where a start in the middle of games
//! finds `bot.toml` spoiled.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use tracing::warn;

use super::state;
use crate::config::{self, Config};

/// The text's name in the folder.
const NAME: &str = "last-good.toml";
/// Tells whoever finds it what it is.
const HEAD: &str =
    "# The settings in force, kept by Sparring for a start that finds them spoiled. Edit bot.toml instead.\n";

/// Keeps the text of settings that are in force, which holds no token. Where that cannot be done the bot plays without.
pub(super) fn keep(folder: &Path, text: &str) {
    if let Err(why) = write(&folder.join(NAME), &format!("{HEAD}{text}")) {
        warn!(
            "the settings in force are not kept in {}: {why}",
            folder.display()
        );
    }
}

/// The settings that were in force last, their paths counted from where `bot.toml` lies; none where they were not kept or
/// this program cannot use them.
pub(super) fn read(folder: &Path, settings: &Path) -> Option<Config> {
    let path = folder.join(NAME);
    let text = fs::read_to_string(&path).ok()?;
    let (config, findings) = config::read(&path.display().to_string(), &text);
    if config.is_none() {
        warn!("the settings that were in force last cannot be used either:\n{findings}");
    }
    config.map(|config| config.within(state::beside(settings)))
}

/// Whole or not at all, for the owner's eyes only, and only if it says something new.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|kept| kept == text) {
        return Ok(());
    }
    // Temporary files are private.
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    // The new name must not be on the disk before the text is.
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        keep(&folder.path().join("not there"), "");
    }
}

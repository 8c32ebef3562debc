//! The folder as a bot has it that runs: held for this process, and the archive in it open to be written.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use tracing::{debug, warn};

use super::{ARCHIVE, LOCK, lock_file, past};
use crate::{
    bot::Past,
    store::{Archive, Opener, Store, StoreError},
};

/// Why a bot must not be started.
#[derive(Debug, thiserror::Error)]
#[error("another bot runs with {}: stop it, or give this one a folder of its own by [state]", .0.display())]
pub struct Taken(pub PathBuf);

/// The folder, held until this is dropped.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    /// The lock lives as long as the open file.
    lock: Option<File>,
}

impl Place {
    /// Takes the folder, making it if need be. Where that cannot be done, as on a full disk, the bot plays without.
    ///
    /// # Errors
    /// [`Taken`] when another process holds it.
    pub fn take(folder: &Path) -> Result<Self, Taken> {
        let lock = match lock(folder) {
            Ok(file) => Some(file),
            Err(TryLockError::WouldBlock) => return Err(Taken(folder.to_owned())),
            Err(TryLockError::Error(why)) => {
                warn!(
                    "{} cannot be used, nothing outlasts a restart until it can: {why}",
                    folder.display()
                );
                None
            }
        };
        Ok(Self {
            folder: folder.to_owned(),
            lock,
        })
    }

    /// Opens the archive: the handle that writes to it, and what it remembers. An archive that cannot be used costs no game:
    /// it is tried again while the bot plays, and rows wait for it as for a disk that is full later.
    #[must_use]
    pub fn open(&self) -> (Store, Past) {
        let path = self.folder.join(ARCHIVE);
        let mut opener = self.opener();
        let (archive, past) = match opener() {
            Ok(archive) => {
                let past = past(&archive);
                (Ok(archive), past)
            }
            // What cannot be written can often be read.
            Err(why) => (Err(why), Archive::read(&path).and_then(|archive| past(&archive))),
        };
        let started = match archive {
            Ok(archive) => {
                if let Err(why) = &past {
                    warn!("{} remembers nothing: {}", path.display(), chain(why));
                }
                Store::start(archive)
            }
            Err(why) => {
                warn!(
                    "{} cannot be used, rows wait until it can: {}",
                    path.display(),
                    chain(&why)
                );
                Store::start_shut(opener)
            }
        };
        let store = started.unwrap_or_else(|why| {
            warn!("games are not kept: {why}");
            Store::default()
        });
        (store, past.unwrap_or_default())
    }

    /// Opens the archive as often as it is asked to. Where the folder could not be held when the bot started it is held from
    /// then on: two bots in one archive would take each other's games for their own.
    fn opener(&self) -> Opener {
        let folder = self.folder.clone();
        let (is_held, mut own) = (self.lock.is_some(), None);
        Box::new(move || {
            if !is_held && own.is_none() {
                own = match lock(&folder) {
                    Ok(file) => Some(file),
                    Err(TryLockError::WouldBlock) => return Err(StoreError::Held),
                    // Some file systems know no locks.
                    Err(TryLockError::Error(why)) => {
                        debug!("{} cannot be held: {why}", folder.display());
                        None
                    }
                };
            }
            Archive::open(&folder.join(ARCHIVE))
        })
    }
}

fn lock(folder: &Path) -> Result<File, TryLockError> {
    fs::create_dir_all(folder).map_err(TryLockError::Error)?;
    lock_file(&folder.join(LOCK))
}

/// The trouble and what lies behind it, in a line.
fn chain(why: &StoreError) -> String {
    match std::error::Error::source(why) {
        Some(cause) => format!("{why}: {cause}"),
        None => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::state::is_held, units::Millis};

    #[test]
    fn a_folder_is_held_by_one_process_until_it_lets_go() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        assert!(!is_held(&folder) && !folder.exists());
        let held = Place::take(&folder).unwrap();
        assert!(is_held(&folder));
        assert!(
            Place::take(&folder)
                .unwrap_err()
                .to_string()
                .contains("another bot runs")
        );
        drop(held);
        assert!(!is_held(&folder));
        Place::take(&folder).unwrap();
    }

    #[tokio::test]
    async fn f52_a_folder_that_cannot_be_made_costs_no_game_and_is_used_as_soon_as_it_can() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        fs::write(&folder, "").unwrap();
        let place = Place::take(&folder).unwrap();
        let (store, past) = place.open();
        assert_eq!(past, Past::default());
        store.limit("x", Millis(u64::MAX >> 1));
        store.flush().await;
        assert!(store.is_failing());
        fs::remove_file(&folder).unwrap();
        store.flush().await;
        assert!(!store.is_failing() && store.lost() == 0);
        let limits = Archive::read(&folder.join(ARCHIVE)).unwrap().limits(Millis(1));
        assert_eq!(limits.unwrap().len(), 1, "what waited is written");
        assert!(is_held(&folder), "no other bot may come now");
    }

    #[tokio::test]
    async fn a_folder_that_another_bot_took_meanwhile_is_left_to_it() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        fs::write(&folder, "").unwrap();
        let (store, _) = Place::take(&folder).unwrap().open();
        fs::remove_file(&folder).unwrap();
        let other = Place::take(&folder).unwrap();
        store.flush().await;
        assert!(store.is_failing() && !folder.join(ARCHIVE).exists());
        drop(other);
        store.flush().await;
        assert!(!store.is_failing());
    }
}

//! Lock of the state folder of a running bot.

use std::{
    fs::{self, File, TryLockError},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tracing::{debug, warn};

use super::{ARCHIVE, LOCK, lock_file, past};
use crate::{
    bot::RestoredState,
    store::{Archive, ArchivePath, ArchiveWriter, Hold, StoreError},
};

/// A start waits no longer for the rows of damaged archives, however many it meets; others come while the bot plays.
const READING: Duration = Duration::from_secs(3);

/// Why a bot must not be started.
#[derive(Debug, thiserror::Error)]
#[error("another bot runs with {}: stop it, or give this one a folder of its own by [state]", .0.display())]
pub struct LockError(pub PathBuf);

/// The folder, held until this is dropped.
#[derive(Debug)]
pub struct StateDir {
    folder: PathBuf,
    /// The lock lives as long as the open file.
    lock: Option<File>,
}

impl StateDir {
    /// Takes the folder, making it if need be. Where that cannot be done, as on a full disk, the bot plays without.
    ///
    /// # Errors
    /// [`Taken`] when another process holds it.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let lock = match lock(folder) {
            Ok(file) => Some(file),
            Err(TryLockError::WouldBlock) => return Err(LockError(folder.to_owned())),
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

    /// Opens the archive: the handle that writes to it, and what it remembers. An archive that cannot be used costs no game: it is
    /// tried again while the bot plays, and rows wait for it as for a disk that is full later. In the place of one that is
    /// damaged comes a new one, which remembers what could be read of the old.
    pub async fn open(&self) -> (ArchiveWriter, RestoredState) {
        let (path, hold) = (self.folder.join(ARCHIVE), self.hold());
        tokio::task::spawn_blocking(|| open(path, hold))
            .await
            .unwrap_or_else(|why| {
                warn!("games are not kept: {why}");
                Default::default()
            })
    }

    /// Holds the folder whenever the archive is opened: two bots in one archive would take each other's games for their own. It may
    /// not have been there when the bot started, or have been taken away since.
    fn hold(&self) -> Hold {
        let folder = self.folder.clone();
        let mut held = self.lock.as_ref().and_then(identity);
        let mut own = None;
        Box::new(move || {
            let there = fs::metadata(folder.join(LOCK))
                .ok()
                .map(|meta| (meta.dev(), meta.ino()));
            if held.is_none() || there != held {
                match lock(&folder) {
                    Ok(file) => {
                        held = identity(&file);
                        own = Some(file);
                    }
                    Err(TryLockError::WouldBlock) => return Err(StoreError::Held),
                    // Some file systems know no locks.
                    Err(TryLockError::Error(why)) => {
                        debug!("{} cannot be held: {why}", folder.display());
                        return Ok(own.is_some());
                    }
                }
            }
            Ok(true)
        })
    }
}

fn open(path: PathBuf, hold: Hold) -> (ArchiveWriter, RestoredState) {
    let mut home = ArchivePath::new(path.clone(), hold);
    let until = Instant::now() + READING;
    let mut archive = home.open();
    home.wait_for_rows(until);
    let mut past = archive
        .as_ref()
        .map_or_else(|_| Archive::read(&path).and_then(|archive| past(&archive)), past);
    if let (Ok(_), Err(why)) = (&archive, &past)
        && why.is_damage()
    {
        // Nobody may have it open when it is moved.
        archive = archive
            .map(Archive::close_without_checkpoint)
            .and_then(|()| home.replace(why));
        home.wait_for_rows(until);
        past = archive
            .as_ref()
            .map_or_else(|_| Ok(RestoredState::default()), super::past);
    }
    if let Err(why) = &archive {
        warn!(
            "{} cannot be used, rows wait until it can: {}",
            path.display(),
            why.with_cause()
        );
    } else if let Err(why) = &past {
        warn!("{} remembers nothing: {}", path.display(), why.with_cause());
    }
    let store = ArchiveWriter::keep(archive.ok(), home).unwrap_or_else(|why| {
        warn!("games are not kept: {why}");
        ArchiveWriter::default()
    });
    (store, past.unwrap_or_default())
}

/// Which file it is.
fn identity(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

fn lock(folder: &Path) -> Result<File, TryLockError> {
    fs::create_dir_all(folder).map_err(TryLockError::Error)?;
    lock_file(&folder.join(LOCK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::state_dir::is_held, store::ALWAYS};
    use sparring_chess::units::Millis;

    #[test]
    fn a_folder_is_held_by_one_process_until_it_lets_go() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        assert!(!is_held(&folder) && !folder.exists());
        let held = StateDir::take(&folder).unwrap();
        assert!(is_held(&folder));
        assert!(
            StateDir::take(&folder)
                .unwrap_err()
                .to_string()
                .contains("another bot runs")
        );
        drop(held);
        assert!(!is_held(&folder));
        StateDir::take(&folder).unwrap();
    }

    #[tokio::test]
    async fn f52_a_folder_that_cannot_be_made_costs_no_game_and_is_used_as_soon_as_it_can() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        fs::write(&folder, "").unwrap();
        let place = StateDir::take(&folder).unwrap();
        let (store, past) = place.open().await;
        assert_eq!(past, RestoredState::default());
        store.limit("x", Millis(u64::MAX >> 1));
        store.flush().await;
        assert!(store.is_failing());
        fs::remove_file(&folder).unwrap();
        store.flush().await;
        assert!(!store.is_failing() && store.lost() == 0);
        let limits = Archive::read(&folder.join(ARCHIVE))
            .unwrap()
            .limits(Millis(1), ALWAYS);
        assert_eq!(limits.unwrap().len(), 1, "what waited is written");
        assert!(is_held(&folder), "no other bot may come now");
    }

    #[tokio::test]
    async fn a_folder_that_another_bot_took_meanwhile_is_left_to_it() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        fs::write(&folder, "").unwrap();
        let (store, _) = StateDir::take(&folder).unwrap().open().await;
        fs::remove_file(&folder).unwrap();
        let other = StateDir::take(&folder).unwrap();
        store.flush().await;
        assert!(store.is_failing() && !folder.join(ARCHIVE).exists());
        drop(other);
        store.flush().await;
        assert!(!store.is_failing());
    }
}

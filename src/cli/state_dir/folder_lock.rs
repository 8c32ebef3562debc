//! Lock of the state folder of a running bot.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tracing::{debug, warn};

use super::{ARCHIVE, LOCK, past};
use crate::{
    bot::RestoredState,
    platform::{file_id, file_id_at, lock_file},
    store::{Archive, ArchivePath, ArchiveWriter, Hold, StoreError},
};

/// Longest wait at the start for rows of damaged archives; later rows arrive while the bot plays.
const READING: Duration = Duration::from_secs(3);

/// Another bot holds the state folder.
#[derive(Debug, thiserror::Error)]
#[error("another bot uses {}: stop it, or set another `folder` in [state] for this one", .0.display())]
pub struct LockError(pub PathBuf);

/// The state folder, locked until dropped.
#[derive(Debug)]
pub struct StateDir {
    folder: PathBuf,
    /// Locked as long as the file is open.
    lock: Option<File>,
}

impl StateDir {
    /// Creates and locks the folder. Where that fails, as on a full disk, the bot plays without it.
    ///
    /// # Errors
    /// [`LockError`] when another process holds it.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let lock = match lock(folder) {
            Ok(file) => Some(file),
            Err(TryLockError::WouldBlock) => return Err(LockError(folder.to_owned())),
            Err(TryLockError::Error(why)) => {
                warn!(
                    "cannot use {}; until then the bot keeps nothing over a restart: {why}",
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

    /// Opens the archive: its writer, and the state restored from it. An archive that cannot be opened is retried while the bot plays,
    /// and rows are queued. A damaged one is replaced by a new one with the readable rows.
    pub async fn open(&self) -> (ArchiveWriter, RestoredState) {
        let (path, hold) = (self.folder.join(ARCHIVE), self.hold());
        tokio::task::spawn_blocking(|| open(path, hold))
            .await
            .unwrap_or_else(|why| {
                warn!("games are not archived: {why}");
                Default::default()
            })
    }

    /// Locks the folder at each opening of the archive, since the folder may have been missing at the start or deleted meanwhile. Two
    /// bots must not share an archive.
    fn hold(&self) -> Hold {
        let folder = self.folder.clone();
        let mut held = self.lock.as_ref().and_then(file_id);
        let mut own = None;
        Box::new(move || {
            let there = file_id_at(&folder.join(LOCK));
            if held.is_none() || there != held {
                match lock(&folder) {
                    Ok(file) => {
                        held = file_id(&file);
                        own = Some(file);
                    }
                    Err(TryLockError::WouldBlock) => return Err(StoreError::Held),
                    // Some file systems have no locks.
                    Err(TryLockError::Error(why)) => {
                        debug!("{} cannot be locked: {why}", folder.display());
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
        // It must be closed before it is moved.
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
            "cannot use {}; rows are queued until then: {}",
            path.display(),
            why.with_cause()
        );
    } else if let Err(why) = &past {
        warn!(
            "cannot restore the state from {}: {}",
            path.display(),
            why.with_cause()
        );
    }
    let store = ArchiveWriter::keep(archive.ok(), home).unwrap_or_else(|why| {
        warn!("games are not archived: {why}");
        ArchiveWriter::default()
    });
    (store, past.unwrap_or_default())
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
                .contains("another bot uses")
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

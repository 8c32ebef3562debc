//! Path of an archive: opens it, and replaces it by a new one where it is damaged.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
    time::Instant,
};

use tracing::{info, warn};

use super::{
    archive::{Archive, StoreError},
    damage::{self, UNREAD, beside},
    salvage::{Part, Salvaged, salvage},
};

/// How many damaged files are moved aside in a run. After that the disk is suspected.
const MAX_ASIDE: u64 = 5;

/// Called before each opening: creates and locks the folder. `false` where the file system has no locks.
pub type Hold = Box<dyn FnMut() -> Result<bool, StoreError> + Send>;

/// The path of an archive, and the state of its replacement.
pub struct ArchivePath {
    path: PathBuf,
    hold: Hold,
    /// The number of files moved aside.
    aside: Arc<AtomicU64>,
    /// Signals when all rows but moves are copied from a file that was moved aside.
    salvaging: Option<Receiver<()>>,
    has_looked: bool,
}

impl fmt::Debug for ArchivePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchivePath")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl ArchivePath {
    /// An archive at this path; `hold` locks its folder.
    #[must_use]
    pub fn new(path: PathBuf, hold: Hold) -> Self {
        Self {
            path,
            hold,
            aside: Arc::default(),
            salvaging: None,
            has_looked: false,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn aside(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.aside)
    }

    /// Opens the archive. Moves a damaged one aside and opens a new one.
    ///
    /// # Errors
    /// [`StoreError`] when neither can be opened.
    pub fn open(&mut self) -> Result<Archive, StoreError> {
        let is_ours = (self.hold)()?;
        let archive = match Archive::open(&self.path) {
            Err(why) if why.is_damage() && is_ours => self.replace(&why)?,
            opened => opened?,
        };
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        if is_first && is_ours && self.salvaging.is_none() {
            // One per start.
            if let Some(aside) = damage::unread(&self.path).pop() {
                info!(
                    "copying the rows of {}, which an earlier run did not finish",
                    aside.display()
                );
                self.salvage(aside);
            }
        }
        Ok(archive)
    }

    /// Moves the damaged file aside and opens a new one, into which a thread copies the readable rows. The old file must be closed.
    ///
    /// # Errors
    /// [`StoreError`] when the old file cannot be moved, or the new one not created.
    pub fn replace(&mut self, why: &StoreError) -> Result<Archive, StoreError> {
        if !(self.hold)()? {
            return Err(StoreError::Damaged(
                "without file locks another bot may be using it: move it away yourself",
            ));
        }
        if self.aside.load(Ordering::Relaxed) >= MAX_ASIDE {
            return Err(StoreError::Damaged("so were the ones before it: check the disk"));
        }
        let aside = damage::set_aside(&self.path).map_err(StoreError::NotMoved)?;
        self.aside.fetch_add(1, Ordering::Relaxed);
        let archive = Archive::open(&self.path);
        let next = match &archive {
            Ok(_) => "a new one was created, and the readable rows are copied over".to_owned(),
            Err(why) => format!(
                "rows are queued, since a new one cannot be created yet: {}",
                why.with_cause()
            ),
        };
        warn!(
            "{} is damaged ({}) and was renamed to {}; {next}",
            self.path.display(),
            why.reason(),
            aside.display()
        );
        self.salvage(aside);
        archive
    }

    /// Closes an archive whose file was deleted or replaced while open, and opens the path again. `has_old_log` says that the
    /// write-ahead log at the path is still the old file's: it is moved aside, since the other file would take it for its own.
    ///
    /// # Errors
    /// [`StoreError`] when no archive can be opened.
    pub(super) fn follow(&mut self, old: Archive, has_old_log: bool) -> Result<Archive, StoreError> {
        old.close_without_checkpoint();
        (self.hold)()?;
        let is_gone = !self.path.exists();
        let rest = if has_old_log {
            Some(damage::set_log_aside(&self.path).map_err(StoreError::NotMoved)?)
        } else {
            None
        };
        let archive = self.open();
        let what = if is_gone {
            "was deleted while it was open"
        } else {
            "was replaced by another file while it was open"
        };
        let next = match &archive {
            Ok(_) if is_gone => "a new one was created".to_owned(),
            Ok(_) => "it is used from now on".to_owned(),
            Err(why) => format!("rows are queued until it can be used: {}", why.with_cause()),
        };
        warn!("{} {what}: {next}", self.path.display());
        if let Some(rest) = rest {
            self.salvage(rest);
        }
        archive
    }

    /// Waits until all rows but moves are copied, at most until `until`.
    pub fn wait_for_rows(&mut self, until: Instant) {
        if let Some(salvaging) = self.salvaging.take() {
            // A thread that ended without a signal had nothing to copy.
            let _ = salvaging.recv_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    fn salvage(&mut self, aside: PathBuf) {
        let (tell, told) = channel();
        let path = self.path.clone();
        let work = move || {
            let bring = |part, into: &Archive| salvage(&aside, into, part);
            let brought = Archive::open(&path).and_then(|into| {
                let first = bring(Part::AllButMoves, &into)?;
                let _ = tell.send(()); // the receiver may be gone
                Ok(first.and(bring(Part::Moves, &into)?))
            });
            match brought {
                Ok(haul) => {
                    let _ = fs::remove_file(beside(&aside, UNREAD)); // it would be read once more
                    if haul == Salvaged::default() {
                        warn!("nothing in {} could be read", aside.display());
                    } else {
                        info!("{haul} were read from {} and kept", aside.display());
                    }
                }
                Err(why) => warn!(
                    "not all rows of {} could be brought over, the next start goes on with it: {}",
                    aside.display(),
                    why.with_cause()
                ),
            }
        };
        match thread::Builder::new().name("salvage".to_owned()).spawn(work) {
            Ok(_) => self.salvaging = Some(told),
            Err(why) => warn!("no rows are brought over before the next start: {why}"),
        }
    }
}

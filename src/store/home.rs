//! Path of an archive: opens it, and begins a new one where the old cannot be used.

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

/// A disk that spoils file after file is given no more of them in a run.
const MOST_ASIDE: u64 = 5;

/// Sees to it that the folder is there and no other bot has it, as often as the archive is opened. Whether that is certain: some file
/// systems know no locks.
pub type Hold = Box<dyn FnMut() -> Result<bool, StoreError> + Send>;

/// The place of an archive.
pub struct ArchivePath {
    path: PathBuf,
    hold: Hold,
    /// How many files were set aside.
    aside: Arc<AtomicU64>,
    /// Tells when everything but the moves was brought over from a file that was set aside.
    salvaging: Option<Receiver<()>>,
    has_looked: bool,
}

impl fmt::Debug for ArchivePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Home")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl ArchivePath {
    /// The place at this path.
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

    /// Opens the archive. One that is damaged is set aside, and a new one opened.
    ///
    /// # Errors
    /// [`StoreError`] when there is none to be had now.
    pub fn open(&mut self) -> Result<Archive, StoreError> {
        let is_ours = (self.hold)()?;
        let archive = match Archive::open(&self.path) {
            Err(why) if why.is_damage() && is_ours => self.replace(&why)?,
            opened => opened?,
        };
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        if is_first && is_ours && self.salvaging.is_none() {
            // One at a time; the next start has the next.
            if let Some(aside) = damage::unread(&self.path).pop() {
                info!(
                    "rows of {} are brought over, which an earlier run began",
                    aside.display()
                );
                self.salvage(aside);
            }
        }
        Ok(archive)
    }

    /// Sets the file aside for this reason and opens a new one, into which a thread brings what can be read. Nobody may have
    /// the old one open.
    ///
    /// # Errors
    /// [`StoreError`] when the old one cannot be moved or no new one be made.
    pub fn replace(&mut self, why: &StoreError) -> Result<Archive, StoreError> {
        if !(self.hold)()? {
            return Err(StoreError::Damaged(
                "no lock says that no other bot has it: move it away",
            ));
        }
        if self.aside.load(Ordering::Relaxed) >= MOST_ASIDE {
            return Err(StoreError::Damaged(
                "so were others before it: is the disk in order?",
            ));
        }
        let aside = damage::set_aside(&self.path).map_err(StoreError::NotMoved)?;
        self.aside.fetch_add(1, Ordering::Relaxed);
        let archive = Archive::open(&self.path);
        let next = match &archive {
            Ok(_) => "a new one is begun, and what can be read is brought over".to_owned(),
            Err(why) => format!(
                "rows wait for a new one, which cannot be begun yet: {}",
                why.told()
            ),
        };
        warn!(
            "{} is damaged ({}): it lies as {} now, {next}",
            self.path.display(),
            why.reason(),
            aside.display()
        );
        self.salvage(aside);
        archive
    }

    /// Lets go of an archive whose file is gone or replaced while it is open, and opens what lies in its place now: another file, or
    /// a new one. Whether the write-ahead log that lies there is still the old file's has to be known: another file takes it for
    /// its own.
    ///
    /// # Errors
    /// [`StoreError`] when there is none to be had now.
    pub(super) fn follow(&mut self, old: Archive, has_old_log: bool) -> Result<Archive, StoreError> {
        old.leave();
        (self.hold)()?;
        let is_gone = !self.path.exists();
        let rest = if has_old_log {
            Some(damage::set_log_aside(&self.path).map_err(StoreError::NotMoved)?)
        } else {
            None
        };
        let archive = self.open();
        let what = if is_gone {
            "was taken away while it was open"
        } else {
            "is another file than the one that was opened"
        };
        let next = match &archive {
            Ok(_) if is_gone => "a new one is begun".to_owned(),
            Ok(_) => "it is used from now on".to_owned(),
            Err(why) => format!("rows wait until it can be used: {}", why.told()),
        };
        warn!("{} {what}: {next}", self.path.display());
        if let Some(rest) = rest {
            self.salvage(rest);
        }
        archive
    }

    /// Waits until everything but moves was brought over, no longer than until then.
    pub fn wait_for_rows(&mut self, until: Instant) {
        if let Some(salvaging) = self.salvaging.take() {
            // A thread that ended without a word had nothing to bring.
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
                let _ = tell.send(()); // nobody has to wait
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
                    why.told()
                ),
            }
        };
        match thread::Builder::new().name("salvage".to_owned()).spawn(work) {
            Ok(_) => self.salvaging = Some(told),
            Err(why) => warn!("no rows are brought over before the next start: {why}"),
        }
    }
}

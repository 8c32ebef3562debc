//! Damage of an archive: temporary trouble, a row that does not fit, or a file that must be set aside.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::ErrorCode;

use super::archive::StoreError;

/// What is to be done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Trying again later: the disk is full, the file cannot be written now, another program has it.
    Wait,
    /// Another file: this one is damaged, or something else than an archive.
    Replace,
    /// Going on without the row: nothing else is wrong.
    Skip,
    /// Looking at the tables: either they are not those of an archive, or the row is at fault.
    Look,
}

impl StoreError {
    /// Whether the file is damaged, or was never an archive: no time mends it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.remedy() == Remedy::Replace
    }

    pub(super) fn remedy(&self) -> Remedy {
        let Self::Sql(why) = self else {
            return match self {
                Self::Foreign | Self::Damaged(_) => Remedy::Replace,
                _ => Remedy::Wait,
            };
        };
        match why.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Remedy::Replace,
            Some(ErrorCode::Unknown) => Remedy::Look,
            Some(
                ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::TooBig
                | ErrorCode::ParameterOutOfRange
                | ErrorCode::ApiMisuse,
            )
            | None => Remedy::Skip,
            Some(_) => Remedy::Wait,
        }
    }

    /// Whether a file that is opened anew may be written where this one was not.
    pub(super) fn may_need_opening(&self) -> bool {
        let code = match self {
            Self::Sql(why) => why.sqlite_error_code(),
            _ => None,
        };
        !matches!(
            code,
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    }
}

/// The path of a file that SQLite keeps beside a database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// SQLite's files beside a database that is open.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// The end of the name of an empty file that lies beside a file as long as its rows are not all brought over.
pub(super) const UNREAD: &str = ".unread";

/// A name beside the archive that nothing has, with the time: `archive.db.damaged-20261128-013000`.
fn free_name(path: &Path, what: &str) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y%m%d-%H%M%S");
    let name = beside(path, &format!(".{what}-{stamp}"));
    let is_free = |name: &PathBuf| {
        ["", COMPANIONS[0], COMPANIONS[1], UNREAD]
            .iter()
            .all(|suffix| beside(name, suffix).symlink_metadata().is_err())
    };
    let numbered = (2..).map(|number| beside(&name, &format!("-{number}")));
    std::iter::once(name.clone())
        .chain(numbered)
        .find(is_free)
        .unwrap_or(name)
}

/// Moves a file that cannot be used out of the way, with what SQLite keeps beside it, and gives its new path. Nothing is
/// overwritten.
///
/// # Errors
/// When it cannot be moved, as in a folder that is read-only.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let path = real(path);
    let aside = free_name(&path, "damaged");
    // The file itself last: without its log it would be taken for whole where this ends in between.
    move_to(&aside, &path, &[COMPANIONS[0], COMPANIONS[1], ""])?;
    Ok(aside)
}

/// Moves the log of a file that is gone out of the way of the file that lies in its place.
///
/// # Errors
/// When it cannot be moved.
pub(super) fn set_log_aside(path: &Path) -> io::Result<PathBuf> {
    let path = real(path);
    let aside = free_name(&path, "replaced");
    move_to(&aside, &path, &COMPANIONS)?;
    Ok(aside)
}

/// The file that a link leads to.
fn real(path: &Path) -> PathBuf {
    // It may be on another disk, where SQLite has its files too; but it may be no file.
    match fs::canonicalize(path) {
        Ok(file) if file.is_file() => file,
        _ => path.to_owned(),
    }
}

/// Moves files of an archive, as far as they are there, and leaves the mark that their rows are to be read.
fn move_to(aside: &Path, path: &Path, suffixes: &[&str]) -> io::Result<()> {
    let mark = beside(aside, UNREAD);
    // Without it the rows are brought over all the same, if this run does not end before.
    let _ = fs::write(&mark, "");
    let mut has_moved = false;
    for suffix in suffixes {
        match fs::rename(beside(path, suffix), beside(aside, suffix)) {
            Ok(()) => has_moved = true,
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => {
                if !has_moved {
                    let _ = fs::remove_file(&mark); // it says nothing of a file that is not there
                }
                return Err(why);
            }
        }
    }
    Ok(())
}

/// Files that were set aside in an earlier run, which ended before all of their rows were brought over.
pub(super) fn unread(path: &Path) -> Vec<PathBuf> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| {
            let file = file.file_name().into_string().ok()?;
            let aside = file.strip_suffix(UNREAD)?;
            aside.starts_with(&format!("{name}.")).then(|| folder.join(aside))
        })
        .collect()
}

/// What can be seen of an archive before SQLite opens it: damage that SQLite would take for a new database, and lose the
/// write-ahead log of the old.
///
/// # Errors
/// [`StoreError::Damaged`].
pub(super) fn look_before_opening(path: &Path) -> Result<(), StoreError> {
    let has_log = fs::metadata(beside(path, COMPANIONS[0])).is_ok_and(|log| log.len() > 0);
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => Err(StoreError::Damaged("it is no file")),
        Ok(meta) if meta.len() == 0 && has_log => Err(StoreError::Damaged("it is empty")),
        Err(why) if why.kind() == io::ErrorKind::NotFound && has_log => Err(StoreError::Damaged(
            "it is gone, and its write-ahead log is there",
        )),
        _ => Ok(()),
    }
}

/// What the file system says of an archive that is open: another program may have put a file into its place, or written to it
/// without asking SQLite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileMark {
    file: (u64, u64),
    /// The write-ahead log beside it.
    log: Option<(u64, u64)>,
    length: u64,
    changed: (i64, i64),
}

/// How a file differs from what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileChange {
    /// Nothing was done to it.
    None,
    /// It was written to, by SQLite or by others.
    Written,
    /// It is shorter than it was: so long.
    Cut(u64),
    /// Another file has its place.
    Replaced,
    /// Nothing is in its place.
    Gone,
}

/// Which file the write-ahead log is.
fn log_at(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(beside(&real(path), COMPANIONS[0])).ok()?;
    Some((meta.dev(), meta.ino()))
}

impl FileMark {
    /// What it says now; none where nothing is there, or nobody may look.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Some(Self {
            file: (meta.dev(), meta.ino()),
            log: log_at(path),
            length: meta.len(),
            changed: (meta.mtime(), meta.mtime_nsec()),
        })
    }

    /// Whether the write-ahead log that lies there now lay there before.
    pub(super) fn has_log_still(&self, path: &Path) -> bool {
        self.log.is_some() && log_at(path) == self.log
    }

    pub(super) fn change(&self, path: &Path) -> FileChange {
        match Self::of(path) {
            None if matches!(path.try_exists(), Ok(false)) => FileChange::Gone,
            None => FileChange::None,
            Some(now) if now.file != self.file => FileChange::Replaced,
            Some(now) if now.length < self.length => FileChange::Cut(now.length),
            Some(now) if now != *self => FileChange::Written,
            Some(_) => FileChange::None,
        }
    }
}

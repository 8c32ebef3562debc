//! Damage of an archive: tells temporary errors, bad rows and damaged files apart, moves damaged files aside, and notices replaced
//! ones.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use jiff::Timestamp;
use rusqlite::ErrorCode;

use super::archive::StoreError;
use crate::platform::{FileId, file_id_at};

/// What to do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Retry later: the disk is full, the file cannot be written, or another program has locked it.
    Wait,
    /// Replace the file: it is damaged or no archive.
    Replace,
    /// Skip the row: SQLite rejects it.
    Skip,
    /// Check the tables: either they are not those of an archive, or the row is bad.
    CheckTables,
}

impl StoreError {
    /// Whether the file is damaged or no archive, so that a retry cannot help.
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
            Some(ErrorCode::Unknown) => Remedy::CheckTables,
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

    /// Whether reopening the file may help.
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

/// Suffixes of SQLite's files beside an open database.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// Suffix of the empty marker file beside a file whose rows are not all copied yet.
pub(super) const UNREAD: &str = ".unread";

/// A free name beside the archive with the time: `archive.db.damaged-20261128-013000`.
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

/// Renames a damaged archive and SQLite's files beside it, and returns its new path. Overwrites nothing.
///
/// # Errors
/// When it cannot be moved, as in a folder that is read-only.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let path = resolve_link(path);
    let aside = free_name(&path, "damaged");
    // The database last: interrupted in between, it would lie there without its log, and look whole.
    move_to(&aside, &path, &[COMPANIONS[0], COMPANIONS[1], ""])?;
    Ok(aside)
}

/// Renames the write-ahead log of a replaced file, which the new file would take for its own.
///
/// # Errors
/// When it cannot be moved.
pub(super) fn set_log_aside(path: &Path) -> io::Result<PathBuf> {
    let path = resolve_link(path);
    let aside = free_name(&path, "replaced");
    move_to(&aside, &path, &COMPANIONS)?;
    Ok(aside)
}

/// The target of a link to a file; other paths as they are.
fn resolve_link(path: &Path) -> PathBuf {
    // SQLite keeps its files beside the target, which may be on another disk.
    match fs::canonicalize(path) {
        Ok(file) if file.is_file() => file,
        _ => path.to_owned(),
    }
}

/// Renames those files of an archive that exist, and creates the marker that their rows are to be copied.
fn move_to(aside: &Path, path: &Path, suffixes: &[&str]) -> io::Result<()> {
    let mark = beside(aside, UNREAD);
    // Without the marker the rows are copied all the same, unless this run ends before.
    let _ = fs::write(&mark, "");
    let mut has_moved = false;
    for suffix in suffixes {
        match fs::rename(beside(path, suffix), beside(aside, suffix)) {
            Ok(()) => has_moved = true,
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => {
                if !has_moved {
                    let _ = fs::remove_file(&mark); // nothing was moved
                }
                return Err(why);
            }
        }
    }
    Ok(())
}

/// Files moved aside in an earlier run that ended before all their rows were copied.
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

/// Refuses a missing or empty file with a write-ahead log: SQLite would take it for a new database and discard the log.
///
/// # Errors
/// [`StoreError::Damaged`].
pub(super) fn check_before_opening(path: &Path) -> Result<(), StoreError> {
    let has_log = fs::metadata(beside(path, COMPANIONS[0])).is_ok_and(|log| log.len() > 0);
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => Err(StoreError::Damaged("it is not a regular file")),
        Ok(meta) if meta.len() == 0 && has_log => Err(StoreError::Damaged("it is empty")),
        Err(why) if why.kind() == io::ErrorKind::NotFound && has_log => Err(StoreError::Damaged(
            "the file is missing, but its write-ahead log exists",
        )),
        _ => Ok(()),
    }
}

/// Metadata of an open archive's file, to notice when another program replaces it or writes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileMark {
    file: FileId,
    /// The write-ahead log beside it.
    log: Option<FileId>,
    length: u64,
    /// The mtime, if the file system has one.
    changed: Option<SystemTime>,
}

/// A change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileChange {
    /// No change.
    None,
    /// Written to, by SQLite or another program.
    Written,
    /// Truncated to this length.
    Cut(u64),
    /// Another file is at the path.
    Replaced,
    /// The path does not exist.
    Gone,
}

/// Which write-ahead log is there.
fn log_at(path: &Path) -> Option<FileId> {
    file_id_at(&beside(&resolve_link(path), COMPANIONS[0]))
}

impl FileMark {
    /// The current metadata; none where it cannot be read.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Some(Self {
            file: file_id_at(path)?,
            log: log_at(path),
            length: meta.len(),
            changed: meta.modified().ok(),
        })
    }

    /// Whether the write-ahead log is still the same file.
    pub(super) fn has_same_log(&self, path: &Path) -> bool {
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

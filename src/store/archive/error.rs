//! Errors of the archive.

use thiserror::Error;

/// Why the archive cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// SQLite's error.
    #[error("the archive cannot be used")]
    Sql(#[from] rusqlite::Error),
    /// Another bot holds the folder's lock.
    #[error("another bot is using the archive")]
    Held,
    /// The database has no tables.
    #[error(
        "the archive is empty: probably a copy of a running bot's archive.db without the files beside it, which hold the newest \
         rows; copy it with `sqlite3 archive.db \".backup copy.db\"`"
    )]
    Empty,
    /// The schema is older than this program's.
    #[error(
        "the archive has schema {found}, this program reads {known}: `sparring run` migrates it when it starts"
    )]
    TooOld {
        /// Its version.
        found: usize,
        /// The version that this program reads.
        known: usize,
    },
    /// A database with other tables.
    #[error("the archive's tables are not those of this program")]
    Foreign,
    /// The file is damaged.
    #[error("the archive is damaged: {0}")]
    Damaged(&'static str),
    /// The file is damaged and cannot be moved aside.
    #[error("the archive is damaged and cannot be moved away")]
    NotMoved(#[source] std::io::Error),
    /// The schema is newer than this program's.
    #[error("the archive has schema {found}, this program knows up to {known}: use a newer version")]
    TooNew {
        /// Its version.
        found: usize,
        /// The newest version that this program knows.
        known: usize,
    },
}

impl StoreError {
    /// Whether the query was interrupted through [`Archive::interrupt`](super::Archive::interrupt).
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        let Self::Sql(error) = self else { return false };
        error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted)
    }

    /// The message and its cause in a line.
    #[must_use]
    pub fn with_cause(&self) -> String {
        match std::error::Error::source(self) {
            Some(cause) => format!("{self}: {cause}"),
            None => self.to_string(),
        }
    }

    /// The cause alone, for messages that already say that the archive is damaged.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Damaged(reason) => (*reason).to_owned(),
            Self::Sql(why) => why.to_string(),
            _ => self.to_string(),
        }
    }
}

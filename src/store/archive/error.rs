//! Errors of the archive.

use thiserror::Error;

/// Why the archive cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database refuses.
    #[error("the archive refuses")]
    Sql(#[from] rusqlite::Error),
    /// Another bot has its folder.
    #[error("another bot has the archive")]
    Held,
    /// It has no tables yet.
    #[error(
        "the archive is empty: probably this is a copy of the archive.db of a running bot without the files beside it, which \
         have what is new; copy by `sqlite3 archive.db \".backup copy.db\"`"
    )]
    Empty,
    /// An earlier program wrote it, and nobody has renewed it since.
    #[error(
        "the archive has schema {found}, this program reads {known}: `sparring run` renews it when it starts"
    )]
    TooOld {
        /// Its version.
        found: usize,
        /// The one that is read here.
        known: usize,
    },
    /// Its tables are not those of an archive.
    #[error("the archive's tables are not those of this program")]
    Foreign,
    /// It cannot be what it was.
    #[error("the archive is damaged: {0}")]
    Damaged(&'static str),
    /// It is damaged, and could not be moved out of the way of a new one.
    #[error("the archive is damaged and cannot be moved away")]
    NotMoved(#[source] std::io::Error),
    /// A later program wrote it.
    #[error("the archive has schema {found}, this program knows up to {known}: use a newer version")]
    TooNew {
        /// Its version.
        found: usize,
        /// The newest known here.
        known: usize,
    },
}

impl StoreError {
    /// Whether somebody ended the question, as by [`Archive::interrupt`](super::Archive::interrupt).
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        let Self::Sql(error) = self else { return false };
        error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted)
    }

    /// The trouble and what lies behind it, in a line.
    #[must_use]
    pub fn told(&self) -> String {
        match std::error::Error::source(self) {
            Some(cause) => format!("{self}: {cause}"),
            None => self.to_string(),
        }
    }

    /// What is wrong with the file, without what is said of it anyway.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Damaged(reason) => (*reason).to_owned(),
            Self::Sql(why) => why.to_string(),
            _ => self.to_string(),
        }
    }
}

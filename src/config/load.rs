//! Reads settings from a file.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use thiserror::Error;

use super::{Config, Known, read_with};
use sparring_diagnostics::{Diagnostics, utf8, without_tokens};
use sparring_files as files;

/// Settings from a file, with their warnings.
#[derive(Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// Warnings only.
    pub findings: Diagnostics,
    /// The text, without a token. It may hold passwords in URLs, so it must not be shown.
    pub text: Arc<str>,
}

/// Why settings cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The file has errors.
    #[error("{0}")]
    Refused(Diagnostics),
}

/// Reads settings from a file.
///
/// # Errors
/// [`LoadError`] when the file cannot be read or has errors.
pub fn load(path: &Path) -> Result<(Config, Diagnostics), LoadError> {
    load_with(path, None).map(|loaded| (loaded.config, loaded.findings))
}

/// Reads settings from a file, and checks their books and personalities against the known ones.
///
/// # Errors
/// [`LoadError`] when the file cannot be read, has errors, or names an unknown book or personality.
pub fn load_among(path: &Path, known: Known<'_>) -> Result<Loaded, LoadError> {
    load_with(path, Some(known))
}

fn load_with(path: &Path, known: Option<Known<'_>>) -> Result<Loaded, LoadError> {
    let bytes = files::read(path, files::TEXT).map_err(|source| LoadError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let name = path.display().to_string();
    let text = utf8(&name, &bytes).map_err(LoadError::Refused)?;
    match read_with(&name, text, known) {
        (Some(config), findings) => Ok(Loaded {
            config: config.within(path.parent().unwrap_or(Path::new(""))),
            findings,
            text: without_tokens(text).into(),
        }),
        (None, findings) => Err(LoadError::Refused(findings)),
    }
}

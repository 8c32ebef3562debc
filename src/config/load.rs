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

/// Settings from a file, and what is to be said of them.
#[derive(Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// Nothing worse than warnings.
    pub findings: Diagnostics,
    /// The text that says the same again. It has no token, but passwords in addresses: it is not to be shown.
    pub text: Arc<str>,
}

/// Why there are no settings.
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
    /// The file says something that cannot be.
    #[error("{0}")]
    Refused(Diagnostics),
}

/// Reads the settings from a file. Warnings come along with them.
///
/// # Errors
/// [`LoadError`] when the file cannot be read or used.
pub fn load(path: &Path) -> Result<(Config, Diagnostics), LoadError> {
    load_with(path, None).map(|loaded| (loaded.config, loaded.findings))
}

/// Reads the settings from a file, whose books and personalities must be among the known ones.
///
/// # Errors
/// [`LoadError`] when the file cannot be read or used, or names what is not there.
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

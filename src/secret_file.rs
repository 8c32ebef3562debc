//! Secret files (token, password): short, and readable by their owner alone.

use std::{
    env,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::platform::mode_if_shared;
use sparring_diagnostics::utf8;
use sparring_files as files;

/// At most so many bytes of a file are read: more than any secret has.
const MAX_BYTES: u64 = 4096;

/// Why a secret cannot be read from a file. No message quotes the secret.
#[derive(Debug, Error)]
pub enum SecretFileError {
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It is in another encoding.
    #[error("{}: {what}; save the file as UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        what: String,
    },
    /// Others may read it.
    #[error("{} can be read by others (mode {mode:03o}): run `chmod 600 {}`", path.display(), path.display())]
    TooOpen {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

impl SecretFileError {
    /// Whether there is no such file.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// systemd's folder of credentials. Only the service's own user can read them, so their mode is not checked.
pub(crate) fn credentials() -> Option<PathBuf> {
    env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from)
}

/// The text of a systemd credential and its path. None without the credential, and where it is blank: the shipped units pass
/// a blank one for a missing file.
///
/// # Errors
/// [`SecretFileError`] when it cannot be read, or is not UTF-8.
pub(crate) fn credential(
    folder: Option<&Path>,
    name: &str,
) -> Result<Option<(String, PathBuf)>, SecretFileError> {
    let Some(path) = folder
        .map(|folder| folder.join(name))
        .filter(|path| path.exists())
    else {
        return Ok(None);
    };
    let text = read(&path)?;
    Ok((!text.trim().is_empty()).then_some((text, path)))
}

/// The first 4 KiB of a file without a byte order mark, whatever its permissions.
///
/// # Errors
/// [`SecretFileError`] when it cannot be read, or is not UTF-8.
pub(crate) fn read(path: &Path) -> Result<String, SecretFileError> {
    let mut bytes = Vec::new();
    let file = files::open(path).map_err(|source| unreadable(path, source))?;
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|source| unreadable(path, source))?;
    // Only the message: the rest of a diagnostic quotes the text.
    let text = utf8("", &bytes).map_err(|findings| SecretFileError::NotText {
        path: path.to_owned(),
        what: findings.list.into_iter().map(|finding| finding.message).collect(),
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The first 4 KiB of a file that only its owner may read. Where files have no modes, of any file.
///
/// # Errors
/// [`SecretFileError`], also when group or others may read it.
pub(crate) fn read_private(path: &Path) -> Result<String, SecretFileError> {
    match mode_if_shared(path).map_err(|source| unreadable(path, source))? {
        Some(mode) => Err(SecretFileError::TooOpen {
            path: path.to_owned(),
            mode,
        }),
        None => read(path),
    }
}

fn unreadable(path: &Path, source: io::Error) -> SecretFileError {
    SecretFileError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

//! Secret files: short, and readable by their owner alone.

use std::{
    env, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use thiserror::Error;

use sparring_diagnostics::utf8;
use sparring_files as files;

/// More than any secret: the file may be anything, and only this much of it is read.
const MOST: u64 = 4096;

/// Why a secret cannot be taken from a file. The messages never quote it.
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

/// From now on this process leaves no picture of its memory behind when it falls over, and no other process of the same
/// user can look into it or at the variables it was started with. For processes that hold a token; where it is not
/// possible they do without.
pub(crate) fn keep_memory_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
        let nothing = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let kept =
            set_dumpable_behavior(DumpableBehavior::NotDumpable).and(setrlimit(Resource::Core, nothing));
        if let Err(why) = kept {
            tracing::debug!("core dumps cannot be switched off: {why}");
        }
    }
}

/// systemd's folder of credentials, which it guards itself: they are for the service's own user alone.
pub(crate) fn credentials() -> Option<PathBuf> {
    env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from)
}

/// The beginning of a credential, and where it lies; none where systemd has handed over none, or nothing but white space,
/// as the units do for a file that is not there.
///
/// # Errors
/// [`PrivateError::Unreadable`].
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

/// The beginning of a file, whoever may read it, without the mark of the byte order that some editors write first.
///
/// # Errors
/// [`PrivateError`].
pub(crate) fn read(path: &Path) -> Result<String, SecretFileError> {
    let mut bytes = Vec::new();
    let file = files::open(path).map_err(|source| unreadable(path, source))?;
    file.take(MOST)
        .read_to_end(&mut bytes)
        .map_err(|source| unreadable(path, source))?;
    // What else the findings say quotes the text.
    let text = utf8("", &bytes).map_err(|findings| SecretFileError::NotText {
        path: path.to_owned(),
        what: findings.list.into_iter().map(|finding| finding.message).collect(),
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The beginning of a file that nobody else may read.
///
/// # Errors
/// [`PrivateError`].
pub(crate) fn read_private(path: &Path) -> Result<String, SecretFileError> {
    refuse_if_open(path)?;
    read(path)
}

fn unreadable(path: &Path, source: io::Error) -> SecretFileError {
    SecretFileError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

#[cfg(unix)]
fn refuse_if_open(path: &Path) -> Result<(), SecretFileError> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(path).map_err(|source| unreadable(path, source))?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        Ok(())
    } else {
        Err(SecretFileError::TooOpen {
            path: path.to_owned(),
            mode,
        })
    }
}

#[cfg(not(unix))]
fn refuse_if_open(_path: &Path) -> Result<(), SecretFileError> {
    Ok(())
}

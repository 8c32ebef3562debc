//! Files of the editor: found by name, read and replaced whole, with a backup.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{config::Paths, reload};
use sparring_files::{
    self as files,
    atomic_file::{self, Readers},
};

/// Largest editable text: some 15,000 lines of a book. Browsers become slow with larger ones.
pub(super) const MAX_BYTES: u64 = 512 << 10;

/// The kind of an editable file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Book,
    Personality,
}

impl FileKind {
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "book" => Some(Self::Book),
            "personality" => Some(Self::Personality),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Book => "book",
            Self::Personality => "personality",
        }
    }

    fn place(self, paths: &Paths) -> (&Path, &'static str) {
        match self {
            Self::Book => (&paths.books, "book"),
            Self::Personality => (&paths.personalities, "toml"),
        }
    }
}

/// An opaque version of a file's content, as an ETag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Version(String);

impl Version {
    fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self(format!("{:x}-{:016x}", bytes.len(), hasher.finish()))
    }
}

/// A file that can be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    pub(super) kind: FileKind,
    /// The file name without extension.
    pub(super) name: String,
    /// The path.
    pub(super) path: PathBuf,
    /// The size.
    pub(super) bytes: u64,
}

/// Why a file cannot be read or saved.
#[derive(Debug, Error)]
pub(super) enum FileError {
    /// Reading or writing fails.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// Larger than [`MAX_BYTES`].
    #[error("{} is too large to be edited here", .0.display())]
    TooLarge(PathBuf),
    /// Not UTF-8.
    #[error("{} is not UTF-8", .0.display())]
    NotText(PathBuf),
    /// Another program or page has saved it.
    #[error("The file has changed since it was opened here")]
    Changed(Version),
}

/// All books and personalities, by name.
pub(super) fn list(paths: &Paths) -> Result<Vec<File>, FileError> {
    let mut files = Vec::new();
    for kind in [FileKind::Book, FileKind::Personality] {
        let (folder, ending) = kind.place(paths);
        let found = reload::list(folder, ending).map_err(|error| FileError::Io(folder.to_owned(), error))?;
        files.extend(found.into_iter().filter_map(|path| {
            let name = path.file_stem()?.to_str()?.to_owned();
            let bytes = fs::metadata(&path).ok()?.len();
            Some(File {
                kind,
                name,
                path,
                bytes,
            })
        }));
    }
    Ok(files)
}

/// The file of that name, if there is one.
pub(super) fn find(paths: &Paths, kind: FileKind, name: &str) -> Result<Option<File>, FileError> {
    let files = list(paths)?;
    Ok(files
        .into_iter()
        .find(|file| file.kind == kind && file.name == name))
}

/// The names of one kind.
pub(super) fn names(paths: &Paths, kind: FileKind) -> Result<Vec<String>, FileError> {
    let files = list(paths)?.into_iter();
    Ok(files
        .filter(|file| file.kind == kind)
        .map(|file| file.name)
        .collect())
}

/// The text of a file and its version.
pub(super) fn read(file: &File) -> Result<(String, Version), FileError> {
    let bytes = bytes_of(file)?;
    let version = Version::of(&bytes);
    let text = String::from_utf8(bytes).map_err(|_| FileError::NotText(file.path.clone()))?;
    Ok((text, version))
}

/// The current version of a file.
pub(super) fn version(file: &File) -> Result<Version, FileError> {
    bytes_of(file).map(|bytes| Version::of(&bytes))
}

fn bytes_of(file: &File) -> Result<Vec<u8>, FileError> {
    files::read(&file.path, MAX_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => FileError::TooLarge(file.path.clone()),
        _ => FileError::Io(file.path.clone(), error),
    })
}

/// Replaces the text of a file if its version is still `of`. Returns the new version, and the path of the backup if the text has
/// changed.
pub(super) fn save(file: &File, text: &str, of: &Version) -> Result<(Version, Option<PathBuf>), FileError> {
    if text.len() as u64 > MAX_BYTES {
        return Err(FileError::TooLarge(file.path.clone()));
    }
    let failed = |error: io::Error| FileError::Io(file.path.clone(), error);
    // The target of a link is replaced, not the link.
    let path = fs::canonicalize(&file.path).map_err(failed)?;
    let before = bytes_of(file)?;
    let now = Version::of(&before);
    if now != *of {
        return Err(FileError::Changed(now));
    }
    // Saving an unchanged text must not overwrite the backup.
    if before == text.as_bytes() {
        return Ok((now, None));
    }
    let backup = backup_of(&path);
    fs::metadata(&path)
        .and_then(|own| atomic_file::replace(&backup, &before, Readers::Of(&own)))
        .map_err(|error| FileError::Io(backup.clone(), error))?;
    atomic_file::replace(&path, text.as_bytes(), Readers::All).map_err(failed)?;
    Ok((Version::of(text.as_bytes()), Some(backup)))
}

/// The backup's path, `mine.book~`, which is not loaded as a book.
fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("~");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Paths) {
        let at = tempfile::tempdir().unwrap();
        let paths = Paths {
            books: at.path().join("books"),
            personalities: at.path().join("personalities"),
            syzygy: Vec::new(),
        };
        for folder in [&paths.books, &paths.personalities] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(paths.books.join("mine.book"), "1. e4 e5\n").unwrap();
        fs::write(paths.personalities.join("tim.toml"), "noise = 5\n").unwrap();
        (at, paths)
    }

    fn mine(paths: &Paths) -> File {
        find(paths, FileKind::Book, "mine").unwrap().unwrap()
    }

    #[test]
    fn only_names_of_the_two_folders_lead_anywhere() {
        let (at, paths) = folder();
        fs::write(at.path().join("secret.book"), "1. d4\n").unwrap();
        let names: Vec<String> = list(&paths).unwrap().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["mine", "tim"]);
        for name in ["../secret", "secret", "mine.book", "", "..", "/etc/passwd", "tim"] {
            assert_eq!(find(&paths, FileKind::Book, name).unwrap(), None, "{name}");
        }
    }

    #[test]
    fn a_save_keeps_what_was_there_and_what_others_saved() {
        let (_at, paths) = folder();
        let file = mine(&paths);
        let (text, version) = read(&file).unwrap();
        assert_eq!(text, "1. e4 e5\n");
        let (next, backup) = save(&file, "1. d4\n", &version).unwrap();
        let backup = backup.unwrap();
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "1. d4\n");
        assert_eq!(fs::read_to_string(&backup).unwrap(), "1. e4 e5\n");
        assert!(backup.to_string_lossy().ends_with("mine.book~"));
        assert_eq!(
            names(&paths, FileKind::Book).unwrap(),
            ["mine"],
            "the backup is no book"
        );
        fs::write(&file.path, "1. c4\n").unwrap();
        let refused = save(&file, "1. Nf3\n", &next).unwrap_err();
        assert!(matches!(refused, FileError::Changed(_)), "{refused}");
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "1. c4\n");
    }

    #[test]
    fn saving_the_same_text_again_leaves_the_backup_as_it_is() {
        let (_at, paths) = folder();
        let file = mine(&paths);
        let (_, version) = read(&file).unwrap();
        let (next, backup) = save(&file, "1. d4\n", &version).unwrap();
        assert_eq!(save(&file, "1. d4\n", &next).unwrap(), (next, None));
        assert_eq!(fs::read_to_string(backup.unwrap()).unwrap(), "1. e4 e5\n");
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "1. d4\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let (at, paths) = folder();
        let target = at.path().join("elsewhere.txt");
        fs::write(&target, "1. e4\n").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, paths.books.join("linked.book")).unwrap();
        let file = find(&paths, FileKind::Book, "linked").unwrap().unwrap();
        let (_, version) = read(&file).unwrap();
        let backup = save(&file, "1. d4\n", &version).unwrap().1.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&backup), 0o640, "nobody else can read what was there");
        assert!(fs::symlink_metadata(&file.path).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "1. d4\n");
        assert_eq!(mode(&target), 0o640);
    }

    #[test]
    fn what_is_too_large_or_no_text_is_refused() {
        let (_at, paths) = folder();
        let file = mine(&paths);
        let (_, version) = read(&file).unwrap();
        let long = "#".repeat(MAX_BYTES as usize + 1);
        assert!(matches!(
            save(&file, &long, &version),
            Err(FileError::TooLarge(_))
        ));
        fs::write(&file.path, &long).unwrap();
        assert!(matches!(read(&file), Err(FileError::TooLarge(_))));
        fs::write(&file.path, [0xff, 0xfe]).unwrap();
        assert!(matches!(read(&file), Err(FileError::NotText(_))));
    }
}

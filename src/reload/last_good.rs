//! The last good version of each book and personality.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    book_file::read_book,
    debounce::{FileStamp, Snapshot},
};
use crate::config::{Paths, misplaced};
use sparring_book::{self as book, Book, LearnedWeights, Library};
use sparring_diagnostics::{Diagnostic, Diagnostics, utf8};
use sparring_files as files;
use sparring_personality::{self as personality, NetworkFile, Personalities, Personality};

/// The files with an ending in a folder, sorted. Hidden files and editors' leftovers are passed over.
///
/// # Errors
/// When the folder cannot be read; one that is not there is empty.
pub fn list(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(['.', '#', '~']));
        if !is_hidden && path.extension().is_some_and(|found| found == ending) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The stamps of all book and personality files, and of the networks beside these. An unreadable file is left out.
#[must_use]
pub fn snapshot(paths: &Paths) -> Snapshot {
    let books = list(&paths.books, BOOK).unwrap_or_default();
    let profiles = list(&paths.personalities, PROFILE).unwrap_or_default();
    let networks = NETWORKS.map(|ending| list(&paths.personalities, ending).unwrap_or_default());
    let look = |path: PathBuf| {
        let metadata = fs::metadata(&path).ok()?;
        Some((path, FileStamp::of(&metadata)))
    };
    books
        .into_iter()
        .chain(profiles)
        .chain(networks.into_iter().flatten())
        .filter_map(look)
        .collect()
}

/// Extension of book files.
pub(super) const BOOK: &str = "book";
/// Extension of personality files.
const PROFILE: &str = "toml";
/// Extensions of networks' files.
const NETWORKS: [&str; 2] = ["gz", "net"];

/// The outcome of reloading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReloadOutcome {
    /// The new version is in use.
    Read {
        /// The file.
        path: PathBuf,
        /// Its number of lines.
        lines: usize,
    },
    /// The new version has errors.
    Refused {
        /// The file.
        path: PathBuf,
        /// Whether an earlier version stays in use.
        keeps: bool,
        /// The errors.
        findings: Diagnostics,
    },
    /// The file was deleted, and is no longer in use.
    Gone {
        /// The file.
        path: PathBuf,
    },
}

impl ReloadOutcome {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Read { path, .. } | Self::Refused { path, .. } | Self::Gone { path } => path,
        }
    }

    /// Whether the file is a book; otherwise it is a personality.
    #[must_use]
    pub fn is_about_books(&self) -> bool {
        self.path().extension().is_some_and(|ending| ending == BOOK)
    }
}

impl fmt::Display for ReloadOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_about_books() {
            "book"
        } else {
            "personality"
        };
        let path = self.path().display();
        match self {
            Self::Read { lines, .. } => write!(f, "{what} reloaded, {lines} lines: {path}"),
            Self::Refused { keeps: true, .. } => {
                write!(
                    f,
                    "{what} not reloaded, the last good version stays in use; mistakes in {path}:"
                )
            }
            Self::Refused { keeps: false, .. } => write!(f, "{what} not in full use; mistakes in {path}:"),
            Self::Gone { .. } => write!(f, "{what} deleted: {path}"),
        }
    }
}

/// The last good version of each file.
#[derive(Debug, Default)]
pub struct LastGood {
    books: BTreeMap<PathBuf, Book>,
    /// Books that never were good, and are used in part.
    in_part: BTreeSet<PathBuf>,
    profiles: BTreeMap<PathBuf, Personality>,
    /// Personalities whose files were deleted, for settings that still name them.
    retired: BTreeMap<PathBuf, Personality>,
    /// Personalities with errors, and their findings, which are reported again only when they change.
    refused: BTreeMap<PathBuf, Diagnostics>,
    /// Learned weights by the name of their book.
    learned_weights: BTreeMap<String, Arc<LearnedWeights>>,
}

impl LastGood {
    /// The last good version of all books, with their learned weights.
    #[must_use]
    pub fn library(&self) -> Library {
        let books = self
            .books
            .values()
            .map(|book| match self.learned_weights.get(book.name()) {
                Some(weights) => book.clone().with_learned_weights(Arc::clone(weights)),
                None => book.clone(),
            });
        Library::new(books.collect())
    }

    /// Replaces the learned weights of all books.
    pub fn set_learned_weights(&mut self, weights: BTreeMap<String, Arc<LearnedWeights>>) {
        self.learned_weights = weights;
    }

    /// The findings for `include:` lines that name no book.
    #[must_use]
    pub fn missing_includes(&self) -> Vec<Diagnostics> {
        let books: Vec<Book> = self.books.values().cloned().collect();
        book::missing_includes(&books)
    }

    /// The last good version of all personalities.
    #[must_use]
    pub fn personalities(&self) -> Personalities {
        Personalities::new(self.profiles.values().cloned().collect())
            .with_retired(self.retired.values().cloned().collect())
    }

    /// Reads changed files again and returns the outcomes.
    ///
    /// A file with errors leaves its last good version in use. A book without one is used in part: its readable lines. Personalities
    /// that name a missing book are refused until it exists.
    pub fn reload(&mut self, changed: &[PathBuf]) -> Vec<ReloadOutcome> {
        let ends = |path: &Path, ending: &str| path.extension().is_some_and(|found| found == ending);
        let books: Vec<&PathBuf> = changed.iter().filter(|path| ends(path, BOOK)).collect();
        let mut profiles: Vec<PathBuf> = changed
            .iter()
            .filter(|path| ends(path, PROFILE))
            .cloned()
            .collect();
        // Another version of a network makes another version of the personalities that name it.
        let named = |profile: &Personality| {
            let name = profile.network.as_ref().map(NetworkFile::name);
            changed
                .iter()
                .any(|path| path.file_name().and_then(|file| file.to_str()) == name && name.is_some())
        };
        let renewed = self
            .profiles
            .iter()
            .filter(|(path, profile)| named(profile) && !profiles.contains(path));
        let renewed: Vec<PathBuf> = renewed.map(|(path, _)| path.clone()).collect();
        profiles.extend(renewed);
        let mut outcomes: Vec<ReloadOutcome> = books.iter().map(|path| self.reload_book(path)).collect();
        let known: Vec<String> = self.books.values().map(|book| book.name().to_owned()).collect();
        // The books have changed: a personality that was refused for a missing book may be good now.
        let refused: Vec<PathBuf> = self.refused.keys().cloned().collect();
        let again = refused.iter().filter(|path| !profiles.contains(path));
        outcomes.extend(
            profiles
                .iter()
                .chain(again)
                .filter_map(|path| self.reload_profile(path, &known)),
        );
        outcomes
    }

    fn reload_book(&mut self, path: &Path) -> ReloadOutcome {
        let path = path.to_owned();
        let (book, findings) = match read_book(&path) {
            Ok(None) => {
                self.books.remove(&path);
                self.in_part.remove(&path);
                return ReloadOutcome::Gone { path };
            }
            Ok(Some(reading)) => reading,
            Err(error) => (None, unreadable(&path, &error)),
        };
        let before = self.books.get(&path);
        // A book used in part is no better than a new version that can be used in part.
        let is_good = before.is_some() && !self.in_part.contains(&path);
        let keeps = before.is_some();
        let had_moves = before.is_some_and(|book| book.rows() > 0);
        match book {
            Some(book) if had_moves && is_blank(book.text().as_str()) => ReloadOutcome::Refused {
                findings: emptied(&path),
                path,
                keeps,
            },
            Some(book) if findings.is_usable() => {
                let lines = book.lines();
                self.books.insert(path.clone(), book);
                self.in_part.remove(&path);
                ReloadOutcome::Read { path, lines }
            }
            Some(book) if !is_good => {
                self.books.insert(path.clone(), book);
                self.in_part.insert(path.clone());
                ReloadOutcome::Refused {
                    path,
                    keeps: false,
                    findings,
                }
            }
            _ => ReloadOutcome::Refused {
                path,
                keeps,
                findings,
            },
        }
    }

    /// Whether the personality in use sets any key.
    fn says_something(&self, path: &Path) -> bool {
        let plain = |profile: &Personality| *profile == Personality::new(&profile.name);
        self.profiles.get(path).is_some_and(|profile| !plain(profile))
    }

    /// Reloads a personality. None when it was refused before with the same findings.
    fn reload_profile(&mut self, path: &Path, books: &[String]) -> Option<ReloadOutcome> {
        let path = path.to_owned();
        let name = path.display().to_string();
        let (profile, findings) = match read(&path) {
            Ok(None) => {
                self.refused.remove(&path);
                if let Some(last) = self.profiles.remove(&path) {
                    self.retired.insert(path.clone(), last);
                }
                return Some(ReloadOutcome::Gone { path });
            }
            Ok(Some(bytes)) => match utf8(&name, &bytes) {
                Ok(text) if is_blank(text) && self.says_something(&path) => (None, emptied(&path)),
                Ok(text) => match personality::read_beside(&path, text, Some(books)) {
                    (None, findings) => (None, misplaced(&name, text).unwrap_or(findings)),
                    read => read,
                },
                Err(findings) => (None, findings),
            },
            Err(findings) => (None, findings),
        };
        match profile {
            Some(profile) => {
                self.refused.remove(&path);
                self.profiles.insert(path.clone(), profile);
                let lines = findings.text.lines().count();
                Some(ReloadOutcome::Read { path, lines })
            }
            None => {
                let before = self.refused.insert(path.clone(), findings.clone());
                let keeps = self.profiles.contains_key(&path);
                (before.as_ref() != Some(&findings)).then_some(ReloadOutcome::Refused {
                    path,
                    keeps,
                    findings,
                })
            }
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The finding for a file that became empty: not used, since some programs truncate a file before they write it.
fn emptied(path: &Path) -> Diagnostics {
    refusal(
        &path.display().to_string(),
        "the file is empty now",
        "the last good version stays in use; to drop it, delete the file or write a comment into it",
    )
}

/// The bytes of a file; none when it does not exist.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Diagnostics> {
    match files::read(path, files::TEXT) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostics {
    refusal(
        &path.display().to_string(),
        &format!("the file cannot be read: {error}"),
        match error.kind() {
            io::ErrorKind::PermissionDenied => "check its permissions",
            _ => "replace it by a text file, or delete it",
        },
    )
}

fn refusal(name: &str, message: &str, help: &str) -> Diagnostics {
    Diagnostics::new(name, "", vec![Diagnostic::error(0..0, message).with_help(help)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_that_never_was_good_follows_its_text_and_a_good_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.book");
        let mut last_good = LastGood::default();
        let mut save = |text: &str| {
            fs::write(&path, text).unwrap();
            let outcomes = last_good.reload(std::slice::from_ref(&path)).remove(0);
            let keeps = matches!(outcomes, ReloadOutcome::Refused { keeps: true, .. });
            (last_good.library().book("a").unwrap().rows(), keeps)
        };
        assert_eq!(save("e4 e5\ne9\n"), (1, false));
        assert_eq!(save("e4 e5\nd4 d5\ne9\n"), (2, false));
        assert_eq!(save(""), (2, true));
        assert_eq!(save("e4 e5\nd4 d5\nc4\n"), (3, false));
        assert_eq!(save("e4 e5\ne9\n"), (3, true));
        assert_eq!(save("e4 e5\ne9\nd4\n"), (3, true));
    }

    #[test]
    fn a_new_version_of_a_network_is_used_and_a_broken_one_leaves_the_last_good() {
        let folder = tempfile::tempdir().unwrap();
        let (profile, network) = (folder.path().join("tim.toml"), folder.path().join("own.net"));
        let whole = include_bytes!("../../crates/personality/src/human_model/human.net");
        fs::write(&network, whole).unwrap();
        fs::write(&profile, "network = \"own.net\"\n").unwrap();
        let mut last_good = LastGood::default();
        let mut reload = |path: &Path| {
            let outcomes = last_good.reload(&[path.to_owned()]);
            let own = last_good.personalities().get("tim").cloned().unwrap();
            (outcomes, own.network.unwrap())
        };
        let (_, first) = reload(&profile);
        let (_, second) = reload(&network);
        assert_ne!(first, second, "read again");
        fs::write(&network, &whole[..5000]).unwrap();
        let (outcomes, third) = reload(&network);
        assert_eq!(second, third);
        assert!(
            matches!(&outcomes[..], [ReloadOutcome::Refused { keeps: true, findings, .. }]
            if findings.to_string().contains("own.net"))
        );
    }
}

//! Disk cache of fetched user lists, so that a restart during an outage unblocks nobody.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use sparring_files::{
    self as files,
    atomic_file::{self, Readers},
};

/// Prefix of the two header lines, which are comments of the list format.
const ADDRESS: &str = "# address: ";
const ETAG: &str = "# etag: ";

/// The cache folder, with a file per list.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    is_read_only: bool,
}

/// The last good answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CachedList {
    /// The text.
    pub(super) text: String,
    /// Its ETag.
    pub(super) etag: Option<String>,
}

impl Cache {
    /// A cache in a folder, which is created with the first file.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            is_read_only: false,
        }
    }

    /// The same cache, read-only.
    #[must_use]
    pub fn reading_only(self) -> Self {
        Self {
            is_read_only: true,
            ..self
        }
    }

    /// The last good answer of a URL for the list of this name.
    pub(super) fn read(&self, list: &str, address: &str) -> Option<CachedList> {
        let text = files::read_text(&self.file(list), files::TEXT).ok()?;
        let (first, rest) = text.split_once('\n')?;
        // The list may have another URL now.
        if first.strip_prefix(ADDRESS)? != address {
            return None;
        }
        let (second, text) = rest.split_once('\n')?;
        let etag = second.strip_prefix(ETAG)?;
        Some(CachedList {
            text: text.to_owned(),
            etag: (!etag.is_empty()).then(|| etag.to_owned()),
        })
    }

    /// Writes an answer atomically.
    pub(super) fn write(&self, list: &str, address: &str, kept: &CachedList) -> io::Result<()> {
        if self.is_read_only {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let etag = kept.etag.as_deref().unwrap_or_default();
        let whole = format!("{ADDRESS}{address}\n{ETAG}{etag}\n{}", kept.text);
        // A URL may hold a password.
        atomic_file::replace(&self.file(list), whole.as_bytes(), Readers::Owner)
    }

    /// The path of a list's file. The settings allow only names that are safe file names.
    fn file(&self, list: &str) -> PathBuf {
        self.folder.join(format!("{list}.txt"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_kept_and_only_for_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(&folder.path().join("lists"));
        assert_eq!(cache.read("blocked", "https://a.example/"), None);
        let kept = CachedList {
            text: String::new(),
            etag: None,
        };
        let reader = cache.clone().reading_only();
        reader.write("blocked", "https://a.example/", &kept).unwrap();
        assert!(!folder.path().join("lists").exists());
        for etag in [Some("\"1\"".to_owned()), None] {
            let kept = CachedList {
                text: "Ana\n# boris\n".to_owned(),
                etag,
            };
            cache.write("blocked", "https://a.example/", &kept).unwrap();
            assert_eq!(cache.read("blocked", "https://a.example/"), Some(kept));
        }
        assert_eq!(cache.read("blocked", "https://b.example/"), None);
        assert_eq!(cache.read("friends", "https://a.example/"), None);
    }
}

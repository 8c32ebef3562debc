//! Files written before a step that cannot be undone; removed if the step fails.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use crate::platform::set_mode;
use sparring_files::atomic_file;

/// A new file, synced to disk, and the folders created for it. Dropping it without [`NewFiles::keep`] removes them again.
#[derive(Debug, Default)]
pub(super) struct NewFiles {
    file: Option<PathBuf>,
    /// The created folders, outermost first.
    folders: Vec<PathBuf>,
}

impl NewFiles {
    /// Writes a new file and creates its folders. `mode` is its permissions, where files have modes.
    ///
    /// # Errors
    /// When the file exists already or cannot be written. Then nothing is left behind.
    pub(super) fn write(path: &Path, text: &str, mode: u32) -> anyhow::Result<Self> {
        let mut draft = Self::default();
        draft
            .write_to(path, text, mode)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(draft)
    }

    fn write_to(&mut self, path: &Path, text: &str, mode: u32) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let missing = folder
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        for folder in missing.collect::<Vec<_>>().into_iter().rev() {
            fs::create_dir(folder)?;
            self.folders.push(folder.to_owned());
        }
        let mut file = create(path, mode)?;
        self.file = Some(path.to_owned());
        file.write_all(text.as_bytes())?;
        // Some file systems report a full disk only now.
        file.sync_all()?;
        atomic_file::sync_folder(path)
    }

    /// Keeps the file and its folders.
    pub(super) fn keep(mut self) {
        self.file = None;
        self.folders.clear();
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        // A file that cannot be removed is reported by the next run: it exists already.
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
        // A folder that is not empty stays.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_mode(&mut options, mode);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_is_removed_with_its_new_folders() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("a/b/token");
        let draft = NewFiles::write(&path, "secret\n", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret\n");
        drop(draft);
        assert_eq!(fs::read_dir(at.path()).unwrap().count(), 0);
        NewFiles::write(&path, "secret\n", 0o600).unwrap().keep();
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret\n");
    }

    #[test]
    fn an_existing_file_stays_as_it_is() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("token");
        fs::write(&path, "mine").unwrap();
        let refused = NewFiles::write(&path, "other", 0o600).unwrap_err();
        assert!(refused.to_string().contains("cannot write"), "{refused}");
        let below = NewFiles::write(&path.join("deeper/token"), "other", 0o600);
        assert!(below.is_err(), "a file is no folder");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}

//! The Rust files below a folder, for tests that read the code itself.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every Rust file below a folder.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    gather(folder, &mut found);
    found
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

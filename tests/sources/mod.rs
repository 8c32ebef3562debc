//! The Rust files below a folder, for tests that read the code itself.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every Rust file of the product: the application and its libraries, their tests included.
pub fn product_sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    gather(&root.join("src"), &mut found);
    for krate in fs::read_dir(root.join("crates")).unwrap() {
        gather(&krate.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 300, "the sources are found");
    found
}

/// Every Rust file below a folder.
#[allow(dead_code, reason = "not every test that shares this file asks for a folder")]
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

//! Files of a folder in a fixed order, for build scripts that embed them.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// The regular files of a folder, sorted by path; none if there is no such folder.
///
/// # Errors
/// When the folder cannot be read.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The last part of a path as UTF-8.
///
/// # Errors
/// [`ErrorKind::InvalidData`] when it is not UTF-8 or the path has none.
pub fn name_of(path: &Path) -> io::Result<&str> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| {
        let message = format!("the name of {} is not UTF-8", path.display());
        io::Error::new(ErrorKind::InvalidData, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_and_folders_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a.txt"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::create_dir(folder.path().join("c")).unwrap();
        let files = files_in(folder.path()).unwrap();
        let names: Vec<&str> = files.iter().map(|path| name_of(path).unwrap()).collect();
        assert_eq!(names, ["a.txt", "b.txt"]);
        assert!(files_in(&folder.path().join("missing")).unwrap().is_empty());
    }
}

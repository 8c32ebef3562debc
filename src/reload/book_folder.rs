//! The other books of a book's folder, and `include:` lines that name none of them.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::last_good::{BOOK, list};
use sparring_book::{self as book, Book};
use sparring_diagnostics::Diagnostic;
use sparring_files as files;

/// A diagnostic for each `include:` of `book` that names no readable book of its folder. Reads the other books there.
#[must_use]
pub fn missing_includes(book: &Book) -> Vec<Diagnostic> {
    if book.head().includes.is_empty() {
        return Vec::new();
    }
    let own = Path::new(book.path());
    let folder = own.parent().unwrap_or(Path::new(""));
    let all: Vec<Book> = neighbours(book, folder)
        .into_iter()
        .chain([book.clone()])
        .collect();
    book::missing_includes(&all)
        .into_iter()
        .find(|diagnostics| *diagnostics.name == *book.path())
        .map_or_else(Vec::new, |diagnostics| diagnostics.list)
}

/// The readable books of a folder except `book`. An empty path is the working directory.
#[must_use]
pub fn neighbours(book: &Book, folder: &Path) -> Vec<Book> {
    let own = Path::new(book.path());
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let files = list(folder, BOOK).unwrap_or_default();
    let others = files.iter().filter(|path| path.file_name() != own.file_name());
    let parse = |path: &PathBuf| {
        let bytes = read_limited(path).ok()?;
        book::parse_bytes(&path.display().to_string(), &bytes).0
    };
    others.filter_map(parse).collect()
}

/// The bytes of a book or settings file. Reads one byte more than a book may have, so that the parser refuses a larger file
/// for its size.
///
/// # Errors
/// When the file cannot be read, or is no regular file.
pub fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    files::open(path)?
        .take(book::MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

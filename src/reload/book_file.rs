//! Reads the text of a book from its file. Finds compiled books that an earlier release left beside their texts.

use std::{
    io::{self, Read as _},
    path::Path,
};

use super::last_good::list;
use sparring_book::{self as book, Book};
use sparring_diagnostics::{Diagnostic, Diagnostics};
use sparring_files as files;

/// How the files of compiled books end, which earlier versions wrote beside large texts.
pub const COMPILED: &str = "bookc";

/// What came of a book's file: the book, as far as it can be used, and what is wrong.
pub(super) type LoadedBook = (Option<Book>, Diagnostics);

/// Reads a book. Nothing when it is not there.
pub(super) fn read_book(path: &Path) -> io::Result<Option<LoadedBook>> {
    let name = path.display().to_string();
    let file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let size = file.metadata()?.len();
    if size > book::MAX_BYTES as u64 {
        return Ok(Some((None, book::too_large(&name, size))));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    // Never more than is read anyway, even if the file grows under our eyes.
    file.take(book::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    let draft = match book::read_bytes(&name, &bytes) {
        Ok(draft) => draft,
        Err(findings) => return Ok(Some((None, findings))),
    };
    // The parsed book has a copy of its own.
    drop(bytes);
    let (book, findings) = draft.into_book();
    Ok(Some((Some(book), findings)))
}

/// A warning for each compiled book in a folder: nothing reads it.
#[must_use]
pub fn compiled_books(folder: &Path) -> Vec<Diagnostics> {
    let files = list(folder, COMPILED).unwrap_or_default();
    files.iter().map(|path| compiled_book(path)).collect()
}

/// A warning for one compiled book.
#[must_use]
pub fn compiled_book(path: &Path) -> Diagnostics {
    let text = path.with_extension("book");
    let warning = Diagnostic::warning(0..0, "compiled books are no longer read").with_help(format!(
        "the bot plays from the text, {}; delete this file",
        text.display()
    ));
    Diagnostics::new(path.display().to_string(), "", vec![warning])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reload::LastGood;
    use std::fs::{self, File};

    #[test]
    fn a_gigabyte_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        File::create(&text).unwrap().set_len(1 << 30).unwrap();
        let (book, findings) = read_book(&text).unwrap().unwrap();
        assert!(book.is_none());
        let said = findings.to_string();
        assert!(
            said.ends_with("error: 1073741824 bytes are too many for a book: 67108864 are read"),
            "{said}"
        );
    }

    #[test]
    fn a_pipe_in_the_place_of_a_book_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("a.book");
        let made = std::process::Command::new("mkfifo").arg(&text).status().unwrap();
        assert!(made.success());
        let error = read_book(&text).unwrap_err();
        assert_eq!(error.to_string(), "this is a named pipe, not a file");
    }

    #[test]
    fn a_compiled_book_is_told_of_and_its_text_is_played() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        fs::write(&text, "1. e4 e5\n").unwrap();
        fs::write(folder.path().join("big.bookc"), b"sparbook\x04\0\0\0").unwrap();
        let mut last_good = LastGood::default();
        let _ = last_good.reload(std::slice::from_ref(&text));
        assert_eq!(last_good.library().book("big").unwrap().rows(), 1);
        let told = compiled_books(folder.path());
        assert_eq!(told.len(), 1);
        assert!(told[0].is_usable());
        let said = told[0].to_string();
        assert!(
            said.contains(
                "big.bookc:1:1: warning: compiled books are no longer read; the bot plays from the text"
            ),
            "{said}"
        );
    }

    #[test]
    fn a_large_text_is_read_again_when_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        let comment = format!("# {}\n", "padding ".repeat(128));
        let large = |lines: &str| format!("{lines}\n{}", comment.repeat(4200));
        let mut last_good = LastGood::default();
        for (lines, rows) in [("e4 e5\nd4xx", 2), ("c4 e5 Nc3", 1), ("c4 e9", 1)] {
            fs::write(&text, large(lines)).unwrap();
            let _ = last_good.reload(std::slice::from_ref(&text));
            assert_eq!(last_good.library().book("big").unwrap().rows(), rows);
        }
    }
}

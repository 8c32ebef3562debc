//! Compiled files of large books, beside their text: opened instead of parsing the text.
//!
//! The cache `main.bookc` is rebuilt when the text's inode, size or time changes, or when it is damaged. It may be deleted. Where it
//! cannot be written, the book is kept in memory.

use std::{
    ffi::OsString,
    fs::Metadata,
    io::{self, BufWriter, Read as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use tracing::{debug, warn};

use super::debounce::identity;
use sparring_book::{self as book, Book, CompileError, OpenError, Origin, ParsedBook};
use sparring_diagnostics::Diagnostics;
use sparring_files::{self as files, atomic_file::NewFile};

/// The path of a book's compiled file: `books/main.bookc` for `books/main.book`.
#[must_use]
pub fn compiled_path(text: &Path) -> PathBuf {
    let mut path = OsString::from(text);
    path.push("c");
    path.into()
}

/// The metadata that a compiled file records of its text; none where the file system has no mtime.
#[must_use]
pub fn origin(text: &Metadata) -> Option<Origin> {
    let modified = text.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Origin {
        bytes: text.len(),
        modified: u64::try_from(modified.as_nanos()).ok()?,
        changed: identity(text).1,
    })
}

/// Why a book has no compiled file.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The book cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The written file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Writes the compiled file of a book atomically, and opens it.
///
/// # Errors
/// [`CacheError`] when the book cannot be compiled, or the file not written or opened.
pub fn store(text: &Path, draft: &ParsedBook, origin: Origin) -> Result<Book, CacheError> {
    let path = compiled_path(text);
    let mut new = NewFile::create_beside(&path)?;
    draft.compile(origin, &mut BufWriter::with_capacity(1 << 20, new.file()))?;
    // The same owner and permissions as the text.
    new.belong_as(&std::fs::metadata(text)?)?;
    new.take_place()?;
    let (book, _) = book::open_compiled(&text.display().to_string(), files::open(&path)?)?;
    Ok(book)
}

/// The compiled book, if its file exists, is undamaged, and belongs to this version of the text.
#[must_use]
pub fn open_fresh(text: &Path, now: Origin) -> Option<Book> {
    let path = compiled_path(text);
    let opened = files::open(&path)
        .map_err(OpenError::from)
        .and_then(|file| book::open_compiled(&text.display().to_string(), file));
    match opened {
        Ok((book, origin)) if origin == now => Some(book),
        Ok(_) => {
            debug!(
                "{} belongs to another version of the text: rebuilding it",
                path.display()
            );
            None
        }
        Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            warn!("rebuilding {}: {error}", path.display());
            None
        }
    }
}

/// A book, as far as it can be used, and its findings.
pub(super) type LoadedBook = (Option<Book>, Diagnostics);

/// Reads a book, from its compiled file where it is large and `trusted`. None when the text does not exist.
///
/// A book with mistakes is not compiled, since the findings would be lost.
pub(super) fn read_book(path: &Path, trusted: bool) -> io::Result<Option<LoadedBook>> {
    let name = path.display().to_string();
    let file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let metadata = file.metadata()?;
    if metadata.len() > book::MAX_BYTES as u64 {
        return Ok(Some((None, book::too_large(&name, metadata.len()))));
    }
    let origin = origin(&metadata).filter(|origin| origin.bytes >= book::LARGE as u64);
    if let Some(book) = origin
        .filter(|_| trusted)
        .and_then(|origin| open_fresh(path, origin))
    {
        return Ok(Some((Some(book), Diagnostics::new(name, "", Vec::new()))));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // The limit holds even if the file grows meanwhile.
    file.take(book::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    let draft = match book::read_bytes(&name, &bytes) {
        Ok(draft) => draft,
        Err(findings) => return Ok(Some((None, findings))),
    };
    drop(bytes);
    let findings = draft.findings();
    if let (Some(origin), true) = (origin, findings.is_usable()) {
        match store(path, &draft, origin) {
            Ok(compiled) => return Ok(Some((Some(compiled), findings))),
            Err(error) => warn!("{name} is kept in memory, since it could not be compiled: {error}"),
        }
    }
    Ok(Some((Some(draft.into_book().0), findings)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reload::LastGood;
    use sparring_chess::{GameHistory, Variant};
    use std::{
        fs::{self, File},
        io::Write as _,
    };

    /// A text above the size from which books are compiled; most of it is comments.
    fn large(lines: &str) -> String {
        let comment = format!("# {}\n", "padding ".repeat(128));
        let count = book::LARGE / comment.len() + 1;
        format!("name: Large\n{lines}\n{}", comment.repeat(count))
    }

    fn first_moves(last_good: &LastGood) -> Vec<String> {
        let library = last_good.library();
        let start = GameHistory::new(Variant::Standard);
        let choices = library.choices(&["big".to_owned()], &start);
        choices
            .iter()
            .map(|choice| sparring_chess::write_uci(choice.mv, Variant::Standard))
            .collect()
    }

    #[test]
    fn a_large_book_is_compiled_once_and_anew_when_its_text_changes() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        fs::write(&text, large("e4 e5\nd4xx")).unwrap();
        let mut last_good = LastGood::default();
        let _ = last_good.reload(std::slice::from_ref(&text));
        assert!(last_good.library().book("big").unwrap().is_compiled());
        assert_eq!(first_moves(&last_good), ["e2e4", "d2d4"]);
        let permissions = |path| fs::metadata(path).unwrap().permissions();
        assert_eq!(permissions(compiled_path(&text)), permissions(text.clone()));
        let made = fs::metadata(compiled_path(&text)).unwrap().modified().unwrap();

        let mut later = LastGood::default();
        let _ = later.reload(std::slice::from_ref(&text));
        assert_eq!(first_moves(&later), ["e2e4", "d2d4"]);
        let found = fs::metadata(compiled_path(&text)).unwrap().modified().unwrap();
        assert_eq!(found, made, "a fresh one is not made again");

        fs::write(&text, large("c4 e5 Nc3")).unwrap();
        let _ = later.reload(std::slice::from_ref(&text));
        assert_eq!(first_moves(&later), ["c2c4"]);
        assert_eq!(
            first_moves(&last_good),
            ["e2e4", "d2d4"],
            "who holds the old one goes on"
        );

        fs::write(&text, large("c4 e9")).unwrap();
        let _ = later.reload(std::slice::from_ref(&text));
        assert_eq!(
            first_moves(&later),
            ["c2c4"],
            "a text with mistakes leaves the last good book"
        );
    }

    #[test]
    fn another_text_of_equal_size_and_time_is_another_text() {
        let folder = tempfile::tempdir().unwrap();
        let [text, other] = ["big.book", "other"].map(|name| folder.path().join(name));
        fs::write(&text, large("e4 e5")).unwrap();
        let mut last_good = LastGood::default();
        let _ = last_good.reload(std::slice::from_ref(&text));
        assert_eq!(first_moves(&last_good), ["e2e4"]);
        fs::write(&other, large("d4 d5")).unwrap();
        let time = fs::metadata(&text).unwrap().modified().unwrap();
        File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_modified(time)
            .unwrap();
        fs::rename(&other, &text).unwrap();
        let _ = last_good.reload(std::slice::from_ref(&text));
        assert_eq!(first_moves(&last_good), ["d2d4"]);
    }

    #[test]
    fn a_damaged_one_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        fs::write(&text, large("e4 e5")).unwrap();
        let mut last_good = LastGood::default();
        let _ = last_good.reload(std::slice::from_ref(&text));
        let good = fs::read(compiled_path(&text)).unwrap();

        // In place, so that the book that is open meets it.
        let mut damaged = good.clone();
        damaged[book_block() + 8] ^= 1;
        let mut file = fs::OpenOptions::new()
            .write(true)
            .open(compiled_path(&text))
            .unwrap();
        file.write_all(&damaged).unwrap();
        assert_eq!(first_moves(&last_good), [""; 0], "what is damaged says nothing");
        assert_eq!(last_good.damaged(), std::slice::from_ref(&text));
        let _ = last_good.reload(&last_good.damaged());
        assert_eq!(first_moves(&last_good), ["e2e4"]);
        assert_eq!(fs::read(compiled_path(&text)).unwrap(), good);

        for rubbish in [&good[..good.len() - 1], b"rubbish", b"", &[0; 5000]] {
            fs::write(compiled_path(&text), rubbish).unwrap();
            let mut last_good = LastGood::default();
            let _ = last_good.reload(std::slice::from_ref(&text));
            assert_eq!(first_moves(&last_good), ["e2e4"]);
            assert_eq!(fs::read(compiled_path(&text)).unwrap(), good);
        }
    }

    /// Where the first block of positions begins.
    fn book_block() -> usize {
        1024
    }

    #[test]
    fn a_text_that_cannot_be_compiled_is_played_from_memory() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        fs::write(&text, large("e4 e5")).unwrap();
        // A folder in the way is what not even an administrator writes over.
        fs::create_dir(compiled_path(&text)).unwrap();
        let mut last_good = LastGood::default();
        let _ = last_good.reload(std::slice::from_ref(&text));
        assert!(!last_good.library().book("big").unwrap().is_compiled());
        assert_eq!(first_moves(&last_good), ["e2e4"]);
    }

    #[test]
    fn a_gigabyte_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("big.book");
        File::create(&text).unwrap().set_len(1 << 30).unwrap();
        let (book, findings) = read_book(&text, true).unwrap().unwrap();
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
        for path in [text.clone(), compiled_path(&text)] {
            let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        }
        let error = read_book(&text, true).unwrap_err();
        assert_eq!(error.to_string(), "this is a named pipe, not a file");
        let origin = Origin {
            bytes: 0,
            modified: 0,
            changed: 0,
        };
        assert!(open_fresh(&text, origin).is_none());
    }
}

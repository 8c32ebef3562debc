//! Shared by the book commands: reading books with their diagnostics, positions, output files.

use std::{
    fs,
    io::{ErrorKind, Write as _, stderr, stdin, stdout},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;

use crate::{
    cli::{
        assets::{BOOKS, shipped_stand_in},
        exit::{Exit, Failure},
        logging,
        render_diagnostics::{self, Style},
        state_dir,
    },
    config::{self, Paths},
    reload::{list, neighbours},
    store::{Archive, StoreError},
};
use sparring_book::{self as book, Book, Library};
use sparring_chess::{GameHistory, Variant};
use sparring_diagnostics::Diagnostics;
use sparring_files::{
    self as files,
    atomic_file::{self, Readers},
};

/// Stands for standard input or output where a file may be named.
pub const STANDARD: &str = "-";

/// The most that is read of a file: more than any book of ours, and Polyglot books are larger than their texts.
const MOST: u64 = 256 * files::MIB;

/// Reads a file, or standard input for `-`.
pub fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == STANDARD {
        return files::read_at_most(stdin(), MOST).context("standard input");
    }
    files::read_unpacked(path, MOST).map_err(|error| {
        let sentence = format!("cannot read {}: {error}", path.display());
        Failure::error(Exit::Usage, sentence)
    })
}

/// The text of a file, or of standard input for `-`.
pub fn text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(bytes(path)?).with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Reads a book and draws its mistakes on stderr. Lines with mistakes are left out, as the bot does.
pub fn read(path: &Path) -> anyhow::Result<Book> {
    read_from(path, &book_bytes(path)?)
}

/// The same of the bytes of a book.
pub fn read_from(path: &Path, bytes: &[u8]) -> anyhow::Result<Book> {
    let name = path.display().to_string();
    usable(&name, parse(&name, bytes))
}

/// Reads a book as the bot plays it, with the lines that it includes.
pub fn read_whole(path: &Path) -> anyhow::Result<Book> {
    Ok(whole(read(path)?, &[]))
}

/// A book with the lines that it includes: of the books of its folder, as the bot takes them, else of others at hand.
pub fn whole(book: Book, others: &[Book]) -> Book {
    if book.head().includes.is_empty() {
        return book;
    }
    let at = Path::new(book.path());
    let neighbours = match at.parent() {
        // What comes through a pipe has no folder but the bot's own.
        _ if at.as_os_str() == STANDARD => neighbours(&book, &books_folder()),
        folder => neighbours(&book, folder.unwrap_or(Path::new(""))),
    };
    let others = others.iter().filter(|other| other.name() != book.name());
    let all = std::iter::once(book.clone())
        .chain(neighbours)
        .chain(others.cloned());
    let library = Library::new(all.collect());
    library.book(book.name()).cloned().unwrap_or(book)
}

/// The folder of books that `bot.toml` here names.
fn books_folder() -> PathBuf {
    config::paths(&files::read_text("bot.toml".as_ref(), files::TEXT).unwrap_or_default()).books
}

/// Reads the file of a book, unless it is too large for one.
pub fn book_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    within_limits(path)?.map_err(|findings| Failure::error(Exit::Failed, findings.to_string()))
}

/// The bytes of a file, or that it is too large for a book.
fn within_limits(path: &Path) -> anyhow::Result<Result<Vec<u8>, Diagnostics>> {
    Ok(match fs::metadata(path) {
        Ok(file) if file.len() > book::MAX_BYTES as u64 => {
            Err(book::too_large(&path.display().to_string(), file.len()))
        }
        _ => Ok(bytes(path)?),
    })
}

/// A text that may be a book, or why it can be none.
pub struct Found {
    /// Its path.
    pub name: String,
    /// Its bytes, or that they are too many.
    pub bytes: Result<Vec<u8>, Diagnostics>,
}

/// The texts of the named books, or of all as in [`books`], good or bad.
pub fn texts(files: &[PathBuf]) -> anyhow::Result<Vec<Found>> {
    let files = match files {
        [] => match in_folder()? {
            Some(found) => found,
            None => return Ok(BOOKS.iter().map(|(name, text)| carried(name, text)).collect()),
        },
        files => files.to_owned(),
    };
    files
        .iter()
        .map(|path| {
            Ok(Found {
                name: path.display().to_string(),
                bytes: within_limits(path)?,
            })
        })
        .collect()
}

fn carried(name: &str, text: &str) -> Found {
    Found {
        name: name.to_owned(),
        bytes: Ok(text.as_bytes().to_owned()),
    }
}

fn usable<B>(name: &str, book: Option<B>) -> anyhow::Result<B> {
    book.ok_or_else(|| Failure::error(Exit::Failed, format!("{name} cannot be used")))
}

fn parse(name: &str, bytes: &[u8]) -> Option<Book> {
    let (book, findings) = book::parse_bytes(name, bytes);
    tell(findings);
    book
}

/// Draws what keeps a text from being used.
fn tell(findings: Diagnostics) {
    if findings.is_usable() {
        return;
    }
    let style = if logging::wants_color() {
        Style::Color
    } else {
        Style::Plain
    };
    // Nobody to tell is no reason to stop.
    let _ = write!(stderr(), "{}", render_diagnostics::draw(&[findings], style));
}

/// The named books, or all in the folder that `bot.toml` here names, or the shipped ones where it is not there; each with
/// the lines that it includes.
pub fn books(files: &[PathBuf]) -> anyhow::Result<Vec<Book>> {
    let books = own_lines(files)?;
    Ok(books.iter().map(|book| whole(book.clone(), &books)).collect())
}

fn own_lines(files: &[PathBuf]) -> anyhow::Result<Vec<Book>> {
    if !files.is_empty() {
        return files.iter().map(|path| read(path)).collect();
    }
    match in_folder()? {
        Some(found) => found.iter().map(|path| read(path)).collect(),
        None => BOOKS
            .iter()
            .map(|(name, text)| usable(name, parse(name, text.as_bytes())))
            .collect(),
    }
}

/// The books in the folder that `bot.toml` here names; none where the shipped ones serve instead.
fn in_folder() -> anyhow::Result<Option<Vec<PathBuf>>> {
    let text = files::read_text("bot.toml".as_ref(), files::TEXT).unwrap_or_default();
    let paths: Paths = config::paths(&text);
    if shipped_stand_in(&paths) {
        return Ok(None);
    }
    let found =
        list(&paths.books, "book").with_context(|| format!("cannot read {}", paths.books.display()))?;
    if found.is_empty() {
        let sentence = format!("there are no books in {}", paths.books.display());
        return Err(Failure::error(Exit::Failed, sentence));
    }
    Ok(Some(found))
}

/// The books as the bot plays them: leaning by results where `bot.toml` here says so.
pub fn leaning(books: Vec<Book>) -> anyhow::Result<Vec<Book>> {
    let settings = Path::new("bot.toml");
    let Some(config) = config::load(settings).ok().map(|(config, _)| config) else {
        return Ok(books);
    };
    let archive = state_dir::folder(&config, settings).join(state_dir::ARCHIVE);
    if !config.state.book_learning || !archive.exists() {
        return Ok(books);
    }
    let archive = Archive::read(&archive).context("the archive says how books lean")?;
    Ok(with_learned_weights(&archive, books)?)
}

/// The books with the learned weights that the archive stores.
fn with_learned_weights(archive: &Archive, books: Vec<Book>) -> Result<Vec<Book>, StoreError> {
    let mut kept = archive.learned_weights()?;
    let leaning = books.into_iter().map(|book| match kept.remove(book.name()) {
        Some(leans) => book.with_learned_weights(Arc::new(leans.into_iter().collect())),
        None => book,
    });
    Ok(leaning.collect())
}

/// So many of a thing, as in `1 book` and `2 books`.
pub fn several(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// Something to add at the end of a line, if there is something.
pub fn aside(words: Option<&str>) -> String {
    words.map_or_else(String::new, |words| format!("  {words}"))
}

/// [`book::parse_position`] of an argument.
pub fn position(text: &str, variant: Variant) -> anyhow::Result<GameHistory> {
    book::parse_position(text, variant).map_err(|error| Failure::error(Exit::Usage, error.to_string()))
}

/// Where output goes.
#[derive(Debug, clap::Args)]
pub struct Output {
    /// Writes to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Writes over a file that is there.
    #[arg(long, requires = "output")]
    force: bool,
}

impl Output {
    /// To a file that is not there yet.
    #[cfg(test)]
    pub fn to(path: PathBuf) -> Self {
        Self {
            output: Some(path),
            force: false,
        }
    }

    /// Writes the whole. Says on stderr where it went, if it is a file.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match &self.output {
            Some(path) if path.as_os_str() != STANDARD => {
                if path.exists() && !self.force {
                    let sentence = format!("{} is there already; --force writes over it", path.display());
                    return Err(Failure::error(Exit::Usage, sentence));
                }
                save(path, bytes)
            }
            _ => print(bytes),
        }
    }

    /// Whether standard output is where it goes.
    pub fn is_standard(&self) -> bool {
        self.output
            .as_ref()
            .is_none_or(|path| path.as_os_str() == STANDARD)
    }
}

/// Refuses a book that nobody could read again. The hint says what makes it smaller.
pub fn must_be_readable(text: &str, hint: &str) -> anyhow::Result<()> {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    if text.len() <= book::MAX_BYTES && lines <= book::MAX_LINES {
        return Ok(());
    }
    let sentence = format!(
        "{lines} lines in {} bytes are too many for a book: {} in {} are read; {hint}",
        text.len(),
        book::MAX_LINES,
        book::MAX_BYTES
    );
    Err(Failure::error(Exit::Failed, sentence))
}

/// Writes a file as a whole or not at all: a bot that watches the folder never sees half of it.
pub fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    atomic_file::replace(path, bytes, Readers::All)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Writes to standard output; a reader that has left early is no failure.
pub fn print(bytes: &[u8]) -> anyhow::Result<()> {
    match stdout().write_all(bytes) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(()),
    }
}

/// Says something about the work on stderr, where it is out of the way of the output.
#[expect(clippy::print_stderr, reason = "talk goes to stderr, output to stdout")]
pub fn say(sentence: &str) {
    eprintln!("{sentence}");
}

/// A chance as people read it: `60%`, or `0.4%` where whole percents would say nothing.
pub fn percent(chance: f64) -> String {
    let percent = chance * 100.0;
    if percent > 0.0 && percent < 1.0 {
        format!("{percent:.1}%")
    } else {
        format!("{percent:.0}%")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::write_fen;

    #[test]
    fn a_position_is_named_by_fen_by_moves_or_by_nothing() {
        let fen = |said: &str| write_fen(position(said, Variant::Standard).unwrap().position());
        let sicilian = fen("1. e4 c5 2. Nf3");
        assert_eq!(fen("e2e4 c7c5 g1f3"), sicilian);
        assert_eq!(fen("1.e4 c5 2.Nf3"), sicilian);
        assert_eq!(fen(&sicilian), sicilian);
        assert_eq!(fen(""), fen("startpos"));
        let error = position("1. e4 e5 2. Nf9", Variant::Standard).unwrap_err();
        assert_eq!(error.to_string(), "\"Nf9\" is not a move, after 1. e4 e5");
    }

    #[test]
    fn a_gigabyte_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.book");
        fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
        let said = book_bytes(&path).unwrap_err().to_string();
        assert!(
            said.ends_with("1073741824 bytes are too many for a book: 67108864 are read"),
            "{said}"
        );
    }

    #[test]
    fn a_book_is_read_with_what_it_includes_from_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("base.book"), "1. e4 e5\n").unwrap();
        fs::write(path("mine.book"), "include: base\n1. e4 c5\n").unwrap();
        assert_eq!(read(&path("mine.book")).unwrap().rows(), 1);
        assert_eq!(read_whole(&path("mine.book")).unwrap().rows(), 2);
        let named = books(&[path("mine.book")]).unwrap();
        assert_eq!((named.len(), named[0].rows()), (1, 2));
        // Linked a second time it is no longer.
        let library = Library::new(vec![named[0].clone()]);
        assert_eq!(library.book("mine").unwrap().rows(), 2);
    }

    #[test]
    fn a_file_is_not_written_over_unless_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.book");
        let output = |force| Output {
            output: Some(path.clone()),
            force,
        };
        output(false).write(b"one").unwrap();
        assert!(output(false).write(b"two").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        output(true).write(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        assert!(must_be_readable(&"\n".repeat(book::MAX_LINES), "").is_ok());
        let many = must_be_readable(&"\n".repeat(book::MAX_LINES + 1), "raise --min").unwrap_err();
        assert_eq!(
            many.to_string(),
            "1000001 lines in 1000001 bytes are too many for a book: 1000000 in 67108864 are read; raise --min"
        );
        assert!(must_be_readable(&" ".repeat(book::MAX_BYTES + 1), "").is_err());
    }

    #[test]
    fn small_chances_are_not_rounded_to_nothing() {
        assert_eq!(percent(0.6), "60%");
        assert_eq!(percent(0.004), "0.4%");
        assert_eq!(percent(0.0), "0%");
    }
}

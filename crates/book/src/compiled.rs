//! Reads a compiled book from its file: one look-up reads the block that holds the position.
//!
//! The headers, the opening names and the first key of each block stay in memory: two megabytes for five million
//! positions. Every block is verified by its checksum when read. A damaged book answers only from intact blocks and reports the damage,
//! so that it can be compiled again from the text.

use std::{
    fs::File,
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    block::{BLOCK, Fields, checksum, records},
    compile::{MAGIC, Origin, VERSION},
    entries::Entries,
    library::Book,
    positions::path,
    syntax::BookText,
    walk::walk,
};

/// Why a file is not used as a compiled book. All but the last are settled by compiling the text again.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is something else.
    #[error("not a compiled book")]
    Other,
    /// An older or newer release wrote it.
    #[error("compiled by another release: format {0} instead of {VERSION}")]
    Version(u32),
    /// It is not as it was written.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// It cannot be read.
    #[error("the compiled book cannot be read")]
    Io(#[from] io::Error),
}

/// Opens a compiled book. `path` is the name of its text, which places in the book refer to. Whether that text is still
/// the one that was compiled is for the caller to see from the origin.
///
/// # Errors
/// [`OpenError`] when the file is no compiled book, or not a whole one.
pub fn open_compiled(path: &str, file: File) -> Result<(Book, Origin), OpenError> {
    let mut block = [0; BLOCK];
    let length = file.metadata()?.len();
    if length < BLOCK as u64 {
        return Err(OpenError::Other);
    }
    read_at(&file, &mut block, 0)?;
    let header = Header::read(&block)?;
    if header.length() != Some(length) {
        return Err(OpenError::Damaged("it is cut short, or too long"));
    }
    // What follows is no longer than the file, so it can be asked for.
    let mut tail = vec![0; usize::try_from(length - header.index_at()).unwrap_or(usize::MAX)];
    read_at(&file, &mut tail, header.index_at())?;
    let damaged = || OpenError::Damaged("its index is not as it was written");
    let (index, rest) = tail
        .split_at_checked(header.index_bytes() as usize)
        .ok_or_else(damaged)?;
    let (head, names) = rest.split_at_checked(header.head as usize).ok_or_else(damaged)?;
    if checksum(checksum(checksum(0, index), head), names) != header.tail {
        return Err(damaged());
    }
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| damaged());
    let (head, names) = (BookText::new(text(head)?), text(names)?);
    let keys = index.as_chunks().0.iter().copied().map(u64::from_le_bytes);
    let mut first_keys: Vec<u64> = keys.collect();
    let paths = first_keys.split_off((header.blocks as usize).min(first_keys.len()));

    let compiled = Compiled {
        file,
        by_key: Section {
            begins: 0,
            first_keys,
        },
        by_path: Section {
            begins: header.blocks,
            first_keys: paths,
        },
        positions: header.positions as usize,
        is_damaged: AtomicBool::new(false),
    };
    let walked = walk(&head, &mut |_| {});
    let sizes = (header.lines as usize, header.rows as usize);
    let book = Book::compiled(path, walked.head, head, sizes, compiled, names);
    Ok((book, header.origin))
}

/// What the first block says.
struct Header {
    origin: Origin,
    lines: u64,
    rows: u64,
    positions: u64,
    blocks: u64,
    path_blocks: u64,
    head: u64,
    names: u64,
    tail: u64,
}

impl Header {
    fn read(block: &[u8; BLOCK]) -> Result<Self, OpenError> {
        let mut fields = Fields(block);
        if fields.take() != Some(MAGIC) {
            return Err(OpenError::Other);
        }
        let damaged = || OpenError::Damaged("its header is not as it was written");
        let version = fields.u32().ok_or_else(damaged)?;
        if version != VERSION {
            return Err(OpenError::Version(version));
        }
        let (summed, sum) = block.split_last_chunk().ok_or_else(damaged)?;
        if checksum(0, summed) != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let head = fields.u32().ok_or_else(damaged)?;
        let mut number = || fields.u64().ok_or_else(damaged);
        Ok(Self {
            origin: Origin {
                bytes: number()?,
                modified: number()?,
                changed: number()?,
            },
            lines: number()?,
            rows: number()?,
            positions: number()?,
            blocks: number()?,
            path_blocks: number()?,
            head: u64::from(head),
            names: number()?,
            tail: number()?,
        })
    }

    /// Where the first keys of the blocks begin.
    fn index_at(&self) -> u64 {
        (1 + self.blocks + self.path_blocks) * BLOCK as u64
    }

    fn index_bytes(&self) -> u64 {
        (self.blocks + self.path_blocks) * 8
    }

    /// How long the file is; nothing for more than there can be.
    fn length(&self) -> Option<u64> {
        let blocks = self.blocks.checked_add(self.path_blocks)?;
        blocks
            .checked_mul(BLOCK as u64 + 8)?
            .checked_add(BLOCK as u64)?
            .checked_add(self.head)?
            .checked_add(self.names)
    }
}

/// The positions of a compiled book. Many threads may look up at once.
#[derive(Debug)]
pub(super) struct Compiled {
    file: File,
    by_key: Section,
    /// By [`path`], as far as lines are pinned to their own order of moves.
    by_path: Section,
    positions: usize,
    /// A look-up met a block that was not as it was written.
    is_damaged: AtomicBool,
}

/// Blocks in a row, sorted by key.
#[derive(Debug)]
struct Section {
    /// The number of its first block.
    begins: u64,
    /// The first key of each block.
    first_keys: Vec<u64>,
}

impl Compiled {
    /// The moves known in a position, however it came about.
    pub fn at(&self, key: u64) -> Entries<'static> {
        self.look_up(&self.by_key, key)
    }

    /// The moves known in the last of the positions that a game went through, by their keys.
    pub fn along(&self, keys: &[u64]) -> Entries<'static> {
        if !self.by_path.first_keys.is_empty() {
            let found = self.look_up(&self.by_path, path(keys.iter().copied()));
            if !found.is_empty() {
                return found;
            }
        }
        keys.last().map_or_else(Entries::none, |key| self.at(*key))
    }

    /// How many positions are known.
    pub fn len(&self) -> usize {
        self.positions
    }

    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Nothing where the file is damaged: half of what a book says may be the opposite of the whole.
    fn look_up(&self, section: &Section, key: u64) -> Entries<'static> {
        self.read(section, key).unwrap_or_else(|| {
            self.is_damaged.store(true, Ordering::Relaxed);
            Entries::none()
        })
    }

    fn read(&self, section: &Section, key: u64) -> Option<Entries<'static>> {
        let mut found = Entries::none();
        // A block that begins with the key may have more of it at the end of the one before.
        let start = section
            .first_keys
            .partition_point(|first| *first < key)
            .saturating_sub(1);
        let rest = section.first_keys.get(start..)?;
        for (first, number) in rest.iter().zip(section.begins + start as u64..) {
            if *first > key {
                break;
            }
            let mut block = [0; BLOCK];
            read_at(&self.file, &mut block, (1 + number) * BLOCK as u64).ok()?;
            for record in records(&block, number)? {
                let (at, entry) = record?;
                if at == key {
                    found.push(entry);
                } else if at > key {
                    return Some(found);
                }
            }
        }
        Some(found)
    }
}

/// Reads from a place without moving anybody's cursor.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(bytes, at)
}

/// The cursor moves, which nobody else uses.
#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt as _;
    while !bytes.is_empty() {
        let count = match file.seek_read(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes = bytes.get_mut(count..).unwrap_or_default();
        at += count as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BookQuery, Library, SelectionPolicy, parse, read};
    use proptest::prelude::*;
    use sparring_chess::{GameHistory, Variant};
    use std::io::{Cursor, Write as _};

    const ORIGIN: Origin = Origin {
        bytes: 7,
        modified: 1 << 60,
        changed: 3,
    };

    fn compiled_bytes(book: &Book) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let draft = read(book.path(), book.text().as_str()).unwrap();
        draft.compile(ORIGIN, &mut bytes).unwrap();
        bytes.into_inner()
    }

    fn open(bytes: &[u8]) -> Result<(Book, Origin), OpenError> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        open_compiled("books/a.book", file)
    }

    fn parsed(text: &str) -> Book {
        let (book, findings) = parse("books/a.book", text);
        assert!(findings.is_usable(), "{findings}");
        book.unwrap()
    }

    /// Every position of the text says the same in both, names and places included.
    fn assert_equal(read: &Book, opened: &Book) {
        let mut ways = 0;
        walk(read.text(), &mut |row| {
            let keys: Vec<u64> = (0..=row.depth()).map(|depth| row.trail.key(depth)).collect();
            for end in 1..=keys.len() {
                let (one, other) = (
                    read.entries_along(&keys[..end]),
                    opened.entries_along(&keys[..end]),
                );
                let shown = |book: &Book, entries: &Entries<'_>| -> Vec<String> {
                    let show = |entry: &crate::Entry| {
                        let (note, place) = (book.note(entry), book.place(entry));
                        let (lines, marks, weight) = (entry.lines, entry.marks, entry.weight());
                        let flags = (
                            entry.number,
                            entry.never,
                            entry.chosen,
                            entry.left_out,
                            entry.begins,
                        );
                        format!(
                            "{:?} {lines} {marks} {weight} {flags:?} {note:?} {place}",
                            entry.mv
                        )
                    };
                    entries.iter().map(show).collect()
                };
                assert_eq!(shown(read, &one), shown(opened, &other));
                ways += one.len();
            }
        });
        assert!(ways > 0);
        assert!(!opened.is_damaged());
        assert_eq!(
            (read.positions(), read.lines(), read.rows(), read.title()),
            (opened.positions(), opened.lines(), opened.rows(), opened.title())
        );
        assert_eq!(read.head(), opened.head());
    }

    #[test]
    fn a_compiled_book_says_what_its_text_says() {
        for text in [
            include_str!("../../../books/starter.book"),
            include_str!("../../../books/main.book"),
            "author: Ann\nspeeds: blitz rapid\nlevels: 1200-\nvariant: atomic\nNf3 e5 # a\nNf3xx\n",
            "e4 e5\nfrom: r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\nBb5 a6\nBc4xx\n",
            "d4 Nf6 c4 e6 Nc3 # one\nc4 Nf6 d4 e6 Nf3@ # two\nd4 Nf6 c4 e6 Nc3xx@\ne4 60 | d4 30 | c4\nb3?\n",
        ] {
            let read = parsed(text);
            let (opened, origin) = open(&compiled_bytes(&read)).unwrap();
            assert_eq!(origin, ORIGIN);
            assert_equal(&read, &opened);
        }
    }

    #[test]
    fn a_position_may_have_more_moves_than_a_block() {
        let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
        let start = sparring_chess::parse_fen(Variant::Standard, fen).unwrap();
        let moves = sparring_chess::Rules::legal_moves(&start);
        let lines = moves
            .iter()
            .map(|mv| sparring_chess::write_uci(*mv, Variant::Standard));
        let text = format!(
            "e4 e5\nd4 d5\nfrom: {fen}\n{}",
            lines.collect::<Vec<_>>().join("\n")
        );
        let read = parsed(&text);
        let (opened, _) = open(&compiled_bytes(&read)).unwrap();
        assert_eq!(opened.entries(sparring_chess::key(&start)).len(), 218);
        assert_equal(&read, &opened);
    }

    #[test]
    fn moves_are_drawn_alike_from_both() {
        let read = parsed(include_str!("../../../books/main.book"));
        let (opened, _) = open(&compiled_bytes(&read)).unwrap();
        let (read, opened) = (Library::new(vec![read]), Library::new(vec![opened]));
        let (books, line) = (["a".to_owned()], GameHistory::new(Variant::Standard));
        for seed in 0..100 {
            let query = BookQuery {
                taste: SelectionPolicy::Temperature(2.0),
                ..BookQuery::new(&books, &line, seed)
            };
            assert_eq!(read.choose(&query), opened.choose(&query));
        }
    }

    #[test]
    fn a_book_that_includes_others_is_not_compiled() {
        let draft = read("a.book", "include: b\ne4").unwrap();
        let error = draft.compile(ORIGIN, &mut Cursor::new(Vec::new())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a book that includes others cannot be compiled: \"include: b\""
        );
    }

    #[test]
    fn another_file_or_release_is_told() {
        let said = |bytes: &[u8]| open(bytes).unwrap_err().to_string();
        assert_eq!(said(b""), "not a compiled book");
        assert_eq!(said(&[b'x'; 4096]), "not a compiled book");
        let mut bytes = compiled_bytes(&parsed("e4"));
        assert_eq!(
            said(&bytes[..bytes.len() - 1]),
            "damaged: it is cut short, or too long"
        );
        bytes[8] = 99;
        assert_eq!(
            said(&bytes),
            "compiled by another release: format 99 instead of 4"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_damage_goes_unnoticed(at in any::<prop::sample::Index>(), flip in 1_u8..) {
            let read = parsed("name: A\ne4 e5 Nf3 Nc6 # Open\ne4 c5 Nf3 d6 # Sicilian\nd4 d5 c4@");
            let mut bytes = compiled_bytes(&read);
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            if let Ok((opened, _)) = open(&bytes) {
                walk(read.text(), &mut |row| {
                    let keys: Vec<u64> = (0..=row.depth()).map(|depth| row.trail.key(depth)).collect();
                    for end in 1..=keys.len() {
                        let _ = opened.entries_along(&keys[..end]);
                    }
                });
                prop_assert!(opened.is_damaged(), "byte {at}");
            }
        }
    }
}

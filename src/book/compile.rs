//! From a book to a compiled one, which is read from its file position by position instead of as a whole.
//!
//! The file: a header of one block, the blocks of all positions, those of ways that lines are pinned to, the first key of
//! each block, the headers of the text, and the names of openings. [`super::compiled`] reads it.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use super::{
    block::{BLOCK, ROOM, checksum, seal, write_record},
    head::Head,
    library::Book,
    positions::{Lists, Note},
};

/// How a compiled book begins.
pub(super) const MAGIC: [u8; 8] = *b"sparbook";

/// Raised whenever the same text would be compiled to other bytes or be understood in another way.
pub(super) const VERSION: u32 = 1;

/// The most bytes of names that a compiled book keeps, since all of them stay in memory. Further moves have no name.
const MAX_NAMES: usize = 4 << 20;

/// The state of the text that a compiled book was made from, as far as the file system tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: u64,
}

/// Why a book cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// What it includes may change without its own text changing.
    #[error("a book that includes others cannot be compiled: \"include: {0}\"")]
    Includes(String),
    /// There is no text to compile.
    #[error("the book is a compiled one")]
    Compiled,
    /// The file cannot be written.
    #[error("the compiled book cannot be written")]
    Io(#[from] io::Error),
}

/// Writes the compiled form of a book that was read from a text.
///
/// # Errors
/// [`CompileError`] when the book includes others or is compiled already, or nothing can be written.
pub fn compile(book: &Book, origin: Origin, out: &mut impl Write) -> Result<(), CompileError> {
    if let Some(include) = book.head().includes.first() {
        return Err(CompileError::Includes(include.name.clone()));
    }
    let positions = book.in_memory().ok_or(CompileError::Compiled)?;
    let [by_key, by_path] = [positions.by_key(), positions.by_path()];
    let head = headers(book.head());
    let names = Names::gather(book, [by_key, by_path]);
    let index: Vec<u8> = [by_key, by_path]
        .into_iter()
        .flat_map(first_keys)
        .flat_map(u64::to_le_bytes)
        .collect();

    let tail = checksum(
        checksum(checksum(0, &index), head.as_bytes()),
        names.text.as_bytes(),
    );
    let mut header = Vec::with_capacity(BLOCK);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend((head.len() as u32).to_le_bytes());
    for number in [
        origin.bytes,
        origin.modified,
        book.lines() as u64,
        book.rows() as u64,
        book.positions() as u64,
        blocks(by_key),
        blocks(by_path),
        names.text.len() as u64,
        tail,
    ] {
        header.extend(number.to_le_bytes());
    }
    header.resize(BLOCK - 8, 0);
    let sum = checksum(0, &header);
    header.extend(sum.to_le_bytes());

    out.write_all(&header)?;
    write_blocks(by_key, 0, &names, out)?;
    write_blocks(by_path, blocks(by_key), &names, out)?;
    out.write_all(&index)?;
    out.write_all(head.as_bytes())?;
    out.write_all(names.text.as_bytes())?;
    out.flush()?;
    Ok(())
}

fn blocks(lists: &Lists) -> u64 {
    lists.moves().div_ceil(ROOM) as u64
}

fn first_keys(lists: &Lists) -> impl Iterator<Item = u64> {
    let keys = lists
        .iter()
        .flat_map(|(key, entries)| entries.iter().map(move |_| key));
    keys.step_by(ROOM)
}

/// Blocks are numbered through both sections, so that none passes for another.
fn write_blocks(lists: &Lists, first: u64, names: &Names<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut moves = lists
        .iter()
        .flat_map(|(key, entries)| entries.iter().map(move |entry| (key, entry)))
        .peekable();
    let mut block = Vec::with_capacity(BLOCK);
    for number in first.. {
        if moves.peek().is_none() {
            break;
        }
        block.clear();
        for (key, entry) in moves.by_ref().take(ROOM) {
            write_record(&mut block, key, entry, names.place(entry.note));
        }
        seal(&mut block, number);
        out.write_all(&block)?;
    }
    Ok(())
}

/// What the headers say of the book as a whole, as a text with nothing else.
fn headers(head: &Head) -> String {
    let mut lines = Vec::new();
    lines.extend(head.title.as_ref().map(|title| format!("name: {title}")));
    lines.extend(head.author.as_ref().map(|author| format!("author: {author}")));
    lines.push(format!("variant: {}", head.variant.key()));
    if !head.speeds.is_empty() {
        lines.push(format!("speeds: {}", head.speeds.join(" ")));
    }
    if let Some(levels) = &head.levels {
        lines.push(format!("levels: {}-{}", levels.start(), levels.end()));
    }
    lines.join("\n")
}

/// The names of openings, each once, though thousands of moves share one.
struct Names<'b> {
    source: &'b str,
    text: String,
    places: HashMap<&'b str, u32>,
}

impl<'b> Names<'b> {
    fn gather(book: &'b Book, sections: [&Lists; 2]) -> Self {
        let mut names = Self {
            source: book.text().as_str(),
            text: String::new(),
            places: HashMap::new(),
        };
        let entries = sections.into_iter().flat_map(Lists::iter);
        for name in entries
            .flat_map(|(_, entries)| entries)
            .filter_map(|entry| entry.note.text(names.source))
        {
            let fits = name.len() <= usize::from(u16::MAX) && names.text.len() + name.len() <= MAX_NAMES;
            if fits && !names.places.contains_key(name) {
                names.places.insert(name, names.text.len() as u32);
                names.text.push_str(name);
            }
        }
        names
    }

    fn place(&self, note: Note) -> Note {
        let found = note
            .text(self.source)
            .and_then(|name| self.places.get_key_value(name));
        found.map_or_else(Note::default, |(name, start)| Note {
            start: *start,
            len: name.len() as u32,
        })
    }
}

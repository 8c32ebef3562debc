//! Writes a compiled book: a file in which each position can be looked up without loading the whole.
//!
//! The file: a header of one block, the blocks of all positions, those of pinned move orders, the first key of
//! each block, the headers of the text, and the names of openings. [`super::compiled`] reads it.

use std::{
    collections::HashMap,
    io::{self, Seek, SeekFrom, Write},
};

use super::{
    block::{BLOCK, ROOM, checksum, seal, write_record},
    header::BookHeader,
    index::Occurrences,
    positions::{Lists, Note, Texts},
};

/// How a compiled book begins.
pub(super) const MAGIC: [u8; 8] = *b"sparbook";

/// Raised whenever the same text would be compiled to other bytes or be understood in another way.
pub(super) const VERSION: u32 = 4;

/// The most bytes of names that a compiled book keeps, since all of them stay in memory. Further moves have no name.
const MAX_NAMES: usize = 4 << 20;

/// The state of the text that a compiled book was made from, as far as the file system tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: u64,
    /// When anything about the file was last changed, in nanoseconds since 1970: it tells another file of the same size and
    /// time. Nothing where the file system does not say it.
    pub changed: u64,
}

/// Why a book cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// What it includes may change without its own text changing.
    #[error("a book that includes others cannot be compiled: \"include: {0}\"")]
    Includes(String),
    /// The file cannot be written.
    #[error("the compiled book cannot be written")]
    Io(#[from] io::Error),
}

/// Writes the compiled form of a book: its headers, lines and rows, and its text.
///
/// Section by section is gathered, written and let go of, so that all of a large book is never in memory.
pub(super) fn write_compiled(
    (head, (lines, rows), source): (&BookHeader, (usize, usize), &str),
    origin: Origin,
    occurrences: &Occurrences,
    texts: &Texts<'_>,
    out: &mut (impl Write + Seek),
) -> Result<(), CompileError> {
    if let Some(include) = head.includes.first() {
        return Err(CompileError::Includes(include.name.clone()));
    }
    // The header is written when all is known that it says.
    let begin = out.stream_position()?;
    out.write_all(&[0; BLOCK])?;
    let mut blocks = Blocks::new(source, out);
    for parts in &occurrences.sections {
        blocks.write(&Lists::of_section(parts, &occurrences.remarks, texts))?;
    }
    blocks.close()?;
    let (by_key, positions) = (blocks.count, blocks.positions);
    blocks.write(&Lists::by_path(occurrences, texts))?;
    blocks.close()?;
    let (by_path, names) = (blocks.count - by_key, blocks.names.text);
    let index: Vec<u8> = blocks.first_keys.into_iter().flat_map(u64::to_le_bytes).collect();
    let head = headers(head);

    let tail = checksum(checksum(checksum(0, &index), head.as_bytes()), names.as_bytes());
    let mut header = Vec::with_capacity(BLOCK);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend((head.len() as u32).to_le_bytes());
    for number in [
        origin.bytes,
        origin.modified,
        origin.changed,
        lines as u64,
        rows as u64,
        positions,
        by_key,
        by_path,
        names.len() as u64,
        tail,
    ] {
        header.extend(number.to_le_bytes());
    }
    header.resize(BLOCK - 8, 0);
    let sum = checksum(0, &header);
    header.extend(sum.to_le_bytes());

    out.write_all(&index)?;
    out.write_all(head.as_bytes())?;
    out.write_all(names.as_bytes())?;
    out.seek(SeekFrom::Start(begin))?;
    out.write_all(&header)?;
    out.flush()?;
    Ok(())
}

/// Blocks as they are written. They are numbered through both kinds, so that none passes for another.
struct Blocks<'s, 'o, W> {
    out: &'o mut W,
    names: Names<'s>,
    /// The block under way.
    block: Vec<u8>,
    /// How many records are in it.
    records: usize,
    /// How many blocks are written.
    count: u64,
    /// How many positions were written.
    positions: u64,
    first_keys: Vec<u64>,
}

impl<'s, 'o, W: Write> Blocks<'s, 'o, W> {
    fn new(source: &'s str, out: &'o mut W) -> Self {
        Self {
            out,
            names: Names::new(source),
            block: Vec::with_capacity(BLOCK),
            records: 0,
            count: 0,
            positions: 0,
            first_keys: Vec::new(),
        }
    }

    /// Adds what comes after all that was written, in the order of the keys.
    fn write(&mut self, lists: &Lists) -> io::Result<()> {
        for (key, entries) in lists.iter() {
            self.positions += 1;
            for entry in entries {
                if self.records == 0 {
                    self.first_keys.push(key);
                }
                write_record(&mut self.block, key, entry, self.names.place(entry.note));
                self.records += 1;
                if self.records == ROOM {
                    self.close()?;
                }
            }
        }
        Ok(())
    }

    /// Writes the block under way, if there is anything in it.
    fn close(&mut self) -> io::Result<()> {
        if self.records > 0 {
            seal(&mut self.block, self.count);
            self.out.write_all(&self.block)?;
            self.block.clear();
            self.records = 0;
            self.count += 1;
        }
        Ok(())
    }
}

/// What the headers say of the book as a whole, as a text with nothing else.
fn headers(head: &BookHeader) -> String {
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
struct Names<'s> {
    source: &'s str,
    text: String,
    places: HashMap<&'s str, u32>,
}

impl<'s> Names<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            text: String::new(),
            places: HashMap::new(),
        }
    }

    /// Where a name stands among those that are kept. Nothing of those for which there is no room.
    fn place(&mut self, note: Note) -> Note {
        let Some(name) = note.text(self.source) else {
            return Note::default();
        };
        let len = name.len() as u32;
        if let Some(start) = self.places.get(name) {
            return Note { start: *start, len };
        }
        if name.len() > usize::from(u16::MAX) || self.text.len() + name.len() > MAX_NAMES {
            return Note::default();
        }
        let start = self.text.len() as u32;
        self.places.insert(name, start);
        self.text.push_str(name);
        Note { start, len }
    }
}

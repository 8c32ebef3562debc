//! Imports a Polyglot book as text.

use std::{
    cmp::Reverse,
    collections::{HashSet, VecDeque},
    fmt::{self, Write as _},
};

use sparring_chess::{
    ByColor, Color, Move, Position, Rules as _, Variant, polyglot_key, write_fen, write_san,
};

use super::{PolyglotError, RECORD, decode};
use crate::{MAX_BYTES, MAX_LINES, MAX_WEIGHT};

/// What becomes of moves of weight 0. To Polyglot they are moves that are not chosen, in a text they are never to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZeroWeights {
    /// They are left out, and counted.
    Drop,
    /// They are read as moves that are known and never played.
    Keep,
}

/// What was read from a Polyglot book. Displays as a sentence about what was read, what was not, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// A text that [`parse`](crate::parse) reads.
    pub text: String,
    /// How many entries it holds.
    pub entries: usize,
    /// How many of these give a move that an earlier entry of the same position gives too: their weights are added.
    pub repeated: usize,
    /// The entries that the text does not hold.
    pub left_out: LeftOut,
    /// Whether the entries are in the order of their keys, as the format demands.
    pub is_sorted: bool,
    /// How many bytes stand behind the last whole entry.
    pub cut: usize,
}

/// How many entries were left out, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Of positions that are not reached from the start of a game.
    pub unreached: usize,
    /// Whose move is not legal in their position.
    pub illegal: usize,
    /// Whose move has the weight 0.
    pub zero: usize,
}

impl LeftOut {
    /// All of them.
    #[must_use]
    pub fn total(self) -> usize {
        self.unreached + self.illegal + self.zero
    }
}

impl Imported {
    /// Whether the text holds all of the file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.left_out.total() == 0 && self.cut == 0
    }
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} read", entries(self.entries))?;
        if self.repeated > 0 {
            let repeated = self.repeated;
            write!(
                f,
                ", {repeated} for a move that has one already: weights are added"
            )?;
        }
        let left = self.left_out;
        let reasons = [
            (left.unreached, "not reached from the start position"),
            (left.illegal, "not a legal move"),
            (left.zero, "of weight 0"),
        ];
        let told = reasons.iter().filter(|(count, _)| *count > 0);
        for (index, (count, why)) in told.enumerate() {
            match index {
                0 => write!(f, "; {} left out: ", entries(left.total()))?,
                _ => f.write_str(", ")?,
            }
            write!(f, "{count} {why}")?;
        }
        if !self.is_sorted {
            f.write_str("; they are not sorted by position, so other programs may miss some")?;
        }
        if self.cut > 0 {
            let plural = if self.cut == 1 { " is" } else { "s are" };
            write!(
                f,
                "; the last {} byte{plural} no whole entry: the file may be cut off",
                self.cut
            )?;
        }
        Ok(())
    }
}

fn entries(count: usize) -> String {
    format!("{count} {}", if count == 1 { "entry" } else { "entries" })
}

/// Reads a Polyglot book as [`import_polyglot_with`] does, without moves of weight 0.
///
/// # Errors
/// [`PolyglotError`] for bytes that are no book, or one of other positions.
pub fn import_polyglot(bytes: &[u8]) -> Result<Imported, PolyglotError> {
    import_polyglot_with(bytes, ZeroWeights::Drop)
}

/// Reads a Polyglot book. The format names positions by their keys alone, so what counts is what its moves lead to
/// from the start of a game; each such position becomes a line with a choice of weighted moves.
///
/// Where these moves do not lead to all entries, as in a book of one side, every legal move that leads from a position
/// of the book, or from one right behind it, to another position of the book is tried too. What stands behind such a
/// move counts for the side that did not make it (`color:`), or from that very position on (`from:`).
///
/// # Errors
/// [`PolyglotError`] for bytes that are no book, one of other positions, or one that is too large for a text.
pub fn import_polyglot_with(bytes: &[u8], zeros: ZeroWeights) -> Result<Imported, PolyglotError> {
    if let Some(kind) = foreign(bytes) {
        return Err(PolyglotError::Foreign(kind));
    }
    let (records, is_sorted) = Records::read(bytes);
    let mut search = Search::new(&records, zeros);
    search.run()?;
    let cut = bytes.len() % RECORD;
    let mut left_out = search.left_out;
    left_out.unreached = records.0.len() - search.reached;
    if search.reached == 0 {
        return Err(match cut {
            _ if bytes.is_empty() => PolyglotError::Empty,
            0 => PolyglotError::Unreachable(records.0.len()),
            _ => PolyglotError::Length(bytes.len()),
        });
    }
    Ok(Imported {
        text: search.text.whole(),
        entries: search.entries,
        repeated: search.repeated,
        left_out,
        is_sorted,
        cut,
    })
}

/// What bytes are that cannot be a Polyglot book, where their beginning says so.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const BEGINNING: usize = 4096;
    match bytes {
        [3, b'A', b'B', b'K', ..] => return Some("a book of Arena (.abk)"),
        [0x1f, 0x8b, 8, ..]
        | [0x28, 0xb5, 0x2f, 0xfd, ..]
        | [b'B', b'Z', b'h', ..]
        | [b'P', b'K', 3, 4, ..] => {
            return Some("a compressed file");
        }
        _ => {}
    }
    let begin = &bytes[..bytes.len().min(BEGINNING)];
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    (!begin.is_empty() && begin.iter().all(is_text) && std::str::from_utf8(begin).is_ok()).then_some("a text")
}

/// An entry of the book.
#[derive(Debug, Clone, Copy)]
struct Record {
    key: u64,
    code: u16,
    weight: u16,
}

/// The entries by key; those of one key in the order of the file.
struct Records(Vec<Record>);

impl Records {
    /// Reads all whole entries, and says whether they were sorted.
    fn read(bytes: &[u8]) -> (Self, bool) {
        let records = bytes.as_chunks::<RECORD>().0.iter().map(|record| {
            let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = *record;
            Record {
                key: u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
                code: u16::from_be_bytes([m0, m1]),
                weight: u16::from_be_bytes([w0, w1]),
            }
        });
        let mut records: Vec<Record> = records.collect();
        let is_sorted = records.is_sorted_by_key(|record| record.key);
        if !is_sorted {
            records.sort_by_key(|record| record.key);
        }
        (Self(records), is_sorted)
    }

    fn of(&self, key: u64) -> &[Record] {
        let from = self.0.partition_point(|record| record.key < key);
        let rest = &self.0[from..];
        &rest[..rest.partition_point(|record| record.key == key)]
    }
}

/// A position on the way through the book: one move behind another, or the start of a game.
struct Node {
    before: Option<(u32, Move, Box<str>)>,
    /// Which sides have made a move on the way here that the text does not hold.
    strange: ByColor<bool>,
}

/// The positions of a book that have been found, and what is written of them.
struct Search<'a> {
    records: &'a Records,
    zeros: ZeroWeights,
    nodes: Vec<Node>,
    seen: HashSet<u64>,
    /// Positions of the book that are not written yet.
    open: VecDeque<u32>,
    text: Sections,
    reached: usize,
    entries: usize,
    repeated: usize,
    left_out: LeftOut,
}

impl<'a> Search<'a> {
    fn new(records: &'a Records, zeros: ZeroWeights) -> Self {
        Self {
            records,
            zeros,
            nodes: vec![Node {
                before: None,
                strange: ByColor::default(),
            }],
            seen: HashSet::from([polyglot_key(&Variant::Standard.start())]),
            open: VecDeque::from([0]),
            text: Sections::default(),
            reached: 0,
            entries: 0,
            repeated: 0,
            left_out: LeftOut::default(),
        }
    }

    /// Follows the moves of the book, and then, as long as entries are missing, all legal ones. Each position is asked once.
    fn run(&mut self) -> Result<(), PolyglotError> {
        self.follow_book()?;
        let mut next = 0;
        while next < self.nodes.len() && self.reached < self.records.0.len() {
            self.follow_all(next as u32);
            self.follow_book()?;
            next += 1;
        }
        Ok(())
    }

    fn follow_book(&mut self) -> Result<(), PolyglotError> {
        while let Some(index) = self.open.pop_front() {
            self.read_position(index);
            if self.text.is_too_large() {
                return Err(PolyglotError::TooLarge);
            }
        }
        Ok(())
    }

    /// Writes what the book has for a position, and notes where its moves lead.
    fn read_position(&mut self, index: u32) {
        let pos = self.position(index);
        let records = self.records.of(polyglot_key(&pos));
        self.reached += records.len();
        let legal = pos.legal_moves();
        // Each move with its weight and the number of its entries.
        let mut moves: Vec<(Move, u32, usize)> = Vec::new();
        for record in records {
            let Some(mv) = decode(&legal, record.code) else {
                self.left_out.illegal += 1;
                continue;
            };
            match moves.iter_mut().find(|(other, ..)| *other == mv) {
                Some((_, weight, count)) => {
                    *weight = (*weight + u32::from(record.weight)).min(MAX_WEIGHT);
                    *count += 1;
                }
                None => moves.push((mv, record.weight.into(), 1)),
            }
        }
        moves.sort_by_key(|(_, weight, _)| Reverse(*weight));
        let mut choice: Vec<String> = Vec::new();
        for (mv, weight, count) in moves {
            if weight == 0 && self.zeros == ZeroWeights::Drop {
                self.left_out.zero += count;
                continue;
            }
            self.entries += count;
            self.repeated += count - 1;
            let san = write_san(&pos, mv);
            choice.push(format!("{san} {weight}"));
            let mut after = pos.clone();
            after.play_unchecked(mv);
            let key = polyglot_key(&after);
            if self.seen.insert(key) {
                let is_known = !self.records.of(key).is_empty();
                let strange = self.nodes[index as usize].strange;
                self.add((index, mv, san.into()), strange, is_known);
            }
        }
        if !choice.is_empty() {
            let (path, strange) = (self.path(index), self.nodes[index as usize].strange);
            self.text.add(&pos, &path, strange, &choice.join(" | "));
        }
    }

    /// Notes which positions of the book any legal move leads to from here, and that the text does not say how.
    fn follow_all(&mut self, index: u32) {
        let pos = self.position(index);
        let mut strange = self.nodes[index as usize].strange;
        *strange.get_mut(pos.turn()) = true;
        for mv in pos.legal_moves() {
            let mut after = pos.clone();
            after.play_unchecked(mv);
            let key = polyglot_key(&after);
            if !self.records.of(key).is_empty() && self.seen.insert(key) {
                self.add((index, mv, write_san(&pos, mv).into()), strange, true);
            }
        }
    }

    fn add(&mut self, before: (u32, Move, Box<str>), strange: ByColor<bool>, is_known: bool) {
        // Entries have 16 bytes, so that no file has as many positions.
        let Ok(index) = u32::try_from(self.nodes.len()) else {
            return;
        };
        let before = Some(before);
        self.nodes.push(Node { before, strange });
        if is_known {
            self.open.push_back(index);
        }
    }

    /// The moves that lead to a position, from the start.
    fn way(&self, index: u32) -> Vec<(Move, &str)> {
        let (mut way, mut at) = (Vec::new(), index);
        while let Some((before, mv, san)) = &self.nodes[at as usize].before {
            way.push((*mv, &**san));
            at = *before;
        }
        way.reverse();
        way
    }

    fn position(&self, index: u32) -> Position {
        let mut pos = Variant::Standard.start();
        for (mv, _) in self.way(index) {
            pos.play_unchecked(mv);
        }
        pos
    }

    fn path(&self, index: u32) -> String {
        let mut path = String::new();
        for (ply, (_, san)) in self.way(index).into_iter().enumerate() {
            if ply % 2 == 0 {
                let _ = write!(path, "{}. ", ply / 2 + 1); // A string takes all.
            }
            path = path + san + " ";
        }
        path
    }
}

/// The lines of the text, by the headers they need.
#[derive(Default)]
struct Sections {
    /// Whose every move counts.
    both: String,
    /// Where only one side's moves count.
    one: ByColor<String>,
    /// Those that begin at their own position.
    placed: String,
    /// Whether a line ends with a choice for this side.
    chooses: ByColor<bool>,
    lines: usize,
}

impl Sections {
    fn add(&mut self, pos: &Position, path: &str, strange: ByColor<bool>, choice: &str) {
        let (side, number) = (pos.turn(), pos.fullmoves());
        *self.chooses.get_mut(side) = true;
        self.lines += 1;
        let dots = match side {
            Color::White => format!("{number}. "),
            Color::Black => format!("{number}... "),
        };
        // A string takes all.
        let _ = if *strange.get(side) {
            self.lines += 1;
            writeln!(self.placed, "from: {}\n{dots}{choice}", write_fen(pos))
        } else {
            let section = if *strange.get(side.other()) {
                self.one.get_mut(side)
            } else {
                &mut self.both
            };
            let dots = if side == Color::White { &*dots } else { "" };
            writeln!(section, "{path}{dots}{choice}")
        };
    }

    fn is_too_large(&self) -> bool {
        let bytes = self.both.len() + self.one.white.len() + self.one.black.len() + self.placed.len();
        // Headers come on top.
        self.lines + 8 > MAX_LINES || bytes + 1024 > MAX_BYTES
    }

    fn whole(self) -> String {
        let mut text = self.both;
        let mut color = None;
        for (side, name) in [(Color::White, "white"), (Color::Black, "black")] {
            let lines = self.one.get(side);
            if lines.is_empty() {
                continue;
            }
            // In a book of one side the head stands above the first line too.
            if *self.chooses.get(side.other()) {
                let _ = write!(text, "color: {name}\n{lines}");
            } else {
                text = format!("color: {name}\n{text}{lines}");
            }
            color = Some(side);
        }
        if color.is_some() && !self.placed.is_empty() {
            text.push_str("color: both\n");
        }
        text + &self.placed
    }
}

#[cfg(test)]
mod tests;

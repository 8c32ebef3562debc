//! Positions by hash: which moves a book knows in each, and what they weigh.

use std::collections::HashMap;

use crate::chess::Move;

use super::mark::{BASE_WEIGHT, Worth};

/// A move at one place of a text.
#[derive(Debug, Clone)]
pub(super) struct Occurrence {
    /// The hash of the position it is played in.
    pub key: u64,
    /// The move.
    pub mv: Move,
    /// What this line says of it.
    pub worth: Worth,
    /// The moves that lead to it, as [`path`]; only where it is pinned to them.
    pub path: Option<u64>,
    /// Which of the book's files it stands in; 0 is its own.
    pub file: u16,
    /// The number of the line, from 1.
    pub line: u32,
    /// The line's comment, as bytes of the text; empty if there is none.
    pub note: Note,
}

/// Bytes of the text that tell what an opening is called; empty for nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// The first byte.
    pub start: u32,
    /// How many bytes.
    pub len: u32,
}

/// What a book says of a move in a position, all lines taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The move, legal in the position that its key was made of.
    pub mv: Move,
    /// How many lines play it.
    pub lines: u32,
    /// What the marks of these lines add up to.
    pub marks: i64,
    /// The number some line gives it; the last one counts.
    pub number: Option<u32>,
    /// Whether a line forbids it by `xx`.
    pub never: bool,
    /// Whether it stands in a choice with `|`.
    pub chosen: bool,
    /// Whether the choices of its position leave it out: it is known, for the case that the other side plays
    /// it, but not played.
    pub left_out: bool,
    /// The line to look at, from 1: the one with the number that counts, else the first.
    pub line: u32,
    /// Which of the book's files that line is in; 0 is its own.
    pub(super) file: u16,
    pub(super) note: Note,
}

/// A name for a way through positions, by their keys from the start of the game on.
pub(super) fn path(keys: impl IntoIterator<Item = u64>) -> u64 {
    keys.into_iter().fold(0, |path: u64, key| {
        // An odd multiplier and a turn make the order count.
        (path ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}

impl Entry {
    fn new(first: &Occurrence) -> Self {
        Self {
            mv: first.mv,
            lines: 1,
            marks: i64::from(first.worth.marks),
            number: first.worth.number,
            never: first.worth.never,
            chosen: first.worth.chosen,
            left_out: false,
            line: first.line,
            file: first.file,
            note: first.note,
        }
    }

    fn merge(&mut self, other: &Occurrence, source: &str) {
        self.lines += 1;
        self.marks += i64::from(other.worth.marks);
        self.never |= other.worth.never;
        self.chosen |= other.worth.chosen;
        if other.worth.number.is_some() {
            self.number = other.worth.number;
            self.line = other.line;
            self.file = other.file;
        }
        self.note = self.note.common(other.note, source);
    }

    /// The number if there is one, else [`BASE_WEIGHT`] a line; the marks are added to either.
    #[must_use]
    pub fn weight(&self) -> i64 {
        let weight = self.number.map_or(BASE_WEIGHT * i64::from(self.lines), i64::from);
        weight + self.marks
    }

    /// Whether the book is against it: forbidden by `xx`, or with a weight of 0 or less.
    #[must_use]
    pub fn is_unwanted(&self) -> bool {
        self.never || self.weight() <= 0
    }

    /// The weight as it counts when a move is drawn: 0 for what is never played.
    #[must_use]
    pub fn share(&self) -> u64 {
        if self.is_unwanted() || self.left_out {
            return 0;
        }
        self.weight().unsigned_abs()
    }
}

impl Note {
    /// Its text, if there is any.
    pub fn text(self, source: &str) -> Option<&str> {
        let start = self.start as usize;
        source
            .get(start..start + self.len as usize)
            .filter(|text| !text.is_empty())
    }

    /// What two names have in common: `Ruy Lopez` of `Ruy Lopez, Berlin` and `Ruy Lopez, Open`.
    ///
    /// The first moves of a book are shared by many lines, so the name of one of them would mislead.
    fn common(self, other: Self, source: &str) -> Self {
        if self == other {
            return self;
        }
        let (Some(mine), Some(theirs)) = (self.text(source), other.text(source)) else {
            return Self::default();
        };
        let alike = mine
            .split_inclusive(PARTS)
            .zip(theirs.split_inclusive(PARTS))
            .take_while(|(one, other)| bare(one) == bare(other));
        let len: usize = alike.map(|(one, _)| one.len()).sum();
        Self {
            start: self.start,
            len: bare(&mine[..len]).len() as u32,
        }
    }
}

/// What divides the name of an opening into parts, from the family to the line.
const PARTS: [char; 2] = [',', ':'];

fn bare(part: &str) -> &str {
    part.trim_end_matches(|c: char| c.is_whitespace() || PARTS.contains(&c))
}

/// All positions of a book, and the exceptions by the way that led to them.
#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    by_key: Lists,
    /// By [`path`], for the few positions where some line is pinned to its own order of moves; each list says all
    /// that counts there.
    by_path: Lists,
}

impl Positions {
    /// Gathers the moves of all lines by position.
    pub fn gather(occurrences: &[Occurrence], source: &str) -> Self {
        let mut pinned: HashMap<u64, Vec<u64>> = HashMap::new();
        for occurrence in occurrences {
            if let Some(path) = occurrence.path {
                pinned.entry(occurrence.key).or_default().push(path);
            }
        }
        // The index makes the order of the text the order within a position.
        let numbered = || occurrences.iter().zip(0..);
        let everywhere = numbered().filter(|(occurrence, _)| occurrence.path.is_none());
        let by_key = everywhere
            .map(|(occurrence, index)| (occurrence.key, index))
            .collect();
        let mut by_path = Vec::new();
        if !pinned.is_empty() {
            for paths in pinned.values_mut() {
                paths.sort_unstable();
                paths.dedup();
            }
            for (occurrence, index) in numbered() {
                let paths = pinned.get(&occurrence.key).into_iter().flatten();
                let counts = paths.filter(|path| occurrence.path.is_none_or(|own| own == **path));
                by_path.extend(counts.map(|path| (*path, index)));
            }
        }
        Self {
            by_key: Lists::gather(by_key, occurrences, source),
            by_path: Lists::gather(by_path, occurrences, source),
        }
    }

    /// The moves known in a position, however it came about; empty if it is not known.
    pub fn at(&self, key: u64) -> &[Entry] {
        self.by_key.at(key)
    }

    /// The moves known in the last of the positions that a game went through, by their keys.
    pub fn along(&self, keys: &[u64]) -> &[Entry] {
        if !self.by_path.keys.is_empty() {
            let found = self.by_path.at(path(keys.iter().copied()));
            if !found.is_empty() {
                return found;
            }
        }
        keys.last().map_or(&[], |key| self.at(*key))
    }

    /// How many positions are known.
    pub fn len(&self) -> usize {
        self.by_key.keys.len()
    }

    /// All positions.
    pub fn by_key(&self) -> &Lists {
        &self.by_key
    }

    /// The exceptions by [`path`].
    pub fn by_path(&self) -> &Lists {
        &self.by_path
    }
}

/// Lists of moves under keys, sorted by key, each list in the order of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    keys: Vec<u64>,
    /// Where the moves under each key begin; one more than there are keys.
    begins: Vec<u32>,
    entries: Vec<Entry>,
}

impl Lists {
    /// Gathers occurrences, named by their index, under keys.
    fn gather(mut order: Vec<(u64, u32)>, occurrences: &[Occurrence], source: &str) -> Self {
        order.sort_unstable();
        let mut lists = Self::default();
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            let begin = lists.entries.len();
            let [(key, _), ..] = same else { continue };
            lists.keys.push(*key);
            lists.begins.push(begin as u32);
            for occurrence in same
                .iter()
                .filter_map(|(_, index)| occurrences.get(*index as usize))
            {
                let known = lists.entries[begin..]
                    .iter_mut()
                    .find(|entry| entry.mv == occurrence.mv);
                match known {
                    Some(entry) => entry.merge(occurrence, source),
                    None => lists.entries.push(Entry::new(occurrence)),
                }
            }
            let moves = &mut lists.entries[begin..];
            let decided = moves.iter().any(|entry| entry.chosen && !entry.is_unwanted());
            for entry in moves {
                entry.left_out = decided && !entry.chosen;
            }
        }
        lists.begins.push(lists.entries.len() as u32);
        lists
    }

    /// How many moves there are under all keys.
    pub fn moves(&self) -> usize {
        self.entries.len()
    }

    /// All keys in order, each with its moves.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[Entry])> {
        let ranges = self.begins.windows(2).map(|pair| match pair {
            [begin, end] => self
                .entries
                .get(*begin as usize..*end as usize)
                .unwrap_or_default(),
            _ => &[],
        });
        self.keys.iter().copied().zip(ranges)
    }

    fn at(&self, key: u64) -> &[Entry] {
        let Ok(index) = self.keys.binary_search(&key) else {
            return &[];
        };
        match self.begins.get(index..index + 2) {
            Some([begin, end]) => self
                .entries
                .get(*begin as usize..*end as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(one: &str, other: &str) -> Option<String> {
        let source = format!("{one}{other}");
        let one = Note {
            start: 0,
            len: one.len() as u32,
        };
        let other = Note {
            start: one.len,
            len: other.len() as u32,
        };
        one.common(other, &source).text(&source).map(str::to_owned)
    }

    #[test]
    fn names_of_openings_share_their_first_parts() {
        assert_eq!(
            common("Ruy Lopez, Berlin", "Ruy Lopez, Open"),
            Some("Ruy Lopez".into())
        );
        assert_eq!(common("Ruy Lopez, Berlin", "Ruy Lopez"), Some("Ruy Lopez".into()));
        assert_eq!(
            common("Ruy Lopez: Open: A", "Ruy Lopez: Open, B"),
            Some("Ruy Lopez: Open".into())
        );
        assert_eq!(common("Ruy Lopez", "Ruy Lopes"), None);
        assert_eq!(common("Ruy Lopez", ""), None);
    }
}

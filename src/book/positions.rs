//! Positions by hash: which moves a book knows in each, and what they weigh.

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
    pub(super) note: Note,
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

/// All positions of a book, sorted by key, each with its moves in the order of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    keys: Vec<u64>,
    /// Where the moves of each position begin; one more than there are keys.
    begins: Vec<u32>,
    entries: Vec<Entry>,
}

impl Positions {
    /// Gathers the moves of all lines by position.
    pub fn gather(occurrences: &[Occurrence], source: &str) -> Self {
        // The index makes the order of the text the order within a position.
        let keys = occurrences.iter().map(|occurrence| occurrence.key);
        let mut order: Vec<(u64, u32)> = keys.zip(0..).collect();
        order.sort_unstable();
        let mut positions = Self::default();
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            let begin = positions.entries.len();
            let [(key, _), ..] = same else { continue };
            positions.keys.push(*key);
            positions.begins.push(begin as u32);
            for occurrence in same
                .iter()
                .filter_map(|(_, index)| occurrences.get(*index as usize))
            {
                let known = positions.entries[begin..]
                    .iter_mut()
                    .find(|entry| entry.mv == occurrence.mv);
                match known {
                    Some(entry) => entry.merge(occurrence, source),
                    None => positions.entries.push(Entry::new(occurrence)),
                }
            }
            let moves = &mut positions.entries[begin..];
            let decided = moves.iter().any(|entry| entry.chosen && !entry.is_unwanted());
            for entry in moves {
                entry.left_out = decided && !entry.chosen;
            }
        }
        positions.begins.push(positions.entries.len() as u32);
        positions
    }

    /// The moves known in a position; empty if it is not known.
    pub fn at(&self, key: u64) -> &[Entry] {
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

    /// How many positions are known.
    pub fn len(&self) -> usize {
        self.keys.len()
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

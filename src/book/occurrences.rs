//! What rows say of moves, kept while texts are read: small records, divided by the keys of their positions so that what
//! belongs together is soon found together.

use std::num::NonZeroU32;

use crate::chess::{Color, Move};

use super::{
    mark::Worth,
    positions::{Note, path},
    walk::Row,
};

/// In so many sections the keys are divided, by their first bits: each is sorted by itself, on any thread.
pub(super) const SECTIONS: usize = 64;

/// The section that a key belongs to. Sections are in the order of the keys.
pub(super) fn section_of(key: u64) -> usize {
    (key >> (u64::BITS - SECTIONS.ilog2())) as usize
}

/// A move at one place of a text. A large book has millions, so it is as small as it can be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occurrence {
    /// The hash of the position it is played in.
    pub key: u64,
    /// Its line, counted through all texts that are read together.
    pub line: u32,
    /// What the marks add or take away.
    pub marks: i32,
    /// One more than the weight that is written there.
    number: Option<NonZeroU32>,
    /// The order of moves that it is pinned to: one more than the place in [`Occurrences::paths`].
    pin: Option<NonZeroU32>,
    /// The move.
    pub mv: Move,
    /// `xx`.
    pub never: bool,
    /// Part of a choice with `|`.
    pub chosen: bool,
}

const _: () = assert!(size_of::<Occurrence>() == 32);

impl Occurrence {
    fn new(key: u64, mv: Move, worth: Worth, line: u32) -> Self {
        Self {
            key,
            line,
            marks: worth.marks,
            // Numbers end long before this would.
            number: worth.number.and_then(|number| NonZeroU32::new(number + 1)),
            pin: None,
            mv,
            never: worth.never,
            chosen: worth.chosen,
        }
    }

    /// The weight that is written there.
    pub fn number(&self) -> Option<u32> {
        self.number.map(|more| more.get() - 1)
    }

    /// The same under the name of an order of moves instead of its position.
    pub fn along(&self, path: u64) -> Self {
        Self {
            key: path,
            pin: None,
            ..*self
        }
    }

    /// Whether it counts in its own order of moves only.
    pub fn is_pinned(&self) -> bool {
        self.pin.is_some()
    }
}

/// Where a text stands among those that are read together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// How many lines have the texts before it.
    pub lines: u32,
    /// How many bytes have the texts before it.
    pub bytes: usize,
}

/// What is kept of a row as a whole, to see which rows are alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowMark {
    /// The same for rows with the same moves for the same side.
    pub wording: u64,
    /// Its line, as in [`Occurrence`].
    pub line: u32,
    /// Whether no move of it counts.
    pub is_idle: bool,
}

/// What the rows of a text, or of a part of one, say.
#[derive(Debug, Clone)]
pub(super) struct Occurrences {
    /// By [`section_of`] their keys; in each the parts, and in each part the moves, in the order of the text.
    pub sections: Vec<Vec<Vec<Occurrence>>>,
    /// The orders of moves that some are pinned to, as [`path`].
    paths: Vec<u64>,
    /// Lines with a comment.
    pub notes: Vec<(u32, Note)>,
    /// All rows, in order.
    pub rows: Vec<RowMark>,
    /// Whether some row counts for one side only.
    pub is_sided: bool,
}

impl Default for Occurrences {
    fn default() -> Self {
        Self::with_room(0)
    }
}

impl Occurrences {
    /// None yet, and room for so many.
    pub fn with_room(count: usize) -> Self {
        let section = || vec![Vec::with_capacity(count.div_ceil(SECTIONS))];
        Self {
            sections: std::iter::repeat_with(section).take(SECTIONS).collect(),
            paths: Vec::new(),
            notes: Vec::new(),
            rows: Vec::new(),
            is_sided: false,
        }
    }
}

impl Occurrences {
    /// Adds what a row says of the positions that it passes.
    pub fn add(&mut self, row: &Row<'_, '_>, place: Place) {
        let line = place.lines.saturating_add(row.line.number as u32);
        if let Some((span, text)) = row.line.comment() {
            let note = Note {
                start: (place.bytes + span.start) as u32,
                len: text.len() as u32,
            };
            self.notes.push((line, note));
        }
        let mut is_idle = true;
        for played in row.counting() {
            is_idle = false;
            let mut occurrence = Occurrence::new(played.key, played.mv, played.worth, line);
            if played.worth.pinned {
                self.paths
                    .push(path((0..=played.depth).map(|depth| row.trail.key(depth))));
                occurrence.pin = NonZeroU32::new(self.paths.len() as u32);
            }
            let parts = self.sections.get_mut(section_of(played.key));
            if let Some(last) = parts.and_then(|parts| parts.last_mut()) {
                last.push(occurrence);
            }
        }
        self.is_sided |= row.color.is_some();
        self.rows.push(RowMark {
            wording: wording(row),
            line,
            is_idle,
        });
    }

    /// These, and after them others.
    pub fn followed_by(mut self, next: Self) -> Self {
        let before = self.paths.len() as u32;
        for (own, theirs) in self.sections.iter_mut().zip(next.sections) {
            for mut part in theirs {
                if before > 0 && !next.paths.is_empty() {
                    for occurrence in &mut part {
                        occurrence.pin = occurrence.pin.and_then(|pin| pin.checked_add(before));
                    }
                }
                own.push(part);
            }
        }
        self.paths.extend(next.paths);
        self.notes.extend(next.notes);
        self.rows.extend(next.rows);
        self.is_sided |= next.is_sided;
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sections.iter().flatten().map(Vec::len).sum()
    }

    /// The order of moves that one is pinned to, as [`path`].
    pub fn path_of(&self, occurrence: &Occurrence) -> Option<u64> {
        let index = occurrence.pin?.get() as usize - 1;
        self.paths.get(index).copied()
    }

    /// Whether any is pinned.
    pub fn has_pins(&self) -> bool {
        !self.paths.is_empty()
    }
}

/// Lays one section out in `sorted` by key, under each key in the order of the text.
pub(super) fn sort_section(parts: &[Vec<Occurrence>], sorted: &mut Vec<Occurrence>) {
    sorted.clear();
    for part in parts {
        sorted.extend_from_slice(part);
    }
    sorted.sort_by_key(|occurrence| occurrence.key);
}

/// A number that rows share which have the same moves, however written, and count for the same side.
fn wording(row: &Row<'_, '_>) -> u64 {
    let side = match row.color {
        None => 0,
        Some(Color::White) => 1,
        Some(Color::Black) => 2,
    };
    let moves = row.played.iter().map(|played| {
        let mv = played.mv;
        let from = mv.from().map_or(64, u64::from);
        let promotion = mv.promotion().map_or(0, u64::from);
        played.key ^ (promotion << 24 | u64::from(mv.role()) << 16 | from << 8 | u64::from(mv.to()))
    });
    path(moves.chain([side]))
}

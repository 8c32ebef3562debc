//! Occurrences of moves, collected during parsing: small records partitioned by Zobrist key for parallel sorting.

use sparring_chess::{Color, Move};

use super::{
    annotation::Annotation,
    book_line::ReplayedMove,
    move16::{pack, unpack},
    name_span::NameSpan,
    syntax::BookText,
    walk::{Row, Walk, walk_parts},
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
    /// Its line, counted through all texts that are read together; where something is said of the move, the place of
    /// that in [`Occurrences::annotations`].
    place: u32,
    /// The move, packed, and above it [`ANNOTATED`].
    bits: u32,
}

const _: () = assert!(size_of::<Occurrence>() == 16);

/// Set where something is said of a move. Packed moves are smaller.
const ANNOTATED: u32 = 1 << 31;

/// What a text says of a move at one place; of most it says nothing but that it is played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PlacedAnnotation {
    /// Its line, counted through all texts that are read together.
    pub line: u32,
    /// What the marks add or take away.
    pub marks: i32,
    /// The weight that is written there.
    pub number: Option<u32>,
    /// `xx`.
    pub never: bool,
    /// Part of a choice with `|`.
    pub chosen: bool,
    /// How many half moves of a game stand before the block of its row.
    pub start_ply: u8,
    /// The order of moves that it is pinned to, as [`path`].
    pub pin: Option<u64>,
}

impl PlacedAnnotation {
    fn new(annotation: Annotation, line: u32, start_ply: u8, pin: Option<u64>) -> Self {
        Self {
            line,
            marks: annotation.marks,
            number: annotation.number,
            never: annotation.never,
            chosen: annotation.chosen,
            start_ply,
            pin,
        }
    }
}

impl Occurrence {
    /// The move; always there, as it was packed from one.
    pub fn mv(&self) -> Option<Move> {
        unpack(self.bits & !ANNOTATED)
    }

    /// What is said of it.
    pub fn annotation(&self, annotations: &[PlacedAnnotation]) -> PlacedAnnotation {
        if self.bits & ANNOTATED == 0 {
            return PlacedAnnotation {
                line: self.place,
                ..PlacedAnnotation::default()
            };
        }
        annotations.get(self.place as usize).copied().unwrap_or_default()
    }

    /// The same under the name of an order of moves instead of its position.
    pub fn along(&self, path: u64) -> Self {
        Self { key: path, ..*self }
    }

    /// Whether anything is said of it.
    pub fn is_annotated(&self) -> bool {
        self.bits & ANNOTATED != 0
    }
}

/// A name for a way through positions, by their keys from the start of the game on.
pub(super) fn path(keys: impl IntoIterator<Item = u64>) -> u64 {
    keys.into_iter().fold(0, |path: u64, key| {
        // An odd multiplier and a turn make the order count.
        (path ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}

/// Where a text stands among those that are read together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceLocation {
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
    /// What is said of some of the moves.
    pub annotations: Vec<PlacedAnnotation>,
    has_pins: bool,
    /// Lines with a comment.
    pub notes: Vec<(u32, NameSpan)>,
    /// All rows, in order.
    pub rows: Vec<RowMark>,
    /// Whether some row counts for one side only.
    pub is_sided: bool,
}

impl Default for Occurrences {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl Occurrences {
    /// None yet, and room for so many.
    pub fn with_capacity(count: usize) -> Self {
        let section = || vec![Vec::with_capacity(count.div_ceil(SECTIONS))];
        Self {
            sections: std::iter::repeat_with(section).take(SECTIONS).collect(),
            annotations: Vec::new(),
            has_pins: false,
            notes: Vec::new(),
            rows: Vec::new(),
            is_sided: false,
        }
    }
}

impl Occurrences {
    /// Adds what a row says of the positions that it passes.
    pub fn add(&mut self, row: &Row<'_, '_>, place: SourceLocation) {
        let line = place.lines.saturating_add(row.line.number as u32);
        if let Some((span, text)) = row.line.comment() {
            let note = NameSpan {
                start: (place.bytes + span.start) as u32,
                len: text.len() as u32,
            };
            self.notes.push((line, note));
        }
        let mut is_idle = true;
        for played in row.counting() {
            is_idle = false;
            let mut occurrence = Occurrence {
                key: played.key,
                place: line,
                bits: pack(played.mv),
            };
            if played.annotation != Annotation::default() || row.prefix.start_ply() > 0 {
                occurrence.place = self.annotation(row, played, line);
                occurrence.bits |= ANNOTATED;
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

    fn annotation(&mut self, row: &Row<'_, '_>, played: &ReplayedMove, line: u32) -> u32 {
        let way = || path((0..=played.depth).map(|depth| row.prefix.key(depth)));
        let pin = played.annotation.pinned.then(way);
        self.has_pins |= pin.is_some();
        let annotation = PlacedAnnotation::new(played.annotation, line, row.prefix.start_ply(), pin);
        self.annotations.push(annotation);
        self.annotations.len() as u32 - 1
    }

    /// These, and after them others.
    pub fn followed_by(mut self, next: Self) -> Self {
        let before = self.annotations.len() as u32;
        for (own, theirs) in self.sections.iter_mut().zip(next.sections) {
            for mut part in theirs {
                if before > 0 && !next.annotations.is_empty() {
                    for occurrence in part.iter_mut().filter(|occurrence| occurrence.is_annotated()) {
                        occurrence.place += before;
                    }
                }
                own.push(part);
            }
        }
        self.annotations.extend(next.annotations);
        self.has_pins |= next.has_pins;
        self.notes.extend(next.notes);
        self.rows.extend(next.rows);
        self.is_sided |= next.is_sided;
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sections.iter().flatten().map(Vec::len).sum()
    }

    /// Whether any is pinned.
    pub fn has_pins(&self) -> bool {
        self.has_pins
    }
}

/// Collects the occurrences of moves in a text, on several threads if it is long.
pub(super) fn collect(text: &BookText, place: SourceLocation) -> (Walk, Occurrences) {
    // A move with its space is seldom shorter than 3 bytes.
    let accumulator = |bytes| Occurrences::with_capacity(bytes / 3);
    let visit = |row: &Row<'_, '_>, occurrences: &mut Occurrences| occurrences.add(row, place);
    let (walked, parts) = walk_parts(text, accumulator, visit);
    let joined = parts.into_iter().reduce(Occurrences::followed_by);
    (walked, joined.unwrap_or_default())
}

/// So few are sorted as they are.
const WORTH_BUCKETS: usize = 512;

/// Lays one section out in `sorted` by key, under each key in the order of the text.
pub(super) fn sort_section(parts: &[Vec<Occurrence>], sorted: &mut Vec<Occurrence>) {
    let count: usize = parts.iter().map(Vec::len).sum();
    sorted.clear();
    if count < WORTH_BUCKETS {
        sorted.extend(parts.iter().flatten());
        return sorted.sort_by_key(|occurrence| occurrence.key);
    }
    // Keys are random numbers, so their next bits divide them into small buckets of about the same size.
    let bits = (count / 4).ilog2();
    let bucket_of =
        |occurrence: &Occurrence| (occurrence.key << SECTIONS.ilog2() >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0_usize; 1 << bits];
    for occurrence in parts.iter().flatten() {
        ends[bucket_of(occurrence)] += 1;
    }
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    let nothing = Occurrence {
        key: 0,
        place: 0,
        bits: 0,
    };
    sorted.resize(count, nothing);
    for occurrence in parts.iter().flatten() {
        let end = &mut ends[bucket_of(occurrence)];
        sorted[*end] = *occurrence;
        *end += 1;
    }
    let mut begin = 0;
    for end in ends {
        sorted[begin..end].sort_by_key(|occurrence| occurrence.key);
        begin = end;
    }
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

//! Positions by Zobrist key: the moves a book knows in each, and their weights.

use std::{collections::HashMap, thread};

use sparring_chess::Move;

use super::{
    annotation::BASE_WEIGHT,
    index::{Occurrence, Occurrences, PlacedAnnotation, SECTIONS, path, section_of, sort_section},
    name_span::NameSpan,
    walk::threads,
};

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
    /// How many half moves of a game stand before the latest of its `from:` blocks, at most 255; 0 for lines from the
    /// start.
    pub start_ply: u8,
    /// The line to look at, from 1: the one with the number that counts, else the first.
    pub line: u32,
    /// Which of the book's files that line is in; 0 is its own.
    pub(super) file: u16,
    pub(super) note: NameSpan,
}

impl Entry {
    fn new(mv: Move, first: &PlacedAnnotation, texts: &Texts<'_>) -> Self {
        let (file, line) = texts.place(first.line);
        Self {
            mv,
            lines: 1,
            marks: i64::from(first.marks),
            number: first.number,
            never: first.never,
            chosen: first.chosen,
            left_out: false,
            start_ply: first.start_ply,
            line,
            file,
            note: texts.note(first.line),
        }
    }

    fn merge(&mut self, other: &PlacedAnnotation, texts: &Texts<'_>) {
        self.lines += 1;
        self.marks += i64::from(other.marks);
        self.never |= other.never;
        self.chosen |= other.chosen;
        self.start_ply = self.start_ply.max(other.start_ply);
        if let Some(number) = other.number {
            self.number = Some(number);
            (self.file, self.line) = texts.place(other.line);
        }
        // Nothing has nothing in common with any name.
        if self.note != NameSpan::default() {
            self.note = self.note.common(texts.note(other.line), texts.source);
        }
    }

    /// What it weighs without its marks: the number if there is one, else [`BASE_WEIGHT`] a line.
    pub(super) fn base(&self) -> i64 {
        self.number.map_or(BASE_WEIGHT * i64::from(self.lines), i64::from)
    }

    /// The number if there is one, else [`BASE_WEIGHT`] a line; the marks are added to either. No mark lifts a number of 0.
    #[must_use]
    pub fn weight(&self) -> i64 {
        let weight = self.base() + self.marks;
        // 0 means never, however much lines praise the move.
        if self.number == Some(0) {
            weight.min(0)
        } else {
            weight
        }
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

/// The texts that are read together, as places in them are counted.
#[derive(Debug)]
pub(super) struct Texts<'s> {
    /// How many lines stand before each text; the first is the book's own.
    lines_before: Vec<u32>,
    /// The comment of each line, from 1 on; none of any if there is no comment at all.
    notes: Vec<NameSpan>,
    source: &'s str,
}

impl<'s> Texts<'s> {
    /// Texts with so many lines before each, the first 0. Notes are bytes of `source`.
    pub fn new(lines_before: Vec<u32>, noted: &[(u32, NameSpan)], source: &'s str) -> Self {
        let last = noted.iter().map(|(line, _)| *line as usize).max();
        let mut notes = vec![NameSpan::default(); last.map_or(0, |last| last + 1)];
        for (line, note) in noted {
            if let Some(at) = notes.get_mut(*line as usize) {
                *at = *note;
            }
        }
        Self {
            lines_before,
            notes,
            source,
        }
    }

    /// Which text a line is in, and which line of it.
    fn place(&self, line: u32) -> (u16, u32) {
        if self.lines_before.len() == 1 {
            return (0, line);
        }
        let text = self
            .lines_before
            .partition_point(|before| *before < line)
            .saturating_sub(1);
        let before = self.lines_before.get(text).copied().unwrap_or(0);
        (u16::try_from(text).unwrap_or(u16::MAX), line - before)
    }

    fn note(&self, line: u32) -> NameSpan {
        self.notes.get(line as usize).copied().unwrap_or_default()
    }
}

/// All positions of a book, and the exceptions by the way that led to them.
#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    /// By [`section_of`] their keys.
    by_key: Vec<Lists>,
    /// By [`path`], for the few positions where some line is pinned to its own order of moves; each list says all
    /// that counts there.
    by_path: Lists,
}

/// So few moves are gathered faster than threads start.
const WORTH_THREADS: usize = 20_000;

impl Positions {
    /// Gathers the moves of all lines by position. `visit` is shown each position, its moves as the text has them and
    /// as they count, and may keep what it finds; the sections of one thread share what is kept.
    pub fn gather<K: Default + Send>(
        occurrences: Occurrences,
        texts: &Texts<'_>,
        visit: impl Fn(&[Occurrence], &[PlacedAnnotation], &[Entry], &mut K) + Sync,
    ) -> (Self, Vec<K>) {
        let by_path = Lists::by_path(&occurrences, texts);
        let threads = if occurrences.len() < WORTH_THREADS {
            1
        } else {
            threads()
        };
        let (mut sections, annotations, visit) = (occurrences.sections, &occurrences.annotations[..], &visit);
        let gather = |sections: &mut [Vec<Vec<Occurrence>>]| {
            let (mut sorted, mut kept) = (Vec::new(), K::default());
            let lists = sections.iter_mut().map(|parts| {
                // Let go of one by one, so that they and the lists are never in memory at the same time.
                sort_section(&std::mem::take(parts), &mut sorted);
                let visit = |said: &[_], counts: &[_]| visit(said, annotations, counts, &mut kept);
                Lists::gather(&sorted, annotations, texts, visit)
            });
            (lists.collect::<Vec<Lists>>(), kept)
        };
        let (lists, kept): (Vec<Vec<Lists>>, Vec<K>) = thread::scope(|scope| {
            let shares = sections.chunks_mut(SECTIONS.div_ceil(threads));
            let started: Vec<_> = shares.map(|share| scope.spawn(|| gather(share))).collect();
            let finished = started.into_iter().map(|share| match share.join() {
                Ok(done) => done,
                // What failed there is this thread's failure too.
                Err(panic) => std::panic::resume_unwind(panic),
            });
            finished.unzip()
        });
        let by_key = lists.into_iter().flatten().collect();
        (Self { by_key, by_path }, kept)
    }

    /// The moves known in a position, however it came about; empty if it is not known.
    pub fn at(&self, key: u64) -> &[Entry] {
        self.by_key
            .get(section_of(key))
            .map_or(&[], |lists| lists.at(key))
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
        self.by_key.iter().map(|lists| lists.keys.len()).sum()
    }
}

/// Lists of moves under keys, sorted by key, each list in the order of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    keys: Vec<u64>,
    /// Where the moves under each key begin; one more than there are keys.
    offsets: Vec<u32>,
    entries: Vec<Entry>,
}

impl Lists {
    /// Gathers what is sorted by key. What is pinned to an order of moves is passed over.
    pub fn gather(
        sorted: &[Occurrence],
        annotations: &[PlacedAnnotation],
        texts: &Texts<'_>,
        mut visit: impl FnMut(&[Occurrence], &[Entry]),
    ) -> Self {
        let new = |pair: &&[Occurrence; 2]| pair[0].key != pair[1].key;
        let room = sorted.array_windows().filter(new).count() + 1;
        let mut lists = Self {
            keys: Vec::with_capacity(room),
            offsets: Vec::with_capacity(room + 1),
            entries: Vec::with_capacity(room),
        };
        for said in sorted.chunk_by(|one, other| one.key == other.key) {
            let begin = lists.entries.len();
            for occurrence in said {
                let annotation = occurrence.annotation(annotations);
                let Some(mv) = occurrence.mv().filter(|_| annotation.pin.is_none()) else {
                    continue;
                };
                let known = lists.entries[begin..].iter_mut().find(|entry| entry.mv == mv);
                match known {
                    Some(entry) => entry.merge(&annotation, texts),
                    None => lists.entries.push(Entry::new(mv, &annotation, texts)),
                }
            }
            let counts = &mut lists.entries[begin..];
            let ([first, ..], false) = (said, counts.is_empty()) else {
                continue;
            };
            lists.keys.push(first.key);
            lists.offsets.push(begin as u32);
            let decided = counts.iter().any(|entry| entry.chosen && !entry.is_unwanted());
            for entry in counts.iter_mut() {
                entry.left_out = decided && !entry.chosen;
            }
            visit(said, counts);
        }
        lists.offsets.push(lists.entries.len() as u32);
        lists.entries.shrink_to_fit();
        lists
    }

    /// The exceptions: under each order of moves that something is pinned to, that and what counts there anyway.
    pub fn by_path(occurrences: &Occurrences, texts: &Texts<'_>) -> Self {
        if !occurrences.has_pins() {
            return Self::default();
        }
        let pin_of = |occurrence: &Occurrence| occurrence.annotation(&occurrences.annotations).pin;
        let all = || occurrences.sections.iter().flatten().flatten();
        let mut paths: HashMap<u64, Vec<u64>> = HashMap::new();
        for occurrence in all() {
            if let Some(path) = pin_of(occurrence) {
                paths.entry(occurrence.key).or_default().push(path);
            }
        }
        for paths in paths.values_mut() {
            paths.sort_unstable();
            paths.dedup();
        }
        let mut along = Vec::new();
        for occurrence in all() {
            let Some(there) = paths.get(&occurrence.key) else {
                continue;
            };
            let own = pin_of(occurrence);
            let counts = there.iter().filter(|path| own.is_none_or(|own| own == **path));
            along.extend(counts.map(|path| occurrence.along(*path)));
        }
        along.sort_by_key(|occurrence| occurrence.key);
        // Under the name of its own order of moves, what was pinned counts like anything else.
        let annotations: Vec<PlacedAnnotation> = occurrences
            .annotations
            .iter()
            .map(|annotation| PlacedAnnotation {
                pin: None,
                ..*annotation
            })
            .collect();
        Self::gather(&along, &annotations, texts, |_, _| {})
    }

    fn at(&self, key: u64) -> &[Entry] {
        let Ok(index) = self.keys.binary_search(&key) else {
            return &[];
        };
        match self.offsets.get(index..index + 2) {
            Some([begin, end]) => self
                .entries
                .get(*begin as usize..*end as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

//! A loaded book: its text, its headers, and its moves by position.

use std::{fmt::Display, sync::Arc};

use sparring_chess::Move;

use super::{
    header::BookHeader,
    index::{Occurrences, SourceLocation, collect},
    learned_weights::{LearnedWeights, WeightFactor},
    positions::{Entry, Positions, Texts},
    syntax::BookText,
};

/// A book of openings: its text, and what it says of each position.
#[derive(Debug, Clone)]
pub struct Book {
    name: Arc<str>,
    path: Arc<str>,
    head: BookHeader,
    text: BookText,
    rows: usize,
    positions: Arc<Positions>,
    /// The paths of all files its lines stand in; its own is the first.
    files: Vec<Arc<str>>,
    /// The factors of its weights that follow from results.
    learned: Arc<LearnedWeights>,
    /// The texts of the books it includes.
    included: Vec<BookText>,
    /// The text that notes are parts of: its own, and after it those of the books it includes.
    notes: Arc<str>,
}

impl Book {
    pub(super) fn new(
        path: &str,
        head: BookHeader,
        text: BookText,
        rows: usize,
        positions: Positions,
    ) -> Self {
        let path: Arc<str> = path.into();
        Self {
            name: stem(&path).into(),
            head,
            rows,
            positions: Arc::new(positions),
            files: vec![path.clone()],
            path,
            learned: Arc::default(),
            included: Vec::new(),
            notes: text.source(),
            text,
        }
    }

    /// The book with the lines of others before its own, as its headers ask for.
    pub(super) fn including(&self, others: &[&Self]) -> Self {
        let (mut files, mut notes) = (vec![self.path.clone()], self.text.as_str().to_owned());
        let (mut lines_before, mut lines) = (vec![0], self.text.len() as u32);
        let (mut occurrences, mut rows) = (Occurrences::default(), 0);
        for other in others {
            let place = SourceLocation {
                lines,
                bytes: notes.len(),
            };
            let (walked, more) = collect(&other.text, place);
            rows += walked.rows;
            occurrences = occurrences.followed_by(more);
            lines_before.push(lines);
            lines = lines.saturating_add(other.text.len() as u32);
            files.push(other.path.clone());
            notes += other.text.as_str();
        }
        let (walked, more) = collect(&self.text, SourceLocation::default());
        rows += walked.rows;
        occurrences = occurrences.followed_by(more);
        let texts = Texts::new(lines_before, &occurrences.notes, &notes);
        let (positions, _) = Positions::gather(occurrences, &texts, |_, _, _, _: &mut ()| {});
        Self {
            rows,
            positions: Arc::new(positions),
            files,
            included: others.iter().map(|other| other.text.clone()).collect(),
            notes: notes.into(),
            ..self.clone()
        }
    }

    /// What personalities call it: the file's name without folder and ending, as in `starter`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's name as it was given, as in `books/starter.book`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What its author calls it: the header `name:`.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.head.title.as_deref()
    }

    /// What its headers say of it as a whole.
    #[must_use]
    pub fn head(&self) -> &BookHeader {
        &self.head
    }

    /// How many lines the text has, comments and refused lines included.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.text.len()
    }

    /// How many lines of moves were read.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many positions have a move.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// The text it was read from.
    #[must_use]
    pub fn text(&self) -> &BookText {
        &self.text
    }

    /// Whether it has the lines of the books that it includes.
    pub(super) fn has_included(&self) -> bool {
        !self.included.is_empty()
    }

    /// The texts that its positions come from: its own, and after it those of the books it includes.
    pub(super) fn texts(&self) -> impl Iterator<Item = &BookText> {
        std::iter::once(&self.text).chain(&self.included)
    }

    /// What it says of a position, by [`chess::key`](sparring_chess::key), in the order of the text; those that are
    /// never played included. Empty if it does not know the position.
    #[must_use]
    pub fn entries(&self, key: u64) -> &[Entry] {
        self.positions.at(key)
    }

    /// What it says of the last of the positions that a game went through, by their keys from the game's start on:
    /// like [`entries`](Self::entries), and moves that are pinned to this very way count as well.
    #[must_use]
    pub fn entries_along(&self, keys: &[u64]) -> &[Entry] {
        self.positions.along(keys)
    }

    /// The same book with weights changed by results.
    #[must_use]
    pub fn with_learned_weights(self, learned: Arc<LearnedWeights>) -> Self {
        Self { learned, ..self }
    }

    /// The factor of a move's weight that follows from results, if it has one.
    #[must_use]
    pub fn learned_weight(&self, key: u64, mv: Move) -> Option<&WeightFactor> {
        self.learned.get(key, mv)
    }

    /// How much a move counts in a position when one is drawn, against the others there: its
    /// [`share`](Entry::share) times its factor.
    #[must_use]
    pub fn share(&self, key: u64, entry: &Entry) -> u64 {
        self.learned.apply(key, entry.mv, entry.share())
    }

    /// The file and line to look at for a move, as in `books/starter.book:41`.
    #[must_use]
    pub fn place(&self, entry: &Entry) -> String {
        self.place_in(usize::from(entry.file), entry.line)
    }

    /// The same for a line of one of its [`texts`](Book::texts), counted from 0.
    pub(super) fn place_in(&self, text: usize, line: impl Display) -> String {
        format!("{}:{line}", self.files.get(text).unwrap_or(&self.path))
    }

    /// Whether a place, as in `books/starter.book:41`, is in one of the files its lines stand in. Files are told apart by
    /// their names alone, since folders are moved.
    #[must_use]
    pub fn holds(&self, at: &str) -> bool {
        let file = at.rsplit_once(':').map_or(at, |(file, _)| file);
        self.files.iter().any(|own| stem(own) == stem(file))
    }

    /// The name that all lines share in which the move is played.
    #[must_use]
    pub fn note(&self, entry: &Entry) -> Option<&str> {
        entry.note.text(&self.notes)
    }
}

/// The text of a book, byte for byte as it was read.
#[must_use]
pub fn write(book: &Book) -> String {
    book.text.write()
}

/// The name of a file without its folder and ending, on any system.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_without_folder_and_ending() {
        for (path, name) in [
            ("books/starter.book", "starter"),
            ("C:\\books\\my.own.book", "my.own"),
            ("starter", "starter"),
            (".book", ".book"),
        ] {
            assert_eq!(stem(path), name);
        }
    }
}

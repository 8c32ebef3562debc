//! The choice of a move: which of several books answers, and by chance in proportion to the weights.

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::chess::{GameLine, Move, Position, Rules as _};

use super::{parse::Book, positions::Entry};

/// The books at hand. It never changes: whoever reads the files again makes a new one and shares that.
#[derive(Debug, Clone, Default)]
pub struct Library {
    books: Vec<Book>,
}

/// A move that a book proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct BookMove {
    /// The move, legal in the position that was asked for.
    pub mv: Move,
    /// Its weight against the others; nothing above 0 if it is never played.
    pub weight: i64,
    /// How likely it is to be chosen, from 0 to 1.
    pub chance: f64,
    /// The file and line to look at, as in `books/starter.book:41`.
    pub at: String,
    /// What the comments of its lines call the opening.
    pub note: Option<String>,
}

impl Library {
    /// A library of these books. Of two with the same name the first is found.
    #[must_use]
    pub fn new(books: Vec<Book>) -> Self {
        Self { books }
    }

    /// No books.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// What the books are called, in the order they were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.books.iter().map(Book::name)
    }

    /// The book of that name.
    #[must_use]
    pub fn book(&self, name: &str) -> Option<&Book> {
        self.books.iter().find(|book| book.name() == name)
    }

    /// A move for the line's last position from the first of the named books that has one to play there.
    ///
    /// The same seed gives the same move in the same position. What a book knows but does not want (`xx`, or
    /// a weight of 0 or less) is not played from the books named after it either. Names of books that are not
    /// there are passed over. Only variants with orthodox rules have books.
    #[must_use]
    pub fn pick(&self, books: &[String], line: &GameLine, seed: u64) -> Option<BookMove> {
        let found = self.find(books, line)?;
        let mut rest = draw(found.total, seed, found.key);
        let chosen = found.playable().find(|entry| {
            let share = entry.share();
            let hit = rest < share;
            rest = rest.saturating_sub(share);
            hit
        })?;
        Some(found.describe(chosen))
    }

    /// All moves of the book that [`pick`](Self::pick) chooses from, with their chances, the likeliest first.
    /// Those that are never played come last with chance 0.
    #[must_use]
    pub fn choices(&self, books: &[String], line: &GameLine) -> Vec<BookMove> {
        let Some(found) = self.find(books, line) else {
            return Vec::new();
        };
        let legal = found.entries.iter().filter(|entry| found.pos.is_legal(entry.mv));
        let mut moves: Vec<BookMove> = legal.map(|entry| found.describe(entry)).collect();
        moves.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        moves
    }

    fn find<'a>(&'a self, books: &'a [String], line: &'a GameLine) -> Option<Found<'a>> {
        if !line.variant().is_orthodox() {
            return None;
        }
        let key = *line.keys().last()?;
        (0..books.len()).find_map(|index| {
            let (earlier, name) = (books.get(..index)?, books.get(index)?);
            let book = self.book(name)?;
            let mut found = Found {
                library: self,
                earlier,
                book,
                key,
                pos: line.position(),
                entries: book.entries(key),
                total: 0,
            };
            found.total = found.playable().map(Entry::share).sum();
            (found.total > 0).then_some(found)
        })
    }
}

/// A book that has a move to play.
struct Found<'a> {
    library: &'a Library,
    /// The books that were asked before, and had nothing to play.
    earlier: &'a [String],
    book: &'a Book,
    key: u64,
    pos: &'a Position,
    entries: &'a [Entry],
    /// The sum of all shares, above 0.
    total: u64,
}

impl Found<'_> {
    /// Legality is looked at again, because two positions may share a hash.
    fn playable(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.share() > 0 && !self.is_vetoed(entry.mv) && self.pos.is_legal(entry.mv))
    }

    /// A book that has nothing to play may still know what not to play.
    fn is_vetoed(&self, mv: Move) -> bool {
        let earlier = self.earlier.iter().filter_map(|name| self.library.book(name));
        earlier
            .flat_map(|book| book.entries(self.key))
            .any(|entry| entry.mv == mv)
    }

    fn describe(&self, entry: &Entry) -> BookMove {
        let share = if self.is_vetoed(entry.mv) {
            0
        } else {
            entry.share()
        };
        BookMove {
            mv: entry.mv,
            weight: entry.weight(),
            chance: share as f64 / self.total as f64,
            at: format!("{}:{}", self.book.path(), entry.line),
            note: self.book.note(entry).map(str::to_owned),
        }
    }
}

/// A number below `total` that follows from seed and position alone, on every machine and in every release.
fn draw(total: u64, seed: u64, key: u64) -> u64 {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&key.to_le_bytes());
    let number = ChaCha8Rng::from_seed(bytes).next_u64();
    // The high half of the product is uniform to within total / 2^64.
    ((u128::from(number) * u128::from(total)) >> 64) as u64
}

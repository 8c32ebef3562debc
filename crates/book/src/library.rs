//! The loaded books by name, each with the lines of the books that it includes.

use super::{book::Book, include::included};

/// The books at hand. It never changes: whoever reads the files again makes a new one and shares that.
#[derive(Debug, Clone, Default)]
pub struct Library {
    books: Vec<Book>,
}

impl Library {
    /// A library of these books. Of two with the same name the first is found. Books get the lines of those that they
    /// include; what cannot be included is left out, and [`missing_includes`](super::missing_includes) tells of it.
    #[must_use]
    pub fn new(books: Vec<Book>) -> Self {
        let linked = books.iter().map(|book| match included(book, &books) {
            // One that has its lines already keeps them, whatever is at hand now.
            others if others.is_empty() || book.has_included() => book.clone(),
            others => book.including(&others),
        });
        Self {
            books: linked.collect(),
        }
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
}

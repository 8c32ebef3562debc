//! The loaded books by name, each with the lines of the books that it includes.

use std::borrow::Cow;

use sparring_chess::Variant;

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

    /// A list of books as a game of a variant is played from it. Where the books of standard chess do not fit and none of
    /// the list is for the variant, the one named as the variant (`atomic`) comes after it. An empty list stays empty.
    #[must_use]
    pub fn books_for<'n>(&self, names: &'n [String], variant: Variant) -> Cow<'n, [String]> {
        let is_for_variant = |name: &String| {
            self.book(name)
                .is_some_and(|book| book.head().fits(variant, None, None))
        };
        if names.is_empty() || variant.traits().standard_books || names.iter().any(is_for_variant) {
            return Cow::Borrowed(names);
        }
        Cow::Owned([names, &[variant.key().to_owned()]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn a_list_without_a_book_for_the_variant_goes_on_with_the_one_named_as_it() {
        let read = |name, text| parse(name, text).0.unwrap();
        let library = Library::new(vec![
            read("main.book", "e4 e5"),
            read("mine.book", "variant: atomic\nNf3 f6"),
            read("atomic.book", "variant: atomic\nNh3 f6"),
        ]);
        let of = |names: &[&str], variant| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            library.books_for(&names, variant).join(" ")
        };
        assert_eq!(of(&["main"], Variant::Atomic), "main atomic");
        assert_eq!(of(&["online:x"], Variant::Horde), "online:x horde");
        assert_eq!(of(&["main", "mine"], Variant::Atomic), "main mine");
        assert_eq!(of(&["main", "mine"], Variant::Antichess), "main mine antichess");
        assert_eq!(of(&[], Variant::Atomic), "");
        assert_eq!(of(&["main"], Variant::Chess960), "main");
    }
}

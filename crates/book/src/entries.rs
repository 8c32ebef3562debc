//! The entries of one position, borrowed from a book in memory or copied out of a compiled one.

use std::{ops::Deref, slice};

use arrayvec::ArrayVec;

use super::positions::Entry;

/// So many moves of a position are copied without asking for memory; hardly a position of any book has more.
const USUAL: usize = 16;

/// The moves a book knows in a position, in the order of its text. Reads like a slice.
#[derive(Debug, Clone)]
pub struct Entries<'b>(Held<'b>);

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack for the length of a look-up, and a box would ask for memory"
)]
enum Held<'b> {
    Lent(&'b [Entry]),
    Few(ArrayVec<Entry, USUAL>),
    Many(Vec<Entry>),
}

impl<'b> Entries<'b> {
    /// Of a book in memory.
    pub(super) fn lent(entries: &'b [Entry]) -> Self {
        Self(Held::Lent(entries))
    }

    /// None yet; [`push`](Self::push) adds what is read from a file.
    pub(super) fn none() -> Self {
        Self(Held::Few(ArrayVec::new_const()))
    }

    pub(super) fn push(&mut self, entry: Entry) {
        match &mut self.0 {
            Held::Few(few) => {
                if let Err(refused) = few.try_push(entry) {
                    let mut many: Vec<Entry> = few.take().into_iter().collect();
                    many.push(refused.element());
                    self.0 = Held::Many(many);
                }
            }
            Held::Many(many) => many.push(entry),
            Held::Lent(lent) => {
                let mut many = lent.to_vec();
                many.push(entry);
                self.0 = Held::Many(many);
            }
        }
    }
}

impl Deref for Entries<'_> {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        match &self.0 {
            Held::Lent(entries) => entries,
            Held::Few(entries) => entries,
            Held::Many(entries) => entries,
        }
    }
}

impl<'a> IntoIterator for &'a Entries<'_> {
    type Item = &'a Entry;
    type IntoIter = slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

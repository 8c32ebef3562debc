//! A parsed book before its moves are indexed by position.

use sparring_diagnostics::{Diagnostic, Diagnostics};

use super::{
    book::Book,
    index::{Occurrence, Occurrences, PlacedAnnotation, SourceLocation, collect},
    positions::{Entry, Positions, Texts},
    syntax::BookText,
    walk::Walk,
};

/// A book that was read, and what is wrong with its lines. Made by [`read`](super::read).
pub struct ParsedBook {
    name: String,
    text: BookText,
    walked: Walk,
    occurrences: Occurrences,
}

impl ParsedBook {
    /// Reads all lines of a text.
    pub(super) fn new(name: &str, text: BookText) -> Self {
        let (walked, occurrences) = collect(&text, SourceLocation::default());
        Self {
            name: name.to_owned(),
            text,
            walked,
            occurrences,
        }
    }

    /// Says one thing in the place of all that is wrong with its lines, where that is most of them and one thing explains it.
    pub(super) fn explained(mut self, explain: impl FnOnce(&str) -> Option<Diagnostic>) -> Self {
        if self.walked.findings.len() > self.walked.rows
            && let Some(finding) = explain(self.text.as_str())
        {
            self.walked.findings = vec![finding];
        }
        self
    }

    /// Whether it has more rows than mistakes.
    pub(super) fn is_mostly_rows(&self) -> bool {
        self.walked.rows > self.walked.findings.len()
    }

    /// What is wrong with its lines.
    #[must_use]
    pub fn findings(&self) -> Diagnostics {
        Diagnostics::new(
            self.name.as_str(),
            self.text.source(),
            self.walked.findings.clone(),
        )
    }

    /// The book in memory, and what is wrong with its lines.
    #[must_use]
    pub fn into_book(self) -> (Book, Diagnostics) {
        let (book, findings, _) = self.gather(|_, _, _, _: &mut ()| {});
        (book, findings)
    }

    pub(super) fn occurrences(&self) -> &Occurrences {
        &self.occurrences
    }

    /// The book in memory, and what `visit` kept of its positions.
    pub(super) fn gather<K: Default + Send>(
        self,
        visit: impl Fn(&[Occurrence], &[PlacedAnnotation], &[Entry], &mut K) + Sync,
    ) -> (Book, Diagnostics, Vec<K>) {
        let source = self.text.source();
        let texts = Texts::new(vec![0], &self.occurrences.notes, &source);
        let (positions, kept) = Positions::gather(self.occurrences, &texts, visit);
        let findings: Vec<Diagnostic> = self.walked.findings;
        let findings = Diagnostics::new(self.name.as_str(), source.clone(), findings);
        let book = Book::new(
            &self.name,
            self.walked.head,
            self.text,
            self.walked.rows,
            positions,
        );
        (book, findings, kept)
    }
}

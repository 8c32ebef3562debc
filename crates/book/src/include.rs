//! Resolves `include:` headers: a book takes over the lines of other books in its folder.

use std::collections::HashSet;

use sparring_diagnostics::{Diagnostic, Diagnostics};

use super::{book::Book, moves::is_near};

/// Texts of so many bytes are never included, since each book that includes one keeps its positions once more: of the
/// order of a million.
const MAX_INCLUDED_BYTES: usize = 4 << 20;

/// The books that one includes, and those that these include, each once and before whoever includes it. What is not
/// there or plays by other rules is left out.
pub(super) fn included<'b>(book: &'b Book, all: &'b [Book]) -> Vec<&'b Book> {
    let mut found = Vec::new();
    // A book that includes itself by a detour is not included again.
    let mut seen = HashSet::from([book.name()]);
    visit(book, all, &mut seen, &mut found);
    found
}

fn visit<'b>(book: &'b Book, all: &'b [Book], seen: &mut HashSet<&'b str>, found: &mut Vec<&'b Book>) {
    for include in &book.head().includes {
        let other = all.iter().find(|other| other.name() == include.name);
        let fits = |other: &&Book| other.head().variant == book.head().variant && !is_large(other);
        let Some(other) = other.filter(fits) else {
            continue;
        };
        if seen.insert(other.name()) {
            visit(other, all, seen, found);
            found.push(other);
        }
    }
}

/// Whether a book is too large to be included.
fn is_large(book: &Book) -> bool {
    book.text().as_str().len() >= MAX_INCLUDED_BYTES
}

/// Tells of includes that come to nothing: books that are not there, of other rules, or that include each other in a
/// circle. Only books with such includes are named.
#[must_use]
pub fn missing_includes(all: &[Book]) -> Vec<Diagnostics> {
    let told = all.iter().map(|book| {
        let findings = book.head().includes.iter().filter_map(|include| {
            let mut help = "its lines are left out, all others of this book count".to_owned();
            let message = match all.iter().find(|other| other.name() == include.name) {
                None => {
                    let mut names = all.iter().map(Book::name).filter(|name| *name != book.name());
                    if let Some(near) = names.find(|name| is_close(&include.name, name)) {
                        help = format!("did you mean {near}?");
                    }
                    format!("there is no book \"{}\" in this folder", include.name)
                }
                Some(other) if other.head().variant != book.head().variant => {
                    format!(
                        "\"{}\" is a book for {}",
                        include.name,
                        other.head().variant.name()
                    )
                }
                Some(other) if is_large(other) => {
                    format!(
                        "\"{}\" is too large to be included: let personalities name it after this book",
                        include.name
                    )
                }
                Some(other) if other.name() == book.name() => {
                    help = "its lines count once; take this line out".to_owned();
                    "a book cannot include itself".to_owned()
                }
                Some(other)
                    if included(other, all)
                        .iter()
                        .any(|inner| inner.name() == book.name()) =>
                {
                    help = "the lines of each count once; take out one of the two headers".to_owned();
                    format!("\"{}\" includes this book in turn", include.name)
                }
                Some(_) => return None,
            };
            Some(Diagnostic::error(include.span.clone(), message).with_help(help))
        });
        Diagnostics::new(book.path(), book.text().source(), findings.collect())
    });
    told.filter(|findings| !findings.list.is_empty()).collect()
}

/// Whether one name is most likely meant by another: a slip apart, or in other letters.
fn is_close(said: &str, name: &str) -> bool {
    let (said, name) = (said.to_lowercase(), name.to_lowercase());
    said == name || is_near(&said, &name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Library, parse};
    use sparring_chess::{GameHistory, Variant};

    fn books(texts: &[(&str, &str)]) -> Vec<Book> {
        texts
            .iter()
            .map(|(name, text)| parse(name, text).0.unwrap())
            .collect()
    }

    #[test]
    fn the_lines_of_an_included_book_count_with_their_own_place() {
        let library = Library::new(books(&[
            ("mine.book", "include: base\n1. e4 c5  # Sicilian\n"),
            ("base.book", "1. e4 e5  # Open\n1. e4 c5\n"),
        ]));
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
        let choices = library.choices(&["mine".to_owned()], &line);
        let shown: Vec<(String, i64, Option<String>)> = choices
            .into_iter()
            .map(|choice| (choice.at, choice.weight, choice.note))
            .collect();
        assert_eq!(
            shown,
            [
                ("base.book:2".to_owned(), 200, None),
                ("base.book:1".to_owned(), 100, Some("Open".to_owned()))
            ]
        );
    }

    #[test]
    fn circles_and_gaps_are_told_and_do_no_harm() {
        let all = books(&[
            ("a.book", "include: b\ninclude: gone\n1. e4\n"),
            ("b.book", "include: a.book\n1. d4\n"),
            ("c.book", "include: c\n1. c4\n"),
            ("d.book", "variant: atomic\ninclude: a\n1. Nf3\n"),
        ]);
        let said: Vec<String> = missing_includes(&all)
            .iter()
            .map(Diagnostics::to_string)
            .collect();
        let once = "the lines of each count once; take out one of the two headers";
        let out = "its lines are left out, all others of this book count";
        assert_eq!(
            said,
            [
                format!(
                    "a.book:1:10: error: \"b\" includes this book in turn; {once}\na.book:2:10: error: there is no book \"gone\" in this folder; {out}"
                ),
                format!("b.book:1:10: error: \"a\" includes this book in turn; {once}"),
                "c.book:1:10: error: a book cannot include itself; its lines count once; take this line out"
                    .to_owned(),
                format!("d.book:2:10: error: \"a\" is a book for Standard; {out}"),
            ]
        );
        let library = Library::new(all);
        assert_eq!(library.book("a").unwrap().rows(), 2);
        assert_eq!(library.book("c").unwrap().rows(), 1);
    }

    #[test]
    fn a_name_with_a_slip_is_set_right() {
        let all = books(&[
            ("mine.book", "include: Sicilan\n1. e4\n"),
            ("sicilian.book", "1. e4 c5\n"),
        ]);
        assert_eq!(
            missing_includes(&all)[0].to_string(),
            "mine.book:1:10: error: there is no book \"Sicilan\" in this folder; did you mean sicilian?"
        );
    }

    #[test]
    fn a_large_book_is_not_included() {
        let large = format!("1. d4 d5\n{}", "# ten bytes\n".repeat(MAX_INCLUDED_BYTES / 12));
        let all = books(&[("mine.book", "include: large\n1. e4\n"), ("large.book", &large)]);
        let said = missing_includes(&all)[0].to_string();
        assert!(
            said.contains("\"large\" is too large to be included: let personalities"),
            "{said}"
        );
        assert_eq!(Library::new(all).book("mine").unwrap().rows(), 1);
    }

    #[test]
    fn numbers_differences_and_exports_are_of_all_lines_that_are_played() {
        let library = Library::new(books(&[
            ("mine.book", "include: base\n1. e4 c5\n"),
            ("base.book", "1. e4 e5\n1. d4 d5\n# the end\n"),
        ]));
        let (mine, base) = (library.book("mine").unwrap(), library.book("base").unwrap());
        let stats = crate::stats(mine);
        assert_eq!(
            (stats.lines, stats.rows, stats.positions, stats.moves),
            (5, 3, 3, 5)
        );
        let differences: Vec<String> = crate::diff(base, mine)
            .iter()
            .map(|one| format!("{} {:?} {:?}", one.mv, one.old, one.new))
            .collect();
        assert_eq!(
            differences,
            [
                "e4 Some(0.5) Some(0.6666666666666666)",
                "d4 Some(0.5) Some(0.3333333333333333)",
                "e5 Some(1.0) Some(0.5)",
                "c5 None Some(0.5)",
            ]
        );
        let mut positions = 0;
        crate::each_position(mine, |_, _| positions += 1);
        assert_eq!(positions, 3);
    }
}

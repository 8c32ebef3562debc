//! Two books as one text: all of the first as it is, and below it the lines of the second that say something new.

use std::{collections::HashSet, fmt::Write as _};

use crate::chess::{Color, Move, Position, key, write_fen};

use super::{
    library::Book,
    mark::Worth,
    walk::{Row, walk},
};

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The text of both.
    pub text: String,
    /// How many lines of the second were added.
    pub added: usize,
    /// How many the first had already.
    pub known: usize,
}

/// A row without its looks: for whom it counts, and each move with its position and its worth.
type Wording = (Option<Color>, Vec<(u64, Move, Worth)>);

/// Adds to one book the lines of another that it does not have word for word. Comments and headers of the first
/// stay; of the second, the comments at the end of its lines, and the headers its lines need.
///
/// ```
/// use sparring::book;
///
/// let read = |name, text| book::parse(name, text).0.unwrap();
/// let merged = book::merge(&read("a.book", "1. e4 e5\n"), &read("b.book", "e2e4 e7e5\ne4 c5 # Sicilian\n"));
/// assert_eq!(merged.text, "1. e4 e5\n\n# From b.book\ne4 c5 # Sicilian\n");
/// assert_eq!((merged.added, merged.known), (1, 1));
/// ```
#[must_use]
pub fn merge(first: &Book, second: &Book) -> Merged {
    let mut known_rows = HashSet::new();
    let end = walk(first.text(), &mut |row| {
        known_rows.insert(wording(row));
    });
    let mut text = first.text().write();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let mut scope = Scope {
        color: end.color,
        start: end.start.as_ref().map(key),
    };
    let (mut added, mut known) = (0, 0);
    walk(second.text(), &mut |row| {
        if !known_rows.insert(wording(row)) {
            known += 1;
            return;
        }
        if added == 0 {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}# From {}", second.path()); // Writing to a string does not fail.
        }
        added += 1;
        scope.enter(row, &mut text);
        text += row.line.text.trim();
        text.push('\n');
    });
    Merged { text, added, known }
}

fn wording(row: &Row<'_, '_>) -> Wording {
    let moves = row
        .played
        .iter()
        .map(|played| (played.key, played.mv, played.worth));
    (row.color, moves.collect())
}

/// The headers in force at the end of a text.
struct Scope {
    color: Option<Color>,
    /// The key of the start; none where the last one could not be read.
    start: Option<u64>,
}

impl Scope {
    /// Writes the headers that a row needs and that are not in force.
    fn enter(&mut self, row: &Row<'_, '_>, text: &mut String) {
        if row.color != self.color {
            let value = match row.color {
                Some(Color::White) => "white",
                Some(Color::Black) => "black",
                None => "both",
            };
            let _ = writeln!(text, "color: {value}");
            self.color = row.color;
        }
        let start: &Position = row.trail.position(0);
        if Some(row.trail.key(0)) != self.start {
            let fen = if row.trail.counts() {
                "startpos".to_owned()
            } else {
                write_fen(start)
            };
            let _ = writeln!(text, "from: {fen}");
            self.start = Some(row.trail.key(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::parse;

    fn book(name: &str, text: &str) -> Book {
        parse(name, text).0.unwrap()
    }

    #[test]
    fn lines_keep_the_headers_they_need() {
        let first = book("a.book", "color: black\ne4 c5");
        let second = book(
            "b.book",
            "# gone\nd4 d5\nfrom: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\ne4 Kd7\nfrom: startpos\ncolor: black\ne4 c5\ne4 e5",
        );
        let merged = merge(&first, &second);
        assert_eq!(
            merged.text,
            "color: black\ne4 c5\n\n# From b.book\ncolor: both\nd4 d5\nfrom: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\ne4 Kd7\n\
             color: black\nfrom: startpos\ne4 e5\n"
        );
        let both = book("c.book", &merged.text);
        assert_eq!(both.rows(), 4);
    }

    #[test]
    fn merging_a_book_with_itself_changes_nothing() {
        let text = "name: x\ne4 e5 # one\nd4 d5!\n";
        let merged = merge(&book("a", text), &book("b", text));
        assert_eq!((merged.text.as_str(), merged.added, merged.known), (text, 0, 2));
    }

    #[test]
    fn the_same_moves_with_another_weight_are_new() {
        let merged = merge(&book("a", "e4 e5 40"), &book("b", "e4 e5 50\ne4 e5 40"));
        assert_eq!((merged.added, merged.known), (1, 1));
    }
}

//! Merges two books: the text of the first, then the lines of the second that add something.

use std::{collections::HashSet, fmt::Write as _};

use sparring_chess::{Color, Move, Position, key, write_fen};

use super::{
    annotation::Annotation,
    book::Book,
    header::BookHeader,
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
    /// Headers of the second that hold for a whole book, and that the first has not or has otherwise: they cannot be
    /// taken over, and its lines now count without them.
    pub lost: Vec<String>,
}

/// A row without its looks: for whom it counts, and each move with its position and its worth.
type MergeKey = (Option<Color>, Vec<(u64, Move, Annotation)>);

/// Adds to one book the lines of another that it does not have word for word. Comments and headers of the first
/// stay; of the second, the comments at the end of its lines, the headers its lines need, the books it includes, and what
/// it and its author are called where the first has nothing to say of that.
///
/// ```
/// use sparring_book as book;
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
        start: end.start.as_ref().map(|start| (key(start), end.start_ply)),
    };
    let (mut added, mut known) = (0, 0);
    let mut more = new_headers(first.head(), second.head());
    walk(second.text(), &mut |row| {
        if !known_rows.insert(wording(row)) {
            known += 1;
            return;
        }
        added += 1;
        scope.enter(row, &mut more);
        more += row.line.text.trim();
        more.push('\n');
    });
    if !more.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{gap}# From {}\n{more}", second.path()); // Writing to a string does not fail.
    }
    Merged {
        text,
        added,
        known,
        lost: lost_headers(first.head(), second.head()),
    }
}

/// The headers of the second that the first has nothing to say against.
fn new_headers(first: &BookHeader, second: &BookHeader) -> String {
    let mut text = String::new();
    let titles = [
        ("name", &first.title, &second.title),
        ("author", &first.author, &second.author),
    ];
    for (key, own, theirs) in titles {
        if let (None, Some(value)) = (own, theirs) {
            let _ = writeln!(text, "{key}: {value}");
        }
    }
    let known = |name: &str| first.includes.iter().any(|include| include.name == name);
    for include in second.includes.iter().filter(|include| !known(&include.name)) {
        let _ = writeln!(text, "include: {}", include.name);
    }
    text
}

/// What the second says of the games it is for, where the first says something else.
fn lost_headers(first: &BookHeader, second: &BookHeader) -> Vec<String> {
    let mut lost = Vec::new();
    if first.speeds != second.speeds && !second.speeds.is_empty() {
        lost.push(format!("speeds: {}", second.speeds.join(" ")));
    }
    if let Some(levels) = second.levels.as_ref().filter(|_| first.levels != second.levels) {
        lost.push(format!("levels: {}-{}", levels.start(), levels.end()));
    }
    lost
}

fn wording(row: &Row<'_, '_>) -> MergeKey {
    let moves = row
        .played
        .iter()
        .map(|played| (played.key, played.mv, played.annotation));
    (row.color, moves.collect())
}

/// The headers in force at the end of a text.
struct Scope {
    color: Option<Color>,
    /// The key of the start, and how many half moves stand before it; none where the last one could not be read.
    start: Option<(u64, u8)>,
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
        let start: &Position = row.prefix.position(0);
        let here = (row.prefix.key(0), row.prefix.start_ply());
        if Some(here) != self.start {
            // Below "pos" nothing is said of how late in a game the position comes up.
            let is_placed = row.prefix.clone().placed().start_ply() == row.prefix.start_ply();
            let header = if is_placed { "from:" } else { "pos" };
            let fen = if row.prefix.counts() {
                "startpos".to_owned()
            } else {
                write_fen(start)
            };
            let _ = writeln!(text, "{header} {fen}");
            self.start = Some(here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

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
    fn blocks_of_positions_stay_such() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 20";
        let text = format!("pos {fen}\ne4 12\nfrom: {fen}\ne4 Kd7\n");
        let merged = merge(&book("a", ""), &book("b", &text));
        assert_eq!(merged.text, format!("# From b\n{text}"));
    }

    #[test]
    fn merging_a_book_with_itself_changes_nothing() {
        let text = "name: x\ne4 e5 # one\nd4 d5!\n";
        let merged = merge(&book("a", text), &book("b", text));
        assert_eq!((merged.text.as_str(), merged.added, merged.known), (text, 0, 2));
    }

    #[test]
    fn headers_of_the_second_are_taken_over_or_told() {
        let first = book("a.book", "author: Ann\nspeeds: blitz\ninclude: base\ne4\n");
        let second = book(
            "b.book",
            "name: B\nauthor: Bob\nspeeds: bullet blitz\nlevels: 1200-1500\ninclude: base\ninclude: more\nd4\n",
        );
        let merged = merge(&first, &second);
        assert_eq!(
            merged.text,
            "author: Ann\nspeeds: blitz\ninclude: base\ne4\n\n# From b.book\nname: B\ninclude: more\nd4\n"
        );
        assert_eq!(merged.lost, ["speeds: bullet blitz", "levels: 1200-1500"]);
        let both = book("c.book", &merged.text);
        assert_eq!((both.title(), both.head().includes.len()), (Some("B"), 2));
        assert!(merge(&first, &first).lost.is_empty());
    }

    #[test]
    fn the_same_moves_with_another_weight_are_new() {
        let merged = merge(&book("a", "e4 e5 40"), &book("b", "e4 e5 50\ne4 e5 40"));
        assert_eq!((merged.added, merged.known), (1, 1));
    }
}

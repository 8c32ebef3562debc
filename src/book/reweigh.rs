//! New weights in an old text: numbers are written at their moves, and everything else stays as it is.

use std::{collections::HashSet, ops::Range};

use crate::chess::{Color, Move};

use super::{library::Book, positions::Entry, row::Played, walk::walk};

/// The text of a book with other numbers. `weigh` gives the number for a move, by the key of its position and who plays it;
/// none leaves it as it is. Only moves that have a number, or stand in a choice with `|`, are asked about, since at the others a
/// number would silence the lines that count for them.
///
/// ```
/// use sparring::book;
///
/// let (book, _) = book::parse("a.book", "1. e4 60|d4 # mine\n1. e4 e5\n");
/// let text = book::reweigh(&book.unwrap(), &mut |_, _, _| Some(7));
/// assert_eq!(text, "1. e4 7|d4 7 # mine\n1. e4 e5\n");
/// ```
#[must_use]
pub fn reweigh(book: &Book, weigh: &mut dyn FnMut(u64, Move, Color) -> Option<u32>) -> String {
    rewrite(book, |_| false, weigh)
}

/// The same, and moves that have no number in any line are asked about too: one that gets a number gets it where it is
/// played first, and from then on weighs that instead of what its lines sum up to. Its marks still count.
#[must_use]
pub fn number(book: &Book, weigh: &mut dyn FnMut(u64, Move, Color) -> Option<u32>) -> String {
    let mut met = HashSet::new();
    let is_first = |played: &Played| {
        let entries = book.entries(played.key);
        let is_plain = |entry: &Entry| entry.mv == played.mv && entry.number.is_none() && !entry.never;
        !played.worth.pinned && entries.iter().any(is_plain) && met.insert((played.key, played.mv))
    };
    rewrite(book, is_first, weigh)
}

fn rewrite(
    book: &Book,
    mut also: impl FnMut(&Played) -> bool,
    weigh: &mut dyn FnMut(u64, Move, Color) -> Option<u32>,
) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    walk(book.text(), &mut |row| {
        for played in row.counting() {
            let is_weighed = played.worth.number.is_some() || played.worth.chosen && !played.worth.never;
            if !is_weighed && !also(played) {
                continue;
            }
            if let Some(weight) = weigh(played.key, played.mv, played.turn)
                && played.worth.number != Some(weight)
            {
                edits.push(edit(played, weight));
            }
        }
    });
    let source = book.text().as_str();
    let (mut text, mut at) = (String::with_capacity(source.len()), 0);
    for (span, number) in edits {
        text += source.get(at..span.start).unwrap_or_default();
        text += &number;
        at = span.end;
    }
    text += source.get(at..).unwrap_or_default();
    text
}

fn edit(played: &Played, weight: u32) -> (Range<usize>, String) {
    match &played.written {
        Some(span) => (span.clone(), weight.to_string()),
        None => (played.end..played.end, format!(" {weight}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::parse;

    fn reweighed(text: &str, weight: u32) -> String {
        reweigh(&parse("a.book", text).0.unwrap(), &mut |_, _, _| Some(weight))
    }

    #[test]
    fn only_numbers_change() {
        assert_eq!(
            reweighed("# top\r\n e4! 60 |\td4?? | c4xx;end\r\nNf3 5 d5\n", 8),
            "# top\r\n e4! 8 |\td4?? 8 | c4xx;end\r\nNf3 8 d5\n"
        );
    }

    #[test]
    fn a_move_without_a_number_gets_one_where_it_is_played_first() {
        let text = "e4! e5 Nf3\ne4 c5 7\nd4xx\ne4 c5 Nf3@\n";
        let book = parse("a.book", text).0.unwrap();
        assert_eq!(
            number(&book, &mut |_, _, _| Some(9)),
            "e4! 9 e5 9 Nf3 9\ne4 c5 9\nd4xx\ne4 c5 Nf3@\n"
        );
        assert_eq!(number(&book, &mut |_, _, _| None), text);
    }

    #[test]
    fn what_has_the_number_already_is_left_alone() {
        let text = "e4 60 | d4 40\n";
        let book = parse("a.book", text).0.unwrap();
        assert_eq!(reweigh(&book, &mut |_, _, _| None), text);
        assert_eq!(reweighed("e4 60 | d4\n", 60), "e4 60 | d4 60\n");
    }
}

//! Writes new weights into an existing book text. Everything else stays as it is.

use std::{collections::HashSet, ops::Range};

use sparring_chess::{Color, Move};

use super::{
    annotation::{BASE_WEIGHT, MAX_WEIGHT},
    book::Book,
    book_line::ReplayedMove,
    positions::Entry,
    walk::walk,
};

/// The text of a book with other numbers. `weigh` gives the number for a move, by the key of its position and who plays it;
/// none leaves it as it is. Only moves that have a number, or stand in a choice with `|`, are asked about, since at the others a
/// number would silence the lines that count for them. Where a move of a choice gets a number, the others that have none
/// get what they weigh already: they would share another rest, or none.
///
/// ```
/// use sparring_book as book;
///
/// let (book, _) = book::parse("a.book", "1. e4 60|d4 # mine\n1. e4 e5\n");
/// let mut weights = [Some(70), None].into_iter().cycle();
/// let text = book::rewrite_weights(&book.unwrap(), &mut |_, _, _| weights.next()?);
/// assert_eq!(text, "1. e4 70|d4 40 # mine\n1. e4 e5\n");
/// ```
#[must_use]
pub fn rewrite_weights(book: &Book, weigh: &mut dyn FnMut(u64, Move, Color) -> Option<u32>) -> String {
    rewrite(book, |_| false, weigh)
}

/// The same, and moves that have no number in any line are asked about too: one that gets a number gets it where it is
/// played first, and from then on weighs that instead of what its lines sum up to. Its marks still count.
#[must_use]
pub fn number(book: &Book, weigh: &mut dyn FnMut(u64, Move, Color) -> Option<u32>) -> String {
    let mut met = HashSet::new();
    let is_first = |played: &ReplayedMove| {
        let entries = book.entries(played.key);
        let is_plain = |entry: &Entry| entry.mv == played.mv && entry.number.is_none() && !entry.never;
        !played.annotation.pinned && entries.iter().any(is_plain) && met.insert((played.key, played.mv))
    };
    rewrite(book, is_first, weigh)
}

fn rewrite(
    book: &Book,
    mut also: impl FnMut(&ReplayedMove) -> bool,
    weigh: &mut dyn FnMut(u64, Move, Color) -> Option<u32>,
) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    walk(book.text(), &mut |row| {
        let weighed = row.counting().map(|played| {
            // What is asked for is the position's; a pinned move has its number to itself.
            let annotation = &played.annotation;
            let is_weighed =
                !annotation.pinned && (annotation.number.is_some() || annotation.chosen && !annotation.never);
            let is_asked = is_weighed || also(played);
            let weight = is_asked.then(|| weigh(played.key, played.mv, played.turn));
            (played, weight.flatten().map(|weight| weight.min(MAX_WEIGHT)))
        });
        let weighed: Vec<(&ReplayedMove, Option<u32>)> = weighed.collect();
        let changes = |played: &ReplayedMove, weight: Option<u32>| {
            weight.filter(|_| played.annotation.number != weight)
        };
        let moved =
            |one: &&(&ReplayedMove, Option<u32>)| one.0.annotation.chosen && changes(one.0, one.1).is_some();
        let is_settled = weighed.iter().any(|one| moved(&one));
        for (played, weight) in weighed {
            // What shares the rest of a choice, or counts by lines there, would weigh otherwise beside a new number.
            let is_open = played.annotation.chosen && played.written.is_none() && !played.annotation.never;
            match changes(played, weight) {
                Some(weight) => edits.push(edit(played, weight)),
                None if is_settled && is_open => edits.push(edit(played, settled(book, played))),
                None => {}
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

/// The number with which a move of a choice weighs what it weighs without one.
fn settled(book: &Book, played: &ReplayedMove) -> u32 {
    let entries = book.entries(played.key);
    let number = entries
        .iter()
        .find(|entry| entry.mv == played.mv)
        .map(Entry::base);
    let number = number.unwrap_or(BASE_WEIGHT).clamp(0, i64::from(MAX_WEIGHT));
    played.annotation.number.unwrap_or(number as u32)
}

fn edit(played: &ReplayedMove, weight: u32) -> (Range<usize>, String) {
    match &played.written {
        Some(span) => (span.clone(), weight.to_string()),
        None => (played.end..played.end, format!(" {weight}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use proptest::prelude::*;

    fn reweighed(text: &str, weight: u32) -> String {
        rewrite_weights(&parse("a.book", text).0.unwrap(), &mut |_, _, _| Some(weight))
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
    fn a_pinned_move_keeps_its_number() {
        let text = "d4 Nf6 c4 e6 Nf3 80\nc4 Nf6 d4 e6 Nf3@ 20\n";
        assert_eq!(reweighed(text, 90), text.replace("80", "90"));
    }

    #[test]
    fn a_new_number_in_a_choice_has_the_others_weigh_what_they_did() {
        let one = |text: &str, weight: u32| {
            let book = parse("a.book", text).0.unwrap();
            let mut first = Some(weight);
            rewrite_weights(&book, &mut |_, _, _| first.take())
        };
        assert_eq!(one("e4 60 | d4 30 | c4\n", 104), "e4 104 | d4 30 | c4 10\n");
        assert_eq!(one("e4 | d4!|c4xx\n", 58), "e4 58 | d4! 100|c4xx\n");
        assert_eq!(one("e4 | d4\nd4 d5\n", 58), "e4 58 | d4 200\nd4 d5\n");
        assert_eq!(one("e4 7 e5 | c5\n", 9), "e4 9 e5 | c5\n");
        assert_eq!(one("e4 60 | d4\n", 60), "e4 60 | d4\n");
    }

    /// Books of which some lines are right.
    fn texts() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "e4",
            "d4",
            "c4",
            "e5",
            "c5",
            "Nf3",
            "!",
            "?",
            "xx",
            "@",
            "0",
            "3",
            "60",
            "100",
            "|",
            "|",
            "|",
            "# x",
            "\n",
            "\n",
            "\n",
            "e4 60 | d4",
            "e4 | d4 | c4 30",
            "d4 e5 | c5 70",
        ]);
        prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn new_numbers_leave_a_text_right_and_what_was_not_asked_for_as_it_was(
            text in texts(),
            salt in any::<u64>(),
            also_plain in any::<bool>(),
        ) {
            let before = parse("a.book", &text).0.unwrap();
            let query = |key: u64, mv: Move| {
                let hash = (key ^ u64::from(mv.to()) ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                hash.is_multiple_of(3).then_some((hash / 3 % 200) as u32)
            };
            let rewrite = if also_plain { number } else { rewrite_weights };
            let after = rewrite(&before, &mut |key, mv, _| query(key, mv));
            let after = parse("a.book", &after).0.unwrap();
            prop_assert_eq!(before.rows(), after.rows());
            for key in keys(&before) {
                for entry in before.entries(key).iter().filter(|entry| query(key, entry.mv).is_none()) {
                    let now = after.entries(key).iter().find(|now| now.mv == entry.mv).cloned();
                    prop_assert_eq!(now.map(|now| now.weight()), Some(entry.weight()));
                }
            }
        }
    }

    /// The keys of all positions of a book.
    fn keys(book: &Book) -> Vec<u64> {
        let mut keys = Vec::new();
        walk(book.text(), &mut |row| {
            keys.extend(row.played.iter().map(|played| played.key))
        });
        keys
    }

    #[test]
    fn what_has_the_number_already_is_left_alone() {
        let text = "e4 60 | d4 40\n";
        let book = parse("a.book", text).0.unwrap();
        assert_eq!(rewrite_weights(&book, &mut |_, _, _| None), text);
        assert_eq!(reweighed("e4 60 | d4\n", 60), "e4 60 | d4 60\n");
    }
}

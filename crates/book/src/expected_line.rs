//! Expected continuations: the book's moves in a position and the most likely moves after each.

use sparring_chess::{GameHistory, Rules as _, write_san};

use super::{book::Book, positions::Entry};

/// A move of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedLine {
    /// The move, in SAN.
    pub san: String,
    /// How likely the book plays it, from 0 to 1.
    pub chance: f64,
    /// The file and line to look at.
    pub at: String,
    /// What its lines call the opening.
    pub note: Option<String>,
    /// The likeliest moves after it, in SAN.
    pub then: Vec<String>,
}

/// What a book plays in the line's last position, the likeliest first, each with at most so many half moves after it.
/// Moves that are never played are no plan.
///
/// ```
/// use sparring_book as book;
/// use sparring_chess::{GameHistory, Variant};
///
/// let (book, _) = book::parse("my.book", "1. e4 e5 2. Nf3 Nc6\n");
/// let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
/// let plan = book::plan(&book.unwrap(), &line, 2);
/// assert_eq!((plan[0].san.as_str(), plan[0].then.join(" ")), ("e5", "Nf3 Nc6".to_owned()));
/// ```
#[must_use]
pub fn plan(book: &Book, line: &GameHistory, most: usize) -> Vec<ExpectedLine> {
    let pos = line.position();
    let entries = playable(book, line);
    let total: u64 = entries.iter().map(|(_, share)| share).sum();
    let planned = entries.iter().map(|(entry, share)| ExpectedLine {
        san: write_san(pos, entry.mv),
        chance: *share as f64 / total as f64,
        at: book.place(entry),
        note: book.note(entry).map(str::to_owned),
        then: continuation(book, line, entry, most),
    });
    planned.collect()
}

/// The moves that may be drawn in a position, with what each counts, the likeliest first.
fn playable(book: &Book, line: &GameHistory) -> Vec<(Entry, u64)> {
    let here = line.keys().last().copied().unwrap_or_default();
    let entries = book.entries_along(line.keys());
    let legal = entries.iter().filter(|entry| line.position().is_legal(entry.mv));
    let mut playable: Vec<(Entry, u64)> = legal
        .map(|entry| (entry.clone(), book.share(here, entry)))
        .filter(|(_, share)| *share > 0)
        .collect();
    playable.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    playable
}

fn continuation(book: &Book, line: &GameHistory, first: &Entry, most: usize) -> Vec<String> {
    let mut line = line.clone();
    line.play(first.mv);
    let mut sans = Vec::new();
    while sans.len() < most {
        let Some((entry, _)) = playable(book, &line).into_iter().next() else {
            break;
        };
        sans.push(write_san(line.position(), entry.mv));
        line.play(entry.mv);
    }
    sans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use sparring_chess::Variant;

    fn planned(text: &str, moves: &str) -> Vec<String> {
        let book = parse("a.book", text).0.unwrap();
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let show =
            |one: &ExpectedLine| format!("{} {:.2} {} {}", one.san, one.chance, one.at, one.then.join(" "));
        plan(&book, &line, 3).iter().map(show).collect()
    }

    #[test]
    fn the_likeliest_goes_first_and_each_goes_on_by_the_likeliest() {
        let text = "e4 e5 25 | c5 75\ne4 e5 Nf3 Nc6 Bb5 a6\ne4 c5 Nf3 90 | c3 10\n";
        assert_eq!(
            planned(text, "e2e4"),
            ["c5 0.75 a.book:1 Nf3", "e5 0.25 a.book:1 Nf3 Nc6 Bb5"]
        );
    }

    #[test]
    fn what_is_never_played_is_no_plan() {
        assert_eq!(planned("e4 c5xx\ne4 e5\n", "e2e4"), ["e5 1.00 a.book:2 "]);
        assert!(planned("e4 e5\n", "d2d4").is_empty());
    }

    #[test]
    fn a_book_that_goes_round_in_circles_still_ends() {
        let text = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6\n";
        assert_eq!(planned(text, ""), ["Nf3 1.00 a.book:1 Nf6 Ng1 Ng8"]);
    }
}

//! Statistics of a book: lines, positions, moves, depth, openings.

use std::collections::{BTreeMap, HashSet};

use super::{book::Book, eco, syntax::BookText, walk::walk_all};

/// What is in a book.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// Lines of the text and of those it includes, comments among them.
    pub lines: usize,
    /// Lines of moves.
    pub rows: usize,
    /// Positions with a move.
    pub positions: usize,
    /// Moves in all positions.
    pub moves: usize,
    /// Those of them that are never played.
    pub unplayed: usize,
    /// Half moves of the longest line of moves.
    pub deepest: usize,
    /// Half moves of a line of moves on average.
    pub average: f64,
    /// ECO code and name of the openings that lines end in, with the number of lines, the most frequent first.
    pub openings: Vec<(String, usize)>,
}

/// Counts what is in a book.
///
/// ```
/// use sparring_book as book;
///
/// let stats = book::stats(&book::parse("a.book", "1. e4 c5 2. Nf3\n1. e4xx\n").0.unwrap());
/// assert_eq!((stats.rows, stats.positions, stats.unplayed, stats.deepest), (2, 3, 1, 3));
/// assert_eq!(stats.openings[0].0, "B00 King's Pawn Game");
/// ```
#[must_use]
pub fn stats(book: &Book) -> Stats {
    let mut stats = Stats {
        lines: book.lines() + book.texts().skip(1).map(BookText::len).sum::<usize>(),
        rows: book.rows(),
        positions: book.positions(),
        ..Stats::default()
    };
    let (mut seen, mut names) = (HashSet::new(), BTreeMap::<String, usize>::new());
    let mut plies = 0;
    walk_all(book.texts(), &mut |row| {
        let depth = row.depth();
        stats.deepest = stats.deepest.max(depth);
        plies += depth;
        let keys: Vec<u64> = (0..=depth).map(|at| row.prefix.key(at)).collect();
        if let Some(opening) = eco::name_of(&keys) {
            *names.entry(opening.to_string()).or_default() += 1;
        }
        for played in row.counting() {
            if seen.insert(played.key) {
                let entries = book.entries(played.key);
                stats.moves += entries.len();
                stats.unplayed += entries.iter().filter(|entry| entry.share() == 0).count();
            }
        }
    });
    stats.average = plies as f64 / (stats.rows as f64).max(1.0);
    stats.openings = names.into_iter().collect();
    stats.openings.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    stats
}

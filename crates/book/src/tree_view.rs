//! A book as a tree: the moves it plays from a position on, their chances and source lines.

use std::collections::HashSet;

use sparring_chess::{Color, GameHistory, Position, Rules as _, key, write_san};

use super::{book::Book, eco, learned_weights::WeightFactor, positions::Entry};

/// How much of a tree is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// How many half moves deep, from 1.
    pub plies: usize,
    /// Moves that are less likely than this are left out, from 0 to 1.
    pub least: f64,
}

/// A move of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// How many half moves stand between it and the root.
    pub depth: usize,
    /// The move with its number, as in `2. Nf3` or `2... Nc6`.
    pub mv: String,
    /// How likely the book plays it in its position, from 0 to 1.
    pub chance: f64,
    /// The file and line to look at.
    pub at: String,
    /// The factor of its weight that follows from results, in words; the chance has it in.
    pub learned: Option<String>,
    /// What the opening is called after it: the name in the book, else the common one with its ECO code.
    pub name: Option<String>,
    /// Whether what follows was shown before, by another order of moves.
    pub seen: bool,
}

/// The moves of a book from the line's last position on, depth first, the likeliest first.
///
/// ```
/// use sparring_book::{self as book, Extent};
/// use sparring_chess::{GameHistory, Variant};
///
/// let (book, _) = book::parse("my.book", "1. e4 60 | d4 40\n1. e4 e5\n");
/// let extent = Extent { plies: 2, least: 0.0 };
/// let tree = book::tree(&book.unwrap(), &GameHistory::new(Variant::Standard), extent);
/// let moves: Vec<&str> = tree.iter().map(|branch| branch.mv.as_str()).collect();
/// assert_eq!(moves, ["1. e4", "1... e5", "1. d4"]);
/// assert_eq!(tree[0].chance, 0.6);
/// ```
#[must_use]
pub fn tree(book: &Book, line: &GameHistory, extent: Extent) -> Vec<Branch> {
    let mut walk = TreeWalk {
        book,
        extent,
        shown: HashSet::new(),
        branches: Vec::new(),
        keys: line.keys().to_vec(),
    };
    walk.visit(line.position(), 0);
    walk.branches
}

struct TreeWalk<'a> {
    book: &'a Book,
    extent: Extent,
    /// Positions whose moves are shown.
    shown: HashSet<u64>,
    branches: Vec<Branch>,
    /// The way to the position at hand, from the start of the game on.
    keys: Vec<u64>,
}

impl TreeWalk<'_> {
    fn visit(&mut self, pos: &Position, depth: usize) {
        if depth >= self.extent.plies {
            return;
        }
        let book = self.book;
        let known = book.entries_along(&self.keys);
        let mut entries: Vec<&Entry> = known.iter().filter(|entry| pos.is_legal(entry.mv)).collect();
        let here = self.keys.last().copied().unwrap_or_default();
        let share = |entry: &Entry| book.share(here, entry);
        let total: u64 = entries.iter().map(|entry| share(entry)).sum();
        entries.sort_by_key(|entry| std::cmp::Reverse(share(entry)));
        for entry in entries {
            let chance = share(entry) as f64 / (total as f64).max(1.0);
            if chance < self.extent.least {
                continue;
            }
            let mut after = pos.clone();
            after.play_unchecked(entry.mv);
            let reached = key(&after);
            // What stands at the edge is not gone on from here, and may be later.
            let is_new = !self.shown.contains(&reached);
            let goes_on = is_new && depth + 1 < self.extent.plies;
            let name = match book.note(entry) {
                Some(note) => Some(note.to_owned()),
                None => eco::name(reached).map(|opening| opening.to_string()),
            };
            self.branches.push(Branch {
                depth,
                mv: numbered(pos, &write_san(pos, entry.mv)),
                chance,
                at: book.place(entry),
                learned: book.learned_weight(here, entry.mv).map(WeightFactor::words),
                name,
                seen: !is_new && !book.entries(reached).is_empty(),
            });
            if goes_on {
                self.shown.insert(reached);
                self.keys.push(reached);
                self.visit(&after, depth + 1);
                self.keys.pop();
            }
        }
    }
}

/// A move as a table of moves has it, with its number.
pub(super) fn numbered(pos: &Position, san: &str) -> String {
    let dots = if pos.turn() == Color::White { "." } else { "..." };
    format!("{}{dots} {san}", pos.fullmoves())
}

/// The moves of a game as one writes them down, as in `1. e4 e5 2. Nf3`; empty at its start.
#[must_use]
pub fn moves_of(line: &GameHistory) -> String {
    let mut pos = line.start().clone();
    let mut words = Vec::new();
    for mv in line.moves() {
        let san = write_san(&pos, *mv);
        words.push(if pos.turn() == Color::White || words.is_empty() {
            numbered(&pos, &san)
        } else {
            san
        });
        pos.play_unchecked(*mv);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use sparring_chess::Variant;

    fn shown(text: &str, moves: &str, plies: usize, least: f64) -> Vec<String> {
        let book = parse("a.book", text).0.unwrap();
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let show = |branch: &Branch| {
            let seen = if branch.seen { " seen" } else { "" };
            format!(
                "{}{} {:.0}% {}{seen}",
                " ".repeat(branch.depth),
                branch.mv,
                branch.chance * 100.0,
                branch.at
            )
        };
        tree(&book, &line, Extent { plies, least })
            .iter()
            .map(show)
            .collect()
    }

    #[test]
    fn the_likeliest_comes_first_and_depth_is_bounded() {
        let text = "e4 40 | d4 60\ne4 e5 Nf3\nd4 d5";
        assert_eq!(
            shown(text, "", 2, 0.0),
            [
                "1. d4 60% a.book:1",
                " 1... d5 100% a.book:3",
                "1. e4 40% a.book:1",
                " 1... e5 100% a.book:2"
            ]
        );
        assert_eq!(
            shown(text, "e2e4", 9, 0.0),
            ["1... e5 100% a.book:2", " 2. Nf3 100% a.book:2"]
        );
        assert_eq!(shown(text, "", 1, 0.5), ["1. d4 60% a.book:1"]);
    }

    #[test]
    fn a_transposition_is_shown_once() {
        let shown = shown("d4 Nf6 c4 e6 Nc3\nc4 Nf6 d4 e6", "", 9, 0.0);
        assert_eq!(shown.iter().filter(|branch| branch.contains("Nc3")).count(), 1);
        assert_eq!(shown.iter().filter(|branch| branch.ends_with("seen")).count(), 1);
    }

    #[test]
    fn what_lies_beyond_the_depth_was_not_shown_before() {
        let text = "d4 Nf6 c4 e6 Nc3\nc4 Nf6 d4 e6";
        assert!(
            shown(text, "", 3, 0.0)
                .iter()
                .all(|branch| !branch.ends_with("seen"))
        );
        let cut: Vec<String> = shown(text, "", 4, 0.0);
        assert_eq!(
            cut.iter().filter(|branch| branch.ends_with("seen")).count(),
            1,
            "{cut:?}"
        );
    }
}

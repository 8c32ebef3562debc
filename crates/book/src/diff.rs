//! Compares two books by position, not by line.

use std::collections::HashMap;

use sparring_chess::{Color, Move, Rules as _, write_san};

use super::{
    book::Book,
    index::path as way,
    positions::Entry,
    walk::{Row, walk_all},
};

/// A move whose chance is not what it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Moves that lead to the position, as in `1. e4 e5`; empty for the start.
    pub after: String,
    /// The move, in SAN.
    pub mv: String,
    /// Its chance in the old book, from 0 to 1; none if it was not there.
    pub old: Option<f64>,
    /// Its chance in the new book; none if it is gone.
    pub new: Option<f64>,
}

/// Compares two books position by position: the moves that came, went, or changed their chance by more than a
/// thousandth. In the order of the old book's text, then of what only the new one has.
#[must_use]
pub fn diff(old: &Book, new: &Book) -> Vec<Difference> {
    let mut places: Vec<DiffPlace> = Vec::new();
    let mut index = HashMap::new();
    for book in [old, new] {
        walk_all(book.texts(), &mut |row| visit(row, &mut places, &mut index));
    }
    places
        .into_iter()
        .flat_map(|place| place.differences(old, new))
        .collect()
}

/// A position that one of the books has a move for, or a way to one that a move is pinned to.
struct DiffPlace {
    /// The key of the position; of a way, those of all positions up to it.
    keys: Vec<u64>,
    is_way: bool,
    after: String,
    /// Its moves as text, in the order met.
    moves: Vec<(Move, String)>,
}

fn visit(row: &Row<'_, '_>, places: &mut Vec<DiffPlace>, index: &mut HashMap<(bool, u64), usize>) {
    for played in row.counting() {
        let is_way = played.annotation.pinned;
        let first = if is_way { 0 } else { played.depth };
        let keys: Vec<u64> = (first..=played.depth)
            .map(|depth| row.prefix.key(depth))
            .collect();
        let at = *index
            .entry((is_way, way(keys.iter().copied())))
            .or_insert_with(|| {
                places.push(DiffPlace {
                    keys,
                    is_way,
                    after: path(row, played.depth),
                    moves: Vec::new(),
                });
                places.len() - 1
            });
        let Some(place) = places.get_mut(at) else { continue };
        if place.moves.iter().all(|(mv, _)| *mv != played.mv) {
            let san = write_san(row.prefix.position(played.depth), played.mv);
            place.moves.push((played.mv, san));
        }
    }
}

/// The first moves of a row, written with their numbers.
fn path(row: &Row<'_, '_>, depth: usize) -> String {
    let mut words = Vec::new();
    for played in row.played.iter().take(depth) {
        let before = row.prefix.position(played.depth);
        if before.turn() == Color::White {
            words.push(format!("{}.", before.fullmoves()));
        } else if words.is_empty() {
            words.push(format!("{}...", before.fullmoves()));
        }
        words.push(write_san(before, played.mv));
    }
    words.join(" ")
}

impl DiffPlace {
    fn differences(self, old: &Book, new: &Book) -> Vec<Difference> {
        let entries = |book: &Book| -> Vec<Entry> {
            match self.keys.last() {
                _ if self.is_way => book.entries_along(&self.keys).to_vec(),
                Some(key) => book.entries(*key).to_vec(),
                None => Vec::new(),
            }
        };
        let (old, new) = (entries(old), entries(new));
        let compared = self.moves.into_iter().map(|(mv, san)| Difference {
            after: self.after.clone(),
            mv: san,
            old: chance(&old, mv),
            new: chance(&new, mv),
        });
        compared
            .filter(|difference| match (difference.old, difference.new) {
                (Some(old), Some(new)) => (old - new).abs() > 0.001,
                (None, None) => false,
                _ => true,
            })
            .collect()
    }
}

/// The chance of a move among those of its position; none if it is not there.
fn chance(entries: &[Entry], mv: Move) -> Option<f64> {
    let total: u64 = entries.iter().map(Entry::share).sum();
    let entry = entries.iter().find(|entry| entry.mv == mv)?;
    Some(entry.share() as f64 / (total as f64).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn shown(old: &str, new: &str) -> Vec<String> {
        let book = |text| parse("a.book", text).0.unwrap();
        let percent = |chance: Option<f64>| match chance {
            Some(chance) => format!("{:.0}%", chance * 100.0),
            None => "-".to_owned(),
        };
        diff(&book(old), &book(new))
            .iter()
            .map(|one| {
                format!(
                    "{} [{}] {} > {}",
                    one.after,
                    one.mv,
                    percent(one.old),
                    percent(one.new)
                )
            })
            .collect()
    }

    #[test]
    fn other_order_and_other_looks_are_no_difference() {
        assert!(shown("1. d4 d5 2. c4\nc4 e5", "c2c4 e7e5 # English\n\nd4 d5 c4").is_empty());
    }

    #[test]
    fn pinned_moves_are_compared_where_they_count() {
        let text = "d4 Nf6 c4 e6 Nc3\nc4 Nf6 d4 e6 Nf3@\nc4 Nf6 d4 e6 g3!@\n";
        assert!(shown(text, text).is_empty());
        assert_eq!(
            shown(text, &text.replace("g3!@", "g3@")),
            [
                "1. c4 Nf6 2. d4 e6 [Nf3] 25% > 33%",
                "1. c4 Nf6 2. d4 e6 [g3] 50% > 33%"
            ]
        );
        assert_eq!(
            shown(text, &text.replace("c4 Nf6 d4 e6 g3!@\n", ""))[2..],
            [
                "1. c4 Nf6 2. d4 e6 [Nf3] 25% > 50%",
                "1. c4 Nf6 2. d4 e6 [g3] 50% > -"
            ]
        );
    }

    #[test]
    fn moves_that_come_go_and_change_are_told() {
        assert_eq!(
            shown("e4 60 | d4 40\ne4 e5 Nf3", "e4 50 | d4 50\ne4 e5 Nc3"),
            [
                " [e4] 60% > 50%",
                " [d4] 40% > 50%",
                "1. e4 e5 [Nf3] 100% > -",
                "1. e4 e5 [Nc3] - > 100%"
            ]
        );
    }

    #[test]
    fn a_forbidden_move_has_chance_zero() {
        assert_eq!(
            shown("e4 e5\ne4 c5", "e4 e5\ne4 c5xx"),
            ["1. e4 [e5] 50% > 100%", "1. e4 [c5] 50% > 0%"]
        );
    }
}

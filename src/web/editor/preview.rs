//! Preview: a book as a tree, a personality as its parameters.

use serde_json::{Value, json};

use crate::describe::{key_rows, param_rows, strength_of};
use sparring_book::{self as book, Book, Extent, Library, parse_position};
use sparring_chess::{Variant, units::Elo};
use sparring_diagnostics::place;
use sparring_personality::{self as personality, Level, Personality, strength};

/// Default depth of a tree, in half moves.
const DEFAULT_DEPTH: usize = 4;
/// Largest depth of a tree, in half moves.
const MAX_DEPTH: usize = 12;
/// Most moves of a tree that are sent; the others are counted.
const MAX_BRANCHES: usize = 400;

/// The tree of a book from a position on. Included books are those of `library`.
pub(super) fn of_book(book: Book, library: &Library, from: &str, depth: Option<usize>) -> Value {
    let (lines, name, variant) = (book.rows(), book.name().to_owned(), book.head().variant);
    let book = if book.head().includes.is_empty() {
        book
    } else {
        let others = library
            .names()
            .filter(|other| *other != name)
            .filter_map(|other| library.book(other).cloned());
        let all = std::iter::once(book.clone()).chain(others).collect();
        Library::new(all).book(&name).cloned().unwrap_or(book)
    };
    let (branches, error) = match parse_position(from, variant) {
        Ok(line) => {
            let extent = Extent {
                plies: depth.unwrap_or(DEFAULT_DEPTH).clamp(1, MAX_DEPTH),
                least: 0.0,
            };
            (book::tree(&book, &line, extent), None)
        }
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let shown: Vec<Value> = branches
        .iter()
        .take(MAX_BRANCHES)
        .map(|branch| {
            json!({
                "depth": branch.depth, "move": branch.mv, "chance": branch.chance, "at": branch.at,
                "name": branch.name, "seen": branch.seen,
            })
        })
        .collect();
    json!({
        "lines": lines, "positions": book.positions(), "branches": shown,
        "more": branches.len().saturating_sub(MAX_BRANCHES), "trouble": error,
    })
}

/// The keys of a personality with their meaning, and its strength parameters, at `level` if given.
pub(super) fn of_personality(profile: &Personality, text: &str, level: Option<Elo>) -> Value {
    let level = level.filter(|level| Level::RANGE.contains(&level.0));
    let params: Vec<Value> = param_rows(&strength::level_params(profile, level, Variant::Standard))
        .into_iter()
        .map(|row| json!({"name": row.name, "value": row.value, "doc": row.doc}))
        .collect();
    let keys: Vec<Value> = key_rows(&personality::keys(text))
        .into_iter()
        .map(|row| {
            let line = row.written_at.map(|byte| place(text, byte).0);
            json!({"path": row.path, "value": row.value, "doc": row.doc, "line": line})
        })
        .collect();
    json!({
        "title": profile.title, "about": profile.about, "strength": strength_of(profile),
        "ownLevel": profile.level, "level": level,
        "levels": {"min": Level::RANGE.start(), "max": Level::RANGE.end()},
        "knobs": params, "keys": keys,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_of_a_book_holds_its_includes_and_starts_anywhere() {
        let base = book::parse("books/base.book", "1. d4 d5\n").0.unwrap();
        let library = Library::new(vec![base]);
        let mine = || {
            book::parse("books/mine.book", "include: base\n1. e4 e5 30 | c5 70\n")
                .0
                .unwrap()
        };
        let shown = of_book(mine(), &library, "", None);
        let moves: Vec<&str> = shown["branches"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|branch| branch["move"].as_str())
            .collect();
        assert_eq!(moves, ["1. d4", "1... d5", "1. e4", "1... c5", "1... e5"]);
        let later = of_book(mine(), &library, "1. e4", Some(1));
        assert_eq!(later["branches"][0]["chance"], 0.7);
        assert_eq!(later["branches"][0]["at"], "books/mine.book:2");
        let nowhere = of_book(mine(), &library, "1. e9", None);
        assert!(nowhere["trouble"].as_str().unwrap().contains("e9"), "{nowhere}");
    }

    #[test]
    fn a_personality_is_described_at_its_own_level_or_another() {
        let text = "level = 1400\nnoise = 30\n";
        let profile = personality::read("personalities/tim.toml", text).0.unwrap();
        let own = of_personality(&profile, text, None);
        let knob = |shown: &Value, name: &str| {
            let knobs = shown["knobs"].as_array().unwrap();
            let found = knobs.iter().find(|knob| knob["name"] == name).unwrap();
            found["value"].as_str().unwrap().to_owned()
        };
        assert_eq!(knob(&own, "noise"), "30 cp");
        let stronger = of_personality(&profile, text, Some(Elo(2200)));
        assert_ne!(knob(&own, "rating"), knob(&stronger, "rating"));
        let keys = own["keys"].as_array().unwrap();
        let noise = keys.iter().find(|key| key["path"] == "noise").unwrap();
        assert_eq!((&noise["value"], &noise["line"]), (&json!("30"), &json!(2)));
        assert_eq!(
            of_personality(&profile, text, Some(Elo(99_999)))["level"],
            Value::Null
        );
    }
}

//! The books that come with Sparring load without a finding, and know what they should.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use sparring_book::{self as book, Book, Library};
use sparring_chess::{Color, GameHistory, Variant};
use sparring_personality as personality;

fn shipped() -> Vec<Book> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("books");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "book"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = format!("books/{}", path.file_name().unwrap().to_str().unwrap());
        let (book, findings) = book::check_bytes(&name, &fs::read(path).unwrap());
        assert!(findings.list.is_empty(), "{findings}");
        book.unwrap()
    };
    paths.iter().map(read).collect()
}

/// Whether a book is for other rules than those of standard chess.
fn is_for_variant(book: &Book) -> bool {
    !book.head().variant.traits().standard_books
}

#[test]
fn every_shipped_book_loads_without_a_finding() {
    let books = shipped();
    assert!(books.iter().any(|book| book.name() == "starter"));
    for book in books {
        assert!(book.title().is_some(), "{} has no name", book.path());
        let least = if is_for_variant(&book) { 25 } else { 40 };
        assert!(
            book.rows() >= least,
            "{} has {} lines of moves",
            book.path(),
            book.rows()
        );
    }
}

#[test]
fn every_shipped_book_has_a_first_move_and_an_answer_to_the_usual_ones() {
    let books = shipped();
    let standard = books.iter().filter(|book| !is_for_variant(book));
    let names: Vec<String> = standard.map(|book| book.name().to_owned()).collect();
    let library = Library::new(books);
    for name in names {
        for moves in ["", "e2e4", "d2d4"] {
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            let found = library.pick(std::slice::from_ref(&name), &line, 1);
            assert!(found.is_some(), "{name} has nothing to play after \"{moves}\"");
        }
    }
}

#[test]
fn every_variant_with_rules_of_its_own_has_a_book_with_a_first_move_and_answers_to_its_first_moves() {
    let library = Library::new(shipped());
    let listed = ["main".to_owned()];
    for variant in Variant::ALL {
        let books = library.books_for(&listed, variant);
        if variant.traits().standard_books {
            assert_eq!(*books, listed);
            continue;
        }
        assert_eq!(books.last().map(String::as_str), Some(variant.key()));
        let first = library.choices(&books, &GameHistory::new(variant));
        assert!(!first.is_empty(), "{variant}");
        for choice in first.iter().filter(|choice| choice.chance > 0.0) {
            let mut line = GameHistory::new(variant);
            line.play(choice.mv);
            let answer = library.pick(&books, &line, 1);
            assert!(answer.is_some(), "{variant}: nothing after {}", line.uci_moves());
        }
    }
}

#[test]
fn every_shipped_book_is_opened_from_by_a_shipped_personality_and_the_page_says_so() {
    let page = include_str!("../docs/personalities.md");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("personalities");
    let mut readers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (profile, _) = personality::read(&name, &fs::read_to_string(&path).unwrap());
        let profile = profile.unwrap();
        for book in [Color::White, Color::Black]
            .iter()
            .flat_map(|color| profile.books_of(*color))
        {
            readers.entry(book.clone()).or_default().insert(name.clone());
        }
    }
    for book in shipped() {
        if is_for_variant(&book) {
            // No list names it: every personality with books finds it by the variant's name.
            assert_eq!(book.name(), book.head().variant.key());
            assert!(page.contains(&format!("`{}`", book.name())), "{}", book.name());
            continue;
        }
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", book.name())))
            .unwrap_or_else(|| panic!("docs/personalities.md does not speak of {}", book.name()));
        let told: BTreeSet<String> = row
            .rsplit('|')
            .nth(1)
            .unwrap()
            .split([' ', ',', ';'])
            .filter(|word| !["", "and", "after", "their", "own"].contains(word))
            .map(str::to_owned)
            .collect();
        assert_eq!(
            Some(told),
            readers.remove(book.name()),
            "who opens from {}",
            book.name()
        );
    }
    assert!(readers.is_empty(), "books that are not there: {readers:?}");
}

/// The fenced blocks of the page on the format, with the word behind each fence.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut parts = page.split("```");
    parts.next();
    let fenced = parts.step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).collect()
}

#[test]
fn the_examples_of_the_page_on_the_format_are_true() {
    let page = include_str!("../docs/books.md");
    let blocks = blocks(page);
    assert!(blocks.len() >= 6);
    for (index, (kind, text)) in blocks.iter().enumerate() {
        match *kind {
            "book" => {
                let (_, findings) = book::parse("docs/books.md", text);
                assert!(findings.list.is_empty(), "{findings}\nin\n{text}");
            }
            "book-with-mistakes" => {
                let (_, findings) = book::parse("example.book", text);
                let (next, expected) = blocks[index + 1];
                assert_eq!(next, "findings");
                assert_eq!(findings.to_string(), expected.trim_end());
            }
            _ => {}
        }
    }
}

#[test]
fn the_main_book_is_broad() {
    let books = shipped();
    let main = books.iter().find(|book| book.name() == "main").unwrap();
    assert!(main.positions() >= 2000, "{} positions", main.positions());
}

//! Books that were damaged in every way files are: they are read or refused with a place and a reason, never with a panic.
//!
//! The shipped books are spoiled by a fixed seed, so a failure comes again.

use std::{fs, path::Path, process::Command};

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
use sparring_book::{self as book, Book, Library, Notation};
use sparring_chess::{GameHistory, Variant};
use sparring_diagnostics::Diagnostics;

/// How many variations of each book are made in each way. The books are cut to their first lines, to be quick.
const ROUNDS: usize = 6;
const LINES: usize = 120;

fn shipped() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/books");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let books: Vec<Vec<u8>> = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "book"))
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let lines: Vec<&str> = text.split_inclusive('\n').take(LINES).collect();
            lines.concat().into_bytes()
        })
        .collect();
    assert!(books.len() >= 5);
    books
}

/// A number below `end`, which is above 0.
fn below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    (rng.next_u64() % end as u64) as usize
}

/// Reads a spoiled book and does all with it that the bot and the tools do.
fn survive(what: &str, bytes: &[u8]) -> (Option<Book>, Diagnostics) {
    let (read, findings) = book::parse_bytes("spoiled.book", bytes);
    for finding in &findings.list {
        let (line, column) = findings.place(finding);
        let lines = findings.text.split('\n').count();
        let at = findings.text.split('\n').nth(line - 1).unwrap_or_default();
        assert!(
            (1..=lines).contains(&line) && (1..=at.chars().count() + 1).contains(&column),
            "{what}: {line}:{column} is no place of the text: {}",
            finding.message
        );
        assert!(
            findings
                .text
                .is_char_boundary(finding.span.start.min(findings.text.len()))
        );
        assert!(!finding.message.is_empty(), "{what}");
    }
    match &read {
        None => assert!(!findings.is_usable(), "{what}: refused without a reason"),
        Some(read) => {
            assert_eq!(
                book::write(read).as_bytes(),
                bytes,
                "{what}: the text is kept as it is"
            );
            let (checked, slips) = book::check_bytes("spoiled.book", bytes);
            assert_eq!(checked.map(|book| book.rows()), Some(read.rows()), "{what}");
            assert!(slips.list.len() >= findings.list.len(), "{what}: {slips}");
            let tidy = book::format(read, Notation::AsWritten);
            let again = book::parse("tidy.book", &tidy).0.unwrap();
            assert_eq!(again.rows(), read.rows(), "{what}: good order keeps every line");
            let library = Library::new(vec![read.clone()]);
            let _ = library.pick(&["spoiled".to_owned()], &GameHistory::new(Variant::Standard), 1);
        }
    }
    (read, findings)
}

/// Spoils every shipped book several times and reads what comes of it.
fn spoil(what: &str, mut how: impl FnMut(&mut Vec<u8>, &mut ChaCha8Rng)) {
    for (number, good) in shipped().iter().enumerate() {
        for round in 0..ROUNDS {
            let mut rng = ChaCha8Rng::seed_from_u64((number * ROUNDS + round) as u64);
            let mut bytes = good.clone();
            how(&mut bytes, &mut rng);
            let _ = survive(&format!("{what}, book {number}, round {round}"), &bytes);
        }
    }
}

#[test]
fn changed_bytes_are_survived() {
    spoil("changed bytes", |bytes, rng| {
        for _ in 0..1 + below(rng, 20) {
            let at = below(rng, bytes.len());
            bytes[at] = below(rng, 256) as u8;
        }
    });
    // Most changed bytes are no UTF-8; these are.
    spoil("changed letters", |bytes, rng| {
        const LETTERS: &[u8] = b"abcdefgh12345678NBRQKOx+#=!?@|;:./- \t\n\r\0~";
        for _ in 0..1 + below(rng, 40) {
            let at = below(rng, bytes.len());
            if bytes[at].is_ascii() {
                bytes[at] = LETTERS[below(rng, LETTERS.len())];
            }
        }
    });
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = vec![0; 1 + below(&mut rng, 5000)];
        rng.fill_bytes(&mut bytes);
        // Long enough to hold a byte that no UTF-8 has.
        bytes.push(0xff);
        assert!(survive("rubbish", &bytes).0.is_none());
    }
    for bytes in [
        &b"\xff\xfe1\0.\0 \0e\x004\0"[..],
        b"e4\0e5",
        b"\x7fELF\x02\x01\x01\0",
        b"\xef\xbb",
        b"\x80",
    ] {
        assert!(survive("no text", bytes).0.is_none());
    }
}

#[test]
fn a_text_cut_anywhere_is_survived() {
    spoil("cut", |bytes, rng| bytes.truncate(below(rng, bytes.len())));
    let text = "name: Caf\u{e9}\n1. e4 e5 # \u{1f600} na\u{ef}ve\n".as_bytes();
    for end in 0..text.len() {
        let whole = std::str::from_utf8(&text[..end]).is_ok();
        assert_eq!(survive("cut", &text[..end]).0.is_some(), whole, "cut at {end}");
    }
}

#[test]
fn pieces_of_books_in_any_order_are_survived() {
    spoil("shuffled", |bytes, rng| {
        for _ in 0..5 {
            let from = below(rng, bytes.len());
            let piece: Vec<u8> = bytes[from..].iter().copied().take(below(rng, 300)).collect();
            let to = below(rng, bytes.len());
            bytes.splice(to..to, piece);
        }
    });
}

#[test]
fn windows_ends_marks_and_tabs_change_nothing() {
    for good in shipped() {
        let text = String::from_utf8(good.clone()).unwrap();
        let rows = survive("good", &good).0.unwrap().rows();
        for (what, changed) in [
            ("Windows", text.replace('\n', "\r\n")),
            ("byte order mark", format!("\u{feff}{text}")),
            ("tabs", text.replace(' ', "\t")),
            (
                "all",
                format!("\u{feff}{}", text.replace(' ', " \t ").replace('\n', " \r\n")),
            ),
        ] {
            let (read, findings) = survive(what, changed.as_bytes());
            assert!(findings.is_usable(), "{what}: {findings}");
            assert_eq!(read.unwrap().rows(), rows, "{what}");
        }
    }
}

#[test]
fn a_mistake_in_the_middle_refuses_its_line_only() {
    for (number, good) in shipped().into_iter().enumerate() {
        let text = String::from_utf8(good).unwrap();
        let rows = survive("good", text.as_bytes()).0.unwrap().rows();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let spoiled: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at].starts_with("1. ") && lines[*at].contains(" 3. "))
            .step_by(7)
            .collect();
        assert!(!spoiled.is_empty(), "book {number}");
        for at in &spoiled {
            lines[*at] = lines[*at].replacen(" 3. ", " 3. Nf9 ", 1);
        }
        let (read, findings) = survive("mistakes", lines.join("\n").as_bytes());
        assert_eq!(read.unwrap().rows(), rows - spoiled.len(), "book {number}");
        let told: Vec<usize> = findings
            .list
            .iter()
            .map(|finding| findings.place(finding).0 - 1)
            .collect();
        assert_eq!(told, spoiled, "book {number}");
    }
}

#[test]
fn very_long_lines_are_survived() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(5_000);
    let (read, _) = survive("long game", shuffle.as_bytes());
    assert!(read.is_some());
    for word in [
        "x", "e4 ", "(", "1.", "|", "e4 | ", "# ", "!", "name:", "from: 8/", "é",
    ] {
        let _ = survive(word, word.repeat(100_000).as_bytes());
    }
}

#[test]
fn circles_of_includes_are_told_and_survived() {
    for count in [1_usize, 2, 3, 20] {
        let books: Vec<Book> = (0..count)
            .map(|number| {
                // Each includes the next, the first of all, itself, and one that is not there.
                let next = (number + 1) % count;
                let text =
                    format!("include: b{next}\ninclude: b0\ninclude: b{number}\ninclude: gone\n1. e4 e5\n");
                book::parse(&format!("b{number}.book"), &text).0.unwrap()
            })
            .collect();
        let told = book::missing_includes(&books);
        assert_eq!(told.len(), count, "every book is in the circle");
        let library = Library::new(books);
        for number in 0..count {
            let read = library.book(&format!("b{number}")).unwrap();
            assert_eq!(read.rows(), count, "each line counts once");
        }
    }
}

/// `sparring book check` in a folder: its exit code, and all that it says.
fn check(folder: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    let output = command
        .args(["book", "check", "--lines"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[test]
fn a_file_that_is_no_book_does_not_keep_others_from_being_checked() {
    let folder = tempfile::tempdir().unwrap();
    let books = folder.path().join("books");
    fs::create_dir(&books).unwrap();
    fs::write(books.join("a.book"), b"\x7fELF\x02\0").unwrap();
    fs::File::create(books.join("b.book"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    fs::write(books.join("c.book"), "1. e4 e5 2. Nf9\n").unwrap();
    let (code, said) = check(folder.path());
    assert_eq!(code, Some(1));
    for expected in [
        "a.book:1:6: error: this is not a text",
        "b.book:1:1: error: 1073741824 bytes are too many for a book",
        "c.book:1:13: error: \"Nf9\" is not a move",
        "3 books checked: 3 errors, 0 warnings",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn without_a_folder_the_shipped_books_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = check(folder.path());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("17 books checked: 0 errors"), "{said}");
}

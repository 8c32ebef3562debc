//! Files that people and other programs have written are read whole. They lie beside the checkout; without them, the tests are ignored.

mod shared;

use std::{fs, path::Path, process::ExitCode};

use libtest_mimic::Arguments;
use shared::trial;
use sparring_book::import_polyglot;
use sparring_chess::Games;
use sparring_match_runner::{read_epd, read_suite};

fn main() -> ExitCode {
    let trials = vec![
        trial(
            "games_that_failed_once_are_whole_but_the_one_that_is_cut",
            "testdata/pains",
            games,
        ),
        trial(
            "polyglot_books_that_others_complained_about_are_read_whole",
            "testdata/pains",
            polyglot_books,
        ),
        trial("suites_that_people_use_are_read_whole", "testdata/suites", suites),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn games(folder: &Path) {
    let mut files = 0;
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy();
        if !name.ends_with(".pgn") {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let mut reader = Games::new(&bytes[..], 400);
        let mut broken = 0;
        while let Some(game) = reader.next_game().unwrap() {
            assert!(game.line.ply() > 0, "{name}");
            broken += usize::from(game.broken.is_some());
        }
        assert_eq!(broken, usize::from(name.contains("cut")), "{name}");
        files += 1;
    }
    assert!(files > 0);
}

fn polyglot_books(folder: &Path) {
    for (name, entries, line) in [
        ("only-white.bin", 7, "color: white\n1. e4 10\n"),
        ("castle-e1g1.bin", 10, "O-O 10\n"),
        ("dup.bin", 3, "1. e4 25 | d4 9\n"),
    ] {
        let imported = import_polyglot(&fs::read(folder.join(name)).unwrap()).unwrap();
        let (book, findings) = sparring_book::parse(name, &imported.text);
        assert!(book.is_some() && findings.to_string().is_empty(), "{findings}");
        assert_eq!(
            (imported.entries, imported.is_whole()),
            (entries, true),
            "{}",
            imported.text
        );
        assert!(imported.text.contains(line), "{}", imported.text);
    }
}

fn suites(folder: &Path) {
    let mut files = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = read_epd(&file.unwrap().path()).unwrap();
        let (problems, findings) = read_suite("a.epd", &text);
        assert_eq!(findings.to_string(), "");
        assert!(!problems.is_empty());
        files += 1;
    }
    assert!(files > 0);
}

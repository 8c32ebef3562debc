//! Books grown from games.

use std::fs;

use super::*;
use crate::cli::parsed;
use sparring_book as book;

/// What comes of feeding some games with some options.
fn fed(files: &[(&str, &str)], options: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.book");
    let mut words = vec!["build".to_owned()];
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        if name.ends_with(".book") {
            words.push("--onto".to_owned());
        }
        words.push(path.display().to_string());
    }
    words.extend(options.split_whitespace().map(str::to_owned));
    words.extend(["-q".to_owned(), "-o".to_owned(), out.display().to_string()]);
    run(&parsed(words).unwrap()).unwrap();
    let text = fs::read_to_string(out).unwrap();
    assert_eq!(book::parse("out.book", &text).1.to_string(), "");
    // The first line names the files.
    text.lines()
        .filter(|line| !line.starts_with("# From"))
        .collect::<Vec<_>>()
        .join("\n")
}

const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"2300\"]\n[BlackElo \"1500\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 1-0\n\n\
    [White \"Bob\"]\n[Black \"ann\"]\n[WhiteElo \"1500\"]\n[BlackElo \"2310\"]\n[Result \"1/2-1/2\"]\n\n\
    1. e4 c5 2. Nf3 1/2-1/2\n\n\
    [White \"Cid\"]\n[Black \"Dan\"]\n[Result \"0-1\"]\n\n1. d4 d5 2. Nf9 0-1\n";

#[test]
fn all_games_count_for_both_sides() {
    assert_eq!(
        fed(&[("a.pgn", GAMES)], "--min 1 --depth 2"),
        "1. e4 2 | d4 1\n1. e4 c5 1 | e5 1\n1. d4 d5  # Queen's Pawn Game, Closed"
    );
}

#[test]
fn what_an_included_book_does_not_play_is_not_fed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mine = "include: base\n1. d4 d5 2. c4\n";
    for (name, text) in [
        ("base.book", "1. c4 0\n"),
        ("mine.book", mine),
        ("games.pgn", "1. c4 e5 *\n\n1. c4 c5 *\n"),
    ] {
        fs::write(path(name), text).unwrap();
    }
    let words = ["build", "--min", "1", "-q", "--onto"].map(str::to_owned);
    let files = [
        path("mine.book"),
        path("games.pgn"),
        "-o".to_owned(),
        path("out.book"),
    ];
    run(&parsed(words.into_iter().chain(files)).unwrap()).unwrap();
    let text = fs::read_to_string(path("out.book")).unwrap();
    assert_eq!(text, mine);
}

#[test]
fn shards_of_the_games_make_the_same_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let more =
        "1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 Nf6 *\n\n[FEN \"7k/8/5K2/8/8/8/8/6Q1 w - - 0 1\"]\n\n1. Qg7# 1-0\n";
    fs::write(path("a.pgn"), GAMES).unwrap();
    fs::write(path("b.pgn"), more.repeat(3)).unwrap();
    for filters in [
        "",
        "--player ann",
        "--from-positions --min-rating 2000",
        "--from-positions",
    ] {
        let build = |words: &str| {
            let words = format!("build -q --force {words} {filters}");
            run(&parsed(words.split_whitespace()).unwrap()).unwrap();
        };
        let files = format!("{} {}", path("a.pgn"), path("b.pgn"));
        build(&format!("{files} --min 1 -o {}", path("direct.book")));
        let shards: Vec<PathBuf> = (1..=8)
            .map(|number| {
                let record = path(&format!("{number}.ndjson"));
                // Twice: what is there is kept.
                for _ in 0..2 {
                    build(&format!("{files} --shard {number}/8 --record {record}"));
                }
                record.into()
            })
            .collect();
        let whole = path("whole.ndjson");
        sparring_journal::merge(&shards)
            .unwrap()
            .write(whole.as_ref())
            .unwrap();
        let book = path("merged.book");
        run(&parsed(format!("build -q --force {whole} --min 1 -o {book}").split(' ')).unwrap()).unwrap();
        let filtered = format!("build -q --force {whole} --min-rating 2600 -o {book}");
        let refused = run(&parsed(filtered.split(' ')).unwrap()).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("were chosen already: give filters with --record")
        );
        let text = |name: &str| {
            let text = fs::read_to_string(path(name)).unwrap();
            text.split_once('\n').unwrap().1.to_owned()
        };
        assert_eq!(text("merged.book"), text("direct.book"), "{filters}");
        assert!(text("direct.book").lines().count() > 1, "{filters}");
        for shard in shards {
            fs::remove_file(shard).unwrap();
        }
    }
}

#[test]
fn a_player_is_followed_on_either_side() {
    assert_eq!(
        fed(&[("a.pgn", GAMES)], "--min 1 --player ann"),
        "color: white\n1. e4 e5 2. Nf3  # King's Knight Opening\n\n\
         color: black\n1. e4 c5 2. Nf3  # Sicilian Defense, Open Preparation"
    );
}

#[test]
fn ratings_and_results_choose_sides() {
    assert_eq!(
        fed(&[("a.pgn", GAMES)], "--min 1 --min-rating 2000 --result won"),
        "color: white\n1. e4 e5 2. Nf3  # King's Knight Opening"
    );
    assert_eq!(
        fed(&[("a.pgn", GAMES)], "--min 1 --color black --result won"),
        "color: black\n1. d4 d5  # Queen's Pawn Game, Closed"
    );
}

#[test]
fn the_same_feed_twice_doubles_the_numbers() {
    let once = fed(&[("a.pgn", GAMES)], "--min 1 --depth 1");
    assert_eq!(once, "1. e4 2 | d4 1");
    let mine = format!("# my own\n{once} # top\n1. e4 e5\n");
    assert_eq!(
        fed(&[("a.pgn", GAMES), ("mine.book", &mine)], "--min 1 --depth 1"),
        "# my own\n1. e4 4 | d4 2 # top\n1. e4 e5"
    );
}

#[test]
fn games_are_known_whatever_their_file_is_called() {
    assert_eq!(
        fed(&[("a.txt", &format!("\u{feff}\n{GAMES}"))], "--min 1 --depth 1"),
        "1. e4 2 | d4 1"
    );
}

#[test]
fn the_three_files_of_rodent_feed_their_sides() {
    assert_eq!(
        fed(
            &[
                ("feed.txt", "e2e4 e7e5\n"),
                ("feedwhite.txt", "d2d4 d7d5 c2c4\n"),
                ("feedblack.txt", "c2c4 e7e5\n")
            ],
            "--min 1"
        ),
        "1. e4 e5  # King's Pawn Game, Open\n\ncolor: white\n1. d4 d5 2. c4  # Queen's Gambit\n\n\
         color: black\n1. c4 e5  # English Opening, King's English"
    );
}

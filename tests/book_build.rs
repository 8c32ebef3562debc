//! `sparring book build`: books grown from files of games as they lie around, compressed, cut, or no files at all.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

const GAMES: &str = "[White \"Müller, Karl\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
    [White \"Bob\"]\n[Black \"Cid\"]\n[Result \"0-1\"]\n\n1. e4 c5 0-1\n\n";

const ELSEWHERE: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 Kd7 *\n\n";

fn sparring(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    command.arg("book").args(arguments.split_whitespace());
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The exit code and what was said on stderr.
fn said(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let output = sparring(folder, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text.trim_end().to_owned())
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

/// A book without the line that names its files.
fn book(folder: &Path, name: &str) -> String {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn compressed_files_feed_as_plain_ones_do_whatever_they_are_called() {
    let text = GAMES.as_bytes();
    let files = [
        ("a.pgn", text.to_vec()),
        ("a.pgn.gz", gzip(text)),
        ("a.pgn.zst", zstd(text)),
        ("a.pgn.bz2", bzip2(text)),
        // Of three members, under another name.
        (
            "games.txt",
            [gzip(&text[..50]), gzip(b""), gzip(&text[50..])].concat(),
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
        let (code, told) = said(folder.path(), &format!("build {name} --min 1 -o {name}.book"));
        let expected = "2 games read, 2 fit, 2 used, 0 broken: 2 lines, 3 positions";
        assert_eq!((code, told.as_str()), (Some(0), expected), "{name}");
        let first = book(folder.path(), "a.pgn.book");
        assert_eq!(book(folder.path(), &format!("{name}.book")), first, "{name}");
    }
}

#[test]
fn what_was_read_of_a_cut_file_counts_and_so_do_the_other_files() {
    let many: String = (0..2000)
        .map(|number| format!("[White \"{number}\"]\n\n1. d4 d5 *\n\n"))
        .collect();
    let mut cut = gzip(many.as_bytes());
    cut.truncate(cut.len() / 2);
    let folder = folder(&[("cut.pgn.gz", &cut), ("a.pgn", GAMES.as_bytes())]);
    let (code, told) = said(folder.path(), "build cut.pgn.gz a.pgn -o out.book");
    assert_eq!(code, Some(1), "{told}");
    let expected = format!(
        "cut.pgn.gz: the gzip data end in the middle, after {} bytes (",
        cut.len()
    );
    assert!(told.contains(&expected), "{told}");
    assert!(book(folder.path(), "out.book").starts_with("1. d4 "), "{told}");
}

#[test]
fn broken_games_are_told_with_their_places() {
    let broken = format!("{GAMES}[White \"Ann\"]\n\n1. e4 Ke7 *\n");
    let folder = folder(&[("a.pgn", broken.as_bytes())]);
    let (code, told) = said(folder.path(), "build a.pgn --min 1 -o out.book");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.starts_with("a.pgn:") && told.contains("game 3: "), "{told}");
    assert!(told.contains("\"Ke7\""), "{told}");
    assert!(told.contains("3 games read, 3 fit, 3 used, 1 broken: "), "{told}");
}

#[test]
fn a_player_who_is_not_found_is_told_with_those_who_are_called_nearly_so() {
    let folder = folder(&[("a.pgn", GAMES.as_bytes()), ("a.book", b"1. e4 5 | d4 3\n")]);
    for command in ["build a.pgn -o out.book", "learn a.book a.pgn"] {
        let (code, told) = said(folder.path(), &format!("{command} --player Muller"));
        assert_eq!(code, Some(1));
        let expected = "no game of \"Muller\" in 2 games; similar: \"Müller, Karl\" (1 game)";
        assert!(told.ends_with(expected), "{told}");
    }
    let (code, told) = said(folder.path(), "build a.pgn --player bob --result won -o out.book");
    assert_eq!(code, Some(1));
    assert!(
        told.ends_with("\"bob\" has 2 games of 2 games, and none passes the other filters"),
        "{told}"
    );
    assert!(!folder.path().join("out.book").exists());
}

#[test]
fn games_from_other_positions_are_told_of_and_taken_in_on_request() {
    let variants = format!("{GAMES}{ELSEWHERE}[Variant \"Atomic\"]\n\n1. e4 *\n");
    let folder = folder(&[("a.pgn", variants.as_bytes())]);
    let (code, told) = said(folder.path(), "build a.pgn --min 1 -o out.book");
    assert_eq!(code, Some(0));
    assert_eq!(
        told,
        "left out: 1 game from other positions; --from-positions takes them in\n\
         left out: 1 game of Atomic; the book is for orthodox chess\n\
         4 games read, 4 fit, 2 used, 0 broken: 2 lines, 3 positions"
    );
    let (code, told) = said(
        folder.path(),
        "build a.pgn --min 1 --from-positions -o out.book --force",
    );
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.ends_with("4 games read, 4 fit, 3 used, 0 broken: 3 lines, 5 positions"),
        "{told}"
    );
    let text = book(folder.path(), "out.book");
    assert!(
        text.ends_with("\nfrom: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n1. e4 Kd7\n"),
        "{text}"
    );
    assert_eq!(said(folder.path(), "check out.book").0, Some(0));
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_at_once_but_a_pipe_of_the_shell_is_read() {
    let folder = folder(&[("a.pgn", GAMES.as_bytes())]);
    assert!(
        Command::new("mkfifo")
            .arg(folder.path().join("pipe.pgn"))
            .status()
            .unwrap()
            .success()
    );
    for (path, what) in [
        ("pipe.pgn", "a named pipe"),
        ("/dev/zero", "a device"),
        (".", "a directory"),
    ] {
        for command in [
            "build a.pgn",
            "show",
            "check",
            "import",
            "split",
            "learn a.book --player x a.pgn",
        ] {
            if command.starts_with("learn") {
                fs::write(folder.path().join("a.book"), "1. e4\n").unwrap();
            } else if command == "check" && path == "." {
                continue; // It checks folders.
            }
            let (code, told) = said(folder.path(), &format!("{command} {path}"));
            let expected = format!("this is {what}, not a file");
            assert!(told.contains(&expected), "{command} {path}: {told}");
            assert_ne!(code, Some(0), "{command} {path}");
        }
    }
    let line = format!(
        "{} book build <(cat a.pgn) --min 1 -o out.book",
        env!("CARGO_BIN_EXE_sparring")
    );
    let fed = Command::new("bash")
        .args(["-c", &line])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8(fed.stderr).unwrap();
    assert!(told.starts_with("2 games read, 2 fit, 2 used"), "{told}");
}

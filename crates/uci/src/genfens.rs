//! `genfens`: openings by chance, as OpenBench asks an engine for where games to learn from begin.

use std::{
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use thiserror::Error;

use sparring_chess::{FenError, Position, Variant, parse_fen, split_epd, write_fen};
use sparring_engine::RandomOpenings;
use sparring_files::{
    self as files,
    lines::{Line, Lines},
};

/// How many random half moves there are, or one more, so that both colors come to move.
const PLIES: usize = 8;
/// Most half moves that may be asked for.
const MOST_PLIES: usize = 100;
/// So many lines of a book are drawn for each opening: more random moves than one may follow each.
const LINES_EACH: usize = 4;

/// A command that cannot be carried out.
#[derive(Debug, Error)]
pub enum GenfensError {
    /// Words are missing, wrong or left over.
    #[error("usage: genfens N seed S book None|FILE [plies P]: {0}")]
    Usage(String),
    /// The book cannot be read.
    #[error("the book {}: {source}", .path.display())]
    Book {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A line of the book is no position.
    #[error("{}:{line}: {why}; a book for genfens has a position a line, as EPD or FEN", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: FenError,
    },
    /// The book has no position.
    #[error("the book {} has no line", .0.display())]
    Empty(PathBuf),
    /// An opening cannot be shown.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// The openings are used up.
    #[error("only {found} of {wanted} openings were found in which neither side is lost")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many were asked for.
        wanted: usize,
    },
}

/// A command: `N seed S book None|FILE [plies P]`.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    count: usize,
    seed: u64,
    book: Option<PathBuf>,
    plies: usize,
}

/// Draws openings as the words behind `genfens` say, and hands over each as FEN as soon as it is found.
///
/// # Errors
/// [`GenfensError`]; only [`GenfensError::TooFew`] and an error of `show` come after an opening.
pub fn genfens(words: &[&str], mut show: impl FnMut(&str) -> io::Result<()>) -> Result<(), GenfensError> {
    let request = parse(words).map_err(GenfensError::Usage)?;
    let starts = match &request.book {
        Some(path) => starts(path, request.count.saturating_mul(LINES_EACH), request.seed)?,
        None => Vec::new(),
    };
    let openings = RandomOpenings {
        variant: Variant::Standard,
        starts,
        plies: request.plies..=request.plies + 1,
        seed: request.seed,
    };
    let mut found = 0;
    for line in openings.draw(request.count) {
        show(&write_fen(line.position()))?;
        found += 1;
    }
    let wanted = request.count;
    if found < wanted {
        return Err(GenfensError::TooFew { found, wanted });
    }
    Ok(())
}

fn parse(words: &[&str]) -> Result<Request, String> {
    let (count, seed, book, rest) = match words {
        [count, "seed", seed, "book", book, rest @ ..] => (count, seed, book, rest),
        _ => return Err(format!("found {:?}", words.join(" "))),
    };
    let plies = match rest {
        [] => PLIES,
        ["plies", plies] => number(plies, "P", 0, MOST_PLIES as u64)? as usize,
        _ => return Err(format!("{:?} is not known", rest.join(" "))),
    };
    Ok(Request {
        count: number(count, "N", 1, u64::from(u32::MAX))? as usize,
        seed: number(seed, "S", 0, u64::MAX)?,
        book: (!book.eq_ignore_ascii_case("none")).then(|| PathBuf::from(book)),
        plies,
    })
}

fn number(text: &str, name: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{name} is a number from {least} to {most}, not {text:?}"))
}

/// At most so many positions of a book, each line as likely as another. The book is read once and not kept: those of test
/// rigs have millions of lines.
fn starts(path: &Path, most: usize, seed: u64) -> Result<Vec<Position>, GenfensError> {
    let unreadable = |source| GenfensError::Book {
        path: path.to_owned(),
        source,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Apart from what the moves are drawn with.
    rng.set_stream(1);
    let mut lines = Lines::new(BufReader::new(files::open(path).map_err(unreadable)?));
    let (mut drawn, mut seen, mut number): (Vec<(usize, Vec<u8>)>, usize, usize) = (Vec::new(), 0, 0);
    while let Some(line) = lines.next_line().map_err(unreadable)? {
        number += 1;
        let bytes = match line {
            Line::Whole(bytes) => bytes.trim_ascii(),
            Line::TooLong => return Err(unreadable(io::Error::other(format!("line {number} is too long")))),
        };
        if bytes.is_empty() || bytes.starts_with(b"#") {
            continue;
        }
        seen += 1;
        if drawn.len() < most {
            drawn.push((number, bytes.to_vec()));
            continue;
        }
        let place = rng.random_range(0..seen);
        if let Some(slot) = drawn.get_mut(place) {
            *slot = (number, bytes.to_vec());
        }
    }
    if drawn.is_empty() {
        return Err(GenfensError::Empty(path.to_owned()));
    }
    let position = |(line, bytes): (usize, Vec<u8>)| {
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        let fen = split_epd(text).map_or_else(|| text.to_owned(), |(fen, _)| fen);
        parse_fen(Variant::Standard, &fen).map_err(|why| GenfensError::Line {
            path: path.to_owned(),
            line,
            why,
        })
    };
    drawn.into_iter().map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Rules as _;

    fn drawn(command: &str) -> Result<Vec<String>, String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut fens = Vec::new();
        let shown = genfens(&words, |fen| {
            fens.push(fen.to_owned());
            Ok(())
        });
        shown.map(|()| fens).map_err(|error| error.to_string())
    }

    #[test]
    fn openings_differ_have_six_fields_and_come_again_with_the_seed() {
        let fens = drawn("6 seed 7 book None").unwrap();
        assert_eq!(fens.len(), 6);
        let mut distinct = fens.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 6);
        for fen in &fens {
            assert_eq!(fen.split(' ').count(), 6, "{fen}");
            parse_fen(Variant::Standard, fen).unwrap();
        }
        assert_eq!(fens, drawn("6 seed 7 book none").unwrap());
        assert_ne!(fens, drawn("6 seed 8 book None").unwrap());
        let many = drawn("12 seed 7 book None plies 4").unwrap();
        assert!(
            [" w ", " b "]
                .iter()
                .all(|turn| many.iter().any(|fen| fen.contains(turn)))
        );
    }

    #[test]
    fn openings_begin_at_lines_of_the_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.epd");
        let line = "4k3/4p3/8/8/8/8/4P3/4K3 w - - hmvc 0; fmvn 1;\n";
        std::fs::write(&path, format!("# ends\n\n{}", line.repeat(50))).unwrap();
        let book = path.display();
        let fens = drawn(&format!("3 seed 1 book {book} plies 2")).unwrap();
        assert!(
            fens.iter().all(|fen| fen.split(' ').next().unwrap().len() < 30),
            "{fens:?}"
        );
        std::fs::write(&path, "nonsense\n").unwrap();
        let error = drawn(&format!("3 seed 1 book {book}")).unwrap_err();
        assert!(error.starts_with(&format!("{book}:1: ")), "{error}");
        std::fs::write(&path, "\n").unwrap();
        let error = drawn(&format!("3 seed 1 book {book}")).unwrap_err();
        assert_eq!(error, format!("the book {book} has no line"));
        // Two rooks ahead: no game is left.
        std::fs::write(&path, "7k/8/8/8/8/8/RR6/4K3 w - - 0 1\n").unwrap();
        let error = drawn(&format!("3 seed 1 book {book} plies 0")).unwrap_err();
        assert!(error.starts_with("only 0 of 3 openings"), "{error}");
    }

    #[test]
    fn each_line_of_a_book_is_as_likely() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.fen");
        let ranks = ["P7", "1P6", "2P5", "3P4", "4P3", "5P2", "6P1", "7P"];
        let lines = ranks.map(|rank| format!("4k3/8/8/8/8/8/{rank}/4K3 w - - 0 1\n"));
        std::fs::write(&path, lines.concat()).unwrap();
        let mut counts = [0; 8];
        for seed in 0..400 {
            let drawn = starts(&path, 2, seed).unwrap();
            assert_eq!(drawn.len(), 2);
            for position in drawn {
                let pawn = position.board().pawns().first().unwrap();
                counts[usize::from(pawn.file())] += 1;
            }
        }
        // Each is expected 100 times, with a standard error below 10.
        assert!(counts.iter().all(|count| (60..140).contains(count)), "{counts:?}");
    }

    #[test]
    fn wrong_words_are_refused_in_a_sentence() {
        for (command, why) in [
            ("", "found \"\""),
            ("64", "found \"64\""),
            ("64 seed 7", "found"),
            ("0 seed 7 book None", "N is a number from 1"),
            ("many seed 7 book None", "not \"many\""),
            ("4 seed x book None", "S is a number"),
            ("4 seed 7 book None dfrc", "\"dfrc\" is not known"),
            ("4 seed 7 book None plies 900", "P is a number from 0 to 100"),
        ] {
            let error = drawn(command).unwrap_err();
            assert!(
                error.starts_with("usage: genfens N seed S") && error.contains(why),
                "{error}"
            );
        }
        let error = drawn("4 seed 7 book no-such.epd").unwrap_err();
        assert!(error.starts_with("the book no-such.epd: "), "{error}");
    }
}

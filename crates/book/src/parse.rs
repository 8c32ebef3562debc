//! Entry points of the parser, and its limits on size.

use sparring_diagnostics::{Diagnostic, Diagnostics, utf8};

use super::{book::Book, parsed_book::ParsedBook, syntax::BookText};

/// The largest text that is read as a book: more than ten million positions. Reading takes many times the text
/// in memory, so there has to be an end.
pub const MAX_BYTES: usize = 64 << 20;

/// The most lines that are read as a book.
pub const MAX_LINES: usize = 1_000_000;

/// Reads a book from bytes, which must be UTF-8. See [`parse`].
#[must_use]
pub fn parse_bytes(name: &str, bytes: &[u8]) -> (Option<Book>, Diagnostics) {
    finish(read_bytes(name, bytes))
}

/// Reads a book. A line with a mistake is refused whole and all others load; the findings say what is wrong.
///
/// `name` is the file's name as its user would write it. There is no book only if the text cannot be one:
/// larger than [`MAX_BYTES`], longer than [`MAX_LINES`], or not a text at all.
#[must_use]
pub fn parse(name: &str, text: &str) -> (Option<Book>, Diagnostics) {
    finish(read(name, text))
}

fn finish(draft: Result<ParsedBook, Diagnostics>) -> (Option<Book>, Diagnostics) {
    match draft {
        Ok(draft) => {
            let (book, findings) = draft.into_book();
            (Some(book), findings)
        }
        Err(findings) => (None, findings),
    }
}

/// Reads the lines of a book from bytes, which must be UTF-8. See [`read`].
///
/// # Errors
/// Why there is no book.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<ParsedBook, Diagnostics> {
    if bytes.len() > MAX_BYTES {
        return Err(too_large(name, bytes.len() as u64));
    }
    read(name, utf8(name, bytes)?)
}

/// Reads the lines of a book, as far as they can be read, without gathering their moves by position yet.
/// [`parse`] does both.
///
/// # Errors
/// Why there is no book.
pub fn read(name: &str, text: &str) -> Result<ParsedBook, Diagnostics> {
    if text.len() > MAX_BYTES {
        return Err(too_large(name, text.len() as u64));
    }
    let text = BookText::new(text);
    let refuse = |span, message: String| {
        let findings = vec![Diagnostic::error(span, message)];
        Err(Diagnostics::new(name, text.source(), findings))
    };
    if let Some(at) = text.as_str().find('\0') {
        return refuse(at..at + 1, "this is not a text: it has a zero byte".to_owned());
    }
    if text.len() > MAX_LINES {
        let count = text.len();
        return refuse(
            0..0,
            format!("{count} lines are too many for a book: {MAX_LINES} are read"),
        );
    }
    Ok(ParsedBook::new(name, text).explained(stranger))
}

/// Whether a text is a book: it has rows, and more of them than mistakes.
#[must_use]
pub fn is_book(text: &str) -> bool {
    read("", text).is_ok_and(|draft| draft.is_mostly_rows())
}

/// What a text is of which few lines are rows of a book.
fn stranger(text: &str) -> Option<Diagnostic> {
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let first = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(is_said)?;
    let key = first.split_once('=').map(|(key, _)| key.trim());
    let is_word = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let (what, help) = if first.starts_with("[Event ") {
        (
            "these are games in PGN, not a book",
            "`sparring book build` makes books of games",
        )
    } else if first.starts_with('[') || key.is_some_and(is_word) {
        (
            "this is TOML, not a book",
            "a personality lies in the folder of personalities, and its file ends in .toml",
        )
    } else if first.starts_with(['{', '<']) {
        (
            "this is no book",
            "where a site shows it, save the file itself: \"raw\"",
        )
    } else {
        return None;
    };
    Some(Diagnostic::error(0..0, what).with_help(help))
}

/// What is said of a text of more than [`MAX_BYTES`], which need not be read for that.
#[must_use]
pub fn too_large(name: &str, bytes: u64) -> Diagnostics {
    let message = format!("{bytes} bytes are too many for a book: {MAX_BYTES} are read");
    Diagnostics::new(name, "", vec![Diagnostic::error(0..0, message)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{walk::MAX_ERRORS, write};
    use proptest::prelude::*;
    use sparring_chess::{GameHistory, Variant, parse_fen};

    /// What a book knows after some moves in coordinates: each move with its weight.
    fn known(text: &str, moves: &str) -> String {
        let (book, _) = parse("books/test.book", text);
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let key = *line.keys().last().unwrap();
        let entries = book.as_ref().unwrap().entries(key);
        let shown = entries.iter().map(|entry| {
            let uci = sparring_chess::write_uci(entry.mv, Variant::Standard);
            format!("{uci} {} :{}", entry.weight(), entry.line)
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    fn findings(text: &str) -> String {
        parse("books/test.book", text).1.to_string()
    }

    #[test]
    fn lines_add_up_and_numbers_set() {
        let text = "e4 e5\ne4 c5!\ne4 c5\nd4 40\nd4 d5\n";
        assert_eq!(known(text, ""), "e2e4 300 :1, d2d4 40 :4");
        assert_eq!(known(text, "e2e4"), "e7e5 100 :1, c7c5 300 :2");
    }

    #[test]
    fn a_position_is_found_by_every_move_order() {
        assert_eq!(
            known("1. d4 Nf6 2. c4 e6 3. Nc3 Bb4", "c2c4 e7e6 b1c3 g8f6 d2d4"),
            "f8b4 100 :1"
        );
    }

    #[test]
    fn a_line_with_a_mistake_is_refused_whole_and_the_others_load() {
        let text = "# mine\ne4 e5 Nf3\r\nd4 d5 Nf9 c6\n\tc4 e5";
        assert_eq!(
            findings(text),
            "books/test.book:3:7: error: \"Nf9\" is not a move; did you mean Nf3?"
        );
        assert_eq!(known(text, ""), "e2e4 100 :2, c2c4 100 :4");
        let (book, _) = parse("books/test.book", text);
        let book = book.unwrap();
        assert_eq!(
            (book.name(), book.lines(), book.rows(), book.positions()),
            ("test", 4, 2, 4)
        );
        assert_eq!(write(&book), text);
    }

    #[test]
    fn headers_hold_for_the_lines_below() {
        let text = "name: Mine\ncolor: white\ne4 e5 Nf3\ncolor: black\nd4 Nf6\ncolor: both\n\
                    from: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\ne4 Kd7\nfrom: startpos\nc4\n";
        assert_eq!(findings(text), "");
        assert_eq!(known(text, ""), "e2e4 100 :3, c2c4 100 :10");
        assert_eq!(known(text, "e2e4"), "");
        assert_eq!(known(text, "d2d4"), "g8f6 100 :5");
        let (book, _) = parse("x", text);
        let book = book.unwrap();
        assert_eq!(book.title(), Some("Mine"));
        let ending = parse_fen(Variant::Standard, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert_eq!(book.entries(sparring_chess::key(&ending)).len(), 1);
    }

    #[test]
    fn blocks_of_positions_and_counts_load() {
        let text = "pos rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\ne2e4 1234\nd2d4 567\n";
        assert_eq!(findings(text), "");
        assert_eq!(known(text, ""), "e2e4 1234 :2, d2d4 567 :3");
    }

    #[test]
    fn headers_with_mistakes_are_told() {
        assert_eq!(
            findings("colour: white\ncolor: red\nname:\nfrom: nowhere\ne4\nfrom: startpos\ne4"),
            "books/test.book:1:1: error: \"colour\" is not a header of a book; did you mean color?\n\
             books/test.book:2:8: error: \"red\" is not a color; write white, black or both\n\
             books/test.book:3:1: error: \"name\" has no value\n\
             books/test.book:4:7: error: \"nowhere\" is not a FEN: invalid board part in fen; the lines below are left out, up to the next \"from:\""
        );
    }

    #[test]
    fn a_text_of_another_kind_is_called_by_its_name() {
        for (text, expected) in [
            (
                "# mine\nnoise = 5\n",
                "x.book:1:1: error: this is TOML, not a book; a personality",
            ),
            ("[play]\n", "x.book:1:1: error: this is TOML"),
            (
                "[Event \"a\"]\n\n[\n",
                "x.book:1:1: error: these are games in PGN",
            ),
            ("<!DOCTYPE html>\n", "x.book:1:1: error: this is no book"),
        ] {
            let said = parse("x.book", text).1.to_string();
            assert!(said.starts_with(expected) && !said.contains('\n'), "{said}");
        }
        let mixed = parse("x.book", "noise = 5\ne4 e5\n").1.to_string();
        assert!(mixed.contains("x.book:1:1") && !mixed.contains("TOML"), "{mixed}");
        assert!(is_book("name: Mine\ne4 e5\n") && !is_book("a: b\nc: d\n") && !is_book(""));
    }

    #[test]
    fn what_is_no_text_is_refused_in_a_sentence() {
        let said = |bytes: &[u8]| {
            let (book, findings) = parse_bytes("x.book", bytes);
            assert!(book.is_none());
            findings.to_string()
        };
        assert_eq!(
            said(b"e4\n\xff\xfe"),
            "x.book:2:1: error: this is not UTF-8; save the file as UTF-8; it may be Windows-1252 (\"ANSI\"), where byte FF is \"ÿ\""
        );
        assert!(
            said(b"\xff\xfee\x004\x00")
                .starts_with("x.book:1:1: error: this is UTF-16, not UTF-8; save the file as UTF-8")
        );
        assert_eq!(
            said(b"e4\n\0"),
            "x.book:2:1: error: this is not a text: it has a zero byte"
        );
        assert_eq!(
            said(&b"\n".repeat(MAX_LINES + 1)),
            "x.book:1:1: error: 1000001 lines are too many for a book: 1000000 are read"
        );
        assert_eq!(
            said(&vec![b' '; MAX_BYTES + 1]),
            "x.book:1:1: error: 67108865 bytes are too many for a book: 67108864 are read"
        );
    }

    #[test]
    fn headers_say_which_games_a_book_is_for() {
        let text = "author: Ann\nspeeds: blitz, Rapid\nlevels: 1200-1800\ninclude: other.book\nvariant: atomic\nNf3 e5\n";
        let (book, findings) = parse("x.book", text);
        assert_eq!(findings.to_string(), "");
        let book = book.unwrap();
        let head = book.head();
        assert_eq!(head.author.as_deref(), Some("Ann"));
        assert_eq!(head.speeds, ["blitz", "rapid"]);
        assert_eq!(head.levels, Some(1200..=1800));
        assert_eq!(head.includes[0].name, "other");
        assert_eq!(head.variant, Variant::Atomic);
        assert_eq!(
            findings_of("speeds: hyper\nlevels: low\nvariant: bughouse\ne4\nvariant: atomic"),
            "x:1:9: error: \"hyper\" is not a speed; speeds are ultraBullet, bullet, blitz, rapid, classical, correspondence\n\
             x:2:9: error: \"low\" is not a range of levels; write 1200-1800, 1800- or -1200\n\
             x:3:10: error: \"bughouse\" is not a variant lichess knows; variants are standard, chess960, fromPosition, kingOfTheHill, threeCheck, antichess, atomic, horde, racingKings, crazyhouse\n\
             x:5:10: error: the variant stands below lines of moves; put it above the first line of moves: it holds for the whole book"
        );
    }

    #[test]
    fn a_variant_stands_above_the_positions_that_it_is_about() {
        let start = "from: rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n";
        assert_eq!(
            findings_of(&format!("{start}variant: chess960\nNf3\n")),
            "x:2:10: error: the variant stands below a start position; put it above: the position is read by its rules"
        );
        assert_eq!(findings_of(&format!("variant: chess960\n{start}Nf3\n")), "");
    }

    fn findings_of(text: &str) -> String {
        parse("x", text).1.to_string()
    }

    #[test]
    fn a_pinned_move_counts_in_its_own_order_only() {
        let text = "d4 Nf6 c4 e6 Nc3\nc4 Nf6 d4 e6 Nf3@\nd4 Nf6 c4 e6 Nc3xx@\n";
        let (book, findings) = parse("x.book", text);
        assert_eq!(findings.to_string(), "");
        let book = book.unwrap();
        let at = |moves: &str| -> Vec<(String, u64)> {
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            let entries = book.entries_along(line.keys());
            entries
                .iter()
                .map(|entry| {
                    (
                        sparring_chess::write_uci(entry.mv, Variant::Standard),
                        entry.share(),
                    )
                })
                .collect()
        };
        assert_eq!(at("d2d4 g8f6 c2c4 e7e6"), [("b1c3".into(), 0)]);
        assert_eq!(
            at("c2c4 g8f6 d2d4 e7e6"),
            [("b1c3".into(), 100), ("g1f3".into(), 100)]
        );
        assert_eq!(at("c2c4 e7e6 d2d4 g8f6"), [("b1c3".into(), 100)]);
    }

    #[test]
    fn a_long_text_is_read_in_parts_as_if_in_one() {
        let block = "color: white\ne4 e5 Nf3\nd4 d9\ncolor: black\nd4 Nf6 3\nfrom: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n\
                     e4\nfrom: startpos\ncolor: both\n# note\nc4 e5 # English\n";
        let text = block.repeat(300);
        let (book, findings) = parse("x", &text);
        let book = book.unwrap();
        assert_eq!((book.rows(), book.lines()), (1200, 3300));
        assert_eq!(write(&book), text);
        assert_eq!(findings.list.len(), 101);
        assert_eq!(findings.place(&findings.list[99]).0, 3 + 99 * 11);
        let white = known(&text, "e2e4 e7e5");
        assert_eq!(white, "g1f3 30000 :2");
        assert_eq!(known(&text, "e2e4"), "");
        assert_eq!(known(&text, "d2d4"), "g8f6 3 :3294");
    }

    #[test]
    fn endless_errors_are_counted_not_listed() {
        let said = findings(&"rubbish\n".repeat(1000));
        assert_eq!(said.lines().count(), MAX_ERRORS + 1);
        assert!(said.ends_with("900 more errors are not listed"), "{said}");
    }

    #[test]
    fn endless_warnings_are_counted_not_listed() {
        let said = findings(&"1. e4 e5 3. Nf3\n".repeat(250));
        assert_eq!(said.lines().count(), MAX_ERRORS + 1);
        assert!(
            said.ends_with("warning: 150 more warnings are not listed"),
            "{said}"
        );
    }

    #[test]
    fn zero_means_never_whatever_the_marks_say() {
        assert_eq!(known("e4! 0\nd4", ""), "e2e4 0 :1, d2d4 100 :2");
        assert_eq!(known("e4!! 3 e5? 0", "e2e4"), "e7e5 -100 :1");
        let (book, _) = parse("a", "e4! 0 | d4\nc4");
        let start = *GameHistory::new(Variant::Standard).keys().last().unwrap();
        assert!(book.unwrap().entries(start)[0].is_unwanted());
    }

    #[test]
    fn a_header_without_its_colon_is_named() {
        assert_eq!(
            findings("name :  x\nvariant atomic\n"),
            "books/test.book:1:1: error: \"name\" is not a move; a header has its colon right behind it: \"name: ...\"\n\
             books/test.book:2:1: error: \"variant\" is not a move; a header has its colon right behind it: \"variant: ...\""
        );
    }

    #[test]
    fn a_pin_that_no_usual_game_comes_to_is_told() {
        let ending = "from: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 20\ne4@\n";
        assert_eq!(
            findings(ending),
            "books/test.book:2:1: warning: \"@\" counts only in games that begin with this \"from:\"; \
             without it the move counts by whatever way the position comes up"
        );
        let start = "from: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ne4@\n";
        assert_eq!(findings(start), "");
    }

    #[test]
    fn a_byte_order_mark_and_tabs_are_blanks() {
        assert_eq!(known("\u{feff}e4\te5\r\n", "e2e4"), "e7e5 100 :1");
        assert_eq!(findings("\u{feff}e4\te5\r\n"), "");
    }

    /// Words of which many books could be made, good and bad.
    fn words() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "e4",
            "e5",
            "e2e4",
            "e7e5",
            "Nf3",
            "Nc6",
            "1.",
            "2.",
            "1...",
            "!",
            "??",
            "xx",
            "@",
            "60",
            "speeds: blitz",
            "levels: 1-2",
            "variant: atomic",
            "include: x",
            "|",
            "#",
            ";",
            "\n",
            "\r\n",
            "name:",
            "from:",
            "color:",
            "white",
            "pos",
            "startpos",
            "O-O",
            "é",
            "\t",
            "{",
            "1-0",
            "99999999999999999999",
        ]);
        prop::collection::vec((word, prop::sample::select(vec![" ", "", "\n"])), 0..60).prop_map(|words| {
            words
                .into_iter()
                .map(|(word, end)| word.to_owned() + end)
                .collect()
        })
    }

    proptest! {
        #[test]
        fn writing_what_was_read_gives_the_text_back(text in words()) {
            let (book, findings) = parse("x", &text);
            let book = book.unwrap();
            prop_assert_eq!(write(&book), text.clone());
            for finding in &findings.list {
                prop_assert!(text.get(finding.span.clone()).is_some(), "{:?}", finding);
            }
        }

        #[test]
        fn no_bytes_bring_it_down(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let (book, findings) = parse_bytes("x", &bytes);
            match book {
                Some(book) => prop_assert_eq!(write(&book).into_bytes(), bytes),
                None => prop_assert!(!findings.is_usable()),
            }
        }
    }
}

use proptest::prelude::*;

use super::*;
use crate::{Book, export_polyglot, parse};
use sparring_chess::GameHistory;

fn book(text: &str) -> Book {
    let (book, findings) = parse("a.book", text);
    assert_eq!(findings.to_string(), "");
    book.unwrap()
}

/// An entry after these moves: the move by its squares as they are written into the file, and its weight.
fn entry(moves: &str, squares: &str, weight: u16) -> Vec<u8> {
    let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
    let square =
        |text: &str| u16::from(text.as_bytes()[0] - b'a') | u16::from(text.as_bytes()[1] - b'1') << 3;
    let promotion = squares[4..]
        .find(|c| "nbrq".contains(c))
        .map_or(0, |_| "nbrq".find(&squares[4..]).unwrap() as u16 + 1);
    let code = square(&squares[2..4]) | square(&squares[..2]) << 6 | promotion << 12;
    let key = polyglot_key(line.position());
    [
        &key.to_be_bytes()[..],
        &code.to_be_bytes(),
        &weight.to_be_bytes(),
        &[0; 4],
    ]
    .concat()
}

/// A file of entries, sorted as the format demands.
fn file(entries: &[(&str, &str, u16)]) -> Vec<u8> {
    let mut all: Vec<Vec<u8>> = entries
        .iter()
        .map(|(moves, squares, weight)| entry(moves, squares, *weight))
        .collect();
    all.sort_by(|one, other| one[..8].cmp(&other[..8]));
    all.concat()
}

fn import(bytes: &[u8]) -> Imported {
    let imported = import_polyglot(bytes).unwrap();
    book(&imported.text);
    imported
}

/// The entries of the file that a book gives, as bytes without their weights.
fn moves_of(bytes: &[u8]) -> HashSet<[u8; 10]> {
    bytes
        .as_chunks::<16>()
        .0
        .iter()
        .map(|record| *record.first_chunk().unwrap())
        .collect()
}

#[test]
fn a_record_is_as_the_format_says() {
    let bytes = export_polyglot(&book("e4 258"));
    assert_eq!(
        bytes,
        [
            0x46,
            0x3b,
            0x96,
            0x18,
            0x16,
            0x91,
            0xfc,
            0x9c,
            0b0000_0011,
            0b0001_1100,
            1,
            2,
            0,
            0,
            0,
            0
        ]
    );
    assert_eq!(import(&bytes).text, "1. e4 258\n");
}

#[test]
fn castling_and_promotion_come_back() {
    let text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O\n1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=N\n";
    let bytes = export_polyglot(&book(text));
    let imported = import(&bytes);
    assert!(imported.text.contains("4. O-O 100\n"), "{}", imported.text);
    assert!(imported.text.contains("5. hxg8=N 100\n"), "{}", imported.text);
    assert_eq!(
        (imported.entries, imported.left_out.total()),
        (bytes.len() / RECORD, 0)
    );
}

#[test]
fn weights_and_positions_survive_the_round_trip() {
    let bytes = export_polyglot(&book(include_str!("../../../../../books/starter.book")));
    assert!(bytes.len() / RECORD > 700);
    let imported = import_polyglot_with(&bytes, ZeroWeights::Keep).unwrap();
    assert_eq!(imported.left_out.total(), 0);
    // Compared as a whole: thousands of numbers say nothing to a reader.
    assert!(export_polyglot(&book(&imported.text)) == bytes);
    // Without the moves of weight 0 the others are all there still.
    let played: Vec<[u8; 16]> = bytes
        .as_chunks()
        .0
        .iter()
        .filter(|record| record[10..12] != [0, 0])
        .copied()
        .collect();
    let imported = import(&bytes);
    assert_eq!(imported.entries, played.len());
    assert_eq!(imported.left_out.zero, imported.left_out.total());
    assert!(export_polyglot(&book(&imported.text)) == played.concat());
}

#[test]
fn a_book_of_one_side_is_read_whole() {
    let white = file(&[
        ("", "e2e4", 10),
        ("e2e4 e7e5", "g1f3", 10),
        ("e2e4 c7c5", "g1f3", 10),
        ("e2e4 e7e5 g1f3 b8c6", "f1b5", 10),
    ]);
    let imported = import(&white);
    assert_eq!(
        (imported.entries, imported.left_out.total()),
        (4, 0),
        "{}",
        imported.text
    );
    assert_eq!(
        imported.text,
        "color: white\n1. e4 10\n1. e4 c5 2. Nf3 10\n1. e4 e5 2. Nf3 10\n1. e4 e5 2. Nf3 Nc6 3. Bb5 10\n"
    );
    assert!(export_polyglot(&book(&imported.text)) == white);
    let black = file(&[
        ("e2e4", "c7c5", 7),
        ("d2d4", "g8f6", 7),
        ("e2e4 c7c5 g1f3", "d7d6", 7),
    ]);
    let imported = import(&black);
    assert_eq!(
        (imported.entries, imported.left_out.total()),
        (3, 0),
        "{}",
        imported.text
    );
    assert!(
        imported.text.starts_with("color: black\n1. "),
        "{}",
        imported.text
    );
    assert!(export_polyglot(&book(&imported.text)) == black);
}

#[test]
fn two_books_of_one_side_in_one_file_are_read_whole() {
    // White plays 1. e4 and has an answer to 1... e5; Black has answers to 1. d4 and, after 1. e4 e5 2. f4, to that.
    let both = file(&[
        ("", "e2e4", 10),
        ("e2e4 e7e5", "g1f3", 10),
        ("d2d4", "g8f6", 10),
        ("e2e4 e7e5 f2f4", "e5f4", 10),
    ]);
    let imported = import(&both);
    assert_eq!(
        (imported.entries, imported.left_out.total()),
        (4, 0),
        "{}",
        imported.text
    );
    assert!(
        imported.text.contains("color: white\n1. e4 e5 2. Nf3 10\n"),
        "{}",
        imported.text
    );
    assert!(
        imported.text.contains("color: black\n1. d4 Nf6 10\n"),
        "{}",
        imported.text
    );
    assert!(imported.text.contains("color: both\nfrom: "), "{}", imported.text);
    assert!(export_polyglot(&book(&imported.text)) == both);
}

#[test]
fn castling_is_read_in_both_spellings_and_for_both_sides() {
    let short = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5";
    let long = "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7";
    let mut all = Vec::new();
    for moves in [short, long] {
        let words: Vec<&str> = moves.split(' ').collect();
        all.extend((0..words.len()).map(|ply| (words[..ply].join(" "), words[ply].to_owned())));
    }
    for (white, black, side) in [
        ("e1g1", "e8h8", short),
        ("e1h1", "e8g8", short),
        ("e1c1", "e8a8", long),
        ("e1a1", "e8c8", long),
    ] {
        let castled = format!("{side} {}", if side == short { "e1g1" } else { "e1c1" });
        let mut entries: Vec<(&str, &str, u16)> = all
            .iter()
            .map(|(moves, mv)| (moves.as_str(), mv.as_str(), 10))
            .collect();
        entries.extend([(side, white, 10), (&castled, black, 10)]);
        let imported = import(&file(&entries));
        assert_eq!(
            (imported.entries, imported.left_out.total()),
            (entries.len(), 0),
            "{white} {black}"
        );
        let castling = if side == short { "O-O 10\n" } else { "O-O-O 10\n" };
        assert_eq!(imported.text.matches(castling).count(), 2, "{}", imported.text);
    }
    // A piece that goes from e1 to g1 does not castle, nor does a king that has moved.
    let bishop = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1e2 g8f6 h1e1 a7a6 d2d3 b7b6";
    let words: Vec<&str> = bishop.split(' ').collect();
    let mut all: Vec<(String, &str)> = (0..words.len())
        .map(|ply| (words[..ply].join(" "), words[ply]))
        .collect();
    all.push((bishop.to_owned(), "e1g1"));
    let entries: Vec<(&str, &str, u16)> = all.iter().map(|(moves, mv)| (moves.as_str(), *mv, 1)).collect();
    let imported = import(&file(&entries));
    assert_eq!(imported.left_out.total(), 0);
    assert!(imported.text.contains(" Rg1 1\n"), "{}", imported.text);
}

#[test]
fn weights_of_a_move_that_comes_twice_are_added() {
    let bytes = file(&[("", "e2e4", 5), ("", "d2d4", 9), ("", "e2e4", 20)]);
    let imported = import(&bytes);
    assert_eq!(imported.text, "1. e4 25 | d4 9\n");
    assert_eq!(
        imported.to_string(),
        "3 entries read, 1 for a move that has one already: weights are added"
    );
    let most = import(&file(&[
        ("", "e2e4", 60000),
        ("", "e2e4", 60000),
        ("", "d2d4", 0),
        ("", "d2d4", 65535),
    ]));
    assert_eq!(most.text, "1. e4 120000 | d4 65535\n");
    assert_eq!((most.entries, most.repeated), (4, 2));
    // Both spellings of castling are one move.
    let before = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
    let words: Vec<&str> = before.split(' ').collect();
    let mut all: Vec<(String, &str)> = (0..words.len())
        .map(|ply| (words[..ply].join(" "), words[ply]))
        .collect();
    all.extend([(before.to_owned(), "e1g1"), (before.to_owned(), "e1h1")]);
    let entries: Vec<(&str, &str, u16)> = all.iter().map(|(moves, mv)| (moves.as_str(), *mv, 30)).collect();
    assert!(import(&file(&entries)).text.contains("4. O-O 60\n"));
}

#[test]
fn moves_of_weight_0_are_left_out_unless_they_are_asked_for() {
    let bytes = file(&[("", "e2e4", 9), ("", "d2d4", 0), ("d2d4", "d7d5", 4)]);
    let imported = import(&bytes);
    assert_eq!(imported.text, "1. e4 9\ncolor: black\n1. d4 d5 4\n");
    assert_eq!(
        imported.to_string(),
        "2 entries read; 1 entry left out: 1 of weight 0"
    );
    let kept = import_polyglot_with(&bytes, ZeroWeights::Keep).unwrap();
    assert_eq!(kept.text, "1. e4 9 | d4 0\n1. d4 d5 4\n");
    assert!(export_polyglot(&book(&kept.text)) == bytes);
    let bytes = export_polyglot(&book("e4 1000000\nd4 10\nc4xx\nNf3?"));
    assert_eq!(import(&bytes).text, "1. e4 65535 | d4 1\n");
    let kept = import_polyglot_with(&bytes, ZeroWeights::Keep).unwrap();
    assert_eq!(kept.text, "1. e4 65535 | d4 1 | Nf3 0 | c4 0\n");
}

#[test]
fn what_is_left_out_is_counted_by_its_reason() {
    let far = "e2e4 e7e5 g1f3 b8c6";
    let mut bytes = [
        entry(far, "f1b5", 1),
        entry("", "e2e4", 1),
        entry("", "e2e5", 1),
        entry("", "e2e4q", 1),
        entry("", "a1a1", 1),
        entry(&format!("{far} f1b5 a7a6"), "b5a4", 1),
    ]
    .concat();
    bytes.extend([1, 2, 3]);
    let imported = import(&bytes);
    assert_eq!(imported.text, "1. e4 1\n");
    let left = imported.left_out;
    assert_eq!(
        (imported.entries, left.unreached, left.illegal, left.zero),
        (1, 2, 3, 0)
    );
    assert_eq!(
        imported.to_string(),
        "1 entry read; 5 entries left out: 2 not reached from the start position, 3 not a legal move; they are not \
         sorted by position, so other programs may miss some; the last 3 bytes are no whole entry: the file may be cut off"
    );
}

#[test]
fn bytes_of_something_else_are_refused() {
    assert_eq!(import_polyglot(&[0; 17]), Err(PolyglotError::Length(17)));
    assert_eq!(import_polyglot(&[0; 32]), Err(PolyglotError::Unreachable(2)));
    assert_eq!(import_polyglot(&[]), Err(PolyglotError::Empty));
    let arena = [b"\x03ABK".as_slice(), &[0; 28]].concat();
    assert!(matches!(import_polyglot(&arena), Err(PolyglotError::Foreign(kind)) if kind.contains("Arena")));
    for text in ["1. e4 e5 2. Nf3\n", "[Event \"x\"]\n\n1. e4 *\n", "1. é4\n"] {
        assert_eq!(
            import_polyglot(text.as_bytes()),
            Err(PolyglotError::Foreign("a text")),
            "{text}"
        );
    }
    assert_eq!(
        import_polyglot(&[0x1f, 0x8b, 8, 0]),
        Err(PolyglotError::Foreign("a compressed file"))
    );
}

#[test]
fn a_capture_in_passing_has_the_key_of_the_format() {
    // The square counts where a pawn stands beside, and only there.
    let words = ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6"];
    let mut all: Vec<(String, &str)> = (0..words.len())
        .map(|ply| (words[..ply].join(" "), words[ply]))
        .collect();
    all.push(("e2e4 a7a6 e4e5".to_owned(), "f7f6"));
    let entries: Vec<(&str, &str, u16)> = all.iter().map(|(moves, mv)| (moves.as_str(), *mv, 1)).collect();
    let imported = import(&file(&entries));
    assert_eq!(imported.left_out.total(), 0);
    assert!(imported.text.contains("3. exd6 1\n"), "{}", imported.text);
}

proptest! {
    #[test]
    fn no_bytes_bring_it_down(start in any::<bool>(), moves in prop::collection::vec(any::<(u16, u16)>(), 1..20)) {
        let key: u64 = if start { 0x463b_9618_1691_fc9c } else { 1 };
        let records = moves.iter().flat_map(|(code, weight)| {
            [&key.to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
        });
        let bytes: Vec<u8> = records.collect();
        if let Ok(imported) = import_polyglot(&bytes) {
            prop_assert_eq!(imported.entries + imported.left_out.total(), moves.len());
            prop_assert!(parse("a", &imported.text).1.is_usable());
        }
    }

    /// Whatever is missing of a book, what is one move away from the rest is found.
    #[test]
    fn any_moves_of_a_game_but_two_in_a_row_may_be_missing(missing in prop::collection::vec(any::<bool>(), 10)) {
        const GAME: [&str; 10] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7"];
        let is_missing = |ply: usize| missing[ply] && (ply == 0 || !missing[ply - 1]);
        let mut entries = Vec::new();
        let mut last = false;
        for ply in 0..GAME.len() {
            let missing = !last && is_missing(ply);
            if !missing {
                entries.push((GAME[..ply].join(" "), GAME[ply]));
            }
            last = missing;
        }
        let entries: Vec<(&str, &str, u16)> = entries.iter().map(|(moves, mv)| (moves.as_str(), *mv, 1)).collect();
        let bytes = file(&entries);
        let imported = import_polyglot(&bytes).unwrap();
        prop_assert_eq!(imported.left_out.total(), 0, "{}", imported.text);
        let again = export_polyglot(&book(&imported.text));
        prop_assert_eq!(moves_of(&again).len(), moves_of(&bytes).len());
    }
}

//! Books of other programs: the binary format of Polyglot, read into a text and written from one.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt::Write as _,
};

use thiserror::Error;

use crate::chess::{
    Color, File, Move, Position, Rank, Role, Rules as _, Square, Variant, polyglot_key, write_san,
};

use super::{library::Book, walk::walk_all};

/// The length of a record: key, move, weight and learning data.
const RECORD: usize = 16;

/// Pieces to promote to, in the order of Polyglot's numbers; 0 is none.
const PROMOTIONS: [Option<Role>; 5] = [
    None,
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];

/// Bytes that are no Polyglot book.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolyglotError {
    /// Records have 16 bytes each.
    #[error("{0} bytes are no Polyglot book: its records have 16 bytes each")]
    Length(usize),
    /// Nothing in it can be reached from the start of a game.
    #[error("none of the {0} entries belongs to a position that can be reached from the start")]
    Unreachable(usize),
}

/// What was read from a Polyglot book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// A text that [`parse`](super::parse) reads.
    pub text: String,
    /// How many entries it holds.
    pub entries: usize,
    /// How many were left behind: of positions that the book's own moves do not lead to, or with illegal moves.
    pub left: usize,
}

/// Reads a Polyglot book. The format names positions by their keys alone, so what counts is what its moves lead to
/// from the start of a game; each such position becomes a line with a choice of weighted moves.
///
/// # Errors
/// [`PolyglotError`] for bytes that are no book, or one of other positions.
pub fn import_polyglot(bytes: &[u8]) -> Result<Imported, PolyglotError> {
    if !bytes.len().is_multiple_of(RECORD) {
        return Err(PolyglotError::Length(bytes.len()));
    }
    let records = read_records(bytes);
    let mut imported = Imported {
        text: String::new(),
        entries: 0,
        left: 0,
    };
    let mut seen = HashSet::from([polyglot_key(&Variant::Standard.start())]);
    let mut open = VecDeque::from([(Variant::Standard.start(), String::new())]);
    while let Some((pos, path)) = open.pop_front() {
        let Some(known) = records.get(&polyglot_key(&pos)) else {
            continue;
        };
        let moves: Vec<(Move, u16)> = known
            .iter()
            .filter_map(|(code, weight)| Some((decode(&pos, *code)?, *weight)))
            .collect();
        if moves.is_empty() {
            continue;
        }
        let mut choice: Vec<String> = Vec::new();
        for (mv, weight) in &moves {
            let san = write_san(&pos, *mv);
            choice.push(format!("{san} {weight}"));
            let mut after = pos.clone();
            after.play_unchecked(*mv);
            if seen.insert(polyglot_key(&after)) {
                open.push_back((after, format!("{path}{}{san} ", count(&pos, &path))));
            }
        }
        imported.entries += moves.len();
        let number = count(&pos, &path);
        let _ = writeln!(imported.text, "{path}{number}{}", choice.join(" | ")); // A string takes all.
    }
    imported.left = bytes.len() / RECORD - imported.entries;
    if imported.entries == 0 && imported.left > 0 {
        return Err(PolyglotError::Unreachable(imported.left));
    }
    Ok(imported)
}

/// Writes a book in Polyglot's format, sorted as it demands. Moves that are known but never played have the weight 0,
/// which Polyglot understands in the same way. Weights are scaled down where one is too large for 16 bits.
#[must_use]
pub fn export_polyglot(book: &Book) -> Vec<u8> {
    let mut records = Vec::new();
    each_position(book, |pos, moves| {
        let key = polyglot_key(pos);
        records.extend(
            moves
                .iter()
                .map(|(mv, weight)| (key, u16::MAX - weight, encode(*mv), *weight)),
        );
    });
    records.sort_unstable();
    let mut bytes = Vec::with_capacity(records.len() * RECORD);
    for (key, _, mv, weight) in records {
        bytes.extend(key.to_be_bytes());
        bytes.extend(mv.to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend([0; 4]);
    }
    bytes
}

/// How many moves are pinned by `@`: they count in one order of moves only, so [`export_polyglot`] leaves them out.
#[must_use]
pub fn pinned_moves(book: &Book) -> usize {
    let mut pinned = 0;
    walk_all(book, &mut |row| {
        pinned += row.counting().filter(|played| played.worth.pinned).count();
    });
    pinned
}

/// Shows all positions that a book has moves for, each once, with the weights that [`export_polyglot`] gives them. What is
/// pinned to an order of moves is not among them.
pub fn each_position(book: &Book, mut see: impl FnMut(&Position, &[(Move, u16)])) {
    let mut seen = HashSet::new();
    walk_all(book, &mut |row| {
        for played in row.counting() {
            if !seen.insert(played.key) {
                continue;
            }
            let entries = book.entries(played.key);
            let largest = entries.iter().map(super::Entry::share).max().unwrap_or(0);
            let moves: Vec<(Move, u16)> = entries
                .iter()
                .map(|entry| (entry.mv, scaled(entry.share(), largest)))
                .collect();
            if !moves.is_empty() {
                see(row.trail.position(played.depth), &moves);
            }
        }
    });
}

/// Codes and weights of all moves by the key of their position, heaviest first.
fn read_records(bytes: &[u8]) -> HashMap<u64, Vec<(u16, u16)>> {
    let mut records: HashMap<u64, Vec<(u16, u16)>> = HashMap::new();
    for record in bytes.as_chunks::<RECORD>().0 {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = *record;
        let key = u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]);
        let known = records.entry(key).or_default();
        let code = u16::from_be_bytes([m0, m1]);
        if known.iter().all(|(other, _)| *other != code) {
            known.push((code, u16::from_be_bytes([w0, w1])));
        }
    }
    for moves in records.values_mut() {
        moves.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    }
    records
}

/// The number of the next move as it stands before it: always for White, for Black at the start of a line.
fn count(pos: &Position, path: &str) -> String {
    match pos.turn() {
        Color::White => format!("{}. ", pos.fullmoves()),
        Color::Black if path.is_empty() => format!("{}... ", pos.fullmoves()),
        Color::Black => String::new(),
    }
}

/// The legal move that a code stands for.
fn decode(pos: &Position, code: u16) -> Option<Move> {
    let square = |bits: u16| {
        Square::from_coords(
            File::new(u32::from(bits & 7)),
            Rank::new(u32::from(bits >> 3 & 7)),
        )
    };
    let (to, from) = (square(code), square(code >> 6));
    let promotion = *PROMOTIONS.get(usize::from(code >> 12))?;
    // Castling is written as king takes rook, which is how shakmaty has it too.
    pos.legal_moves()
        .into_iter()
        .find(|mv| mv.from() == Some(from) && mv.to() == to && mv.promotion() == promotion)
}

fn encode(mv: Move) -> u16 {
    let code = |square: Square| square.file() as u16 | (square.rank() as u16) << 3;
    let promotion = PROMOTIONS
        .iter()
        .position(|role| *role == mv.promotion())
        .unwrap_or(0);
    code(mv.to()) | mv.from().map_or(0, code) << 6 | (promotion as u16) << 12
}

/// A weight in 16 bits, in proportion to the largest of its position; what may be played keeps at least 1.
fn scaled(share: u64, largest: u64) -> u16 {
    let most = u64::from(u16::MAX);
    let weight = if largest <= most {
        share
    } else {
        share * most / largest
    };
    u16::try_from(weight.max(share.min(1))).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::parse;
    use proptest::prelude::*;

    fn book(text: &str) -> Book {
        let (book, findings) = parse("a.book", text);
        assert_eq!(findings.to_string(), "");
        book.unwrap()
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
        assert_eq!(import_polyglot(&bytes).unwrap().text, "1. e4 258\n");
    }

    #[test]
    fn castling_and_promotion_come_back() {
        let text =
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O\n1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=N\n";
        let bytes = export_polyglot(&book(text));
        let imported = import_polyglot(&bytes).unwrap();
        assert!(imported.text.contains("4. O-O 100\n"), "{}", imported.text);
        assert!(imported.text.contains("5. hxg8=N 100\n"), "{}", imported.text);
        assert_eq!((imported.entries, imported.left), (bytes.len() / RECORD, 0));
    }

    #[test]
    fn weights_and_positions_survive_the_round_trip() {
        let bytes = export_polyglot(&book(include_str!("../../books/starter.book")));
        assert!(bytes.len() / RECORD > 700);
        let imported = import_polyglot(&bytes).unwrap();
        assert_eq!(imported.left, 0);
        // Compared as a whole: thousands of numbers say nothing to a reader.
        assert!(export_polyglot(&book(&imported.text)) == bytes);
    }

    #[test]
    fn what_is_never_played_and_what_is_too_heavy() {
        let bytes = export_polyglot(&book("e4 1000000\nd4 10\nc4xx\nNf3?"));
        assert_eq!(
            import_polyglot(&bytes).unwrap().text,
            "1. e4 65535 | d4 1 | Nf3 0 | c4 0\n"
        );
    }

    #[test]
    fn bytes_of_something_else_are_refused() {
        assert_eq!(import_polyglot(&[0; 17]), Err(PolyglotError::Length(17)));
        assert_eq!(import_polyglot(&[0; 32]), Err(PolyglotError::Unreachable(2)));
        assert_eq!(import_polyglot(&[]).unwrap().text, "");
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
                prop_assert_eq!(imported.entries + imported.left, moves.len());
                prop_assert!(parse("a", &imported.text).1.is_usable());
            }
        }
    }
}

//! Polyglot `.bin` books: import to text and export.

mod import;

use std::collections::HashSet;

use thiserror::Error;

pub use import::{Imported, LeftOut, ZeroWeights, import_polyglot, import_polyglot_with};

use sparring_chess::{File, Move, MoveList, Position, Rank, Role, Square, polyglot_key};

use super::{MAX_BYTES, MAX_LINES, book::Book, walk::walk_all};

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
    /// There are none.
    #[error("the file is empty: a Polyglot book has 16 bytes for each entry")]
    Empty,
    /// Records have 16 bytes each.
    #[error("{0} bytes are no Polyglot book: its records have 16 bytes each")]
    Length(usize),
    /// Nothing in it can be reached from the start of a game.
    #[error(
        "none of the {0} entries belongs to a position that can be reached from the start; a book of another format \
         (.ctg of ChessBase, .abk of Arena) has to be exported as Polyglot by its own program"
    )]
    Unreachable(usize),
    /// The beginning is that of something else.
    #[error("this is {0}, not a Polyglot book (.bin)")]
    Foreign(&'static str),
    /// No text could hold it.
    #[error(
        "the text of this book would have more than {MAX_LINES} lines or {MAX_BYTES} bytes, and no larger one is read; \
         a smaller book has to be made by the program that wrote this one"
    )]
    TooLarge,
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
    walk_all(book.texts(), &mut |row| {
        pinned += row.counting().filter(|played| played.annotation.pinned).count();
    });
    pinned
}

/// Shows all positions that a book has moves for, each once, with the weights that [`export_polyglot`] gives them. What is
/// pinned to an order of moves is not among them.
pub fn each_position(book: &Book, mut visit: impl FnMut(&Position, &[(Move, u16)])) {
    let mut seen = HashSet::new();
    walk_all(book.texts(), &mut |row| {
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
                visit(row.prefix.position(played.depth), &moves);
            }
        }
    });
}

/// The move of a position that a code stands for. Castling is king takes rook by the format, which is how shakmaty has it too;
/// some programs write where the king goes to.
fn decode(legal: &MoveList, code: u16) -> Option<Move> {
    let square = |bits: u16| {
        Square::from_coords(
            File::new(u32::from(bits & 7)),
            Rank::new(u32::from(bits >> 3 & 7)),
        )
    };
    let (to, from) = (square(code), square(code >> 6));
    let promotion = *PROMOTIONS.get(usize::from(code >> 12 & 7))?;
    let find = |is_meant: &dyn Fn(&Move) -> bool| {
        let mut fitting = legal
            .iter()
            .filter(|mv| mv.from() == Some(from) && mv.promotion() == promotion);
        fitting.find(|mv| is_meant(mv)).copied()
    };
    let goes_to = |mv: &Move| {
        mv.castling_side()
            .is_some_and(|side| Square::from_coords(side.king_to_file(), from.rank()) == to)
    };
    find(&|mv| mv.to() == to).or_else(|| find(&goes_to))
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

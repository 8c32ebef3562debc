//! Opening books that people edit in a text editor: lines of moves in, weighted choices by position out.
//!
//! This room knows text and positions, no directories: others read files and hand the text down. The format
//! has a page of its own, `docs/book.md`. A book is parsed line by line; a line with a mistake is refused whole,
//! with its place and a remedy, and all others load.
//!
//! ```
//! use sparring::{book::{self, Library}, chess::{GameLine, Variant}};
//!
//! let (mine, findings) = book::parse("books/mine.book", "1. e4 e5 2. Nf3  # my own\n1. d4xx\n");
//! assert!(findings.is_usable());
//! let library = Library::new(mine.into_iter().collect());
//!
//! let game = GameLine::new(Variant::Standard);
//! let first = library.pick(&["mine".to_owned()], &game, 7).unwrap();
//! assert_eq!(first.at, "books/mine.book:1");
//! assert_eq!(first.chance, 1.0);
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod block;
mod check;
mod compile;
mod compiled;
mod diff;
mod draft;
mod ends;
mod entries;
mod explain;
mod format;
mod grow;
mod harvest;
mod head;
mod include;
mod leans;
mod learn;
mod library;
mod mark;
mod merge;
mod moves;
mod occurrences;
mod openings;
mod packed;
mod parse;
mod pick;
mod plan;
mod polyglot;
mod positions;
mod reweigh;
mod row;
mod split;
mod stats;
mod suspects;
mod taste;
mod text;
mod trail;
mod tree;
mod turns;
mod walk;
mod word;

pub use check::{check, check_bytes, missing_transpositions, rare_moves};
pub use compile::{CompileError, Origin};
pub use compiled::{OpenError, open_compiled};
pub use diff::{Difference, diff};
pub use draft::Draft;
pub use ends::{End, ends};
pub use entries::Entries;
pub use explain::{Explained, WhyNot};
pub use format::{Notation, format};
pub use harvest::{Grown, Harvest, begins_as_usual};
pub use head::{Head, Include};
pub use include::missing_includes;
pub use leans::{Lean, Leans};
pub use learn::{Drawn, Lesson, Lessons, Outcome, expected_score};
pub use library::{Book, Library, write};
pub use mark::{BASE_WEIGHT, MAX_WEIGHT};
pub use merge::{Merged, merge};
pub use openings::{Opening, name, name_of};
pub use parse::{LARGE, MAX_BYTES, MAX_LINES, is_book, parse, parse_bytes, read, read_bytes, too_large};
pub use pick::{BookMove, Wish};
pub use plan::{Planned, plan};
pub use polyglot::{
    Imported, LeftOut, PolyglotError, ZeroWeights, each_position, export_polyglot, import_polyglot,
    import_polyglot_with, pinned_moves,
};
pub use positions::Entry;
pub use reweigh::{number, reweigh};
pub use split::split;
pub use stats::{Stats, stats};
pub use taste::Taste;
pub use text::{Kind, Line, Piece, PieceKind, Text};
pub use tree::{Branch, Extent, moves_of, tree};
pub use turns::{Turn, Turns};

#[cfg(doctest)]
#[doc = include_str!("../../docs/book.md")]
struct Page;

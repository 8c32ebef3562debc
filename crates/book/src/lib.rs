//! Opening books that people edit in a text editor: lines of moves in, weighted choices by position out.
//!
//! This room knows text and positions, no directories: others read files and hand the text down. The format
//! has a page of its own, `docs/books.md`. A book is parsed line by line; a line with a mistake is refused whole,
//! with its place and a remedy, and all others load.
//!
//! ```
//! use sparring_book::{self as book, Library};
//! use sparring_chess::{GameLine, Variant};
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

mod annotation;
mod block;
mod blunder_positions;
mod book_line;
mod build;
mod build_text;
mod check;
mod compile;
mod compiled;
mod dense;
mod diff;
mod eco;
mod entries;
mod expected_line;
mod explain;
mod format;
mod header;
mod include;
mod index;
mod learn;
mod learned_weights;
mod library;
mod line_ends;
mod lint_candidates;
mod lookup;
mod merge;
mod move16;
mod moves;
mod parse;
mod parsed_book;
mod polyglot;
mod positions;
mod prefix_cache;
mod rewrite_weights;
mod sampling;
mod stats;
mod syntax;
mod token;
mod tree_view;
mod walk;

pub use annotation::{BASE_WEIGHT, MAX_WEIGHT};
pub use blunder_positions::{BlunderPosition, BlunderPositions};
pub use build::{BookBuilder, BuiltBook, begins_as_usual};
pub use check::{check, check_bytes, missing_transpositions, rare_moves};
pub use compile::{CompileError, Origin};
pub use compiled::{OpenError, open_compiled};
pub use dense::split;
pub use diff::{Difference, diff};
pub use eco::{Opening, name, name_of};
pub use entries::Entries;
pub use expected_line::{ExpectedLine, plan};
pub use explain::{Explained, WhyNot};
pub use format::{Notation, format};
pub use header::{BookHeader, Include};
pub use include::missing_includes;
pub use learn::{LearnReport, MoveOrigin, MoveStats, Outcome, expected_score};
pub use learned_weights::{LearnedWeights, WeightFactor};
pub use library::{Book, Library, write};
pub use line_ends::{LineEnd, ends};
pub use lookup::{BookMove, BookQuery};
pub use merge::{Merged, merge};
pub use parse::{LARGE, MAX_BYTES, MAX_LINES, is_book, parse, parse_bytes, read, read_bytes, too_large};
pub use parsed_book::ParsedBook;
pub use polyglot::{
    Imported, LeftOut, PolyglotError, ZeroWeights, each_position, export_polyglot, import_polyglot,
    import_polyglot_with, pinned_moves,
};
pub use positions::Entry;
pub use rewrite_weights::{number, reweigh};
pub use sampling::SelectionPolicy;
pub use stats::{Stats, stats};
pub use syntax::{BookText, Kind, Line, SyntaxKind, SyntaxToken};
pub use tree_view::{Branch, Extent, moves_of, tree};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/books.md")]
struct Page;

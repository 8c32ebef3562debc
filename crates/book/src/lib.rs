//! Opening books: text format, look-up by position, Polyglot, building from games, learning. No IO.
//!
//! | module | purpose |
//! |---|---|
//! | `syntax, token, dense, book_line, moves, annotation, header, walk, prefix_cache, parse` | the parser: text to annotated moves |
//! | `parsed_book, include, index, move16, name_span, positions, book, library` | from parsed lines to positions by Zobrist key |
//! | `position_text` | positions as people type them |
//! | `lookup, sampling, expected_line, explain, tree_view` | choosing and explaining moves |
//! | `book_format` | formats of other programs, by the ending of the name |
//! | `polyglot` | Polyglot `.bin`, import and export |
//! | `build, build_text, merge, rewrite_weights, format` | writing book text |
//! | `learn, learned_weights` | weights from game results |
//! | `check, lint_candidates, diff, stats, line_ends, blunder_positions, eco` | lints and reports |

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod annotation;
mod blunder_positions;
mod book;
mod book_format;
mod book_line;
mod build;
mod build_text;
mod check;
mod dense;
mod diff;
mod eco;
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
mod name_span;
mod parse;
mod parsed_book;
mod polyglot;
mod position_text;
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
pub use book::{Book, write};
pub use book_format::{BookFormat, FORMATS};
pub use build::{BookBuilder, BuiltBook, begins_in_start_position};
pub use check::{check, check_bytes, missing_transpositions, rare_moves};
pub use dense::split;
pub use diff::{Difference, diff};
pub use eco::{Opening, name, name_of};
pub use expected_line::{ExpectedLine, plan};
pub use explain::{Explained, WhyNot};
pub use format::{Notation, format};
pub use header::{BookHeader, Include};
pub use include::missing_includes;
pub use learn::{LearnReport, MoveOrigin, MoveStats, Outcome, expected_score};
pub use learned_weights::{LearnedWeights, WeightFactor};
pub use library::Library;
pub use line_ends::{LineEnd, ends};
pub use lookup::{BookMove, BookQuery, draw};
pub use merge::{Merged, merge};
pub use parse::{MAX_BYTES, MAX_LINES, is_book, parse, parse_bytes, read, read_bytes, too_large};
pub use parsed_book::ParsedBook;
pub use polyglot::{
    Imported, LeftOut, PolyglotError, ZeroWeights, each_position, export_polyglot, import_polyglot,
    import_polyglot_with, pinned_moves,
};
pub use position_text::{PositionError, parse_position};
pub use positions::Entry;
pub use rewrite_weights::{number, rewrite_weights};
pub use sampling::SelectionPolicy;
pub use stats::{Stats, stats};
pub use syntax::{BookText, Kind, Line, SyntaxKind, SyntaxToken};
pub use tree_view::{Branch, Extent, moves_of, tree};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/books.md")]
struct Page;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

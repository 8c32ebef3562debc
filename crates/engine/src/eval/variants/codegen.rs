//! Generates the table of a variant's weights as source.

use std::fmt::Write as _;

use super::{
    rows::{COUNT, variant_weight_rows},
    weights,
};
use sparring_chess::Variant;

/// The text of the file in `crates/engine/src/eval/variants/weights/` with these pairs for a variant's weights, in the
/// order of its table.
///
/// `None` unless there is a pair for each weight of the variant.
#[must_use]
pub fn variant_weights_source(variant: Variant, pairs: &[[i32; 2]]) -> Option<String> {
    if weights::table(variant)?.len() != pairs.len() {
        return None;
    }
    let mut text = format!(
        "//! The weights of {}.\n//!\n//! `sparring-lab tune --variant {}` writes this file in full.\n\n\
         use super::super::super::score_pair::ScorePair;\n\n#[rustfmt::skip]\n\
         pub(in super::super) static TABLE: [ScorePair; {}] = super::pairs([\n",
        variant.name(),
        variant.key(),
        pairs.len(),
    );
    let whose: &[&str] = if pairs.len() > COUNT {
        &[" of White", " of Black"]
    } else {
        &[""]
    };
    for (half, whose) in pairs.chunks(COUNT).zip(whose) {
        for row in variant_weight_rows() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    // {}{whose}", row.name);
            // Of squares, a rank from edge to middle is a line; other rows are broken where lines get long.
            let wide = if row.length.is_multiple_of(32) { 4 } else { 8 };
            for line in half[row.first..row.first + row.length].chunks(wide) {
                let shown: Vec<String> = line.iter().map(|[mg, eg]| format!("({mg}, {eg})")).collect();
                let _ = writeln!(text, "    {},", shown.join(", "));
            }
        }
    }
    text.push_str("]);\n");
    Some(text)
}

//! Generates `weights.rs` from tuned weights.

use std::fmt::Write as _;

use super::weights::{COUNT, ROWS};

const HEAD: &str = "//! The weights of the evaluation, in centipawns: middle game and endgame.
//!
//! `sparring-lab tune` writes this file in full; change a number by hand and it will be where tuning starts from.

super::weight::weights! {
";

/// The text of `crates/engine/src/eval/weights.rs` with these pairs for the weights, in the order of the table.
///
/// `None` unless there is a pair for each weight.
#[must_use]
pub fn weights_source(pairs: &[[i32; 2]]) -> Option<String> {
    if pairs.len() != COUNT {
        return None;
    }
    let mut text = HEAD.to_owned();
    let show = |pair: &[i32; 2]| format!("({}, {})", pair[0], pair[1]);
    for row in ROWS {
        let pairs = &pairs[row.first..row.first + row.length];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    ///{}", row.doc);
        if let [pair] = pairs {
            let _ = writeln!(text, "    {} = {};", row.name, show(pair));
            continue;
        }
        let _ = writeln!(text, "    {}[{}] = [", row.name, row.length);
        // Of squares, a rank from edge to middle is a line; other rows are broken where lines get long.
        let wide = if row.length.is_multiple_of(32) { 4 } else { 8 };
        for line in pairs.chunks(wide) {
            let shown: Vec<String> = line.iter().map(show).collect();
            let _ = writeln!(text, "        {},", shown.join(", "));
        }
        text.push_str("    ];\n");
    }
    text.push_str("}\n");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights_in_use;

    #[test]
    fn the_table_in_use_is_written_as_it_stands() {
        let pairs: Vec<[i32; 2]> = weights_in_use()
            .iter()
            .map(|pair| pair.map(|half| half as i32))
            .collect();
        assert_eq!(weights_source(&pairs).unwrap(), include_str!("weights.rs"));
        assert_eq!(weights_source(&pairs[1..]), None);
    }
}

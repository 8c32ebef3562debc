//! Parses an engine's answer to `go`: info lines and bestmove.

use sparring_chess::units::{Centipawns, Depth, Millis, Nodes};
use sparring_engine::Score;

/// An engine's answer to `go`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoResult {
    /// The move as it wrote it.
    pub best: String,
    /// The reply that it expects, as it wrote it.
    pub ponder: Option<String>,
    /// Its last score, for the side to move.
    pub score: Option<Score>,
    /// Its last depth.
    pub depth: Option<Depth>,
    /// Its last node count.
    pub nodes: Option<Nodes>,
    /// Time from `go` to the answer.
    pub spent: Millis,
}

/// The most characters kept of a move; it has 5.
pub(crate) const MOST_OF_A_MOVE: usize = 40;

impl GoResult {
    /// Takes a line of the answer. Returns whether it is the last one.
    pub(crate) fn parse_line(&mut self, text: &str) -> bool {
        let is_last = self.parse_best(text);
        if !is_last {
            self.parse_info(text);
        }
        is_last
    }

    /// Updates the move and the expected reply from a `bestmove` line. Returns whether it is one.
    fn parse_best(&mut self, text: &str) -> bool {
        let Some(best) = text.strip_prefix("bestmove") else {
            return false;
        };
        let short = |word: &str| word.chars().take(MOST_OF_A_MOVE).collect();
        let mut words = best.split_ascii_whitespace();
        self.best = words.next().map(short).unwrap_or_default();
        self.ponder = words
            .next()
            .filter(|word| *word == "ponder")
            .and_then(|_| words.next())
            .map(short);
        true
    }

    /// Updates score, depth and nodes from an `info` line; scores that are bounds are skipped.
    fn parse_info(&mut self, text: &str) {
        let mut words = text.split_ascii_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let words: Vec<&str> = words
            .take_while(|word| !matches!(*word, "pv" | "string"))
            .collect();
        let after = |key: &str| {
            words
                .iter()
                .position(|word| *word == key)
                .and_then(|at| words.get(at + 1))
        };
        let number = |key: &str| after(key).and_then(|word| word.parse::<u64>().ok());
        if number("multipv").is_some_and(|rank| rank > 1)
            || words.contains(&"lowerbound")
            || words.contains(&"upperbound")
        {
            return;
        }
        if let Some(depth) = number("depth").and_then(|depth| u32::try_from(depth).ok()) {
            self.depth = Some(Depth(depth));
        }
        if let Some(nodes) = number("nodes") {
            self.nodes = Some(Nodes(nodes));
        }
        let signed = |key: &str| after(key).and_then(|word| word.parse::<i32>().ok());
        if let Some(cp) = signed("cp") {
            self.score = Some(Score::Cp(Centipawns(cp)));
        } else if let Some(moves) = signed("mate") {
            self.score = Some(Score::Mate(moves));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_move_and_the_expected_reply_are_read() {
        for (text, best, ponder) in [
            ("bestmove e2e4 ponder e7e5", "e2e4", Some("e7e5")),
            ("bestmove e2e4", "e2e4", None),
            ("bestmove e2e4 ponder", "e2e4", None),
            ("bestmove e2e4 e7e5", "e2e4", None),
            ("bestmove", "", None),
        ] {
            let mut answer = GoResult::default();
            assert!(answer.parse_best(text));
            assert_eq!(
                (answer.best.as_str(), answer.ponder.as_deref()),
                (best, ponder),
                "{text}"
            );
        }
        assert!(!GoResult::default().parse_best("info depth 1"));
    }

    #[test]
    fn info_lines_are_read_and_bounds_are_not() {
        let mut answer = GoResult::default();
        answer.parse_info("info depth 7 seldepth 9 score cp -31 nodes 500 pv e2e4 cp 99");
        assert_eq!(answer.score, Some(Score::Cp(Centipawns(-31))));
        assert_eq!((answer.depth, answer.nodes), (Some(Depth(7)), Some(Nodes(500))));
        answer.parse_info("info depth 8 score cp 90 lowerbound nodes 600");
        answer.parse_info("info depth 8 multipv 2 score cp 90 nodes 600");
        answer.parse_info("info string score cp 1000");
        assert_eq!(answer.score, Some(Score::Cp(Centipawns(-31))));
        answer.parse_info("info depth 9 score mate -3 nodes 700");
        assert_eq!(answer.score, Some(Score::Mate(-3)));
    }
}

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
    /// Its principal variations at the last depth that it has finished, best first: one, or as many as its option `MultiPV` asks for.
    pub lines: Vec<PrintedLine>,
    /// Those of the depth that it has begun, with what it still prints of the one before.
    pub unfinished: Vec<PrintedLine>,
    /// Time from `go` to the answer.
    pub spent: Millis,
}

/// A principal variation as an engine printed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedLine {
    /// Its depth.
    pub depth: Depth,
    /// Its score, for the side to move at the root; never a bound.
    pub score: Score,
    /// Its moves as the engine wrote them, with a space between them.
    pub moves: String,
}

/// The most characters kept of a move; it has 5.
pub(crate) const MOST_OF_A_MOVE: usize = 40;

/// Beyond every score in centipawns or moves to mate, so that sums of them fit into their type.
const LARGEST: i32 = 1_000_000;

/// The most lines kept of an answer, and the most moves of a line.
const MOST_LINES: usize = 16;
const LONGEST_LINE: usize = 128;

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
        let mut words = best.split_ascii_whitespace();
        self.finish_depth();
        self.best = words.next().map(short).unwrap_or_default();
        self.ponder = words
            .next()
            .filter(|word| *word == "ponder")
            .and_then(|_| words.next())
            .map(short);
        true
    }

    /// Updates lines, score, depth and nodes from an `info` line; scores that are bounds are skipped.
    fn parse_info(&mut self, text: &str) {
        let mut rest = text.split_ascii_whitespace();
        if rest.next() != Some("info") {
            return;
        }
        let mut pv = false;
        let words: Vec<&str> = rest
            .by_ref()
            .take_while(|word| {
                pv = *word == "pv";
                !pv && *word != "string"
            })
            .collect();
        let after = |key: &str| {
            words
                .iter()
                .position(|word| *word == key)
                .and_then(|at| words.get(at + 1))
        };
        let number = |key: &str| after(key).and_then(|word| word.parse::<u64>().ok());
        let signed = |key: &str| {
            let number = after(key).and_then(|word| word.parse::<i32>().ok());
            number.map(|number| number.clamp(-LARGEST, LARGEST))
        };
        if words.contains(&"lowerbound") || words.contains(&"upperbound") {
            return;
        }
        let depth = number("depth")
            .and_then(|depth| u32::try_from(depth).ok())
            .map(Depth);
        let score = signed("cp")
            .map(|cp| Score::Cp(Centipawns(cp)))
            .or_else(|| signed("mate").map(Score::Mate));
        let rank = number("multipv").unwrap_or(1);
        if let (true, Some(depth), Some(score)) = (pv, depth, score) {
            let moves: Vec<String> = rest.take(LONGEST_LINE).map(short).collect();
            let moves = moves.join(" ");
            self.keep_line(rank, PrintedLine { depth, score, moves });
        }
        if rank > 1 {
            return;
        }
        self.depth = depth.or(self.depth);
        self.nodes = number("nodes").map(Nodes).or(self.nodes);
        self.score = score.or(self.score);
    }

    /// Keeps a line of this rank, from 1 on. One that lacks those before it is skipped.
    fn keep_line(&mut self, rank: u64, line: PrintedLine) {
        let begun = self.unfinished.first();
        if rank == 1 && begun.is_some_and(|first| first.depth != line.depth) {
            self.finish_depth();
            self.unfinished.clear();
        }
        let place = usize::try_from(rank).ok().and_then(|rank| rank.checked_sub(1));
        let count = self.unfinished.len();
        match place {
            Some(place) if place < count => self.unfinished[place] = line,
            Some(place) if place == count && place < MOST_LINES => self.unfinished.push(line),
            _ => {}
        }
    }

    /// Takes the lines of a depth as finished if all have come.
    fn finish_depth(&mut self) {
        let (last, before) = (&self.unfinished, &self.lines);
        let is_whole = last.iter().all(|line| line.depth == last[0].depth);
        if is_whole && last.len() >= before.len() {
            self.lines = std::mem::take(&mut self.unfinished);
        }
    }
}

/// A word, cut where it is too long for a move.
fn short(word: &str) -> String {
    word.chars().take(MOST_OF_A_MOVE).collect()
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
        answer.parse_info("info depth 9 score cp -2147483648");
        assert_eq!(answer.score, Some(Score::Cp(Centipawns(-LARGEST))));
    }
    fn line(depth: u32, cp: i32, moves: &str) -> PrintedLine {
        PrintedLine {
            depth: Depth(depth),
            score: Score::Cp(Centipawns(cp)),
            moves: moves.to_owned(),
        }
    }

    #[test]
    fn the_lines_of_the_last_finished_depth_are_kept() {
        let mut answer = GoResult::default();
        for text in [
            "info depth 6 multipv 1 score cp 40 nodes 50 pv e2e4 e7e5",
            "info depth 6 multipv 2 score cp 31 nodes 60 pv d2d4 d7d5 c2c4",
            "info depth 6 multipv 4 score cp 9 nodes 70 pv a2a3",
            "info depth 7 multipv 1 score cp 99 lowerbound nodes 90 pv e2e4",
            "info depth 7 multipv 1 score cp 35 nodes 80 pv d2d4",
            "info depth 6 multipv 2 score cp 40 nodes 80 pv e2e4 e7e5",
            "info depth 7 multipv 2 nodes 90 pv e2e4",
            "info string pv e2e4",
        ] {
            answer.parse_info(text);
        }
        let of_six = [line(6, 40, "e2e4 e7e5"), line(6, 31, "d2d4 d7d5 c2c4")];
        let mut stopped = answer.clone();
        assert!(stopped.parse_best("bestmove d2d4"));
        assert_eq!(stopped.lines, of_six);
        assert_eq!((stopped.depth, stopped.nodes), (Some(Depth(7)), Some(Nodes(80))));
        answer.parse_info("info depth 7 multipv 2 score cp 33 nodes 90 pv e2e4");
        assert_eq!(answer.lines, of_six, "another line of this depth may come");
        assert!(answer.parse_best("bestmove d2d4"));
        assert_eq!(answer.lines, [line(7, 35, "d2d4"), line(7, 33, "e2e4")]);
    }

    #[test]
    fn a_depth_with_fewer_lines_is_not_finished() {
        let mut answer = GoResult::default();
        for text in [
            "info depth 6 multipv 1 score cp 40 pv e2e4",
            "info depth 6 multipv 2 score cp 31 pv d2d4",
            "info depth 7 multipv 1 score cp 35 pv e2e4",
            "bestmove e2e4",
        ] {
            answer.parse_line(text);
        }
        assert_eq!(answer.lines, [line(6, 40, "e2e4"), line(6, 31, "d2d4")]);
    }

    #[test]
    fn lines_without_end_are_cut() {
        let mut answer = GoResult::default();
        let pv = format!("{} {}", "x".repeat(9000), "a ".repeat(9000));
        for rank in 1..100 {
            answer.parse_info(&format!("info depth 1 multipv {rank} score cp 1 pv {pv}"));
        }
        answer.parse_best("bestmove a2a3");
        assert_eq!(answer.lines.len(), MOST_LINES);
        assert_eq!(
            answer.lines[0].moves.len(),
            MOST_OF_A_MOVE + 2 * (LONGEST_LINE - 1)
        );
    }
}

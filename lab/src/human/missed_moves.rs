//! Missed moves: losses of humans and levels by the kind of the best move.

use std::fmt::Write as _;

use super::{
    levels::{cells_of_distances, values},
    paired_stats::{PairedStats, Side},
};
use sparring_chess::{GameHistory, Move};
use sparring_personality::style::BlindSpot;

/// Ratings by their highest.
const RATINGS: [(u32, &str); 3] = [
    (1399, "below 1400"),
    (1999, "1400 to 1999"),
    (u32::MAX, "from 2000"),
];

/// Kind of a best move: a blind spot, or none.
const KINDS: usize = BlindSpot::NAMES.0.len() + 1;

/// Losses by rating and kind of the best move; a move of two kinds counts in both.
#[derive(Debug, Clone, Default)]
pub struct Unseen {
    parts: [[PairedStats; KINDS]; RATINGS.len()],
}

impl Unseen {
    /// Counts in a decision of a game by a player of this rating, as [`Beside::add`]. One in check, or whose best move takes
    /// back, is left out: nobody overlooks those, and they would make all others look easy.
    pub fn add(
        &mut self,
        rating: u32,
        line: &GameHistory,
        best: Move,
        game: usize,
        people: f32,
        level: &[f32],
    ) {
        let Some(rating) = RATINGS.iter().position(|(highest, _)| rating <= *highest) else {
            return;
        };
        if !BlindSpot::is_possible(line, best) {
            return;
        }
        let mut kinds: Vec<usize> = BlindSpot::of(line, best).map(|kind| kind as usize).collect();
        if kinds.is_empty() {
            kinds.push(KINDS - 1);
        }
        for kind in kinds {
            self.parts[rating][kind].add(game, people, level);
        }
    }

    /// The table as Markdown.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = "\nBy what the best move is: by a knight, back towards the own side, over four squares or more, the rescue of a \
                        piece, or none of these. Left out where it takes back or the mover is in check.\n\n\
                        | ratings | best move | decisions | people | level | distance % | +- |\n|---|---|--:|--:|--:|--:|--:|\n"
            .to_owned();
        let names = BlindSpot::NAMES.0.iter().map(|(name, _)| *name).chain(["others"]);
        for ((_, rating), parts) in RATINGS.iter().zip(&self.parts) {
            for (name, beside) in names.clone().zip(parts).filter(|(_, part)| part.games() > 0) {
                let [distances, errors] = cells_of_distances(beside.distances());
                let _ = writeln!(
                    text,
                    "| {rating} | {name} | {} | {} | {} | {distances} | {errors} |",
                    beside.count(),
                    values(beside.means(Side::People)),
                    values(beside.means(Side::Level)),
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Variant, parse_uci};

    #[test]
    fn a_decision_counts_by_what_would_have_been_best() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 d1h5 g8f6").unwrap();
        let mut unseen = Unseen::default();
        // Back, far and out of danger; a knight; a pawn.
        for (best, loss) in [("h5d1", 30.0), ("b1c3", 10.0), ("a2a3", 0.0)] {
            let best = parse_uci(line.position(), best).unwrap();
            unseen.add(1200, &line, best, 1, loss, &[0.0, loss]);
        }
        // Recaptures are left out.
        let taken = GameHistory::replay(Variant::Standard, "startpos", "e2e4 d7d5 e4d5").unwrap();
        unseen.add(
            1200,
            &taken,
            parse_uci(taken.position(), "d8d5").unwrap(),
            1,
            50.0,
            &[50.0],
        );
        let table = unseen.table();
        for row in [
            "| below 1400 | knights | 1 | 10.00 / 0.0 / 0.0 | 5.00 / 0.0 / 0.0 | -50 / - / - | - / - / - |",
            "| below 1400 | backward | 1 | 30.00 / 100.0 / 100.0 | 15.00 / 50.0 / 50.0 | -50 / -50 / -50 | - / - / - |",
            "| below 1400 | defence | 1 | 30.00 ",
            "| below 1400 | others | 1 | 0.00 ",
        ] {
            assert!(table.contains(row), "{row} in {table}");
        }
        assert!(!table.contains("from 2000"));
    }
}

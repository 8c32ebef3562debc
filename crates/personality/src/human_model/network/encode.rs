//! Encodes a position and its legal moves as feature rows, the input of the net.

use super::{
    move_context::{MoveContext, Step, View},
    move_features::{FeatureExtractor, compare},
    position_features,
};
use crate::human_model::time_pressure::TimePressure;
use sparring_chess::Move;

/// Feature rows of a position and of each legal move.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncodedPosition {
    /// Rows of the position's layer.
    pub position: Vec<u16>,
    /// Two more such rows, for the rating, and the share of the second.
    pub rating: ([u16; 2], f32),
    /// The legal moves, in the order of the rules.
    pub moves: Vec<Move>,
    /// Rows of the moves' layer, move after move.
    pub rows: Vec<u16>,
    /// Where each move's rows end.
    pub ends: Vec<u32>,
}

impl EncodedPosition {
    /// Encodes a position for a rating, clamped to 600..=2700.
    #[must_use]
    pub fn new(context: MoveContext<'_>, rating: f32, time_pressure: TimePressure) -> Self {
        let view = View::new(context);
        let mut encoded = Self {
            rating: position_features::rating(rating),
            ..Self::default()
        };
        let features = position_features::position(&view, time_pressure, &mut encoded.position);
        let extractor = FeatureExtractor::new(&view, features);
        let steps: Vec<(Move, Step)> = view
            .legal
            .iter()
            .filter_map(|mv| Some((*mv, view.step(*mv)?)))
            .collect();
        let mut rows = Vec::with_capacity(64);
        let mut balances = Vec::with_capacity(steps.len());
        for (mv, step) in &steps {
            rows.clear();
            let balance = extractor.encode(*mv, *step, &mut rows).balance;
            balances.push(balance);
            encoded.moves.push(*mv);
            // Room for what comparing the moves will add.
            encoded.rows.extend(&rows);
            encoded.ends.push(encoded.rows.len() as u32);
        }
        encoded.compare(&balances);
        encoded
    }

    /// Adds to each move how its exchanges compare to the best of the position.
    fn compare(&mut self, balances: &[i32]) {
        let (mut best, mut second) = (i32::MIN, i32::MIN);
        for balance in balances {
            if *balance > best {
                (best, second) = (*balance, best);
            } else {
                second = second.max(*balance);
            }
        }
        let second = second.max(best.saturating_sub(1000));
        let mut rows = Vec::with_capacity(self.rows.len() + 2 * self.ends.len());
        let mut start = 0;
        for (end, balance) in self.ends.iter_mut().zip(balances) {
            rows.extend_from_slice(&self.rows[start..*end as usize]);
            compare(*balance, best, second, &mut rows);
            start = *end as usize;
            *end = rows.len() as u32;
        }
        self.rows = rows;
    }

    /// The rows of each move in turn.
    pub fn rows_by_move(&self) -> impl Iterator<Item = &[u16]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let rows = &self.rows[start..*end as usize];
            start = *end as usize;
            rows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human_model::network::feature_layout::{MOVE_ROWS, POSITION_ROWS, mv as rows};
    use sparring_chess::{GameHistory, Variant, parse_fen, parse_uci};

    fn seen(fen: &str, moves: &str) -> EncodedPosition {
        let line = GameHistory::replay(Variant::Standard, fen, moves).unwrap();
        EncodedPosition::new(MoveContext::of(&line), 1500.0, TimePressure::Calm)
    }

    fn rows_of(seen: &EncodedPosition, fen: &str, text: &str) -> Vec<u16> {
        let mv = parse_uci(&parse_fen(Variant::Standard, fen).unwrap(), text).unwrap();
        let index = seen.moves.iter().position(|other| *other == mv).unwrap();
        seen.rows_by_move().nth(index).unwrap().to_vec()
    }

    #[test]
    fn both_colors_see_the_same() {
        let white = seen(
            "r1b1k2r/ppp2ppp/2n5/3np3/1b6/2NP1N2/PPPB1PPP/R2QKB1R w KQkq - 0 9",
            "",
        );
        let black = seen(
            "r2qkb1r/pppb1ppp/2np1n2/1B6/3NP3/2N5/PPP2PPP/R1B1K2R b KQkq - 0 9",
            "",
        );
        let sorted = |mut rows: Vec<u16>| {
            rows.sort_unstable();
            rows
        };
        assert_eq!(sorted(white.position.clone()), sorted(black.position.clone()));
        let moves = |seen: &EncodedPosition| {
            let mut moves: Vec<Vec<u16>> = seen.rows_by_move().map(|rows| sorted(rows.to_vec())).collect();
            moves.sort_unstable();
            moves
        };
        assert_eq!(moves(&white), moves(&black));
    }

    #[test]
    fn every_row_is_one_that_the_net_has() {
        let game = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 f1e2 e7e5 d4b3 f8e7 e1g1 e8g8 c1e3 c8e6 \
                    f2f4 e5f4 e3f4 b8c6 g1h1 d6d5 e4e5 f6e4 e2d3 f7f5 e5f6 e7f6 c3e4 d5e4 d3e4 f6b2";
        let moves: Vec<&str> = game.split_ascii_whitespace().collect();
        for plies in 0..=moves.len() {
            let seen = seen("startpos", &moves[..plies].join(" "));
            assert!(seen.position.iter().all(|row| usize::from(*row) < POSITION_ROWS));
            assert!(seen.rows.iter().all(|row| usize::from(*row) < MOVE_ROWS));
            assert_eq!(seen.ends.len(), seen.moves.len());
            assert_eq!(
                seen.rows_by_move().map(<[u16]>::len).sum::<usize>(),
                seen.rows.len()
            );
        }
    }

    #[test]
    fn what_hangs_what_forks_and_what_mates_is_noticed() {
        let fen = "r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1";
        let fork = rows_of(&seen(fen, ""), fen, "d5c7");
        assert!(fork.contains(&rows::CHECK.row(2)), "a safe check");
        assert!(
            fork.contains(&rows::ATTACKS.row(36 + 6 + 3)),
            "a knight that could win a rook"
        );
        let fen = "7k/8/8/8/3p4/8/4R3/4K3 w - - 0 1";
        assert!(
            rows_of(&seen(fen, ""), fen, "e2e3").contains(&rows::GAIN.row((6 + 3) * 11 + 1)),
            "a rook hangs"
        );
        let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
        assert!(
            rows_of(&seen(fen, ""), fen, "a1a8").contains(&rows::CHECK.row(5)),
            "mate"
        );
    }

    #[test]
    fn a_recapture_and_a_move_taken_back_are_noticed() {
        let line = "e2e4 d7d5 e4d5";
        let taken = GameHistory::replay(Variant::Standard, "startpos", line).unwrap();
        let seen_now = seen("startpos", line);
        let recapture = parse_uci(taken.position(), "d8d5").unwrap();
        let index = seen_now.moves.iter().position(|mv| *mv == recapture).unwrap();
        assert!(
            seen_now
                .rows_by_move()
                .nth(index)
                .unwrap()
                .contains(&rows::RECAPTURE.row(0))
        );
        let line = "g1f3 e7e5 f3g1 e5e4";
        let again = GameHistory::replay(Variant::Standard, "startpos", line).unwrap();
        let seen_now = seen("startpos", line);
        let back = parse_uci(again.position(), "g1f3").unwrap();
        let index = seen_now.moves.iter().position(|mv| *mv == back).unwrap();
        assert!(
            seen_now
                .rows_by_move()
                .nth(index)
                .unwrap()
                .contains(&rows::SAME.row(6))
        );
    }
}

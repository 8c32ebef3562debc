//! Openings by chance: random moves after which both sides still have a game.

use std::{collections::HashSet, ops::RangeInclusive};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::{Engine, Limits, Score, SearchControl, SearchRequest, Stop};
use sparring_chess::{
    GameHistory, Position, Rules as _, Variant, key,
    units::{Millis, Nodes, TimeSource},
};

/// What openings by chance are drawn from.
#[derive(Debug, Clone)]
pub struct RandomOpenings {
    /// The rules.
    pub variant: Variant,
    /// Where lines begin; a start of the variant when there is none.
    pub starts: Vec<Position>,
    /// So many half moves lead to each.
    pub plies: RangeInclusive<usize>,
    /// Another seed draws others.
    pub seed: u64,
}

/// Centipawns by which a side may be ahead.
const FAIR: i32 = 300;
/// Draws for each opening wanted, until there are too few that differ.
const DRAWS: usize = 200;

impl RandomOpenings {
    /// So many lines whose last positions differ, or as many as are found, one after the other. Neither side has won, or
    /// wins at once, or is by the engine's search further ahead than three pawns.
    pub fn draw(self, count: usize) -> impl Iterator<Item = GameHistory> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut engine = Engine::new(1);
        let mut seen = HashSet::new();
        (0..count.saturating_mul(DRAWS))
            .filter_map(move |_| {
                let line = self.line(&mut rng);
                if !seen.insert(key(line.position())) {
                    return None;
                }
                engine.clear();
                let begins = GameHistory::from_position(self.variant, line.position().clone());
                (is_open(&begins) && is_balanced(&mut engine, &begins, FAIR)).then_some(line)
            })
            .take(count)
    }

    fn line(&self, rng: &mut ChaCha8Rng) -> GameHistory {
        let start = match self.starts.len() {
            0 => {
                let number = rng.random_range(0..self.variant.start_count());
                self.variant.numbered_start(number)
            }
            count => self.starts[rng.random_range(0..count)].clone(),
        };
        let mut line = GameHistory::from_position(self.variant, start);
        let plies = match (*self.plies.start(), *self.plies.end()) {
            // No number is drawn where there is no choice, so that a seed draws what it always has.
            (least, most) if least >= most => least,
            (least, most) => rng.random_range(least..=most),
        };
        for _ in 0..plies {
            let moves = line.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            line.play(moves[rng.random_range(0..moves.len())]);
        }
        line
    }
}

/// Whether neither side is further ahead than `most` centipawns, by a search of 2,000 nodes.
pub fn is_balanced(engine: &mut Engine, line: &GameHistory, most: i32) -> bool {
    let limits = Limits {
        nodes: Some(Nodes(2000)),
        ..Limits::default()
    };
    let control = SearchControl {
        stop: &Stop::new(),
        clock: &NoClock,
    };
    let report = engine.search(&SearchRequest::new(line.clone(), limits), &control, &mut |_| {});
    matches!(report.lines.first().map(|line| line.score), Some(Score::Cp(cp)) if cp.0.abs() <= most)
}

/// Time does not pass: the search depends on nodes alone.
struct NoClock;

impl TimeSource for NoClock {
    fn elapsed(&self) -> Millis {
        Millis::ZERO
    }
}

/// Whether both sides still have a game: it is not over, and no move wins it.
fn is_open(line: &GameHistory) -> bool {
    line.outcome().is_none()
        && line.position().legal_moves().into_iter().all(|mv| {
            let mut next = line.clone();
            next.play(mv);
            next.outcome().is_none_or(|outcome| outcome.winner().is_none())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(variant: Variant, plies: RangeInclusive<usize>, seed: u64) -> RandomOpenings {
        RandomOpenings {
            variant,
            starts: Vec::new(),
            plies,
            seed,
        }
    }

    #[test]
    fn openings_by_chance_differ_are_open_and_come_again_with_the_seed() {
        for variant in Variant::ALL {
            let lines = |seed| -> Vec<GameHistory> { drawn(variant, 4..=4, seed).draw(6).collect() };
            let moves =
                |lines: &[GameHistory]| -> Vec<String> { lines.iter().map(GameHistory::uci_moves).collect() };
            let openings = lines(3);
            assert_eq!(openings.len(), 6, "{variant}");
            assert_eq!(moves(&openings), moves(&lines(3)));
            assert_ne!(moves(&openings), moves(&lines(4)));
            for opening in &openings {
                let line = GameHistory::from_position(variant, opening.position().clone());
                assert!(is_open(&line), "{variant} {}", opening.uci_moves());
            }
        }
    }

    #[test]
    fn lines_begin_at_the_given_positions_and_vary_in_length() {
        let starts = [
            "8/8/4k3/8/4P3/4K3/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
        ];
        let of_starts = RandomOpenings {
            starts: starts
                .iter()
                .map(|fen| sparring_chess::parse_fen(Variant::Standard, fen).unwrap())
                .collect(),
            ..drawn(Variant::Standard, 2..=3, 1)
        };
        let lines: Vec<GameHistory> = of_starts.draw(8).collect();
        assert_eq!(lines.len(), 8);
        assert!(
            lines
                .iter()
                .all(|line| line.position().board().occupied().count() == 3)
        );
        let lengths: HashSet<usize> = lines.iter().map(GameHistory::ply).collect();
        assert_eq!(lengths, HashSet::from([2, 3]));
    }

    #[test]
    fn a_start_without_moves_is_one_opening() {
        assert!(drawn(Variant::Horde, 0..=0, 1).draw(3).count() <= 1);
    }

    #[test]
    fn what_is_won_at_once_is_no_opening() {
        let open = |fen: &str| {
            let start = sparring_chess::parse_fen(Variant::KingOfTheHill, fen).unwrap();
            is_open(&GameHistory::from_position(Variant::KingOfTheHill, start))
        };
        assert!(!open("7k/8/8/8/8/3K4/8/R6r w - - 0 1"));
        assert!(open("7k/8/8/8/8/8/3K4/R6r w - - 0 1"));
    }
}

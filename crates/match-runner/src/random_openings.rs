//! Openings by chance, for variants of which there is no file of openings.

use std::collections::HashSet;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::openings::{Opening, is_balanced};
use sparring_chess::{GameHistory, Rules as _, Variant};
use sparring_engine::Engine;

/// What openings by chance are drawn from.
#[derive(Debug, Clone, Copy)]
pub struct RandomOpenings {
    /// The rules.
    pub variant: Variant,
    /// So many half moves lead to each.
    pub plies: usize,
    /// Another seed draws others.
    pub seed: u64,
}

/// Centipawns by which a side may be ahead.
const FAIR: i32 = 300;
/// Draws for each opening wanted, until there are too few that differ.
const DRAWS: usize = 200;

impl RandomOpenings {
    /// So many openings that differ, or as many as are found. Neither side has won, or wins at once, or is by our engine's
    /// search further ahead than three pawns.
    #[must_use]
    pub fn draw(&self, count: usize) -> Vec<Opening> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut engine = Engine::new(1);
        let (mut openings, mut seen) = (Vec::new(), HashSet::new());
        for _ in 0..count.saturating_mul(DRAWS) {
            if openings.len() == count {
                break;
            }
            let line = self.line(&mut rng);
            let position = line.position();
            if !seen.insert(sparring_chess::key(position)) {
                continue;
            }
            engine.clear();
            let begins = GameHistory::from_position(self.variant, position.clone());
            if is_open(&begins) && is_balanced(&mut engine, &begins, FAIR) {
                openings.push(Opening {
                    name: line.uci_moves(),
                    position: position.clone(),
                });
            }
        }
        openings
    }

    fn line(&self, rng: &mut ChaCha8Rng) -> GameHistory {
        let start = rng.random_range(0..self.variant.start_count());
        let mut line = GameHistory::from_position(self.variant, self.variant.numbered_start(start));
        for _ in 0..self.plies {
            let moves = line.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            line.play(moves[rng.random_range(0..moves.len())]);
        }
        line
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

    #[test]
    fn openings_by_chance_differ_are_open_and_come_again_with_the_seed() {
        for variant in Variant::ALL {
            let of = |seed| {
                let drawn = RandomOpenings {
                    variant,
                    plies: 4,
                    seed,
                };
                drawn.draw(6)
            };
            let names = |openings: &[Opening]| -> Vec<String> {
                openings.iter().map(|opening| opening.name.clone()).collect()
            };
            let openings = of(3);
            assert_eq!(openings.len(), 6, "{variant}");
            assert_eq!(names(&openings), names(&of(3)));
            assert_ne!(names(&openings), names(&of(4)));
            for opening in &openings {
                let line = GameHistory::from_position(variant, opening.position.clone());
                assert!(is_open(&line), "{variant} {}", opening.name);
            }
        }
    }

    #[test]
    fn a_start_without_moves_is_one_opening() {
        let drawn = RandomOpenings {
            variant: Variant::Horde,
            plies: 0,
            seed: 1,
        };
        assert!(drawn.draw(3).len() <= 1);
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

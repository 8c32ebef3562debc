//! Many games of self-play into one file, on several threads, to be stopped and taken up again at any time.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::sync_channel,
    },
    thread,
};

use thiserror::Error;

use super::{game_record::GameRow, selfplay::SelfPlay};
use sparring_chess::key;
use sparring_engine::{Engine, bench};
use sparring_journal::{Heading, Journal, JournalError, Shard, TaskId};

/// Mebibytes of each thread's transposition table: enough for some thousand nodes a move, and cleared quickly.
const HASH_MIB: usize = 4;

/// A run of self-play.
#[derive(Debug)]
pub struct Generator {
    /// How each game is played.
    pub rules: SelfPlay,
    /// How many games there shall be in the end, those of other shards counted in.
    pub games: u64,
    /// Which part of them is played; none for all.
    pub shard: Option<Shard>,
    /// Games at once.
    pub threads: usize,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    /// Games in the file.
    pub games: u64,
    /// Games that the file lacks.
    pub missing: u64,
    /// Quiet positions written since the run began or was taken up again.
    pub positions: u64,
}

/// A run that cannot begin or go on.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// The file cannot be read or written, or belongs to another run.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Openings that are all over or lost.
    #[error("no opening leaves both sides a game: each was over or too one-sided")]
    NoOpening,
}

impl Generator {
    /// Plays the missing games. Games are written in the order of their numbers, so that the file does not depend on the number of
    /// threads.
    ///
    /// # Errors
    /// [`GenerateError`] when the file cannot be used or belongs to a run with other rules.
    pub fn run(&self, path: &Path, tell: &mut dyn FnMut(Made)) -> Result<Made, GenerateError> {
        let mut journal = Journal::open(path, &self.heading())?;
        let missing: Vec<u64> = (0..self.games)
            .filter(|game| journal.lacks(TaskId::of(*game)))
            .collect();
        let mut made = Made {
            games: journal.len() as u64,
            missing: missing.len() as u64,
            positions: 0,
        };
        tell(made);
        self.play(&missing, &mut |row, positions| {
            journal.add(row)?;
            made.games += 1;
            made.missing -= 1;
            made.positions += positions;
            tell(made);
            Ok(())
        })?;
        Ok(made)
    }

    /// Plays games by their numbers, and hands each over in order with the number of its quiet positions.
    fn play(
        &self,
        numbers: &[u64],
        keep: &mut dyn FnMut(GameRow, u64) -> Result<(), GenerateError>,
    ) -> Result<(), GenerateError> {
        let next = AtomicUsize::new(0);
        let threads = self.threads.max(1);
        // Bounded: players wait for the disk.
        let (tx, rx) = sync_channel(4 * threads);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (tx, next) = (tx.clone(), &next);
                scope.spawn(move || {
                    let mut engine = Engine::new(HASH_MIB);
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(number) = numbers.get(index) else { break };
                        let game = self.rules.play(*number, &mut engine);
                        if tx.send((index, game)).is_err() {
                            break; // The file could not be written.
                        }
                    }
                });
            }
            drop(tx);
            let (mut wanted, mut early) = (0, BTreeMap::new());
            for (index, game) in rx {
                early.insert(index, game);
                while let Some(game) = early.remove(&wanted) {
                    let game = game.ok_or(GenerateError::NoOpening)?;
                    let positions = game.scores.iter().flatten().count() as u64;
                    keep(GameRow::new(numbers[wanted], &game), positions)?;
                    wanted += 1;
                }
            }
            Ok(())
        })
    }

    /// What must agree for games to belong together.
    fn heading(&self) -> Heading {
        let SelfPlay {
            variant,
            nodes,
            openings,
            random_plies,
            seed,
        } = &self.rules;
        // Of the same ones in the same order.
        let openings_key = openings
            .iter()
            .fold(0_u64, |sum, start| sum.rotate_left(1) ^ key(start));
        Heading::new("datagen", self.shard)
            .with("build", bench::build_id())
            .with("variant", variant.key())
            .with("nodes a move", nodes.0)
            .with("random plies", random_plies)
            .with("openings", format!("{} ({openings_key:016x})", openings.len()))
            .with("seed", seed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use sparring_chess::{Rules as _, Variant, units::Nodes};

    fn generator(games: u64, threads: usize) -> Generator {
        Generator {
            rules: SelfPlay {
                variant: Variant::Standard,
                nodes: Nodes(30),
                openings: Vec::new(),
                random_plies: 6,
                seed: 9,
            },
            games,
            shard: None,
            threads,
        }
    }

    #[test]
    fn a_killed_run_ends_with_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
        generator(4, 2).run(&whole, &mut |_| ()).unwrap();
        generator(2, 1).run(&cut, &mut |_| ()).unwrap();
        let text = fs::read_to_string(&cut).unwrap();
        fs::write(&cut, &text[..text.len() - 20]).unwrap();
        let made = generator(4, 1).run(&cut, &mut |_| ()).unwrap();
        assert_eq!((made.games, made.missing), (4, 0));
        assert_eq!(
            fs::read_to_string(&whole).unwrap(),
            fs::read_to_string(&cut).unwrap()
        );
    }

    #[test]
    fn shards_together_are_the_whole_run() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        generator(5, 1).run(&whole, &mut |_| ()).unwrap();
        let parts = [1, 2, 3].map(|number| {
            let path = folder.path().join(number.to_string());
            let shard = format!("{number}/3").parse().ok();
            let part = Generator {
                shard,
                ..generator(5, 1)
            };
            part.run(&path, &mut |_| ()).unwrap();
            path
        });
        let merged = sparring_journal::merge(&parts).unwrap().text();
        assert_eq!(merged, fs::read_to_string(&whole).unwrap());
    }

    #[test]
    fn other_rules_or_openings_are_another_run() {
        let start = Variant::Standard.start();
        let run = generator(1, 1);
        let mut others = [
            generator(1, 1),
            generator(1, 1),
            generator(1, 1),
            generator(1, 1),
            generator(1, 1),
        ];
        others[0].rules.seed = 10;
        others[1].rules.variant = Variant::Atomic;
        others[2].rules.nodes = Nodes(31);
        others[3].rules.openings = vec![start.clone(), start.clone()];
        others[4].rules.openings = vec![start.clone(), start];
        let moves = others[4].rules.openings[1].legal_moves();
        others[4].rules.openings[1].play_unchecked(moves[0]);
        for other in &others {
            assert!(run.heading().difference(&other.heading()).is_some(), "{other:?}");
        }
        assert!(others[3].heading().difference(&others[4].heading()).is_some());
    }
}

//! Many games of self-play into one file, on several threads, to be stopped and taken up again at any time.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, BufWriter, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::sync_channel,
    },
    thread,
};

use thiserror::Error;

use super::{
    game_record::{GameRecord, HEADING},
    selfplay::SelfPlay,
};
use sparring_chess::key;
use sparring_engine::Engine;
use sparring_files as files;

/// Mebibytes of each thread's transposition table: enough for some thousand nodes a move, and cleared quickly.
const HASH_MIB: usize = 4;

/// A run of self-play.
#[derive(Debug)]
pub struct Generator {
    /// How each game is played.
    pub rules: SelfPlay,
    /// How many games the file shall hold in the end.
    pub games: u64,
    /// Games at once.
    pub threads: usize,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    /// Games in the file.
    pub games: u64,
    /// Quiet positions written since the run began or was taken up again.
    pub positions: u64,
}

/// A run that cannot begin or go on.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// The file cannot be read or written.
    #[error("the games in {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The file's first line is that of another run.
    #[error("{} holds games of another run: it says \"{found}\", this is \"{expected}\"", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// Its first line.
        found: String,
        /// The heading of this run.
        expected: String,
    },
    /// Openings that are all over or lost.
    #[error("no opening leaves both sides a game: each was over or too one-sided")]
    NoOpening,
}

impl GenerateError {
    /// What makes an error of the system one of this file.
    fn of(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }
}

impl Generator {
    /// Plays the missing games. Games are written in the order of their numbers, so that the file does not depend
    /// on the number of threads; a last line cut off by a kill is dropped and its game played again.
    ///
    /// # Errors
    /// [`GenerateError`] when the file cannot be used or belongs to a run with other rules.
    pub fn run(&self, path: &Path, tell: &mut dyn FnMut(Made)) -> Result<Made, GenerateError> {
        let failed = GenerateError::of(path);
        let (file, done) = self.open(path)?;
        let mut out = BufWriter::new(file);
        let mut made = Made {
            games: done,
            positions: 0,
        };
        tell(made);
        self.play_on(done, &mut |game| {
            writeln!(out, "{game}")
                .and_then(|()| out.flush())
                .map_err(&failed)?;
            made.games += 1;
            made.positions += game.scores.iter().flatten().count() as u64;
            tell(made);
            Ok(())
        })?;
        Ok(made)
    }

    /// Opens the file of this run to append to, cut after its last whole line, with the games that it holds. A file of
    /// that of another run is left unchanged.
    fn open(&self, path: &Path) -> Result<(File, u64), GenerateError> {
        let failed = GenerateError::of(path);
        let mut text = String::new();
        if path.exists() {
            text = files::read_text(path, files::DATA).map_err(&failed)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(&failed)?;
        let heading = self.heading();
        let begins_alike = match text.split_once('\n') {
            Some((first, _)) => first == heading,
            // A kill may have cut the heading itself.
            None => heading.starts_with(&text),
        };
        if !begins_alike {
            return Err(GenerateError::OtherRun {
                path: path.to_owned(),
                found: text.lines().next().unwrap_or_default().to_owned(),
                expected: heading,
            });
        }
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(&failed)?;
        file.seek(SeekFrom::End(0)).map_err(&failed)?;
        if whole == 0 {
            writeln!(file, "{heading}").map_err(&failed)?;
            return Ok((file, 0));
        }
        Ok((file, text[..whole].lines().count() as u64 - 1))
    }

    /// Plays the games from number `done` on and hands them over in order.
    fn play_on(
        &self,
        done: u64,
        keep: &mut dyn FnMut(&GameRecord) -> Result<(), GenerateError>,
    ) -> Result<(), GenerateError> {
        let next = AtomicU64::new(done);
        let threads = self.threads.max(1);
        // Bounded: players wait for the disk.
        let (tx, rx) = sync_channel(4 * threads);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (tx, next) = (tx.clone(), &next);
                scope.spawn(move || {
                    let mut engine = Engine::new(HASH_MIB);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.games {
                            break;
                        }
                        let game = self.rules.play(number, &mut engine);
                        if tx.send((number, game)).is_err() {
                            break; // The file could not be written.
                        }
                    }
                });
            }
            drop(tx);
            let (mut wanted, mut early) = (done, BTreeMap::new());
            for (number, game) in rx {
                early.insert(number, game);
                while let Some(game) = early.remove(&wanted) {
                    keep(&game.ok_or(GenerateError::NoOpening)?)?;
                    wanted += 1;
                }
            }
            Ok(())
        })
    }

    /// The first line of the file: what must agree for games to belong together.
    fn heading(&self) -> String {
        let SelfPlay {
            variant,
            nodes,
            openings,
            random_plies,
            seed,
        } = &self.rules;
        format!(
            "{HEADING} {}, {} nodes a move, {random_plies} random plies, {} openings ({:016x}), seed {seed}",
            variant.key(),
            nodes.0,
            openings.len(),
            // Of the same ones in the same order.
            openings
                .iter()
                .fold(0_u64, |sum, start| sum.rotate_left(1) ^ key(start))
        )
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
        assert_eq!(made.games, 4);
        assert_eq!(
            fs::read_to_string(&whole).unwrap(),
            fs::read_to_string(&cut).unwrap()
        );
    }

    #[test]
    fn another_run_is_not_mixed_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        generator(1, 1).run(&path, &mut |_| ()).unwrap();
        let mut other = generator(2, 1);
        other.rules.seed = 10;
        let error = other.run(&path, &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("seed 10"), "{error}");
        // A file of another program is not touched either.
        for text in ["two lines,\nthe last without an end", "one without"] {
            fs::write(&path, text).unwrap();
            assert!(other.run(&path, &mut |_| ()).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn games_of_another_variant_are_not_mixed_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut run = generator(1, 1);
        run.rules.variant = Variant::Atomic;
        run.run(&path, &mut |_| ()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# sparring games 3: atomic, 30 nodes"), "{text}");
        let error = generator(2, 1).run(&path, &mut |_| ()).unwrap_err();
        assert!(matches!(error, GenerateError::OtherRun { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn other_openings_are_another_run() {
        let start = Variant::Standard.start();
        let mut run = generator(1, 1);
        run.rules.openings = vec![start.clone(), start.clone()];
        let heading = run.heading();
        run.rules.openings[1].play_unchecked(start.legal_moves()[0]);
        assert_ne!(run.heading(), heading);
    }
}

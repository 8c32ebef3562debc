//! `sparring bench`: the engine's signature and speed, the cost of short searches, and the gain of more threads.

use std::path::{Path, PathBuf};

use crate::cli::{exit::Exit, openings::openings_of, print};
use sparring_chess::{GameHistory, Variant, units::Depth};
use sparring_engine::bench;
use sparring_match_runner::OpeningOptions;
use sparring_uci as uci;

/// Benchmark: node count of fixed positions (the engine's signature) and nodes per second.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring bench
  sparring bench 17 --threads 2 --positions openings.epd --count 60")]
pub struct Args {
    /// Search depth.
    #[arg(default_value_t = bench::DEPTH.0, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Measure searches of few nodes instead: the cost of a move at a weak level.
    #[arg(long, conflicts_with = "threads")]
    fixed_cost: bool,
    /// Measure the speed-up of so many threads over one instead.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=256))]
    threads: Option<u32>,
    /// With --threads: a file of positions, one EPD or FEN per line, instead of the fixed ones.
    #[arg(long, requires = "threads")]
    positions: Option<PathBuf>,
    /// With --positions: how many to draw at random from the file.
    #[arg(long, requires = "positions", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// With --positions: seed of the draw.
    #[arg(long, requires = "positions", default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark and prints it.
///
/// # Errors
/// When the file of positions cannot be read or is empty.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let depth = Depth(args.depth);
    match args.threads {
        None if args.fixed_cost => print(uci::fixed_cost()),
        None => print(uci::bench(depth)),
        Some(threads) => {
            let lines = match &args.positions {
                Some(path) => read(args, path)?,
                None => bench::lines().collect(),
            };
            print(uci::scaling(&lines, threads as usize, depth))
        }
    }
}

fn read(args: &Args, path: &Path) -> anyhow::Result<Vec<GameHistory>> {
    let openings = openings_of(path, OpeningOptions::standard(args.seed))?.openings;
    let drawn = openings.into_iter().take(args.count as usize);
    Ok(drawn
        .map(|opening| GameHistory::from_position(Variant::Standard, opening.position))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cli::parsed;
    use sparring_chess::write_fen;

    fn args(words: &[&str]) -> Result<Args, clap::Error> {
        parsed(["bench"].iter().chain(words))
    }

    #[test]
    fn positions_are_drawn_from_all_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.epd");
        let text: String = (1..=8)
            .map(|number| format!("k7/8/8/8/8/8/8/K6R w - - 0 {number}\n"))
            .collect();
        fs::write(&path, &text).unwrap();
        let drawn = |seed: &str| -> Vec<String> {
            let words = [
                "17",
                "--threads",
                "2",
                "--positions",
                "some.epd",
                "--count",
                "3",
                "--seed",
                seed,
            ];
            let lines = read(&args(&words).unwrap(), &path).unwrap();
            lines.iter().map(|line| write_fen(line.position())).collect()
        };
        assert_eq!(drawn("1").len(), 3);
        assert_eq!(drawn("1"), drawn("1"));
        assert!((2..9).any(|seed| drawn(&seed.to_string()) != drawn("1")));
        fs::write(&path, format!("{text}k7/8/8 w\n")).unwrap();
        let words = ["--threads", "2", "--positions", "some.epd"];
        let error = format!("{:#}", read(&args(&words).unwrap(), &path).unwrap_err());
        assert!(error.contains("some.epd") && error.contains("line 9"), "{error}");
    }

    #[test]
    fn a_depth_of_zero_is_refused() {
        assert_eq!(args(&["3"]).unwrap().depth, 3);
        assert!(args(&["0"]).is_err());
    }

    #[test]
    fn positions_without_threads_to_compare_are_refused() {
        let error = args(&["--positions", "some.epd"]).unwrap_err().to_string();
        assert!(error.contains("--threads"), "{error}");
        assert!(args(&["--threads", "2", "--count", "3"]).is_err());
    }
}

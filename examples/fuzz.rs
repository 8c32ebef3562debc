//! Runs the fuzz targets on a stable compiler: texts of their corpora, spoiled by chance, for so many minutes of
//! processor time each. Seeded, without the feedback of coverage that cargo-fuzz has.
//!
//! ```text
//! cargo run --example fuzz -- MINUTES [SEED [TARGET...]]
//! ```
//! All targets unless some are named. Prints a table. A text that makes a target fall over, or takes longer than a second, ends the run: it is written to
//! `target/fuzz/` and named.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures for people")]

#[path = "../fuzz/mutate.rs"]
mod mutate;
#[path = "../fuzz/targets.rs"]
mod targets;

use std::{
    env, fs, panic,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use rustix::time::{ClockId, clock_gettime};

/// A target by its name.
type Target = (&'static str, fn(&[u8]));

/// Every target there is; a test sees to it.
const TARGETS: [Target; 11] = [
    ("events", targets::events),
    ("games", targets::games),
    ("books", targets::books),
    ("polyglot", targets::polyglot),
    ("profiles", targets::profiles),
    ("settings", targets::settings),
    ("positions", targets::positions),
    ("commands", targets::commands),
    ("sessions", targets::sessions),
    ("pgn", targets::pgn),
    ("answers", targets::answers),
];
/// What takes longer hangs.
const HANGS: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let minutes = arguments.next().and_then(|text| text.parse::<f64>().ok());
    let seed = arguments.next().map_or(Some(1), |text| text.parse().ok());
    let named: Vec<String> = arguments.collect();
    let is_known = |name: &String| TARGETS.iter().any(|(known, _)| known == name);
    let (Some(minutes), Some(seed), true) = (minutes, seed, named.iter().all(is_known)) else {
        eprintln!(
            "usage: fuzz MINUTES [SEED [TARGET...]], the targets being {}",
            TARGETS.map(|(name, _)| name).join(", ")
        );
        return ExitCode::from(2);
    };
    let is_wanted = |(name, _): &Target| named.is_empty() || named.iter().any(|other| other == name);
    let span = Duration::from_secs_f64(minutes.clamp(0.0, 10_000.0) * 60.0);
    println!("seed {seed}, {minutes} minutes of processor time each");
    for target in TARGETS.into_iter().filter(is_wanted) {
        if let Err(why) = fuzz(target, span, seed) {
            println!("{}: {why}", target.0);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs one target, and prints how far it came.
fn fuzz((name, target): Target, span: Duration, seed: u64) -> Result<(), String> {
    let corpus = corpus(name);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (began, wall) = (processor_time(), Instant::now());
    let (mut runs, mut slowest) = (0_u64, Duration::ZERO);
    while processor_time() - began < span {
        let bytes = mutate::spoiled(&corpus, &mut rng);
        let before = processor_time();
        let outcome = panic::catch_unwind(|| target(&bytes));
        let took = processor_time() - before;
        runs += 1;
        slowest = slowest.max(took);
        if outcome.is_err() || took > HANGS {
            let folder = Path::new("target/fuzz");
            let path = folder.join(format!("{name}-{seed}-{runs}"));
            let kept = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &bytes));
            let kept = kept.map_or_else(|error| error.to_string(), |()| path.display().to_string());
            return Err(format!("run {runs} fell over or took {took:?}; the text: {kept}"));
        }
    }
    println!(
        "{name:<10} {runs:>9} texts, {:>6.1} s of processor time, {:>6.1} s, slowest {slowest:.1?}",
        (processor_time() - began).as_secs_f64(),
        wall.elapsed().as_secs_f64(),
    );
    Ok(())
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// What all threads of this process have had of processors so far: books are read by several.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

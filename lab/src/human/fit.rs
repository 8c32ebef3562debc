//! `sparring-lab human-fit`: fits the models of human play on human games.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{
    Source, fit_loss_curve,
    games::{self, HumanGame, Part},
    note,
    scored_moves::sample,
    search_cache::SearchCache,
    think_time_fit,
};
use sparring::cli::exit::Exit;
use sparring_chess::units::{Stopwatch, TimeSource as _};
use sparring_files::atomic_file::{self, Readers};
use sparring_personality::{
    human_model::{Model, loss_curve::LossCurve},
    think_time::SpeedModels,
};

/// Fits the loss curve and the think times to the built-in network on human games and writes their parameter files.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Where to write the loss curve.
    #[arg(
        long,
        default_value = "crates/personality/src/human_model/human.params",
        value_name = "FILE"
    )]
    out: PathBuf,
    /// Where to write the parameters of the think-time model.
    #[arg(
        long,
        default_value = "crates/personality/src/think_time/think_time.params",
        value_name = "FILE"
    )]
    think_time_out: PathBuf,
    /// At most so many decisions of each band of 200 for the curve of search losses.
    #[arg(long, default_value_t = 5000, value_name = "N")]
    scored: usize,
}

/// Fits and writes.
///
/// # Errors
/// When games are missing or do not fit, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let watch = Stopwatch::start();
    let games = games::read(&args.source.data)?;
    note(format_args!("{} games", games.len()));
    write(&args.out, &fit_curve(args, &games, &watch)?.to_bytes())?;
    write(&args.think_time_out, &fit_think_times(&games)?.to_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<Exit> {
    atomic_file::replace(path, bytes, Readers::All)
        .with_context(|| format!("cannot write \"{}\"", path.display()))?;
    sparring::cli::print(format_args!("{}: {} bytes", path.display(), bytes.len()))
}

/// Fits think times on all games but those for reports.
fn fit_think_times(games: &[HumanGame]) -> anyhow::Result<SpeedModels> {
    let mut thoughts = Vec::new();
    for game in games.iter().filter(|game| game.part() != Part::Report) {
        thoughts.extend(think_time_fit::thoughts(game, Model::shipped())?);
    }
    note(format_args!("{} timed moves", thoughts.len()));
    Ok(think_time_fit::fit(&thoughts))
}

fn fit_curve(args: &Args, games: &[HumanGame], watch: &Stopwatch) -> anyhow::Result<LossCurve> {
    let mut kept = SearchCache::open(args.source.keep.as_deref())?;
    // Games that the net was not fitted on: on those it would be trusted too much.
    let games: Vec<&HumanGame> = games.iter().filter(|game| game.part() == Part::Tune).collect();
    let sample = sample(
        &games,
        args.scored,
        &Model::shipped().network,
        &mut kept,
        |count| {
            if count.is_multiple_of(1000) {
                note(format_args!(
                    "{count} positions searched, after {}",
                    watch.elapsed()
                ));
            }
        },
    )?;
    Ok(fit_loss_curve::fit(&sample))
}

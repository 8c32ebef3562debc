//! `sparring-lab human-fit`: fits the models of human play on human games.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{
    Source,
    dataset::{Selection, decisions},
    fit_loss_curve,
    games::{self, HumanGame, Part},
    note,
    scored_moves::sample,
    search_cache::SearchCache,
    think_time_fit,
    trainer::{Trainer, TrainingPlan},
};
use sparring::cli::exit::Exit;
use sparring_chess::units::{Stopwatch, TimeSource as _};
use sparring_files::{
    self as files,
    atomic_file::{self, Readers},
};
use sparring_personality::{
    human_model::{
        Model,
        loss_curve::{BASIS, LossCurve, TERMS},
        network::Net,
    },
    think_time::SpeedModels,
};

/// Fits the models of human play on human games and writes their parameter files.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Where to write the parameters of the human model.
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
    /// Passes over all decisions.
    #[arg(long, default_value_t = 3)]
    epochs: usize,
    /// The largest step size.
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// At most so many decisions of each band of 200 for the curve of search losses.
    #[arg(long, default_value_t = 5000, value_name = "N")]
    scored: usize,
    /// Equal seeds and games, equal parameters on one machine.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keeps the net of this parameter file and fits the rest anew.
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

/// Fits and writes.
///
/// # Errors
/// When games are missing or do not fit, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let watch = Stopwatch::start();
    let games = games::read(&args.source.data)?;
    note(format_args!("{} games", games.len()));
    let net = match &args.net {
        Some(path) => {
            let bytes = files::read(path, files::DATA).with_context(|| format!("\"{}\"", path.display()))?;
            let model = Model::from_bytes(&bytes).with_context(|| format!("\"{}\"", path.display()))?;
            model.net
        }
        None => fit_net(args, &games, &watch)?,
    };
    // The loss curve is fitted to the net as the file will hold it, rounded.
    let bare = Model {
        net,
        curve: LossCurve {
            weights: [[0.0; BASIS]; TERMS],
        },
    };
    let mut model = Model::from_bytes(&bare.to_bytes())?;
    model.curve = fit_curve(args, &games, &model.net, &watch)?;
    write(&args.out, &model.to_bytes())?;
    write(&args.think_time_out, &fit_think_times(&games, &model)?.to_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<Exit> {
    atomic_file::replace(path, bytes, Readers::All)
        .with_context(|| format!("cannot write \"{}\"", path.display()))?;
    sparring::cli::print(format_args!("{}: {} bytes", path.display(), bytes.len()))
}

fn fit_net(args: &Args, games: &[HumanGame], watch: &Stopwatch) -> anyhow::Result<Net> {
    let decisions = decisions(games, Part::Fit, Selection::Thinned)?;
    note(format_args!(
        "{} decisions to learn from, after {}",
        decisions.len(),
        watch.elapsed()
    ));
    let mut trainer = Trainer::new(args.seed);
    let plan = TrainingPlan {
        epochs: args.epochs,
        batch: 512,
        rate: args.rate,
        seed: args.seed,
    };
    trainer.fit(&decisions, plan, |done, likelihood| {
        note(format_args!(
            "{:5.1} %  log-likelihood {likelihood:.4}  after {}",
            done * 100.0,
            watch.elapsed()
        ));
    });
    trainer.net().context("a net of another shape")
}

/// Fits think times on all games but those for reports.
fn fit_think_times(games: &[HumanGame], model: &Model) -> anyhow::Result<SpeedModels> {
    let mut thoughts = Vec::new();
    for game in games.iter().filter(|game| game.part() != Part::Report) {
        thoughts.extend(think_time_fit::thoughts(game, model)?);
    }
    note(format_args!("{} timed moves", thoughts.len()));
    Ok(think_time_fit::fit(&thoughts))
}

fn fit_curve(args: &Args, games: &[HumanGame], net: &Net, watch: &Stopwatch) -> anyhow::Result<LossCurve> {
    let mut kept = SearchCache::open(args.source.keep.as_deref())?;
    // Games that the net was not fitted on: on those it would be trusted too much.
    let games: Vec<&HumanGame> = games.iter().filter(|game| game.part() == Part::Tune).collect();
    let sample = sample(&games, args.scored, &mut kept, |count| {
        if count.is_multiple_of(1000) {
            note(format_args!(
                "{count} positions searched, after {}",
                watch.elapsed()
            ));
        }
    })?;
    Ok(fit_loss_curve::fit(net, &sample))
}

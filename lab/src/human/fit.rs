//! `sparring-lab human-fit`: from the games of people to the parameter file.

use std::path::PathBuf;

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
        Model, format,
        loss_curve::{BASIS, LossCurve, TERMS},
        net::Net,
    },
    think_time::speed_model::{SPEEDS, SpeedModel},
};

/// Fits the models of human play on games of people and writes the parameter file.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Where to write the parameters.
    #[arg(
        long,
        default_value = "crates/personality/src/choice/human.params",
        value_name = "FILE"
    )]
    out: PathBuf,
    /// How often each decision is looked at.
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
            let model = format::read(&bytes).with_context(|| format!("\"{}\"", path.display()))?;
            model.net
        }
        None => fit_net(args, &games, &watch)?,
    };
    // What follows is fitted to the net as the file will hold it, rounded.
    let bare = Model {
        net,
        curve: LossCurve {
            weights: [[0.0; BASIS]; TERMS],
        },
        speed_models: [SpeedModel::NONE; SPEEDS],
    };
    let mut model = format::read(&format::write(&bare))?;
    model.curve = fit_curve(args, &games, &model.net, &watch)?;
    model.speed_models = fit_pace(&games, &model)?;
    let bytes = format::write(&model);
    atomic_file::replace(&args.out, &bytes, Readers::All)
        .with_context(|| format!("cannot write \"{}\"", args.out.display()))?;
    sparring::cli::print(format_args!("{}: {} bytes", args.out.display(), bytes.len()))
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

/// The time people take: games that only the net or the curve has seen may teach it, those for reports may not.
fn fit_pace(games: &[HumanGame], model: &Model) -> anyhow::Result<[SpeedModel; SPEEDS]> {
    let mut thoughts = Vec::new();
    for game in games.iter().filter(|game| game.part() != Part::Report) {
        thoughts.extend(think_time_fit::thoughts(game, model)?);
    }
    note(format_args!("{} timed moves", thoughts.len()));
    Ok(think_time_fit::fit(&thoughts))
}

fn fit_curve(args: &Args, games: &[HumanGame], net: &Net, watch: &Stopwatch) -> anyhow::Result<LossCurve> {
    let mut kept = SearchCache::open(args.source.keep.as_deref())?;
    // Games that the net has not seen: on its own it would be trusted too much.
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

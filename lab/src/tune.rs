//! `sparring-lab tune`: better weights for the evaluation from games of self-play, written back as source.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::training_args::{Target, not_negative, positive, read, say, share, showing_passes};
use crate::tuning::{Dataset, TargetBlend, Tunable, Tuned, Tuner, WdlModel};
use sparring_chess::Variant;
use sparring_engine::{
    EvalSample, VariantSample, WeightPair, WeightRow, variant_weight_rows, variant_weights_in_use,
    variant_weights_source, weight_rows, weights_in_use, weights_source,
};

/// Moves the weights of the evaluation to where they predict the results of games best.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab tune games.ndjson                                          # what would come of it
  sparring-lab tune games.ndjson more.txt --write crates/engine/src/eval/weights.rs
  sparring-lab tune atomic.txt --variant atomic --write crates/engine/src/eval/variants/weights/atomic.rs")]
pub struct Args {
    /// Files of games, as `sparring-lab datagen` writes them.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// What was played, as lichess calls it: its weights are tuned.
    #[arg(long, default_value = "standard", value_parser = str::parse::<Variant>)]
    variant: Variant,
    /// Passes over all positions.
    #[arg(long, default_value_t = Tuner::default().passes)]
    passes: usize,
    /// Positions a step.
    #[arg(long, default_value_t = Tuner::default().batch)]
    batch: usize,
    /// Centipawns that a weight may move at a step at first.
    #[arg(long, default_value_t = Tuner::default().rate, value_parser = positive)]
    rate: f32,
    /// How much a game's result counts, from 0 to 1; the rest is the search's score.
    #[arg(long, default_value_t = Tuner::default().result_share, value_parser = share)]
    result_share: f32,
    /// How much weights are drawn to where they were: what a move by 100 centipawns adds to the error.
    #[arg(long, default_value_t = Tuner::default().pull, value_parser = not_negative)]
    pull: f32,
    /// How much of what is learned is what the weights in use predict, from 0 to 1: N / (N + n) stands for the N positions they
    /// were fitted to beside n new ones.
    #[arg(long, default_value_t = Tuner::default().keep, value_parser = share)]
    keep: f32,
    /// Uses this K instead of fitting it, so that the errors of two runs can be compared.
    #[arg(long, value_parser = positive)]
    k: Option<f32>,
    /// Orders the positions.
    #[arg(long, default_value_t = Tuner::default().seed)]
    seed: u64,
    /// Writes the table of weights here: `crates/engine/src/eval/weights.rs` for the next build.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Tunes, with progress bars where there is a terminal, and prints the error before and after.
///
/// # Errors
/// When a file cannot be read or written, or holds no games.
pub fn run(args: &Args) -> anyhow::Result<()> {
    // Hours of tuning must not end at a file that cannot be written.
    let target = args.write.as_deref().map(Target::try_out).transpose()?;
    let (files, variant, blend) = (&args.files, args.variant, TargetBlend::default());
    let (tuned, table) = match variant_weights_in_use(variant) {
        None => {
            let set = read(files, variant, blend, &mut |pos| Some(EvalSample::of(pos)))?;
            let table = Table {
                rows: weight_rows(),
                weights: weights_in_use(),
            };
            (tune(args, &set, &table.weights), table)
        }
        Some(weights) => {
            let set = read(files, variant, blend, &mut |pos| {
                Some(VariantSample::of(variant, pos))
            })?;
            let table = Table {
                rows: variant_weight_rows(),
                weights,
            };
            (tune(args, &set, &table.weights), table)
        }
    };
    if let Some(target) = target {
        let text = match variant.traits().standard_eval {
            true => weights_source(&tuned.weights),
            false => variant_weights_source(variant, &tuned.weights),
        };
        say(&target.write(text.context("the table has another size")?.as_bytes())?);
    }
    say(&summary(&tuned, &table));
    Ok(())
}

/// A table of weights as it is in use; a variant whose sides differ has the rows twice.
struct Table {
    rows: &'static [WeightRow],
    weights: Vec<WeightPair>,
}

fn tune<S: Tunable>(args: &Args, set: &Dataset<S>, start: &[WeightPair]) -> Tuned {
    say(&format!(
        "{} games: {} positions to learn from, {} held out",
        set.games,
        set.training.len(),
        set.held_out.len()
    ));
    let chances = WdlModel::fit(&set.training);
    say(&format!(
        "wins {:.0} centipawns at evens, spread {:.0}: surprise {:.4}, held out {:.4}",
        chances.even,
        chances.spread,
        chances.loss(&set.training),
        chances.loss(&set.held_out)
    ));
    let tuner = Tuner {
        passes: args.passes,
        batch: args.batch,
        rate: args.rate,
        result_share: args.result_share,
        pull: args.pull,
        keep: args.keep,
        k: args.k,
        seed: args.seed,
    };
    showing_passes(args.passes, |tell| tuner.tune(set, start, tell))
}

/// Errors before and after, and the weights that moved farthest.
fn summary(tuned: &Tuned, table: &Table) -> String {
    let mut text = format!(
        "K {:.6}\nerror    {:.6} -> {:.6}\nheld out {:.6} -> {:.6}\nmoved farthest:",
        tuned.k, tuned.before.training, tuned.after.training, tuned.before.held_out, tuned.after.held_out
    );
    let places = table
        .rows
        .iter()
        .flat_map(|row| (0..row.length).map(move |index| (row, index)));
    let mut moves: Vec<(f32, String)> = table
        .weights
        .iter()
        .zip(&tuned.weights)
        .zip(places.cycle())
        .map(|((from, to), (row, index))| {
            let far = (from[0] - to[0] as f32).abs() + (from[1] - to[1] as f32).abs();
            let shown = format!(
                "\n  {}[{index}] ({}, {}) -> ({}, {})",
                row.name, from[0], from[1], to[0], to[1]
            );
            (far, shown)
        })
        .collect();
    moves.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (_, shown) in moves.iter().take(20) {
        text.push_str(shown);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    #[test]
    fn a_file_that_cannot_be_written_is_told_before_games_are_read() {
        let args: Args = parsed(["tune", "no-games.ndjson", "--write", "/nowhere/weights.rs"]).unwrap();
        assert_eq!(
            run(&args).unwrap_err().to_string(),
            "cannot write /nowhere/weights.rs"
        );
    }

    #[test]
    fn numbers_that_no_tuning_comes_of_are_refused() {
        let of = |words: &str| parsed::<Args>(format!("tune games.ndjson {words}").split_ascii_whitespace());
        assert!(of("--k 1.2 --result-share 0.4").is_ok());
        for (name, value, told) in [
            ("k", "nan", "it is a number above 0"),
            ("k", "0", "it is a number above 0"),
            ("rate", "inf", "it is a number above 0"),
            ("rate", "-1.5", "it is a number above 0"),
            ("pull", "nan", "it is a number from 0"),
            ("pull", "-1", "it is a number from 0"),
        ] {
            let words = format!("--{name}={value}");
            let error = of(&words).unwrap_err().to_string();
            assert!(error.contains(told), "{words}: {error}");
        }
        assert!(of("--pull 0").is_ok());
        for words in ["2", "-0.1", "nan"].map(|share| format!("--result-share={share}")) {
            let error = of(&words).unwrap_err().to_string();
            assert!(
                error.contains("a share is a number from 0 to 1"),
                "{words}: {error}"
            );
        }
    }
}

//! `sparring-lab train-net`: a net that corrects the evaluation, from games of self-play.

use std::path::PathBuf;

use anyhow::bail;

use crate::training_args::{Target, at_least_one, not_negative, positive, read, say, share, showing_passes};
use crate::tuning::{NetTrainer, TargetBlend, Trained};
use sparring_chess::Variant;
use sparring_engine::nnue::Sampler;

/// Trains a net that corrects the evaluation towards search scores.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab train-net games.ndjson                                         # what would come of it
  sparring-lab train-net games.ndjson more.txt --write crates/engine/src/nnue/weights.bin")]
pub struct Args {
    /// Files of games, as `sparring-lab datagen` writes them.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Passes over all positions.
    #[arg(long, default_value_t = NetTrainer::default().passes, value_parser = at_least_one)]
    passes: usize,
    /// Positions a step.
    #[arg(long, default_value_t = NetTrainer::default().batch, value_parser = at_least_one)]
    batch: usize,
    /// How far a number of the net may move at a step at first.
    #[arg(long, default_value_t = NetTrainer::default().rate, value_parser = positive)]
    rate: f32,
    /// How much of itself each number loses at a step, times the rate: less than all of it.
    #[arg(long, default_value_t = NetTrainer::default().decay, value_parser = not_negative)]
    decay: f32,
    /// How much what came later in a game counts, from 0 to 1; the rest is the score of the search at the position itself.
    #[arg(long, default_value_t = NetTrainer::default().later_share, value_parser = share)]
    later_share: f32,
    /// How much of what came after a ply counts beside the score at it, from 0 to 1: 1 for the game's result alone.
    #[arg(long, default_value_t = FADE, value_parser = share)]
    fade: f32,
    /// Scale K of the sigmoid 1 / (1 + exp(-K E)).
    #[arg(long, default_value_t = NetTrainer::default().k, value_parser = positive)]
    k: f32,
    /// Orders the positions and makes the first numbers.
    #[arg(long, default_value_t = NetTrainer::default().seed)]
    seed: u64,
    /// Writes the net here: `crates/engine/src/nnue/weights.bin` for the next build.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// A score twenty plies later counts a third of the next one.
const FADE: f32 = 0.95;

/// Trains, with progress bars where there is a terminal, and prints the error before and after.
///
/// # Errors
/// When a file cannot be read or written or holds no games, and when the decay is too much for the rate.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.rate * args.decay >= 1.0 {
        bail!(
            "--rate {} times --decay {} leaves nothing of a number at the first step: below 1 it has to be",
            args.rate,
            args.decay
        );
    }
    let target = args.write.as_deref().map(Target::try_out).transpose()?;
    let mut sampler = Sampler::default();
    let blend = TargetBlend {
        fade: args.fade,
        k: args.k,
    };
    let set = read(&args.files, Variant::Standard, blend, &mut |pos| {
        sampler.sample(pos)
    })?;
    say(&format!(
        "{} games: {} positions to learn from, {} held out",
        set.games,
        set.training.len(),
        set.held_out.len()
    ));
    let trainer = NetTrainer {
        passes: args.passes,
        batch: args.batch,
        rate: args.rate,
        decay: args.decay,
        later_share: args.later_share,
        k: args.k,
        seed: args.seed,
    };
    let Trained {
        before,
        after,
        weights,
    } = showing_passes(args.passes, |tell| trainer.train(&set, tell));
    if let Some(target) = target {
        say(&target.write(&weights.to_bytes()?)?);
    }
    say(&format!(
        "error    {:.6} -> {:.6}\nheld out {:.6} -> {:.6}",
        before.training, after.training, before.held_out, after.held_out
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    #[test]
    fn a_file_that_cannot_be_written_is_told_before_games_are_read() {
        let args: Args = parsed(["train", "no-games.ndjson", "--write", "/nowhere/weights.bin"]).unwrap();
        assert_eq!(
            run(&args).unwrap_err().to_string(),
            "cannot write /nowhere/weights.bin"
        );
    }

    #[test]
    fn numbers_that_teach_nothing_are_refused() {
        for words in ["--passes=0", "--batch=0", "--rate=nan", "--decay=-1", "--k=0"] {
            assert!(
                parsed::<Args>(["train", "games.ndjson", words]).is_err(),
                "{words}"
            );
        }
        assert!(parsed::<Args>(["train", "games.ndjson", "--decay", "0"]).is_ok());
        let args: Args = parsed(["train", "games.ndjson", "--rate", "0.5", "--decay", "2"]).unwrap();
        assert!(
            run(&args)
                .unwrap_err()
                .to_string()
                .starts_with("--rate 0.5 times --decay 2 ")
        );
    }
}

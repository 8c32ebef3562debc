//! `sparring-lab human-fit` and `sparring-lab human-report`: the models of human play, from games of people, and how good they are.

mod accuracy;
mod clocks;
mod dataset;
pub mod fit;
mod fit_loss_curve;
mod games;
mod level_self_play;
mod levels;
pub(super) mod linear;

mod missed_moves;
mod paired_stats;
mod reference_engine;
mod reference_evals;
pub mod report;
mod scored_moves;
mod scorer;
mod search_cache;
mod think_time_fit;
mod think_time_report;
mod time_vs_error;

use std::path::PathBuf;

/// Where the games are, and the searches of earlier runs.
#[derive(Debug, clap::Args)]
pub struct Source {
    /// The folder with the games of people: games-moves.jsonl and games-clock.jsonl, plain or .zst.
    #[arg(long, default_value = "../shared/data/human", value_name = "DIR")]
    data: PathBuf,
    /// A file to keep searches in, so that the next run need not repeat them. That of another engine is refused.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
}

/// Prints progress of a long command.
#[expect(
    clippy::print_stderr,
    reason = "progress goes to stderr, the result to stdout"
)]
fn note(text: std::fmt::Arguments<'_>) {
    eprintln!("{text}");
}

//! The program `sparring-lab`: matches, suites, tuning, training and calibration.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use sparring::cli::{
    exit::{self, Exit},
    logging,
};
use sparring_lab::{calibrate, datagen, human, match_engines, style_report, suite, train, tune, verify};

/// Measures and tunes Sparring's engine, levels and models.
#[derive(Debug, Parser)]
#[command(name = "sparring-lab", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Says more: -v for details, -vv for everything.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: logging::Verbosity,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays two UCI engines against each other and prints Elo with its error.
    Match(Box<match_engines::Args>),
    /// Searches test positions with known solutions and counts those it solves.
    Suite(suite::Args),
    /// Plays self-play games to tune the evaluation on.
    Datagen(datagen::Args),
    /// Tunes evaluation weights on self-play games (Texel method).
    Tune(tune::Args),
    /// Trains the NNUE correction on self-play games.
    TrainNet(train::Args),
    /// Fits the models of human moves and think times on games of people.
    HumanFit(human::fit::Args),
    /// Evaluates the models of human moves and think times on held-out games.
    HumanReport(human::report::Args),
    /// Plays the levels against each other and measures their strength.
    Calibrate(Box<calibrate::Args>),
    /// Plays the personalities at one level and measures how much their styles differ.
    StyleReport(style_report::Args),
    /// Checks what the evaluation knows of an endgame against endgame tables.
    VerifyEndgames(verify::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let (log, _) = logging::start(cli.verbose);
    let done = |outcome: anyhow::Result<()>| outcome.map(|()| Exit::Success);
    let outcome = match &cli.command {
        Command::Match(args) => done(match_engines::run(args)),
        Command::Suite(args) => suite::run(args),
        Command::Datagen(args) => done(datagen::run(args)),
        Command::Tune(args) => done(tune::run(args)),
        Command::TrainNet(args) => done(train::run(args)),
        Command::HumanFit(args) => human::fit::run(args),
        Command::HumanReport(args) => human::report::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::StyleReport(args) => style_report::run(args),
        Command::VerifyEndgames(args) => verify::run(args),
    };
    exit::report("sparring-lab", outcome, &log)
}

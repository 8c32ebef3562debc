//! The program `sparring-testkit`: soak tests and load tests of the daemon.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use sparring::cli::{exit, logging};
use sparring_testkit::{load_test, rogue_engine, soak};
#[cfg(unix)]
use sparring_testkit::{push_kills, scale_demo};

/// Tests the whole daemon against the sandbox.
#[derive(Debug, Parser)]
#[command(name = "sparring-testkit", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Says more: -v for details, -vv for everything on the wire but secrets.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: logging::Verbosity,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures the daemon against the sandbox and prints a table.
    BenchDaemon(load_test::Args),
    /// Plays games under injected faults and kills, and fails if any is lost by them.
    Soak(soak::Args),
    /// Pushes a large archive to PostgreSQL while it is killed, and fails if a row is lost or doubled.
    #[cfg(unix)]
    PushKills(push_kills::Args),
    /// Runs a fleet of bots, their common archive and shards on this machine, and prints the figures.
    #[cfg(unix)]
    ScaleDemo(scale_demo::Args),
    /// Passes UCI on to another engine and misbehaves every few moves.
    RogueEngine(rogue_engine::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let (log, _) = logging::start(cli.verbose);
    let outcome = match &cli.command {
        Command::BenchDaemon(args) => load_test::run(args),
        Command::Soak(args) => soak::run(args),
        #[cfg(unix)]
        Command::PushKills(args) => push_kills::run(args),
        #[cfg(unix)]
        Command::ScaleDemo(args) => scale_demo::run(args),
        Command::RogueEngine(args) => rogue_engine::run(args),
    };
    exit::report("sparring-testkit", outcome, &log)
}

//! The roof: commands, what they print, and how the program ends. The only place for exit codes and terminals.

pub mod exit;
pub mod logging;
pub mod match_engines;
pub mod play;
pub mod token;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use exit::Exit;

/// A lichess bot that people enjoy playing.
#[derive(Debug, Parser)]
#[command(name = "sparring", version, about, after_help = EXAMPLES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Says more: -v for details, -vv for everything on the wire but secrets.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: logging::Verbosity,
}

const EXAMPLES: &str = "Examples:
  sparring play              play against the bot in your browser, no account needed
  sparring check             are bot.toml, books and personalities in order?
  sparring run               be the bot on lichess, as bot.toml says";

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays two UCI engines against each other and prints Elo with its error.
    Match(match_engines::Args),
}

/// Parses the command line, runs the command, and reports how it ended.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::start(cli.verbose);
    let outcome = match &cli.command {
        None => welcome(),
        Some(Command::Match(args)) => match_engines::run(args).map(|()| Exit::Success),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            report(&error);
            exit::code_of(&error).into()
        }
    }
}

/// Without a command: what this is, and the one command to try.
#[expect(clippy::print_stdout, reason = "help was asked for, in a way")]
fn welcome() -> anyhow::Result<Exit> {
    println!("{}", Cli::command().render_help());
    Ok(Exit::Success)
}

/// The error and its causes in one line, without a backtrace: they are for people.
#[expect(clippy::print_stderr, reason = "errors go to stderr")]
fn report(error: &anyhow::Error) {
    eprintln!("sparring: {error:#}");
}

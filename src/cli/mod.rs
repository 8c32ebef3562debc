//! Commands: one file each. Only here are exit codes, standard input and output.

pub mod account;
pub mod assets;
pub mod bench;
pub mod book;
mod book_learning_task;
pub mod bootstrap;
pub mod check;
pub mod common_args;
pub mod completions;
pub mod config_backup;
mod config_recovery;
pub(crate) mod control;
pub mod doctor;
pub mod exit;
pub mod explain;
pub mod games;
pub mod init;
pub mod logging;
mod memory_protection;
pub mod openings;
mod password_prompt;
pub mod play;
mod renamed;
pub mod render_diagnostics;
pub mod run;
pub mod sandbox;
mod settings;
pub mod state_dir;
mod stderr_writer;
mod systemd;
pub mod threads;
pub mod token;

use std::{
    env,
    fmt::Display,
    io::{ErrorKind, Write as _, stdin, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};

use exit::{Exit, Failure};

use sparring_uci::{self as uci, PerftError};

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
    /// Plays against the bot in the browser or in the terminal. No account, no network.
    Play(play::Args),
    /// Runs the bot on lichess as bot.toml says, until told to stop.
    Run(run::Args),
    /// Sets up a lichess bot account: token, bot.toml, upgrade to a bot.
    Init(init::Args),
    /// Checks token, account, config, clock, disk and service, and prints a fix for each problem.
    Doctor(doctor::Args),
    /// Validates bot.toml, books and personalities, and reports all mistakes at once.
    Check(check::Args),
    /// Opening books: checks, shows, builds, compares and converts them.
    Book(book::Args),
    /// Explains a personality, a level, bot.toml or a challenge, key by key.
    Explain(explain::Args),
    /// Lists the games of the archive, and exports them as PGN.
    Games(games::Args),
    /// Serves the lichess API on this machine, to test bots and boards.
    Sandbox(sandbox::Args),
    /// Speaks UCI on standard input and output, for any chess GUI.
    Uci,
    /// Benchmark: nodes of fixed positions (the engine's signature), and nodes a second.
    Bench(bench::Args),
    /// Counts the leaves of the tree of legal moves, by root move.
    Perft {
        /// The position as FEN, or `startpos`.
        fen: String,
        /// How many half moves deep, ten at most.
        depth: u32,
        /// Times it beside the rules library's own perft instead.
        #[arg(long)]
        compare: bool,
    },
    /// Prints a script that completes commands in a shell.
    #[command(hide = true)]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Writes the man pages, one for each command.
    #[command(hide = true)]
    Man {
        /// The folder to write them to.
        folder: PathBuf,
    },
}

/// Parses the command line, runs the command, and reports how it ended.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let Some(place) = renamed::moved(&words) {
        return exit::report(
            "sparring",
            Err(Failure::error(Exit::Usage, place)),
            &logging::Log::new(),
        );
    }
    let cli = Cli::parse();
    let (log, warnings) = logging::start(cli.verbose);
    if let Some(hint) = renamed::hint(&words) {
        log.say(&format!("sparring: {hint}"));
    }
    let outcome = match &cli.command {
        None => welcome(),
        Some(Command::Play(args)) => play::run(args),
        Some(Command::Run(args)) => run::run(args, warnings),
        Some(Command::Init(args)) => init::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Sandbox(args)) => sandbox::run(args),
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Book(args)) => book::run(args),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Games(args)) => games::run(args),
        Some(Command::Uci) => speak_uci(),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Perft { fen, depth, compare }) => count(fen, *depth, *compare)
            .map_err(anyhow::Error::from)
            .and_then(print),
        Some(Command::Completions { shell }) => print(completions::completions(&mut Cli::command(), *shell)),
        Some(Command::Man { folder }) => completions::pages(Cli::command(), folder).map(|()| Exit::Success),
    };
    exit::report("sparring", outcome, &log)
}

fn count(fen: &str, depth: u32, compare: bool) -> Result<String, PerftError> {
    if compare {
        uci::perft_speed(fen, depth)
    } else {
        uci::perft(fen, depth)
    }
}

fn speak_uci() -> anyhow::Result<Exit> {
    uci::run_in(&assets::uci_resources(), stdin().lock(), stdout()).context("standard input")?;
    Ok(Exit::Success)
}

/// Prints to standard output; a closed pipe is no failure.
///
/// # Errors
/// When standard output cannot be written.
pub fn print(text: impl Display) -> anyhow::Result<Exit> {
    match writeln!(stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(Exit::Success),
    }
}

/// Parses a command's arguments; the first word is its name.
#[cfg(test)]
fn parsed<A: clap::Args>(
    words: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>,
) -> Result<A, clap::Error> {
    let command = A::augment_args(clap::Command::new("sparring"));
    A::from_arg_matches(&command.try_get_matches_from(words)?)
}

/// Prints the help when no command is given.
fn welcome() -> anyhow::Result<Exit> {
    print(Cli::command().render_help())
}

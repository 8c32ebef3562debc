//! The commands, one file each. Only these modules use exit codes, standard input and standard output.

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
pub mod merge;
pub mod openings;
pub mod play;
pub mod predict;
pub mod probe;
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
    /// Logs more: -v details, -vv also all traffic with lichess, without secrets.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: logging::Verbosity,
}

const EXAMPLES: &str = "Examples:
  sparring play              play against the bot in your browser, no account needed
  sparring check             check bot.toml, books and personalities for mistakes
  sparring run               run the bot on lichess";

#[derive(Debug, Subcommand)]
enum Command {
    /// Lets you play against the bot in the browser or in the terminal. No account, no network.
    Play(play::Args),
    /// Runs the bot on lichess until it is stopped.
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
    /// Lists, exports and analyses the games of the archive.
    Games(games::Args),
    /// Asks a running bot whether it is live or ready, for orchestrators.
    Probe(probe::Args),
    /// Serves the lichess API on this machine, to test bots and boards.
    Sandbox(sandbox::Args),
    /// Puts the shards of a long run together: games analysed, books grown, matches of the laboratory.
    Merge(merge::Args),
    /// Predicts people's moves in the positions of standard input, for a rating and a clock.
    Predict(predict::Args),
    /// Speaks UCI on standard input and output, for any chess GUI.
    Uci,
    /// Benchmark: node count of fixed positions (the engine's signature) and nodes per second.
    Bench(bench::Args),
    /// Counts the leaves of the legal move tree, for each root move.
    Perft {
        /// The position as FEN, or `startpos`.
        fen: String,
        /// Depth in half moves, at most 10.
        depth: u32,
        /// Compares the speed with shakmaty's own perft instead.
        #[arg(long)]
        compare: bool,
    },
    /// Prints a shell completion script.
    #[command(hide = true)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Writes a man page for each command.
    #[command(hide = true)]
    Man {
        /// The folder for the man pages.
        folder: PathBuf,
    },
}

/// Parses the command line, runs the command, and reports its error.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let Some(message) = renamed::moved(&words) {
        return exit::report(
            "sparring",
            Err(Failure::error(Exit::Usage, message)),
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
        Some(Command::Merge(args)) => merge::run(args),
        Some(Command::Probe(args)) => probe::run(args),
        Some(Command::Predict(args)) => predict::run(args),
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

/// Prints a line to standard output. A closed pipe is not an error.
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

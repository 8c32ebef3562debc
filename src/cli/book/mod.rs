//! `sparring book`: what can be done with opening books, one file a subcommand.

mod blunder_check;
mod blunders;
mod build;
mod check;
mod chosen_games;
mod common;
mod diff;
mod explain;
mod format;
mod learn;
mod merge;
mod players;
mod polyglot;
mod position_search;
pub(super) mod progress;
mod recorded;
mod results;
mod show;
mod split;
mod stats;
mod unified_diff;

use clap::Subcommand;

pub(crate) use common::say;
#[cfg(feature = "postgres")]
pub(super) use common::several;
pub(super) use players::Player;
pub(super) use position_search::search;
pub(super) use progress::count as count_bar;
pub use results::from_archive;

use crate::cli::exit::Exit;

/// Works with opening books: checks, shows, grows, compares and converts them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book show books/main.book --depth 4           the book as a tree, with chances
  sparring book explain \"1. e4 c5\"                       what all books say of a position
  sparring book build games.pgn --player Ann -o ann.book  a book out of games
  sparring book check --doctor books/mine.book           slips, gaps and moves to decide on

Each subcommand has examples of its own: sparring book show --help. The format: docs/books.md.")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Says what is wrong with books, and what looks like a slip.
    Check(check::Args),
    /// Shows a book as a tree of moves with their chances.
    Show(show::Args),
    /// Says what books have for a position, and why.
    Explain(explain::Args),
    /// Writes a book in good order.
    Fmt(format::Args),
    /// Adds to a book the lines of others.
    Merge(merge::Args),
    /// Compares two books position by position.
    Diff(diff::Args),
    /// Builds a book from games in PGN, or from lines of moves.
    #[command(alias = "feed")]
    Build(build::Args),
    /// Shows what the moves of a book scored, and writes a patch for its weights.
    Learn(learn::Args),
    /// Shows where the bot's own games turned, and makes a book of better moves.
    #[command(alias = "turns")]
    Blunders(blunders::Args),
    /// Puts blanks between moves that stand without, as in e2e4e7e6.
    Split(split::Args),
    /// Makes a text of a Polyglot book.
    Import(polyglot::ImportArgs),
    /// Makes a Polyglot book of a text.
    Export(polyglot::ExportArgs),
    /// Counts what is in books.
    Stats(stats::Args),
}

/// Runs the subcommand.
///
/// # Errors
/// When a file cannot be read or written, or cannot be used.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Check(args) => check::run(args),
        Command::Show(args) => show::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Fmt(args) => format::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Build(args) => build::run(args),
        Command::Learn(args) => learn::run(args),
        Command::Blunders(args) => blunders::run(args),
        Command::Split(args) => split::run(args),
        Command::Import(args) => polyglot::import(args),
        Command::Export(args) => polyglot::export(args),
        Command::Stats(args) => stats::run(args),
    }
}

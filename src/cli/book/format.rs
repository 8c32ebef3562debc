//! `sparring book fmt`: a book in good order.

use std::path::PathBuf;

use super::common;
use crate::cli::exit::{Exit, Failure};
use sparring_book::{self as book, Notation};

/// Writes a book in good order: even spacing, comments kept, and one notation if asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book fmt books/mine.book              prints it in good order
  sparring book fmt -w books/*.book              writes the files themselves
  sparring book fmt --san book.txt               moves as in 1. e4 e5 2. Nf3
  sparring book fmt --check books/*.book         exit code 1 if any is not in good order")]
pub struct Args {
    /// The books; `-` for standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Writes the files themselves instead of printing.
    #[arg(short, long)]
    write: bool,
    /// Only says which files are not in good order.
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Moves as in `1. e4 e5 2. Nf3`.
    #[arg(long, conflicts_with = "uci")]
    san: bool,
    /// Moves as in `e2e4 e7e5 g1f3`.
    #[arg(long)]
    uci: bool,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let notation = match (args.san, args.uci) {
        (true, _) => Notation::San,
        (_, true) => Notation::Uci,
        _ => Notation::AsWritten,
    };
    if args.write && args.files.iter().any(|path| path.as_os_str() == common::STANDARD) {
        let sentence = "-w writes files, and standard input is none; without -w it is printed".to_owned();
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let mut exit = Exit::Success;
    for path in &args.files {
        let book = common::read(path)?;
        let formatted = book::format(&book, notation);
        let is_in_order = formatted == book.text().as_str();
        if args.check {
            if !is_in_order {
                common::print(format!("{}\n", path.display()).as_bytes())?;
                exit = Exit::Failed;
            }
        } else if !args.write {
            common::print(formatted.as_bytes())?;
        } else if !is_in_order {
            common::save(path, formatted.as_bytes())?;
            common::say(&format!("{} written", path.display()));
        }
    }
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_no_file_to_write() {
        let args = Args {
            files: vec![PathBuf::from("-")],
            write: true,
            check: false,
            san: false,
            uci: false,
        };
        let said = run(&args).unwrap_err().to_string();
        assert_eq!(
            said,
            "-w writes files, and standard input is none; without -w it is printed"
        );
    }
}

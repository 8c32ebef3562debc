//! The program `sparring`: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sparring::cli::main()
}

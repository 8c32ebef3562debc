//! The program `sparring`: everything is in the library, under the roof.

use std::process::ExitCode;

fn main() -> ExitCode {
    sparring::cli::main()
}

//! `sparring games push` against a PostgreSQL that this test starts. Where none is installed, its tests are ignored.

#[cfg(all(feature = "postgres", unix))]
#[path = "../../testkit/src/common_archive/mod.rs"]
mod common_archive;
#[cfg(all(feature = "postgres", unix))]
mod page;
#[cfg(all(feature = "postgres", unix))]
mod pushes;
#[cfg(all(feature = "postgres", unix))]
mod refusals;
#[cfg(all(feature = "postgres", unix))]
mod stage;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Conclusion, Trial};

fn main() -> ExitCode {
    run(&Arguments::from_args()).exit_code()
}

#[cfg(all(feature = "postgres", unix))]
fn run(arguments: &Arguments) -> Conclusion {
    let server = stage::LazyServer::default();
    let trials: Vec<Trial> = [pushes::TRIALS, refusals::TRIALS, page::TRIALS]
        .concat()
        .into_iter()
        .map(|test| stage::trial(test, &server))
        .collect();
    libtest_mimic::run(arguments, trials)
}

/// Only a build of the whole workspace can push: see Cargo.toml of the testkit.
#[cfg(not(all(feature = "postgres", unix)))]
fn run(arguments: &Arguments) -> Conclusion {
    let refused = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sparring"));
        let output = command
            .args(["games", "push", "--to", "postgres://ana:hunter2@host/db"])
            .output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            said.contains("--features postgres") && !said.contains("hunter2"),
            "{said}"
        );
        Ok(())
    };
    let trial = Trial::test(
        "a_program_that_cannot_push_says_how_to_build_one_that_can",
        refused,
    );
    libtest_mimic::run(arguments, vec![trial])
}

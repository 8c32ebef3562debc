//! Exit codes, and the one sentence that an error prints.

use std::{fmt, process::ExitCode};

use crate::cli::logging::Log;

/// The exit codes, documented in the README and relied on by the systemd units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Success = 0,
    /// The work failed, or findings were made.
    Failed = 1,
    /// The command line makes no sense (clap's own code).
    Usage = 2,
    /// A server, or the port to be a server on, is not to be had now; trying again later may help.
    Unavailable = 69,
    /// Another bot on this machine has the token, the account or the folder; when it has ended this one can have it.
    Taken = 75,
    /// lichess refuses the token, or the account is not a bot; only a person can mend it.
    NoPermission = 77,
    /// `bot.toml`, a book or a personality cannot be used; only a person can mend it.
    BadConfiguration = 78,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure that knows its exit code. Other errors end with [`Exit::Failed`].
#[derive(Debug)]
pub struct Failure {
    /// The number.
    pub exit: Exit,
    /// The sentence.
    pub message: String,
}

impl Failure {
    /// A failure as an error.
    pub fn error(exit: Exit, message: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self {
            exit,
            message: message.into(),
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The exit code of an error, wherever in its chain it was named.
#[must_use]
pub fn code_of(error: &anyhow::Error) -> Exit {
    error
        .downcast_ref::<Failure>()
        .map_or(Exit::Failed, |failure| failure.exit)
}

/// Prints the error of a command with its causes in one line, if there is one, and gives the exit code.
pub fn report(program: &str, outcome: anyhow::Result<Exit>, log: &Log) -> ExitCode {
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            log.say(&format!("{program}: {error:#}"));
            code_of(&error).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn an_exit_code_is_found_behind_what_was_said_around_it() {
        let error: anyhow::Result<()> = Err(Failure::error(Exit::NoPermission, "no"));
        assert_eq!(
            code_of(&error.context("at the start").unwrap_err()),
            Exit::NoPermission
        );
        assert_eq!(code_of(&anyhow::anyhow!("else")), Exit::Failed);
    }
}

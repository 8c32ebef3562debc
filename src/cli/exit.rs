//! Exit codes, and errors that carry one.

use std::{fmt, process::ExitCode};

use crate::cli::logging::Log;

/// The exit codes, documented in the README and relied on by the systemd units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Success = 0,
    /// The command failed, or a check found errors.
    Failed = 1,
    /// A wrong command line (clap's own code).
    Usage = 2,
    /// A server cannot be reached, or a port is in use; trying again later may help.
    Unavailable = 69,
    /// Another bot on this machine uses the token, the account or the state folder.
    Taken = 75,
    /// lichess refuses the token, or the account is not a bot; only a person can fix it.
    NoPermission = 77,
    /// `bot.toml`, a book or a personality cannot be used; only a person can fix it.
    BadConfiguration = 78,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error with an exit code. Other errors exit with [`Exit::Failed`].
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The message.
    pub message: String,
}

impl Failure {
    /// A [`Failure`] as an [`anyhow::Error`].
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

/// The exit code of an error, under any context.
#[must_use]
pub fn code_of(error: &anyhow::Error) -> Exit {
    error
        .downcast_ref::<Failure>()
        .map_or(Exit::Failed, |failure| failure.exit)
}

/// The exit code of a command. Prints an error with its causes in one line.
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
    fn an_exit_code_is_found_under_context() {
        let error: anyhow::Result<()> = Err(Failure::error(Exit::NoPermission, "no"));
        assert_eq!(
            code_of(&error.context("at the start").unwrap_err()),
            Exit::NoPermission
        );
        assert_eq!(code_of(&anyhow::anyhow!("else")), Exit::Failed);
    }
}

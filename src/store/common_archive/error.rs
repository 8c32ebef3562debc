//! Why nothing more can be pushed, each in a sentence.

use thiserror::Error;
use tokio_postgres::error::SqlState;

use super::Address;
use crate::store::StoreError;

/// Why a push ended early.
#[derive(Debug, Error)]
pub enum PushError {
    /// The address cannot be used.
    #[error("--to: {0}")]
    Address(String),
    /// Nobody answers.
    #[error("cannot reach PostgreSQL at {server}: {cause}")]
    Unreachable {
        /// Host and port.
        server: String,
        /// What the system or the handshake says.
        cause: String,
    },
    /// The connection is gone.
    #[error("the connection to PostgreSQL at {server} is lost: {cause}")]
    Lost {
        /// Host and port.
        server: String,
        /// What ended it.
        cause: String,
    },
    /// The server or the database refuses, and only a person can change that.
    #[error("{0}")]
    Refused(String),
    /// The common archive has migrations that this program does not know.
    #[error("the common archive has schema {found}, this program knows up to {known}: use a newer version")]
    TooNew {
        /// Its version.
        found: String,
        /// The newest version that this program knows.
        known: String,
    },
    /// The bot's own archive cannot be read.
    #[error(transparent)]
    Archive(#[from] StoreError),
}

impl From<rusqlite::Error> for PushError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Archive(error.into())
    }
}

impl PushError {
    /// The error of a connection to `address`, or of an attempt to open one.
    pub(super) fn of(error: &tokio_postgres::Error, address: &Address) -> Self {
        let Address {
            server,
            user,
            database,
            ..
        } = address;
        let server = server.clone();
        let Some(said) = error.as_db_error() else {
            let cause = innermost(error);
            if address.config.get_password().is_none() && cause.contains("password missing") {
                let sentence =
                    format!("PostgreSQL at {server} wants a password for user {user}: set PGPASSWORD");
                return Self::Refused(sentence);
            }
            if cause.contains("certificate") {
                return Self::Refused(format!(
                    "the certificate of PostgreSQL at {server} is not trusted ({cause}): SSL_CERT_FILE names a file with those to trust"
                ));
            }
            if cause.contains("does not support TLS") {
                let sentence = format!("PostgreSQL at {server} has no TLS, on which sslmode=require insists");
                return Self::Refused(sentence);
            }
            return if error.is_closed() || std::error::Error::source(error).is_none() {
                Self::Lost { server, cause }
            } else {
                Self::Unreachable { server, cause }
            };
        };
        let code = said.code();
        let sentence = match code {
            _ if *code == SqlState::INVALID_PASSWORD => {
                format!("PostgreSQL at {server} refuses the password of user {user}")
            }
            _ if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                format!(
                    "PostgreSQL at {server} does not let user {user} in: {}; pg_hba.conf says who may come, and how",
                    said.message()
                )
            }
            _ if *code == SqlState::INVALID_CATALOG_NAME => format!(
                "PostgreSQL at {server} has no database {database}: make it with `createdb --owner {user} {database}`"
            ),
            _ if *code == SqlState::INSUFFICIENT_PRIVILEGE => format!(
                "user {user} may not write to database {database} ({}): make it the owner",
                said.message()
            ),
            _ if *code == SqlState::LOCK_NOT_AVAILABLE => {
                "another push has held the common archive for a minute: try again later".to_owned()
            }
            _ if [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            ]
            .contains(code) =>
            {
                let cause = said.message().to_owned();
                return Self::Lost { server, cause };
            }
            _ if *code == SqlState::CANNOT_CONNECT_NOW || *code == SqlState::TOO_MANY_CONNECTIONS => {
                let cause = said.message().to_owned();
                return Self::Unreachable { server, cause };
            }
            _ => format!("PostgreSQL at {server} says: {}", said.message()),
        };
        Self::Refused(sentence)
    }

    /// Whether trying again later may help.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Lost { .. })
    }
}

/// The message of the last cause: those before it only say that there is one.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

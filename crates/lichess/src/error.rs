//! Errors of calls, by what the caller can do next.

use thiserror::Error;

use super::Escaped;
use crate::model::RateLimit;
use sparring_chess::units::Millis;

/// A failed API call.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// It is unknown whether the server acted: no connection, a time-out, a 5xx, or a response that is not lichess' own.
    /// Worth a retry.
    #[error("{call}: {why}")]
    Transient {
        /// The request.
        call: &'static str,
        /// The cause.
        why: String,
    },
    /// 429: the server did not act.
    #[error("{call}: too many requests, silent for {after}{}", key.as_deref().map(|key| format!(" ({})", Escaped(key))).unwrap_or_default())]
    RateLimited {
        /// The request.
        call: &'static str,
        /// How long calls of this class are blocked.
        after: Millis,
        /// lichess' name of the limit, such as `bot.vsBot.day`.
        key: Option<String>,
    },
    /// The server rejected the request. A retry does not help.
    #[error("{call}: refused with {status}, \"{}\"", Escaped(message))]
    Rejected {
        /// The request.
        call: &'static str,
        /// The HTTP status.
        status: u16,
        /// The server's message.
        message: String,
        /// The rate limit that was hit, such as the opponent's daily games.
        ratelimit: Option<RateLimit>,
    },
    /// The token is invalid or lacks a scope.
    #[error("{call}: the token is not accepted, \"{}\"", Escaped(message))]
    Unauthorized {
        /// The request.
        call: &'static str,
        /// The server's message.
        message: String,
    },
}

impl CallError {
    /// Whether lichess itself answered 404.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Rejected { status: 404, .. })
    }

    /// The same error with the wait that the caller will keep.
    #[must_use]
    pub fn with_wait(mut self, wait: Millis) -> Self {
        if let Self::RateLimited { after, .. } = &mut self {
            *after = wait;
        }
        self
    }

    /// The same error without the server's message, if that repeats a secret or its first eight characters.
    #[must_use]
    pub(super) fn without_secret(mut self, secret: &str) -> Self {
        let head: String = secret.chars().take(8).collect();
        if let Self::Transient { why: said, .. }
        | Self::Rejected { message: said, .. }
        | Self::Unauthorized { message: said, .. } = &mut self
            && !head.is_empty()
            && said.contains(&head)
        {
            "the answer repeats the token, and is not shown".clone_into(said);
        }
        self
    }

    /// Whether a retry does not help.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Rejected { .. } | Self::Unauthorized { .. })
    }
}

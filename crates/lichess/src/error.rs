//! Errors of calls, by what the caller can do next.

use thiserror::Error;

use super::Escaped;
use crate::model::RateLimit;
use sparring_chess::units::Millis;

/// A call that did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// Nobody knows whether the server acted: no connection, no answer in time, an error of the server's own, or
    /// an answer that is not what lichess sends. Worth another look.
    #[error("{call}: {why}")]
    Transient {
        /// What was asked.
        call: &'static str,
        /// What happened.
        why: String,
    },
    /// The server did not act, and wants silence for a while.
    #[error("{call}: too many requests, silent for {after}{}", key.as_deref().map(|key| format!(" ({})", Escaped(key))).unwrap_or_default())]
    RateLimited {
        /// What was asked.
        call: &'static str,
        /// How long calls of this class have to wait.
        after: Millis,
        /// lichess' name of the limit, such as `bot.vsBot.day`.
        key: Option<String>,
    },
    /// The server understood and refused; asking again would not help.
    #[error("{call}: refused with {status}, \"{}\"", Escaped(message))]
    Rejected {
        /// What was asked.
        call: &'static str,
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
        /// A limit that the refusal is about, such as the opponent's games of the day.
        ratelimit: Option<RateLimit>,
    },
    /// The token is not good, or not for this.
    #[error("{call}: the token is not accepted, \"{}\"", Escaped(message))]
    Unauthorized {
        /// What was asked.
        call: &'static str,
        /// What the server says.
        message: String,
    },
}

impl CallError {
    /// Whether lichess itself says that there is no such thing; a page of some proxy says nothing.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Rejected { status: 404, .. })
    }

    /// The same with the wait that is kept, for who weighs what the server asks for against a clock. What is told is what is
    /// done.
    #[must_use]
    pub fn waiting(mut self, wait: Millis) -> Self {
        if let Self::RateLimited { after, .. } = &mut self {
            *after = wait;
        }
        self
    }

    /// The same without what the server said, where that repeats a secret or the beginning of one.
    #[must_use]
    pub(super) fn without(mut self, secret: &str) -> Self {
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

    /// Whether the server has understood and would not, so that asking again would not help.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Rejected { .. } | Self::Unauthorized { .. })
    }
}

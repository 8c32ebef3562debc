//! lichess' wire: the types both ends share, and the client that speaks them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod model;

pub mod client;
mod connection_pool;
mod error;
mod escape;
pub mod ndjson;
mod rate_limiter;
mod reconnect;
mod response;
pub mod retry;
mod token;
mod tournaments;
mod transport;

pub use client::Client;
pub use error::CallError;
pub use escape::Escaped;
pub use ndjson::{BadLine, ChallengeOutcome, NdjsonStream, StreamEnd};
pub use reconnect::{FlagDeadline, ReconnectingStream, StreamEvent};
pub use token::{BadToken, Token, bare_token, fingerprint};
pub use transport::SetupError;

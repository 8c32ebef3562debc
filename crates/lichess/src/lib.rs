//! The lichess API: types that client and sandbox share, and the client (feature `client`).
//!
//! In reading order: [`model`] has the types, `transport` sends requests, `response` and `error` classify failures, `retry` and
//! `rate_limiter` decide when to try again, `ndjson` decodes streams, `reconnect` reopens them, and `Client` has a method per endpoint.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod model;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
mod connection_pool;
#[cfg(feature = "client")]
mod error;
mod escape;
#[cfg(feature = "client")]
pub mod ndjson;
#[cfg(feature = "client")]
mod rate_limiter;
#[cfg(feature = "client")]
mod reconnect;
#[cfg(feature = "client")]
mod response;
#[cfg(feature = "client")]
pub mod retry;
#[cfg(feature = "client")]
mod token;
#[cfg(feature = "client")]
mod tournaments;
#[cfg(feature = "client")]
mod transport;

#[cfg(feature = "client")]
pub use client::Client;
#[cfg(feature = "client")]
pub use error::CallError;
pub use escape::Escaped;
#[cfg(feature = "client")]
pub use ndjson::{BadLine, ChallengeOutcome, NdjsonStream, StreamEnd};
#[cfg(feature = "client")]
pub use reconnect::{FlagDeadline, ReconnectingStream, StreamEvent};
#[cfg(feature = "client")]
pub use token::{BadToken, Token, bare_token, fingerprint};
#[cfg(feature = "client")]
pub use transport::SetupError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

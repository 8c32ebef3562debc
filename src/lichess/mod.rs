//! lichess' wire: the types both ends share, and the client that speaks them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod model;

mod answer;
mod arenas;
pub mod client;
mod error;
mod follow;
mod gates;
mod pool;
pub mod retry;
pub mod stream;
mod token;
mod untrusted;
mod wire;

pub use client::Client;
pub use error::CallError;
pub use follow::{Flag, Follower, News};
pub use stream::{BadLine, Fate, Lines, Lost};
pub use token::{BadToken, Token, bare_token, fingerprint};
pub use untrusted::Untrusted;
pub use wire::SetupError;

//! Moves from servers: lichess' opening explorer, cloud evaluations and endgame tables, and chessdb.cn.
//!
//! In reading order: [`Source`] says whom to ask and how, [`Question`] which address answers for a position, [`decode`] reads an answer,
//! [`choose`] draws a move from it, [`CircuitBreaker`] leaves a source alone that fails, and [`HttpClient`] sends the requests.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer;
mod choice;
mod circuit_breaker;
mod http_client;
mod source;
mod wire;

pub use answer::{Answer, Evaluation, Evidence, OfferedMove, TableResult};
pub use choice::{Choice, choose};
pub use circuit_breaker::{CircuitBreaker, Tripped};
pub use http_client::{AskError, HttpClient};
pub use source::{Question, RankBy, Source, SourceKind};
pub use wire::{DecodeError, decode};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The daemon: which games run, and who plays them how.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod game;

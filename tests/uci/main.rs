//! Whole sessions of the protocol, over pipes in memory.

mod books;
#[cfg(feature = "daemon")]
mod levels;
mod searching;
mod session;
mod tables;
mod talking;

//! Whole sessions of the protocol, over pipes in memory.

mod answers;
mod books;
mod levels;
mod searching;
mod session;
#[path = "../shared/mod.rs"]
mod shared;
mod tables;
mod talking;
mod variants;

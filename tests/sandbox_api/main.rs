//! The sandbox over HTTP, as clients of lichess see it.

mod challenges;
mod errors;
mod games;
mod guarded;
mod harness;
mod lobby;
mod notation;
mod variants;

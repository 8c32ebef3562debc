//! A common archive to push to, archives to push, and whether the one holds the other.
//!
//! Tests of the whole program share this folder.
#![allow(dead_code, reason = "who shares this folder uses a part")]

pub mod digest;
pub mod made_games;
pub mod server;

//! The daemon: one event loop, and one task for each game.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod daemon;
mod event_loop;

pub mod challenges;
mod matchmaking;
mod opponents;
mod tournaments;

pub mod game_task;
pub mod games;
pub mod moves;

pub mod observe;
mod server;

pub use daemon::{ClaimAccount, Daemon, LockGuard, Options, RestoredState, Shutdown, Status};
pub use opponents::daily_limits::BOT_GAMES;
pub use server::{login::DaemonError, rate_limits::VS_BOTS};

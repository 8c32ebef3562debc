//! The daemon: one event loop, and one task for each game.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod daemon;
mod event_loop;
mod options;
mod restored;
mod shutdown;
mod status;
mod wall_clock;

pub mod challenges;
mod matchmaking;
mod opponents;
mod tournaments;

pub mod game_task;
pub mod games;
pub mod moves;

pub mod observe;
mod server;

pub use daemon::{ClaimAccount, Daemon, LockGuard};
pub use opponents::daily_limits::BOT_GAMES;
pub use options::Options;
pub use restored::RestoredState;
pub(crate) use server::rate_limits::latest_limit;
pub use server::{login::DaemonError, rate_limits::VS_BOTS};
pub use shutdown::Shutdown;
pub use status::Status;

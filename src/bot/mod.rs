//! The daemon: which games run, and who plays them how.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod opponent_stats;
mod game_task;
mod adaptive_level;
mod tournaments;
pub mod live_games;
pub mod chat;
mod tournament_calls;
mod matchmaking;
mod daemon;
pub mod offer_policy;
mod event_loop;
mod pending_challenges;
mod stream_conflict;
mod events;
mod finished_games;
mod completions;
pub mod rule_context;
mod game_flags;
pub mod game_state;
mod retry_call;
mod challenge_queue;
mod move_overhead;
mod rate_limits;
mod ongoing_poll;
mod login;
pub mod metrics;
pub mod move_selector;
pub mod liveness;
mod challenge_handler;
mod supervisor;
mod rematches;
mod opponent_memory;
pub mod challenge_rules;
mod search_scheduler;
mod game_retry;
mod opponent_picker;
pub mod engine_pool;
mod daily_limits;
mod open_challenges;

pub use daemon::{ClaimAccount, Daemon, LockGuard, Options, RestoredState, Shutdown, Status};
pub use rate_limits::VS_BOTS;
pub use login::DaemonError;
pub use daily_limits::BOT_GAMES;

//! The daemon: which games run, and who plays them how.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adaptive_level;
mod challenge_handler;
mod challenge_queue;
pub mod challenge_rules;
pub mod chat;
mod completions;
mod daemon;
mod daily_limits;
pub mod engine_pool;
mod event_loop;
mod events;
mod finished_games;
mod game_flags;
mod game_retry;
pub mod game_state;
mod game_task;
pub mod live_games;
pub mod liveness;
mod login;
mod matchmaking;
pub mod metrics;
mod move_overhead;
pub mod move_selector;
pub mod offer_policy;
mod ongoing_poll;
mod open_challenges;
mod opponent_memory;
mod opponent_picker;
mod opponent_stats;
mod pending_challenges;
mod rate_limits;
mod rematches;
mod retry_call;
pub mod rule_context;
mod search_scheduler;
mod stream_conflict;
mod supervisor;
mod tournament_calls;
mod tournaments;

pub use daemon::{ClaimAccount, Daemon, LockGuard, Options, RestoredState, Shutdown, Status};
pub use daily_limits::BOT_GAMES;
pub use login::DaemonError;
pub use rate_limits::VS_BOTS;

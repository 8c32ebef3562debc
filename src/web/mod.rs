//! What the program shows in a browser besides the sandbox: dashboard, editor, health and metrics.

pub mod auth;
mod book_exit;
pub mod dashboard;
pub mod editor;
mod eval_history;
pub mod game_explanation;
pub mod health;
pub(crate) mod listener;
pub mod log_buffer;
pub(crate) mod reloads;
pub(crate) mod worker;

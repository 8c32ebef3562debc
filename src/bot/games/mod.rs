//! All running games: supervisor, retries, the poll of running games, live snapshots, finished games.

pub(super) mod finished;
pub(super) mod flags;
pub mod live;
pub(super) mod ongoing_poll;
pub(super) mod retry;
pub(super) mod supervisor;

//! The connection to lichess as a whole: login, rate limits, a second program on the same account.

pub(super) mod login;
pub(super) mod rate_limits;
pub(super) mod retry_call;
pub(super) mod stream_conflict;

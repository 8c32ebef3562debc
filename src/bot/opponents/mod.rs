//! State by opponent: memory, scores, rematches, daily limits.

pub(super) mod daily_limits;
pub(super) mod memory;
pub(super) mod rematches;
pub(super) mod stats;

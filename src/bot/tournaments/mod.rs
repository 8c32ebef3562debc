//! Tournaments: which to join, and the calls that join and leave them.

pub(super) mod calls;
pub(super) mod state;

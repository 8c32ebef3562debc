//! Tournaments: which to join, and when to leave.

pub(super) mod state;

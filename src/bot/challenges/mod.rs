//! Incoming challenges: the rules that judge them, the queue, and the replies.

pub(super) mod open;
pub(super) mod pending;
pub(super) mod queue;
pub mod rule_context;
pub mod rules;

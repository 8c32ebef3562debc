//! Choosing a move: selector, pipeline, offers, and the engine pool that searches.

pub(super) mod adaptive_level;
pub mod engine_pool;
pub mod engine_slot;
pub mod external_engine;
pub(super) mod move_overhead;
pub mod offer_policy;
pub mod online_sources;
mod search_scheduler;
pub mod selector;
mod strength_search;

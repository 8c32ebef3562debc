//! Search control: the stop flag and the clock.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use sparring_chess::units::TimeSource;

/// A stop flag of a running search. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on [`is_set`](Self::is_set): the search ends within a few thousand nodes.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Clears the flag, before the next search.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a search is controlled by: the stop flag and the clock.
pub struct SearchControl<'a> {
    /// Ends the search early; the best line so far is returned.
    pub stop: &'a Stop,
    /// Read for [`Limits::soft`](super::Limits::soft) and [`Limits::hard`](super::Limits::hard), which count from the call of the search, and to set how often
    /// `stop` is polled.
    pub clock: &'a dyn TimeSource,
}

//! Window of the last measured move delays.

use std::collections::VecDeque;

use sparring_chess::units::Millis;

/// How many are remembered.
const WINDOW: usize = 20;

/// The last delays.
#[derive(Debug, Clone, Default)]
pub struct DelayWindow(VecDeque<Millis>);

impl DelayWindow {
    /// Records a delay; of more than twenty the oldest is dropped.
    pub fn record(&mut self, delay: Millis) {
        if self.is_full() {
            self.0.pop_front();
        }
        self.0.push_back(delay);
    }

    /// Whether the window is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0.len() == WINDOW
    }

    /// The longest delay but `spared` longer ones; none where there are no more than these.
    #[must_use]
    pub fn longest_but(&self, spared: usize) -> Option<Millis> {
        let mut sorted: Vec<Millis> = self.0.iter().copied().collect();
        sorted.sort_unstable();
        sorted.into_iter().rev().nth(spared)
    }
}

//! Move overhead: what a move loses on its way to the server, estimated from earlier round trips.

use std::sync::atomic::{AtomicU64, Ordering};

use sparring_chess::units::Millis;
use sparring_engine::DelayWindow;

/// What a move loses besides the measured trip: the other direction's bad days.
const MARGIN: Millis = Millis(20);
/// However slow the network seems, thinking must stay possible.
const MOST: Millis = Millis::from_secs(2);

/// The recent round trips of one game's moves.
#[derive(Debug, Clone)]
pub(in crate::bot) struct LagEstimator {
    least: Millis,
    trips: DelayWindow,
}

impl LagEstimator {
    /// Nothing measured yet; the overhead never falls below `least`.
    #[must_use]
    pub(in crate::bot) fn new(least: Millis) -> Self {
        Self {
            least: least.min(MOST),
            trips: DelayWindow::default(),
        }
    }

    /// Notes how long the server took to answer a move.
    pub(in crate::bot) fn note(&mut self, trip: Millis) {
        self.trips.record(trip);
    }

    /// What to keep off the clock for a move: nearly the slowest of the recent trips and a margin.
    #[must_use]
    pub(in crate::bot) fn overhead(&self) -> Millis {
        // Once in twenty trips is chance.
        let slow = self.trips.longest_but(usize::from(self.trips.is_full()));
        slow.map_or(self.least, |slow| (slow + MARGIN).clamp(self.least, MOST))
    }
}

/// What a game lost on time with its move on the way teaches all games after it.
const LESSON: Millis = Millis(100);
/// More is never kept off the clock for lessons alone.
const MOST_LESSONS: Millis = Millis::from_secs(1);

/// What all games of a daemon keep off their clocks beyond the settings, since moves came too late before.
#[derive(Debug, Default)]
pub(in crate::bot) struct LagMargin(AtomicU64);

impl LagMargin {
    /// A flag fell while the move was on its way.
    pub(in crate::bot) fn learn(&self) {
        let more = |extra: u64| Some((extra + LESSON.0).min(MOST_LESSONS.0));
        // The change never refuses.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// What to keep off the clock besides what the settings say.
    #[must_use]
    pub(in crate::bot) fn extra(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f46_overhead_follows_the_slow_trips_within_bounds() {
        let mut lag = LagEstimator::new(Millis(50));
        assert_eq!(lag.overhead(), Millis(50));
        for _ in 0..19 {
            lag.note(Millis(10));
        }
        assert_eq!(lag.overhead(), Millis(50));
        // One hiccup in twenty is chance, two are the network.
        lag.note(Millis(700));
        assert_eq!(lag.overhead(), Millis(50));
        lag.note(Millis(700));
        assert_eq!(lag.overhead(), Millis(720));
        for _ in 0..20 {
            lag.note(Millis(9000));
        }
        assert_eq!(lag.overhead(), Millis::from_secs(2));
    }

    #[test]
    fn f47_a_flag_that_fell_on_the_way_is_a_lesson_within_bounds() {
        let tardiness = LagMargin::default();
        assert_eq!(tardiness.extra(), Millis::ZERO);
        tardiness.learn();
        assert_eq!(tardiness.extra(), Millis(100));
        for _ in 0..100 {
            tardiness.learn();
        }
        assert_eq!(tardiness.extra(), Millis::from_secs(1));
    }
}

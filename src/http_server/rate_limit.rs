//! So many a second, and some at once.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Lets so many through a second, after some at once; who comes too early is told how long to wait.
#[derive(Debug)]
pub struct RateLimit {
    each: Duration,
    burst: u32,
    /// When all that were let through have had their time.
    paid: Mutex<Option<Instant>>,
}

impl RateLimit {
    /// `rate` a second, at least 1, after `burst` at once.
    #[must_use]
    pub fn new(rate: u32, burst: u32) -> Self {
        Self {
            each: Duration::from_secs(1) / rate.max(1),
            burst,
            paid: Mutex::new(None),
        }
    }

    /// How long to wait for a turn, which is taken by asking; none where that would be longer than `patience`, and then
    /// no turn is taken.
    pub fn turn(&self, now: Instant, patience: Duration) -> Option<Duration> {
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        let from = paid.map_or(now, |paid| paid.max(now));
        let wait = (from + self.each).saturating_duration_since(now + self.each * self.burst);
        if wait > patience {
            return None;
        }
        *paid = Some(from + self.each);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn some_pass_at_once_and_the_others_one_by_one() {
        let limit = RateLimit::new(10, 3);
        let now = Instant::now();
        let patience = Duration::from_millis(250);
        let waits: Vec<_> = (0..6).map(|_| limit.turn(now, patience)).collect();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(
            waits,
            [millis(0), millis(0), millis(0), millis(100), millis(200), None]
        );
        let later = now + Duration::from_millis(100);
        assert_eq!(
            limit.turn(later, patience),
            millis(200),
            "who was sent away took no turn"
        );
        let much_later = now + Duration::from_secs(60);
        assert_eq!(
            (0..3)
                .filter_map(|_| limit.turn(much_later, patience))
                .sum::<Duration>(),
            Duration::ZERO
        );
        assert_eq!(
            limit.turn(much_later, patience),
            millis(100),
            "an idle hour saves nothing up"
        );
    }
}

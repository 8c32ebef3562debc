//! The sandbox's time: real time, faster time, or time moved by hand.

use std::{
    ops::RangeInclusive,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::Notify, time::Instant};

use sparring_chess::units::Millis;

/// Speed factors of the clock: from standing still to eleven days a second.
pub const SPEEDS: RangeInclusive<f64> = 0.0..=1e6;

/// A clock whose speed can be changed and that can be pushed forward. It follows tokio's time, so a test that
/// pauses tokio pauses it too.
#[derive(Debug)]
pub struct VirtualClock {
    reading: Mutex<Reading>,
    changed: Notify,
}

/// The clock's time at some instant, and its speed since.
#[derive(Debug, Clone, Copy)]
struct Reading {
    shown: f64,
    at: Instant,
    speed: f64,
}

impl Reading {
    fn now(&self) -> f64 {
        self.shown + self.at.elapsed().as_secs_f64() * 1000.0 * self.speed
    }
}

impl VirtualClock {
    /// A clock that shows `start` now and runs at `speed`, where 1 is real time and 0 stands still.
    #[must_use]
    pub fn new(start: Millis, speed: f64) -> Self {
        Self {
            reading: Mutex::new(Reading {
                shown: start.0 as f64,
                at: Instant::now(),
                speed: speed.max(0.0),
            }),
            changed: Notify::new(),
        }
    }

    /// The time in the sandbox.
    #[must_use]
    pub fn now(&self) -> Millis {
        Millis(self.lock().now() as u64)
    }

    /// How fast it runs.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.lock().speed
    }

    /// Runs at another speed from now on; below 0 counts as 0.
    pub fn set_speed(&self, speed: f64) {
        self.change(|reading| reading.speed = speed.max(0.0));
    }

    /// Jumps forward.
    pub fn advance(&self, span: Millis) {
        self.change(|reading| reading.shown += span.0 as f64);
    }

    fn change(&self, change: impl FnOnce(&mut Reading)) {
        {
            let mut reading = self.lock();
            reading.shown = reading.now();
            reading.at = Instant::now();
            change(&mut reading);
        }
        self.changed.notify_waiters();
    }

    /// Waits until the clock shows `due`, whatever happens to its speed meanwhile.
    pub async fn sleep_until(&self, due: Millis) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before the reading, so that no change falls between.
            changed.as_mut().enable();
            let reading = *self.lock();
            let missing = due.0 as f64 - reading.now();
            if missing <= 0.0 {
                return;
            }
            if reading.speed > 0.0 {
                // Timers count whole milliseconds and may not wake too early.
                let real = Millis((missing / reading.speed).ceil() as u64);
                tokio::select! {
                    () = tokio::time::sleep(real.into()) => {}
                    () = changed => {}
                }
            } else {
                changed.await;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_faster_clock_wakes_sooner() {
        let clock = VirtualClock::new(Millis(1_000), 10.0);
        let begun = Instant::now();
        clock.sleep_until(Millis(61_000)).await;
        assert_eq!(begun.elapsed().as_millis(), 6_000);
        assert_eq!(clock.now(), Millis(61_000));
    }

    #[tokio::test]
    async fn a_standing_clock_moves_only_by_hand() {
        let clock = VirtualClock::new(Millis(0), 0.0);
        assert_eq!(clock.now(), Millis(0));
        let waiting = clock.sleep_until(Millis(5_000));
        tokio::pin!(waiting);
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        clock.advance(Millis(4_999));
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        clock.advance(Millis(1));
        waiting.await;
    }
}

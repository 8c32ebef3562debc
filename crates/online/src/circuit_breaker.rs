//! Circuit breaker of one source: pure state, with the time as an argument.

use std::time::{Duration, Instant};

/// Failures in a row after which a source is left alone.
const FAILURES: u32 = 3;
/// The first pause; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
/// The longest pause that is not asked for.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// The longest pause that a server can ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

/// Leaves a source alone that fails again and again.
#[derive(Debug, Clone, Copy, Default)]
pub struct CircuitBreaker {
    /// Failures in a row.
    failures: u32,
    paused_until: Option<Instant>,
    has_warned: bool,
}

/// What follows from a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tripped {
    /// The source is asked again at the next move.
    Not,
    /// It is left alone for this time.
    For {
        /// How long.
        pause: Duration,
        /// Whether this is the first pause since it last answered: worth a warning.
        is_news: bool,
    },
}

impl CircuitBreaker {
    /// Whether the source may be asked now.
    #[must_use]
    pub fn admits(&self, now: Instant) -> bool {
        self.paused_until.is_none_or(|until| now >= until)
    }

    /// The source answered. Returns whether it was left alone before.
    pub fn succeeded(&mut self) -> bool {
        std::mem::take(self).has_warned
    }

    /// The source failed. `asked` is a pause that the server asks for, or that is known to be needed.
    pub fn failed(&mut self, now: Instant, asked: Option<Duration>) -> Tripped {
        self.failures = self.failures.saturating_add(1);
        let own = self
            .failures
            .checked_sub(FAILURES)
            .map(|more| FIRST_PAUSE.saturating_mul(1 << more.min(6)).min(LONGEST_PAUSE));
        let Some(pause) = own.max(asked.map(|asked| asked.min(LONGEST_ASKED))) else {
            return Tripped::Not;
        };
        self.paused_until = Some(now + pause);
        Tripped::For {
            pause,
            is_news: !std::mem::replace(&mut self.has_warned, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn a_source_that_fails_is_left_alone_longer_each_time_and_told_once() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        assert_eq!(breaker.failed(now, None), Tripped::Not);
        assert_eq!(breaker.failed(now, None), Tripped::Not);
        assert!(breaker.admits(now));
        let tripped = |pause, is_news| Tripped::For {
            pause: secs(pause),
            is_news,
        };
        assert_eq!(breaker.failed(now, None), tripped(30, true));
        assert!(!breaker.admits(now + secs(29)) && breaker.admits(now + secs(30)));
        let pauses = [60, 120, 240, 480, 600, 600];
        for pause in pauses {
            assert_eq!(breaker.failed(now, None), tripped(pause, false));
        }
        assert!(breaker.succeeded(), "it is told that it answers again");
        assert!(breaker.admits(now) && !breaker.succeeded());
    }

    #[test]
    fn a_pause_that_a_server_asks_for_begins_at_once() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        let asked = breaker.failed(now, Some(secs(90)));
        assert_eq!(
            asked,
            Tripped::For {
                pause: secs(90),
                is_news: true
            }
        );
        assert!(!breaker.admits(now + secs(89)));
        let absurd = breaker.failed(now, Some(secs(1_000_000)));
        assert_eq!(
            absurd,
            Tripped::For {
                pause: secs(3600),
                is_news: false
            }
        );
    }
}

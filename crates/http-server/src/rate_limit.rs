//! Token bucket: so many requests a second, and a burst.

use std::time::Duration;

use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until},
};

/// Token bucket: a rate per second after a burst. Callers wait in order of arrival.
#[derive(Debug)]
pub struct RateLimit {
    each: Duration,
    burst: u32,
    /// When the bucket is full again.
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

    /// Waits for a token. Cancel safe.
    pub async fn acquire(&self) {
        let mut paid = self.paid.lock().await;
        let now = Instant::now();
        let due = paid.map_or(now, |paid| paid.max(now)) + self.each;
        if due > now + self.each * self.burst {
            sleep_until(due - self.each * self.burst).await;
        }
        *paid = Some(due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn some_pass_at_once_and_the_others_one_by_one() {
        let limit = RateLimit::new(10, 3);
        let millis = Duration::from_millis;
        let took = async |turns| {
            let begun = Instant::now();
            for _ in 0..turns {
                limit.acquire().await;
            }
            begun.elapsed().as_millis()
        };
        assert_eq!(took(3).await, 0);
        assert!((200..210).contains(&took(2).await));
        for _ in 0..20 {
            assert!(tokio::time::timeout(millis(1), limit.acquire()).await.is_err());
        }
        assert!(took(1).await < 100, "who gave up took no turn");
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert!(
            (100..110).contains(&took(4).await),
            "an idle hour saves nothing up"
        );
    }
}

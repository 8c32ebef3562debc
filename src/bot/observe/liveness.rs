//! Liveness probe: the event loop itself answers, not a timer beside it.

use std::time::Duration;

use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

/// Capacity of concurrent probes; further ones wait.
const ASKING: usize = 16;

/// Asks the event loop. Clones ask the same loop.
#[derive(Debug, Clone)]
pub struct LivenessProbe(mpsc::Sender<oneshot::Sender<()>>);

/// Answers for the event loop.
#[derive(Debug)]
pub struct LivenessResponder(mpsc::Receiver<oneshot::Sender<()>>);

/// A probe and its responder.
#[must_use]
pub fn liveness() -> (LivenessProbe, LivenessResponder) {
    let (ask, asked) = mpsc::channel(ASKING);
    (LivenessProbe(ask), LivenessResponder(asked))
}

impl LivenessProbe {
    /// Whether the loop answers within this time.
    pub async fn is_alive(&self, within: Duration) -> bool {
        let (reply, answer) = oneshot::channel();
        let asked = async { self.0.send(reply).await.is_ok() && answer.await.is_ok() };
        timeout(within, asked).await.unwrap_or(false)
    }
}

impl LivenessResponder {
    /// Waits for a probe and answers it; pending for ever once all probes are dropped. Cancel-safe.
    pub(in crate::bot) async fn respond(&mut self) {
        match self.0.recv().await {
            // The probe may have timed out.
            Some(reply) => drop(reply.send(())),
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_crowd_that_asks_hears_the_same_as_one() {
        let (pulse, mut heart) = liveness();
        let turning = tokio::spawn(async move {
            loop {
                heart.respond().await;
            }
        });
        let asked = (0..10 * ASKING).map(|_| pulse.is_alive(Duration::from_secs(30)));
        let heard = futures::future::join_all(asked).await;
        assert!(heard.into_iter().all(|beats| beats));
        turning.abort();
    }

    #[tokio::test]
    async fn a_loop_that_turns_answers_and_one_that_does_not_is_found_out() {
        let (pulse, mut heart) = liveness();
        assert!(!pulse.is_alive(Duration::ZERO).await);
        heart.respond().await;
        let turning = tokio::spawn(async move {
            loop {
                heart.respond().await;
            }
        });
        assert!(pulse.is_alive(Duration::from_secs(30)).await);
        turning.abort();
        let _ = turning.await;
        assert!(!pulse.is_alive(Duration::from_secs(30)).await, "nobody is there");
    }
}

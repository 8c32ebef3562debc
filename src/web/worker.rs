//! Low-priority thread for slow work of the pages: one job at a time, with a short queue. Games use other threads.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use axum::{
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
use tokio::{
    sync::{Semaphore, oneshot},
    time::timeout,
};

use crate::platform::give_way;

/// Jobs accepted at a time: one runs, the others wait.
const PLACES: usize = 6;
/// Longest wait in the queue.
const TURN_WITHIN: Duration = Duration::from_secs(4);

type Job = Box<dyn FnOnce() + Send>;

/// Runs slow jobs. Clones share the thread, which ends with the last of them.
#[derive(Debug, Clone)]
pub struct Worker {
    jobs: Sender<Job>,
    places: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

/// Why a job was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// The queue was full or slow.
    Busy,
    /// The job panicked; the log says why.
    Panicked,
}

impl Default for Worker {
    /// Starts the thread. Where that fails, no job is done.
    fn default() -> Self {
        let (jobs, inbox) = channel();
        let started = thread::Builder::new()
            .name("pages".to_owned())
            .spawn(move || work(&inbox));
        if let Err(why) = started {
            tracing::warn!("cannot start the worker thread of the pages: {why}");
        }
        Self {
            jobs,
            places: Arc::new(Semaphore::new(PLACES)),
            turn: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Worker {
    /// Runs a job when its turn comes. Dropping the future leaves the queue; a job that has begun runs to its end.
    ///
    /// # Errors
    /// [`Undone::Busy`] when the queue is full, or the turn does not come soon.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let place = self
            .places
            .clone()
            .try_acquire_owned()
            .map_err(|_| Undone::Busy)?;
        let turn = timeout(TURN_WITHIN, self.turn.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| Undone::Busy)?.map_err(|_| Undone::Panicked)?;
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move || {
            let _held = (place, turn);
            let _ = reply.send(work()); // the receiver may be gone
        });
        self.jobs.send(job).map_err(|_| Undone::Panicked)?;
        answer.await.map_err(|_| Undone::Panicked)
    }
}

fn work(inbox: &Receiver<Job>) {
    give_way();
    while let Ok(job) = inbox.recv() {
        // The panic itself is in the log; one page without an answer must not end all others.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    }
}

/// `Retry-After: 1`.
pub(crate) const RETRY_SOON: (HeaderName, &str) = (header::RETRY_AFTER, "1");

/// A response with `Retry-After: 1`.
pub(crate) fn retry_soon(answer: impl IntoResponse) -> Response {
    ([RETRY_SOON], answer).into_response()
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;

    #[tokio::test]
    async fn few_wait_and_the_others_are_told_to_come_later() {
        let worker = Worker::default();
        let (open, gate) = channel::<()>();
        let first = tokio::spawn({
            let worker = worker.clone();
            async move { worker.run(move || gate.recv().is_ok()).await }
        });
        while worker.places.available_permits() == PLACES {
            tokio::task::yield_now().await;
        }
        let mut waiting: Vec<_> = (0..PLACES).map(|_| Box::pin(worker.run(|| true))).collect();
        for piece in &mut waiting[..PLACES - 1] {
            assert!(futures::poll!(piece).is_pending());
        }
        let last = waiting.pop().unwrap();
        assert_eq!(last.await, Err(Undone::Busy));
        drop(waiting.pop());
        assert_eq!(
            worker.places.available_permits(),
            1,
            "who goes away leaves the queue"
        );
        open.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(true));
        assert!(join_all(waiting).await.into_iter().all(|done| done == Ok(true)));
    }

    #[tokio::test]
    async fn a_piece_that_falls_over_takes_no_other_along() {
        let worker = Worker::default();
        assert_eq!(
            worker.run(|| panic!("on purpose")).await,
            Err::<(), _>(Undone::Panicked)
        );
        assert_eq!(worker.run(|| 1).await, Ok(1));
    }
}

//! Work for pages that may take long: on a thread of low priority, one piece after the other, and few that wait.
//!
//! Games come first: their searches and their moves have other threads.

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

/// So many pieces at once, of which all but one wait.
const PLACES: usize = 6;
/// No piece waits longer for its turn.
const TURN_WITHIN: Duration = Duration::from_secs(4);
/// How nice the thread is to others: on a full machine it gets a tenth of what they get.
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// Does what takes long. Clones share the thread, which ends with the last of them.
#[derive(Debug, Clone)]
pub struct Worker {
    jobs: Sender<Job>,
    places: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// Others were before it.
    Busy,
    /// It fell over; the log says why.
    FellOver,
}

impl Default for Worker {
    /// Starts the thread; where none can be started, nothing is done.
    fn default() -> Self {
        let (jobs, inbox) = channel();
        let started = thread::Builder::new()
            .name("pages".to_owned())
            .spawn(move || work(&inbox));
        if let Err(why) = started {
            tracing::warn!("no thread for the pages can be started: {why}");
        }
        Self {
            jobs,
            places: Arc::new(Semaphore::new(PLACES)),
            turn: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Worker {
    /// Does this when its turn comes. Whoever no longer awaits it leaves the queue; what has begun is done to its end.
    ///
    /// # Errors
    /// [`Undone::Busy`] when too many wait or the turn does not come soon.
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
        let turn = turn.map_err(|_| Undone::Busy)?.map_err(|_| Undone::FellOver)?;
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move || {
            let _held = (place, turn);
            let _ = reply.send(work()); // whoever asked may have given up
        });
        self.jobs.send(job).map_err(|_| Undone::FellOver)?;
        answer.await.map_err(|_| Undone::FellOver)
    }
}

fn work(inbox: &Receiver<Job>) {
    #[cfg(target_os = "linux")]
    if let Err(why) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!("the thread for the pages is as important as others: {why}");
    }
    while let Ok(job) = inbox.recv() {
        // The panic itself is in the log; one page without an answer must not end all others.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    }
}

/// The header of an answer that says to come again in a moment.
pub(crate) const AGAIN_SOON: (HeaderName, &str) = (header::RETRY_AFTER, "1");

/// An answer with that header.
pub(crate) fn again_soon(answer: impl IntoResponse) -> Response {
    ([AGAIN_SOON], answer).into_response()
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
            Err::<(), _>(Undone::FellOver)
        );
        assert_eq!(worker.run(|| 1).await, Ok(1));
    }
}

//! Load limits of the pages: connections, requests a second, one costly answer at a time.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::{Request, State},
    http::header,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use tokio::{sync::Semaphore, time::timeout};

use super::error::ApiError;
use crate::{
    store::{Archive, InterruptHandle},
    web::worker::Worker,
};
use sparring_http_server::{ConnectionLimits, RateLimit};

/// The connections to the dashboard. At most a quarter of them follow the running games.
pub const LIMITS: ConnectionLimits = ConnectionLimits {
    most: 64,
    request: Duration::from_secs(10),
    idle: Duration::from_secs(60),
    write: Duration::from_secs(20),
};

/// So many requests a second are answered, after so many at once: a tenth of a processor. A page needs ten when it opens, and
/// then three every five seconds.
const RATE: u32 = 400;
const BURST: u32 = 400;
/// Who would have to wait longer to ask the thread that writes the archive is sent away.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// An answer that takes longer is given up.
pub(super) const LONGEST: Duration = Duration::from_secs(8);
/// So many questions at once go to the thread that writes the archive: what is to be written waits behind them.
const ASKED_AT_ONCE: usize = 4;

/// What the pages share of the machine. Clones share it.
#[derive(Debug, Clone)]
pub struct Load {
    rate: Arc<RateLimit>,
    worker: Worker,
    pub(super) asking: Arc<Semaphore>,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            rate: Arc::new(RateLimit::new(RATE, BURST)),
            worker: Worker::default(),
            asking: Arc::new(Semaphore::new(ASKED_AT_ONCE)),
        }
    }
}

/// Lets so many requests a second through. Those that wait are no more than there are connections, so that whoever watches
/// over the daemon hears within two seconds how it is.
pub(super) async fn pace(State(load): State<Load>, request: Request, next: Next) -> Response {
    load.rate.acquire().await;
    next.run(request).await
}

/// The archive as one answer reads it.
pub(super) struct ArchiveReading {
    archive: Archive,
    ending: Arc<Ending>,
}

/// Whether an answer is still wanted, and how to end the question that runs for it.
#[derive(Default)]
struct Ending {
    is_over: AtomicBool,
    question: Mutex<Option<InterruptHandle>>,
}

/// Ends the reading when whoever asked has gone.
struct StopWhenGone(Arc<Ending>);

impl Drop for StopWhenGone {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Release);
        if let Some(question) = &*self.0.question.lock().unwrap_or_else(PoisonError::into_inner) {
            question.interrupt();
        }
    }
}

impl ArchiveReading {
    /// The archive, as long as the answer is wanted.
    pub(super) fn archive(&self) -> Result<&Archive, ApiError> {
        match self.ending.is_over.load(Ordering::Acquire) {
            true => Err(ApiError::TooLong),
            false => Ok(&self.archive),
        }
    }
}

impl Load {
    /// Makes an answer of what the archive there has.
    pub(super) async fn read<T: Serialize>(
        &self,
        path: PathBuf,
        question: impl FnOnce(&ArchiveReading) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Response, ApiError> {
        let wanted = StopWhenGone(Arc::default());
        let ending = Arc::clone(&wanted.0);
        let work = move || {
            let archive = Archive::read(&path)?;
            *ending.question.lock().unwrap_or_else(PoisonError::into_inner) = Some(archive.interrupt());
            let reading = ArchiveReading { archive, ending };
            reading.archive()?;
            let answer = question(&reading)?;
            serde_json::to_vec(&answer).map_err(|_| ApiError::Unreadable)
        };
        let read = timeout(LONGEST, self.worker.run(work)).await;
        let bytes = read.map_err(|_| ApiError::TooLong)?.map_err(ApiError::from)??;
        Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_that_nobody_waits_for_any_more_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        drop(Archive::open(&path).unwrap());
        let load = Load::default();
        let (tell, told) = tokio::sync::oneshot::channel();
        let (begin, begun) = tokio::sync::oneshot::channel();
        let endless = move |reading: &ArchiveReading| {
            let _ = begin.send(());
            while reading.archive().is_ok() {
                std::thread::yield_now();
            }
            let _ = tell.send(());
            Ok(())
        };
        tokio::select! {
            _ = load.read(path.clone(), endless) => panic!("it is endless"),
            begun = begun => begun.unwrap(),
        }
        told.await.unwrap();
        assert_eq!(load.read(path, |_| Ok(1)).await.unwrap().status(), 200);
    }
}

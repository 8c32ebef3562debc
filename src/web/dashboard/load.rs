//! Load limits of the pages: connections, requests per second, one expensive query at a time.

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

/// Limits on connections to the dashboard. At most a quarter of them follow the running games.
pub const LIMITS: ConnectionLimits = ConnectionLimits {
    most: 64,
    request: Duration::from_secs(10),
    idle: Duration::from_secs(60),
    write: Duration::from_secs(20),
};

/// Requests per second, and the burst: about a tenth of a core. A page needs ten when it opens, and then three every five seconds.
const RATE: u32 = 400;
const BURST: u32 = 400;
/// Longest wait for a query on the thread that writes the archive.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// Longest query.
pub(super) const LONGEST: Duration = Duration::from_secs(8);
/// Most queries queued at the thread that writes the archive, since writes wait behind them.
const ASKED_AT_ONCE: usize = 4;

/// The limits shared by all pages. Clones share them.
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

/// Middleware: limits the rate of requests. At most as many wait as there are connections, so that a health probe is answered within
/// two seconds.
pub(super) async fn pace(State(load): State<Load>, request: Request, next: Next) -> Response {
    load.rate.acquire().await;
    next.run(request).await
}

/// A connection to the archive for one request.
pub(super) struct ArchiveReading {
    archive: Archive,
    ending: Arc<Ending>,
}

/// Whether the request is still wanted, and the handle that interrupts its query.
#[derive(Default)]
struct Ending {
    is_over: AtomicBool,
    question: Mutex<Option<InterruptHandle>>,
}

/// Interrupts the query when the request is dropped.
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
    /// The archive, while the request is wanted.
    pub(super) fn archive(&self) -> Result<&Archive, ApiError> {
        match self.ending.is_over.load(Ordering::Acquire) {
            true => Err(ApiError::TooLong),
            false => Ok(&self.archive),
        }
    }
}

impl Load {
    /// Runs a query on the archive at a path.
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

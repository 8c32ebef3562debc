//! Bounded queue of a stream's lines: drops the oldest, as lichess does, but never its first.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use axum::body::Bytes;
use serde::Serialize;
use tokio::sync::Notify;

/// Queued lines of a slow reader, as many as lichess keeps. Each game state is complete, so dropped ones do no harm.
const KEPT: usize = 32;

/// A queue with one reader.
#[derive(Debug, Default)]
pub struct BoundedQueue {
    inner: Mutex<Inner>,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    /// The first lines of the stream. They are queued before anything is read and are never dropped.
    beginning: VecDeque<Bytes>,
    lines: VecDeque<Bytes>,
    closed: bool,
    reader: Option<Waker>,
}

impl BoundedQueue {
    /// Adds a value as a line of JSON to the first lines, which are never dropped.
    pub fn begin_with<T: Serialize>(&self, value: &T) {
        if let Some(line) = line_of(value) {
            let mut inner = self.lock();
            inner.beginning.push_back(line);
            wake(&mut inner);
        }
    }

    /// Queues one value as a line of JSON.
    pub fn send<T: Serialize>(&self, value: &T) {
        if let Some(line) = line_of(value) {
            self.push(line);
        }
    }

    fn push(&self, line: Bytes) {
        let mut inner = self.lock();
        if inner.closed {
            return;
        }
        if inner.lines.len() >= KEPT {
            inner.lines.pop_front();
        }
        inner.lines.push_back(line);
        wake(&mut inner);
    }

    /// Ends the stream after the lines that wait.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        wake(&mut inner);
    }

    /// Ends the stream at once: its reader hung up.
    pub fn abandon(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.beginning.clear();
        inner.lines.clear();
        drop(inner);
        self.emptied.notify_waiters();
    }

    /// The next line, or `None` at the end.
    pub fn poll_line(&self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut inner = self.lock();
        let next = inner.beginning.pop_front();
        if let Some(line) = next.or_else(|| inner.lines.pop_front()) {
            if inner.is_empty() {
                self.emptied.notify_waiters();
            }
            return Poll::Ready(Some(line));
        }
        if inner.closed {
            return Poll::Ready(None);
        }
        inner.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// Waits until the reader has taken every line or hung up.
    pub async fn emptied(&self) {
        let emptied = self.emptied.notified();
        tokio::pin!(emptied);
        emptied.as_mut().enable();
        if self.lock().is_empty() {
            return;
        }
        emptied.await;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn is_empty(&self) -> bool {
        self.beginning.is_empty() && self.lines.is_empty()
    }
}

fn line_of<T: Serialize>(value: &T) -> Option<Bytes> {
    match serde_json::to_vec(value) {
        Ok(mut line) => {
            line.push(b'\n');
            Some(line.into())
        }
        Err(error) => {
            tracing::error!(%error, "a line of a stream cannot be written");
            None
        }
    }
}

fn wake(inner: &mut Inner) {
    if let Some(reader) = inner.reader.take() {
        reader.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, sync::Arc};

    use super::*;

    #[tokio::test]
    async fn a_slow_reader_misses_the_oldest_lines() {
        let queue = BoundedQueue::default();
        for number in 0..40 {
            queue.send(&number);
        }
        queue.close();
        queue.send(&"too late");
        let mut lines = Vec::new();
        while let Some(line) = poll_fn(|context| queue.poll_line(context)).await {
            lines.push(line);
        }
        assert_eq!(lines.len(), KEPT);
        assert_eq!(lines[0], "8\n");
    }

    #[tokio::test]
    async fn nothing_of_what_a_stream_begins_with_is_missed() {
        let queue = BoundedQueue::default();
        for number in 0..100 {
            queue.begin_with(&number);
        }
        for number in 100..140 {
            queue.send(&number);
        }
        queue.close();
        let mut lines = Vec::new();
        while let Some(line) = poll_fn(|context| queue.poll_line(context)).await {
            lines.push(line);
        }
        assert_eq!(lines.len(), 100 + KEPT);
        assert_eq!((&lines[0][..], &lines[100][..]), (&b"0\n"[..], &b"108\n"[..]));
    }

    #[tokio::test]
    async fn whoever_waits_for_delivery_wakes_when_the_last_line_is_taken() {
        let queue = Arc::new(BoundedQueue::default());
        queue.send(&1);
        let waiting = queue.emptied();
        tokio::pin!(waiting);
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        poll_fn(|context| queue.poll_line(context)).await;
        waiting.await;
    }

    #[tokio::test]
    async fn the_last_line_of_a_stream_is_waited_for_unless_its_reader_is_gone() {
        let queue = BoundedQueue::default();
        queue.send(&1);
        queue.close();
        let waiting = queue.emptied();
        tokio::pin!(waiting);
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        queue.abandon();
        waiting.await;
    }
}

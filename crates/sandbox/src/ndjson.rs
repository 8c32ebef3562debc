//! NDJSON streams: one JSON object and a line feed a chunk, and an empty line as keep-alive.

use std::{
    convert::Infallible,
    future::Future as _,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
};
use futures::Stream;
use tokio::time::{Instant, Sleep};

use super::{hub::Subscription, random_faults::FaultyLine};
use sparring_chess::units::Millis;

/// The media type of streams.
pub const NDJSON: &str = "application/x-ndjson";

/// A subscription on its way to a client, with keep-alives in real time: they are for the client's network, not
/// for the game.
struct Lines {
    subscription: Subscription,
    /// Chunks of the current line that are not sent yet, and whether the stream ends after them.
    pending: FaultyLine,
    keep_alive: Millis,
    keep_alive_timer: Pin<Box<Sleep>>,
}

impl Stream for Lines {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.pending.pieces.is_empty() && self.pending.ends {
            return Poll::Ready(None);
        }
        if let Some(piece) = self.pending.pieces.pop_front() {
            return Poll::Ready(Some(Ok(piece)));
        }
        let line = match self.subscription.queue.poll_line(context) {
            Poll::Ready(Some(line)) => {
                self.pending = self.subscription.apply_random_fault(line);
                self.pending.pieces.pop_front()
            }
            Poll::Ready(None) => None,
            Poll::Pending => {
                if self.keep_alive_timer.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                Some(Bytes::from_static(b"\n"))
            }
        };
        let next = Instant::now() + self.keep_alive.into();
        self.keep_alive_timer.as_mut().reset(next);
        Poll::Ready(line.map(Ok))
    }
}

/// Answers with a stream.
pub fn stream(subscription: Subscription, keep_alive: Millis) -> Response {
    let lines = Lines {
        subscription,
        pending: FaultyLine::default(),
        keep_alive,
        keep_alive_timer: Box::pin(tokio::time::sleep(keep_alive.into())),
    };
    let headers = [
        (header::CONTENT_TYPE, NDJSON),
        // As lichess does, so that no proxy buffers lines.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(lines)).into_response()
}

/// Answers with a finite list, one value a line.
pub fn list<T: serde::Serialize>(values: impl IntoIterator<Item = T>) -> Response {
    let mut text = String::new();
    for value in values {
        match serde_json::to_string(&value) {
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Err(error) => tracing::error!(%error, "a line of a list cannot be written"),
        }
    }
    ([(header::CONTENT_TYPE, NDJSON)], text).into_response()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::StreamExt as _;

    use super::*;
    use crate::{
        Options,
        hub::{Hub, Topic},
    };

    #[tokio::test(start_paused = true)]
    async fn silence_is_broken_by_an_empty_line_counted_from_the_last_one() {
        let hub = Arc::new(Hub::new(Options::default()));
        let topic = Topic::Events {
            user: "anna".parse().unwrap(),
            token: String::new(),
        };
        let subscription = hub
            .subscribe(topic, |_, _, queue| {
                queue.begin_with(&"first");
                Ok::<_, Infallible>(())
            })
            .unwrap();
        let queue = subscription.queue.clone();
        let mut body = stream(subscription, Millis::from_secs(7))
            .into_body()
            .into_data_stream();
        let begun = Instant::now();
        let mut seen = Vec::new();
        for sent_after in [None, None, Some(Millis::from_secs(5)), None] {
            if let Some(span) = sent_after {
                tokio::time::sleep(span.into()).await;
                queue.send(&"more");
            }
            let line = body.next().await.unwrap().unwrap();
            let line = String::from_utf8(line.to_vec()).unwrap();
            seen.push((begun.elapsed().as_secs(), line));
        }
        let expected = [(0, "\"first\"\n"), (7, "\n"), (12, "\"more\"\n"), (19, "\n")];
        assert_eq!(seen, expected.map(|(at, line)| (at, line.to_owned())));
        drop(body);
        assert!(hub.topics().is_empty(), "a closed stream is forgotten");
    }
}

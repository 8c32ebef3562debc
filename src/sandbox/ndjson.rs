//! Streams of lines: one JSON object and a line feed a chunk, and an empty line when there is nothing to say.

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

use super::hub::Subscription;
use crate::units::Millis;

/// The media type of streams.
pub const NDJSON: &str = "application/x-ndjson";

/// A subscription on its way to a client, with keep-alives in real time: they are for the client's network, not
/// for the game.
struct Lines {
    subscription: Subscription,
    keep_alive: Millis,
    silence: Pin<Box<Sleep>>,
}

impl Stream for Lines {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let line = match self.subscription.mailbox.poll_line(context) {
            Poll::Ready(line) => line,
            Poll::Pending => {
                if self.silence.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                Some(Bytes::from_static(b"\n"))
            }
        };
        let next = Instant::now() + self.keep_alive.into();
        self.silence.as_mut().reset(next);
        Poll::Ready(line.map(Ok))
    }
}

/// Answers with a stream.
pub fn stream(subscription: Subscription, keep_alive: Millis) -> Response {
    let lines = Lines {
        subscription,
        keep_alive,
        silence: Box::pin(tokio::time::sleep(keep_alive.into())),
    };
    let headers = [
        (header::CONTENT_TYPE, NDJSON),
        // What lichess sends so that no proxy holds lines back.
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

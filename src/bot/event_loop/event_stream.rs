//! The event stream and how long it has been up or down.

use tokio::time::Instant;

use crate::bot::server::stream_conflict::ConflictDetector;
use sparring_lichess::{Client, ReconnectingStream, StreamEvent, model::Event};

/// The event stream, with its conflict detector.
pub(super) struct EventStream {
    pub(super) stream: ReconnectingStream<Event>,
    pub(super) conflict: ConflictDetector,
    /// Since when it is down, after it was up.
    pub(super) disconnected_since: Option<Instant>,
}

impl EventStream {
    /// Opens the stream. The seed decides the jitter.
    pub(super) fn open(client: &Client, seed: u64) -> Self {
        Self {
            stream: ReconnectingStream::events(client, seed),
            conflict: ConflictDetector::default(),
            disconnected_since: None,
        }
    }

    /// The next event. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Option<StreamEvent<Event>> {
        self.stream.next().await
    }
}

//! The event stream and how long it has been up or down.

use tokio::time::Instant;

use crate::bot::server::stream_conflict::ConflictDetector;
use sparring_lichess::{Client, ReconnectingStream, StreamEvent, model::Event};

/// The event stream, and what was made of it so far.
pub(in crate::bot) struct EventStream {
    pub(super) stream: ReconnectingStream<Event>,
    pub(super) conflict: ConflictDetector,
    /// Since when nothing is heard, though it was before.
    pub(super) disconnected_since: Option<Instant>,
}

impl EventStream {
    /// Follows the stream. The seed decides the jitter.
    pub(in crate::bot) fn open(client: &Client, seed: u64) -> Self {
        Self {
            stream: ReconnectingStream::events(client, seed),
            conflict: ConflictDetector::default(),
            disconnected_since: None,
        }
    }

    /// What comes next. Dropping the future loses nothing.
    pub(in crate::bot) async fn next(&mut self) -> Option<StreamEvent<Event>> {
        self.stream.next().await
    }
}

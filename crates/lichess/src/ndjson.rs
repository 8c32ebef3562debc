//! Streams of lines: bytes in chunks of any shape in, typed events out, with a limit to silence.
//!
//! lichess sends a blank line every seven seconds, so a socket that is silent for longer is dead even if it
//! is open.

use std::{marker::PhantomData, time::Duration};

use futures::{StreamExt as _, stream::BoxStream};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};
use tokio_util::{
    bytes::{Bytes, BytesMut},
    codec::{Decoder as _, LinesCodec},
};
use tracing::trace;

use super::Escaped;
use crate::model::{Challenge, ChallengeDone, DecodeError, Event, GameEvent, decode, decode_line};
use sparring_chess::units::Millis;

/// Longest line, in bytes. A game of 600 plies is a line of about 4 KiB.
pub const LONGEST_LINE: usize = 256 * 1024;

/// The type of a stream's lines.
pub trait NdjsonItem: Sized + Send + 'static {
    /// Decodes one line that is not blank.
    ///
    /// # Errors
    /// [`DecodeError`] when it is not such a value.
    fn decode(line: &str) -> Result<Self, DecodeError>;
}

impl NdjsonItem for Event {
    fn decode(line: &str) -> Result<Self, DecodeError> {
        Self::decode(line)
    }
}

impl NdjsonItem for GameEvent {
    fn decode(line: &str) -> Result<Self, DecodeError> {
        Self::decode(line)
    }
}

/// A line of the stream that keeps a challenge alive (`keepAliveStream`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChallengeOutcome {
    /// First line: the challenge.
    Challenge(Box<Challenge>),
    /// Last line: its outcome.
    Done(ChallengeDone),
}

impl NdjsonItem for ChallengeOutcome {
    fn decode(line: &str) -> Result<Self, DecodeError> {
        #[derive(serde::Deserialize)]
        struct Last {
            done: ChallengeDone,
        }
        match decode::<Last>("challenge", line) {
            Ok(last) => Ok(Self::Done(last.done)),
            Err(_) => decode_line("challenge", line).map(Self::Challenge),
        }
    }
}

/// A line that could not be decoded. The stream goes on.
#[derive(Debug, Error)]
pub enum BadLine {
    /// Not a value of the stream's type.
    #[error(transparent)]
    Misfit(#[from] DecodeError),
    /// Longer than [`LONGEST_LINE`], or not UTF-8.
    #[error("a line of the stream: {0}")]
    Unreadable(String),
}

/// Why a stream ended.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StreamEnd {
    /// The server closed it.
    #[error("the server closed the stream")]
    Closed,
    /// Idle time-out: no bytes, not even a keep-alive.
    #[error("the stream was silent for {0}")]
    Silent(Millis),
    /// The connection broke.
    #[error("the stream broke: {0}")]
    Broken(String),
}

/// Chunks of the response body, or the error that ended it.
pub type Chunks = BoxStream<'static, Result<Bytes, String>>;

/// An NDJSON stream, decoded line by line.
pub struct NdjsonStream<T> {
    chunks: Chunks,
    codec: LinesCodec,
    buffer: BytesMut,
    idle_timeout: Duration,
    last_received: Instant,
    kind: PhantomData<T>,
}

impl<T: NdjsonItem> NdjsonStream<T> {
    /// Decodes lines from chunks. Ends after this time without bytes.
    #[must_use]
    pub fn new(chunks: Chunks, patience: Millis) -> Self {
        Self {
            chunks,
            codec: LinesCodec::new_with_max_length(LONGEST_LINE),
            buffer: BytesMut::new(),
            idle_timeout: patience.into(),
            last_received: Instant::now(),
            kind: PhantomData,
        }
    }

    /// When the last bytes arrived.
    #[must_use]
    pub fn last_received(&self) -> Instant {
        self.last_received
    }

    /// The next value, or a line that could not be decoded. Blank lines are keep-alives. A last line without a line end is
    /// dropped. Cancel safe.
    ///
    /// # Errors
    /// [`StreamEnd`] when the stream is over.
    pub async fn next(&mut self) -> Result<Result<T, BadLine>, StreamEnd> {
        loop {
            match self.codec.decode(&mut self.buffer) {
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) => {
                    trace!("received {}", Escaped(&line));
                    return Ok(T::decode(&line).map_err(BadLine::from));
                }
                Ok(None) => self.fill().await?,
                // The codec drops that line, or the rest of it as it arrives.
                Err(error) => return Ok(Err(BadLine::Unreadable(error.to_string()))),
            }
        }
    }

    async fn fill(&mut self) -> Result<(), StreamEnd> {
        // The time-out counts from the last bytes, not from this call: callers may cancel.
        match timeout_at(self.last_received + self.idle_timeout, self.chunks.next()).await {
            Ok(Some(Ok(chunk))) => {
                self.last_received = Instant::now();
                self.buffer.extend_from_slice(&chunk);
                Ok(())
            }
            Ok(Some(Err(error))) => Err(StreamEnd::Broken(error)),
            Ok(None) => Err(StreamEnd::Closed),
            Err(_) => Err(StreamEnd::Silent(self.idle_timeout.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use proptest::prelude::*;

    use super::*;

    /// What comes out of a stream: kinds and texts of its events, and whether a line was bad.
    async fn read(chunks: Vec<Vec<u8>>) -> Vec<String> {
        let chunks = stream::iter(chunks.into_iter().map(|chunk| Ok(Bytes::from(chunk))));
        let mut lines = NdjsonStream::<GameEvent>::new(chunks.boxed(), Millis::from_secs(15));
        let mut read = Vec::new();
        loop {
            match lines.next().await {
                Ok(Ok(event)) => read.push(serde_json::to_string(&event).unwrap()),
                Ok(Err(_)) => read.push("bad".to_owned()),
                Err(lost) => {
                    assert_eq!(lost, StreamEnd::Closed);
                    return read;
                }
            }
        }
    }

    fn chat(text: &str) -> String {
        format!(r#"{{"type":"chatLine","room":"player","username":"ana","text":"{text}"}}"#)
    }

    proptest! {
        #[test]
        fn f1_f2_any_chunking_gives_the_same_lines(
            texts in prop::collection::vec("[a-zé♞ ]{0,12}", 0..8),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
            crlf: bool,
            fragment in "[a-z{\"]{0,9}",
        ) {
            let end = if crlf { "\r\n" } else { "\n" };
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for (index, text) in texts.iter().enumerate() {
                bytes.extend([end.repeat(index % 3), chat(text), end.to_owned()].concat().into_bytes());
                expected.push(chat(text));
            }
            bytes.extend(fragment.into_bytes());
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let chunks = places.windows(2).map(|cut| bytes[cut[0]..cut[1]].to_vec()).collect();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            prop_assert_eq!(runtime.block_on(read(chunks)), expected);
        }
    }

    #[tokio::test]
    async fn f31_a_bad_line_costs_only_itself() {
        let mut bytes = chat("one").into_bytes();
        bytes.extend(b"\n{\"type\":\"gameState\",\"moves\":7}\n\xff\xfe\n<html>\n");
        bytes.extend(vec![b'x'; LONGEST_LINE + 10]);
        bytes.push(b'\n');
        bytes.extend(chat("two").into_bytes());
        bytes.push(b'\n');
        let chunks = bytes.chunks(4096).map(<[u8]>::to_vec).collect();
        assert_eq!(
            read(chunks).await,
            [&chat("one"), "bad", "bad", "bad", "bad", &chat("two")]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn f3_silence_is_noticed_even_if_the_reader_comes_and_goes() {
        let mut lines = NdjsonStream::<Event>::new(stream::pending().boxed(), Millis::from_secs(15));
        let begin = Instant::now();
        let lost = loop {
            // Another branch of the `select!` wins every two seconds, as in a game task.
            tokio::select! {
                lost = lines.next() => break lost.unwrap_err(),
                () = tokio::time::sleep(Duration::from_secs(2)) => {}
            }
        };
        assert_eq!(lost, StreamEnd::Silent(Millis::from_secs(15)));
        assert_eq!(begin.elapsed().as_secs(), 15);
    }

    #[tokio::test(start_paused = true)]
    async fn f4_blank_lines_keep_a_stream_for_hours_and_their_absence_ends_it() {
        let hour = 3600 / 7;
        let ticks = stream::unfold(0, move |count| async move {
            if count < hour {
                tokio::time::sleep(Duration::from_secs(7)).await;
            } else {
                // The socket stays open, but nothing comes any more.
                std::future::pending::<()>().await;
            }
            Some((Ok(Bytes::from_static(b"\n")), count + 1))
        });
        let mut lines = NdjsonStream::<Event>::new(ticks.boxed(), Millis::from_secs(15));
        let begin = Instant::now();
        assert_eq!(
            lines.next().await.unwrap_err(),
            StreamEnd::Silent(Millis::from_secs(15))
        );
        assert_eq!(begin.elapsed().as_secs(), hour * 7 + 15);
    }

    #[tokio::test]
    async fn a_broken_connection_warned_about_files_from_a_closed_one() {
        let broken = stream::iter([Err("reset by peer".to_owned())]);
        let mut lines = NdjsonStream::<Event>::new(broken.boxed(), Millis::from_secs(15));
        assert_eq!(
            lines.next().await.unwrap_err(),
            StreamEnd::Broken("reset by peer".into())
        );
    }
}

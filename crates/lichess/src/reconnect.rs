//! A stream that is reopened whenever it is lost: one task that reads eagerly, so that the server's short queue
//! never overflows while somebody thinks.

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::{Instant, sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use super::{
    BadLine, CallError, Client, NdjsonStream, StreamEnd,
    ndjson::NdjsonItem,
    retry::{Backoff, SlidingWindow, urgent_pause},
};
use crate::model::{Event, GameEvent, GameId};
use sparring_chess::units::Millis;

/// Longest wait before the first reconnect.
const FIRST_RETRY: Millis = Millis(250);
/// Longest wait between reconnects, so that a game goes on soon after an outage.
const LONGEST_RETRY: Millis = Millis::from_secs(10);
/// Longest wait before the first reconnect of a game stream: a quarter of a second is half of what some games have left.
const FIRST_URGENT_RETRY: Millis = Millis(50);
/// Longest wait between reconnects of a game stream.
const LONGEST_URGENT_RETRY: Millis = Millis::from_secs(2);
/// A stream that was open this long resets the backoff.
const GOOD_LIFE: Millis = Millis::from_secs(10);
/// The same for a game stream: a fault that cuts it every few moves must not make the waits longer and longer.
const GOOD_URGENT_LIFE: Millis = Millis::from_secs(1);
/// Time limit for the response of a game stream, and for its first line. A connection that the network has dropped stays silent, and
/// would cost much of a clock under the usual limits.
const FIRST_URGENT_PATIENCE: Millis = Millis::from_secs(2);
/// Each time-out doubles that limit, up to this. After a first line the limit is twice the time that it took.
const LONGEST_URGENT_PATIENCE: Millis = Millis::from_secs(10);
/// Wait after the server rejected the event stream, perhaps by mistake.
const FIRST_REFUSAL: Millis = Millis::from_secs(1);
/// Each further rejection doubles that wait, up to this.
const LONGEST_REFUSAL: Millis = Millis::from_secs(60);
/// Assumed time left while the clock is unknown.
const UNKNOWN_CLOCK: Millis = Millis::from_secs(20);
/// Waits for the opening limit from this length are reported.
const WORTH_TELLING: Millis = Millis::from_secs(5);
/// Capacity of the channel to the reader, in events. The server queues fewer.
const QUEUE: usize = 256;

/// An event of a [`ReconnectingStream`].
#[derive(Debug)]
pub enum StreamEvent<T> {
    /// The stream is open, for the first time or again.
    Opened,
    /// A decoded line.
    Event {
        /// The event.
        event: T,
        /// When its bytes arrived: clocks run from here.
        received_at: Instant,
    },
    /// A line that could not be decoded. It is skipped.
    BadLine(BadLine),
    /// The stream ended. It reconnects.
    Disconnected {
        /// Why.
        why: StreamEnd,
        /// How long it was open.
        open_for: Millis,
    },
    /// The stream could not be opened. It is retried.
    OpenFailed {
        /// Why.
        why: CallError,
        /// Failed attempts since the stream was last open.
        tries: u32,
    },
    /// The stream was opened as often as lichess allows: the next attempt comes after this wait.
    Throttled(Millis),
    /// The server rejected the stream. A game stream is over then; the event stream is retried.
    Refused(CallError),
}

/// When my flag falls. It caps the wait after a 429, which may be longer than the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlagDeadline {
    /// Not known yet.
    #[default]
    Unknown,
    /// There is no clock.
    Never,
    /// It falls at this moment, or later, if the clock is stopped.
    FallsAt(Instant),
}

impl FlagDeadline {
    /// Time left before it falls. `None` without a clock.
    fn left(self) -> Option<Millis> {
        match self {
            Self::Unknown => Some(UNKNOWN_CLOCK),
            Self::Never => None,
            Self::FallsAt(at) => Some(at.saturating_duration_since(Instant::now()).into()),
        }
    }
}

/// A stream that reconnects in a task of its own. Dropping it closes the stream.
pub struct ReconnectingStream<T> {
    events: mpsc::Receiver<StreamEvent<T>>,
    reopen: Arc<Notify>,
    paused_until: watch::Sender<Instant>,
    flag: watch::Sender<FlagDeadline>,
    _task: AbortOnDropHandle<()>,
}

impl<T> ReconnectingStream<T> {
    /// The next event. `None` after a game stream was [`StreamEvent::Refused`]. Cancel safe.
    pub async fn next(&mut self) -> Option<StreamEvent<T>> {
        self.events.recv().await
    }

    /// Closes the stream and reconnects at once, to read the current state. [`StreamEvent::Opened`] follows.
    pub fn reopen(&self) {
        self.reopen.notify_one();
    }
}

impl ReconnectingStream<Event> {
    /// The event stream, opened no more often than lichess allows. The seed decides the jitter.
    #[must_use]
    pub fn events(client: &Client, seed: u64) -> Self {
        let client = client.clone();
        let open = move || {
            let client = client.clone();
            async move { client.events().await }.boxed()
        };
        Self::start(open, SlidingWindow::of_event_stream(), false, seed)
    }

    /// Closes the stream and reconnects after this time.
    pub fn pause(&self, span: Millis) {
        self.paused_until.send_replace(Instant::now() + span.into());
        self.reopen();
    }
}

impl ReconnectingStream<GameEvent> {
    /// The stream of a game. The seed decides the jitter.
    #[must_use]
    pub fn game(client: &Client, game: &GameId, seed: u64) -> Self {
        let (client, game) = (client.clone(), game.clone());
        let open = move || {
            let (client, game) = (client.clone(), game.clone());
            async move { client.game(&game).await }.boxed()
        };
        // lichess does not limit these. Ours protects a broken server.
        Self::start(open, SlidingWindow::new(60, Millis::from_secs(60)), true, seed)
    }

    /// Sets when my flag falls, which caps the waits after a 429.
    pub fn set_flag_deadline(&self, flag: FlagDeadline) {
        self.flag.send_replace(flag);
    }
}

impl<T: NdjsonItem> ReconnectingStream<T> {
    /// An event stream from a function that opens it.
    #[cfg(any(test, feature = "mock"))]
    pub fn mock(open: impl Open<T>, seed: u64) -> Self {
        Self::start(open, SlidingWindow::of_event_stream(), false, seed)
    }

    /// A game stream from a function that opens it.
    #[cfg(test)]
    fn mock_urgent(open: impl Open<T>, seed: u64) -> Self {
        Self::start(open, SlidingWindow::new(60, Millis::from_secs(60)), true, seed)
    }

    fn start(open: impl Open<T>, openings: SlidingWindow, is_urgent: bool, seed: u64) -> Self {
        let (sender, events) = mpsc::channel(QUEUE);
        let reopen = Arc::new(Notify::new());
        let (rests_until, resting) = watch::channel(Instant::now());
        let (flag, clock) = watch::channel(FlagDeadline::default());
        let mut reconnector = Reconnector {
            sender,
            reopen: Arc::clone(&reopen),
            rests_until: resting,
            flag: clock,
            openings,
            is_urgent,
            first_line_timeout: is_urgent.then_some(FIRST_URGENT_PATIENCE),
            tries: 0,
            backoff: if is_urgent {
                Backoff::new(FIRST_URGENT_RETRY, LONGEST_URGENT_RETRY)
            } else {
                Backoff::new(FIRST_RETRY, LONGEST_RETRY)
            },
            refusals: Backoff::new(FIRST_REFUSAL, LONGEST_REFUSAL),
            rng: ChaCha8Rng::seed_from_u64(seed),
            begin: Instant::now(),
        };
        let task =
            tokio::spawn(async move { while reconnector.once(&open).await.is_some() {} }.in_current_span());
        Self {
            events,
            reopen,
            paused_until: rests_until,
            flag,
            _task: AbortOnDropHandle::new(task),
        }
    }
}

/// Opens the stream.
pub trait Open<T>:
    Fn() -> BoxFuture<'static, Result<NdjsonStream<T>, CallError>> + Send + Sync + 'static
{
}

impl<T, F: Fn() -> BoxFuture<'static, Result<NdjsonStream<T>, CallError>> + Send + Sync + 'static> Open<T>
    for F
{
}

/// The reconnecting task. `None` from a step ends it: the reader is gone, or the game stream was rejected.
struct Reconnector<T> {
    sender: mpsc::Sender<StreamEvent<T>>,
    reopen: Arc<Notify>,
    rests_until: watch::Receiver<Instant>,
    flag: watch::Receiver<FlagDeadline>,
    openings: SlidingWindow,
    /// A clock may be running: waits after a 429 last a minute at most, and no longer than the clock allows.
    is_urgent: bool,
    /// Time limit for the response, and for its first line. Only game streams have one.
    first_line_timeout: Option<Millis>,
    /// Tries since the stream was last open.
    tries: u32,
    backoff: Backoff,
    refusals: Backoff,
    rng: ChaCha8Rng,
    begin: Instant,
}

impl<T: NdjsonItem> Reconnector<T> {
    /// Opens the stream, reads it to its end and waits before the next attempt.
    async fn once(&mut self, open: &impl Open<T>) -> Option<()> {
        let spent = self.openings.wait(self.begin.elapsed().into());
        if spent >= WORTH_TELLING {
            self.emit(StreamEvent::Throttled(spent)).await?;
        }
        while let Some(wait) = self.remaining_pause() {
            sleep(wait.into()).await;
        }
        // This opening serves every earlier request to reopen.
        let _ = self.reopen.notified().now_or_never();
        let asked = Instant::now();
        let pause = match self.open(open).await {
            Ok(lines) => {
                self.openings.record(self.begin.elapsed().into());
                self.tries = 0;
                self.refusals.reset();
                self.emit(StreamEvent::Opened).await?;
                self.read(lines, asked).await?
            }
            Err(why) => self.on_open_failed(why).await?,
        };
        sleep(pause.into()).await;
        Some(())
    }

    /// Wait before the next opening: the rest of a pause, or of the opening limit.
    fn remaining_pause(&self) -> Option<Millis> {
        let rest = self
            .rests_until
            .borrow()
            .saturating_duration_since(Instant::now());
        let wait = self.openings.wait(self.begin.elapsed().into()).max(rest.into());
        (wait > Millis::ZERO).then_some(wait)
    }

    async fn open(&mut self, open: &impl Open<T>) -> Result<NdjsonStream<T>, CallError> {
        let Some(patience) = self.first_line_timeout else {
            return open().await;
        };
        timeout(patience.into(), open()).await.unwrap_or_else(|_| {
            self.lengthen_timeout();
            Err(CallError::Transient {
                call: "stream",
                why: format!("no answer within {patience}"),
            })
        })
    }

    /// Doubles the time limit after a time-out.
    fn lengthen_timeout(&mut self) {
        self.first_line_timeout = self
            .first_line_timeout
            .map(|patience| patience.scaled(2.0).min(LONGEST_URGENT_PATIENCE));
    }

    /// Sets the time limit to twice the time that the first line took.
    fn adapt_timeout(&mut self, span: Millis) {
        let fair = span
            .scaled(2.0)
            .clamp(FIRST_URGENT_PATIENCE, LONGEST_URGENT_PATIENCE);
        self.first_line_timeout = self.first_line_timeout.map(|_| fair);
    }

    /// Reads the stream, requested at `asked`, to its end. Returns the wait before the next attempt.
    async fn read(&mut self, mut lines: NdjsonStream<T>, asked: Instant) -> Option<Millis> {
        let opened = Instant::now();
        let mut first = self.first_line_timeout;
        let lost = loop {
            let next = async {
                match first {
                    None => lines.next().await,
                    Some(patience) => timeout(patience.into(), lines.next())
                        .await
                        .unwrap_or(Err(StreamEnd::Silent(patience))),
                }
            };
            let line = tokio::select! {
                line = next => line,
                () = self.reopen.notified() => break None,
            };
            if line.is_ok() && first.take().is_some() {
                self.adapt_timeout(asked.elapsed().into());
            }
            match line {
                Ok(Ok(event)) => {
                    let received_at = lines.last_received();
                    self.emit(StreamEvent::Event { event, received_at }).await?;
                }
                Ok(Err(bad)) => self.emit(StreamEvent::BadLine(bad)).await?,
                Err(why) => break Some(why),
            }
        };
        let open_for = Millis::from(opened.elapsed());
        let good = if self.is_urgent {
            GOOD_URGENT_LIFE
        } else {
            GOOD_LIFE
        };
        // A game stream without a first line does not count as good.
        if open_for >= good && first.is_none() {
            self.backoff.reset();
        }
        let Some(why) = lost else {
            return Some(Millis::ZERO);
        };
        if first.is_some() && matches!(why, StreamEnd::Silent(_)) {
            self.lengthen_timeout();
        }
        self.emit(StreamEvent::Disconnected { why, open_for }).await?;
        Some(self.backoff.next(&mut self.rng))
    }

    async fn on_open_failed(&mut self, why: CallError) -> Option<Millis> {
        let own = self.backoff.next(&mut self.rng);
        let (why, pause) = match why {
            CallError::Rejected { .. } | CallError::Unauthorized { .. } => {
                self.emit(StreamEvent::Refused(why)).await?;
                // A rejected game stream stays rejected. The event stream is needed as long as the token is valid.
                return (!self.is_urgent).then(|| self.refusals.next(&mut self.rng));
            }
            CallError::RateLimited { after, .. } => {
                let now = self.begin.elapsed().into();
                self.openings.record(now);
                let urgent = urgent_pause(self.tries, Some(after), self.flag.borrow().left());
                let pause = own.max(if self.is_urgent { urgent } else { after });
                let pause = pause.max(self.openings.wait(now));
                (why.with_wait(pause), pause)
            }
            CallError::Transient { .. } => (why, own),
        };
        self.tries = self.tries.saturating_add(1);
        let tries = self.tries;
        self.emit(StreamEvent::OpenFailed { why, tries }).await?;
        Some(pause)
    }

    async fn emit(&self, event: StreamEvent<T>) -> Option<()> {
        self.sender.send(event).await.ok()
    }
}

#[cfg(test)]
mod tests;

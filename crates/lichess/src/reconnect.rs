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

/// The first try after a loss comes within this time.
const FIRST_RETRY: Millis = Millis(250);
/// Tries are never further apart, so that a game goes on soon after an outage.
const LONGEST_RETRY: Millis = Millis::from_secs(10);
/// While a clock may be running, the first try comes sooner: a quarter of a second is half of what some games have left.
const FIRST_URGENT_RETRY: Millis = Millis(50);
/// While a clock may be running, no further apart than this.
const LONGEST_URGENT_RETRY: Millis = Millis::from_secs(2);
/// A stream that lived this long was a good one: the next loss starts with a short wait again.
const GOOD_LIFE: Millis = Millis::from_secs(10);
/// The same for a stream of a game: what cuts it after each few moves must not make the waits longer and longer.
const GOOD_URGENT_LIFE: Millis = Millis::from_secs(1);
/// While a clock may be running, a server that is there answers, and says how the game stands, within this time. A connection that the
/// network has forgotten says nothing, and would cost much of a clock if it were given as long as others.
const FIRST_URGENT_PATIENCE: Millis = Millis::from_secs(2);
/// In case it is only slow it has twice as long at each further try, then twice as long as it took last, and no longer than this.
const LONGEST_URGENT_PATIENCE: Millis = Millis::from_secs(10);
/// Events that are refused, perhaps by mistake, are asked for again after this time.
const FIRST_REFUSAL: Millis = Millis::from_secs(1);
/// Each further refusal doubles it, up to this.
const LONGEST_REFUSAL: Millis = Millis::from_secs(60);
/// A clock of which nothing is known yet may show as little as this.
const UNKNOWN_CLOCK: Millis = Millis::from_secs(20);
/// When the stream may not be opened for so long, whoever reads it is told.
const WORTH_TELLING: Millis = Millis::from_secs(5);
/// How much may wait for the reader of a stream. More than the server keeps.
const QUEUE: usize = 256;

/// What a followed stream has to tell.
#[derive(Debug)]
pub enum StreamEvent<T> {
    /// The stream is open, for the first time or again.
    Opened,
    /// An event, and when its bytes came.
    Event {
        /// The event.
        event: T,
        /// When it arrived: clocks run from here.
        heard: Instant,
    },
    /// A line that was no event; it is skipped.
    Garbled(BadLine),
    /// The stream is over and will be reopened.
    Lost {
        /// Why.
        why: StreamEnd,
        /// How long it was open.
        lived: Millis,
    },
    /// The server could not or would not open the stream; it will be tried again.
    Unopened {
        /// Why.
        why: CallError,
        /// Tries since the stream was last open.
        tries: u32,
    },
    /// The stream was opened as often as the server allows: it is left alone for so long.
    Spent(Millis),
    /// The server refuses the stream. A game's is not tried again: nothing more comes. Events are asked for as long as somebody listens.
    Refused(CallError),
}

/// My clock, as far as the follower of a game has to know it: a server that asks for silence may ask for more than is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlagDeadline {
    /// Nothing was heard of it yet.
    #[default]
    Unknown,
    /// There is no clock.
    Never,
    /// It falls at this moment, or later if the clock stands still.
    FallsAt(Instant),
}

impl FlagDeadline {
    /// What is left before it falls; nothing without a clock.
    fn left(self) -> Option<Millis> {
        match self {
            Self::Unknown => Some(UNKNOWN_CLOCK),
            Self::Never => None,
            Self::FallsAt(at) => Some(at.saturating_duration_since(Instant::now()).into()),
        }
    }
}

/// The reading end of a stream that is followed by its own task. Dropping it closes the stream.
pub struct ReconnectingStream<T> {
    news: mpsc::Receiver<StreamEvent<T>>,
    reopen: Arc<Notify>,
    rests_until: watch::Sender<Instant>,
    flag: watch::Sender<FlagDeadline>,
    _task: AbortOnDropHandle<()>,
}

impl<T> ReconnectingStream<T> {
    /// The next news; `None` after [`News::Refused`]. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<StreamEvent<T>> {
        self.news.recv().await
    }

    /// Closes the stream and opens it again at once, to hear what the server knows now. The next [`News::Opened`]
    /// tells that it has.
    pub fn reopen(&self) {
        self.reopen.notify_one();
    }
}

impl ReconnectingStream<Event> {
    /// Follows the event stream, opening it no more often than lichess allows. The seed decides the jitter.
    #[must_use]
    pub fn events(client: &Client, seed: u64) -> Self {
        let client = client.clone();
        let open = move || {
            let client = client.clone();
            async move { client.events().await }.boxed()
        };
        Self::start(open, SlidingWindow::of_event_stream(), false, seed)
    }

    /// Closes the stream and leaves it alone for so long.
    pub fn rest(&self, span: Millis) {
        self.rests_until.send_replace(Instant::now() + span.into());
        self.reopen();
    }
}

impl ReconnectingStream<GameEvent> {
    /// Follows the stream of a game. The seed decides the jitter.
    #[must_use]
    pub fn game(client: &Client, game: &GameId, seed: u64) -> Self {
        let (client, game) = (client.clone(), game.clone());
        let open = move || {
            let (client, game) = (client.clone(), game.clone());
            async move { client.game(&game).await }.boxed()
        };
        // lichess sets no limit to these; ours only keeps a broken server from being hammered.
        Self::start(open, SlidingWindow::new(60, Millis::from_secs(60)), true, seed)
    }

    /// Notes how long my clock allows to wait for a server that asks for silence.
    pub fn note_flag(&self, flag: FlagDeadline) {
        self.flag.send_replace(flag);
    }
}

impl<T: NdjsonItem> ReconnectingStream<T> {
    /// Follows whatever stream this opens, as the event stream is followed.
    #[cfg(any(test, feature = "mock"))]
    pub fn pretended(open: impl Open<T>, seed: u64) -> Self {
        Self::start(open, SlidingWindow::of_event_stream(), false, seed)
    }

    /// The same as a stream of a game is followed.
    #[cfg(test)]
    fn pretended_urgently(open: impl Open<T>, seed: u64) -> Self {
        Self::start(open, SlidingWindow::new(60, Millis::from_secs(60)), true, seed)
    }

    fn start(open: impl Open<T>, openings: SlidingWindow, is_urgent: bool, seed: u64) -> Self {
        let (tell, news) = mpsc::channel(QUEUE);
        let reopen = Arc::new(Notify::new());
        let (rests_until, resting) = watch::channel(Instant::now());
        let (flag, clock) = watch::channel(FlagDeadline::default());
        let mut follow = Follow {
            tell,
            reopen: Arc::clone(&reopen),
            rests_until: resting,
            flag: clock,
            openings,
            is_urgent,
            patience: is_urgent.then_some(FIRST_URGENT_PATIENCE),
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
        let task = tokio::spawn(async move { while follow.once(&open).await.is_some() {} }.in_current_span());
        Self {
            news,
            reopen,
            rests_until,
            flag,
            _task: AbortOnDropHandle::new(task),
        }
    }
}

/// Opens the stream anew.
pub trait Open<T>:
    Fn() -> BoxFuture<'static, Result<NdjsonStream<T>, CallError>> + Send + Sync + 'static
{
}

impl<T, F: Fn() -> BoxFuture<'static, Result<NdjsonStream<T>, CallError>> + Send + Sync + 'static> Open<T>
    for F
{
}

/// The following task. `None` from a step means that nobody listens any more, or that there is nothing left to
/// hope for.
struct Follow<T> {
    tell: mpsc::Sender<StreamEvent<T>>,
    reopen: Arc<Notify>,
    rests_until: watch::Receiver<Instant>,
    flag: watch::Receiver<FlagDeadline>,
    openings: SlidingWindow,
    /// A clock may be running: no wish for silence is followed for longer than a minute, or than the clock allows.
    is_urgent: bool,
    /// How long an answer, and then the first line, may take; no limit of its own where no clock waits.
    patience: Option<Millis>,
    /// Tries since the stream was last open.
    tries: u32,
    backoff: Backoff,
    refusals: Backoff,
    rng: ChaCha8Rng,
    begin: Instant,
}

impl<T: NdjsonItem> Follow<T> {
    /// Opens the stream, reads it to its end and waits before the next opening.
    async fn once(&mut self, open: &impl Open<T>) -> Option<()> {
        let spent = self.openings.wait(self.begin.elapsed().into());
        if spent >= WORTH_TELLING {
            self.tell(StreamEvent::Spent(spent)).await?;
        }
        while let Some(wait) = self.must_wait() {
            sleep(wait.into()).await;
        }
        // Whoever asked for a fresh stream until now gets it with this one.
        let _ = self.reopen.notified().now_or_never();
        let asked = Instant::now();
        let pause = match self.open(open).await {
            Ok(lines) => {
                self.openings.note(self.begin.elapsed().into());
                self.tries = 0;
                self.refusals.reset();
                self.tell(StreamEvent::Opened).await?;
                self.read(lines, asked).await?
            }
            Err(why) => self.unopened(why).await?,
        };
        sleep(pause.into()).await;
        Some(())
    }

    /// How long the stream is left alone still, by whoever reads it or for the server's sake.
    fn must_wait(&self) -> Option<Millis> {
        let rest = self
            .rests_until
            .borrow()
            .saturating_duration_since(Instant::now());
        let wait = self.openings.wait(self.begin.elapsed().into()).max(rest.into());
        (wait > Millis::ZERO).then_some(wait)
    }

    async fn open(&mut self, open: &impl Open<T>) -> Result<NdjsonStream<T>, CallError> {
        let Some(patience) = self.patience else {
            return open().await;
        };
        timeout(patience.into(), open()).await.unwrap_or_else(|_| {
            self.wait_longer();
            Err(CallError::Transient {
                call: "stream",
                why: format!("no answer within {patience}"),
            })
        })
    }

    /// Nothing came in time.
    fn wait_longer(&mut self) {
        self.patience = self
            .patience
            .map(|patience| patience.scaled(2.0).min(LONGEST_URGENT_PATIENCE));
    }

    /// The first line came after so long.
    fn learn_patience(&mut self, span: Millis) {
        let fair = span
            .scaled(2.0)
            .clamp(FIRST_URGENT_PATIENCE, LONGEST_URGENT_PATIENCE);
        self.patience = self.patience.map(|_| fair);
    }

    /// Reads the stream, which was asked for at that moment, to its end and returns the wait before it is opened again.
    async fn read(&mut self, mut lines: NdjsonStream<T>, asked: Instant) -> Option<Millis> {
        let opened = Instant::now();
        let mut first = self.patience;
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
                self.learn_patience(asked.elapsed().into());
            }
            match line {
                Ok(Ok(event)) => {
                    let heard = lines.heard();
                    self.tell(StreamEvent::Event { event, heard }).await?;
                }
                Ok(Err(bad)) => self.tell(StreamEvent::Garbled(bad)).await?,
                Err(why) => break Some(why),
            }
        };
        let lived = Millis::from(opened.elapsed());
        let good = if self.is_urgent {
            GOOD_URGENT_LIFE
        } else {
            GOOD_LIFE
        };
        // A stream of a game that never said how the game stands was none.
        if lived >= good && first.is_none() {
            self.backoff.reset();
        }
        let Some(why) = lost else {
            return Some(Millis::ZERO);
        };
        if first.is_some() && matches!(why, StreamEnd::Silent(_)) {
            self.wait_longer();
        }
        self.tell(StreamEvent::Lost { why, lived }).await?;
        Some(self.backoff.next(&mut self.rng))
    }

    async fn unopened(&mut self, why: CallError) -> Option<Millis> {
        let own = self.backoff.next(&mut self.rng);
        let (why, pause) = match why {
            CallError::Rejected { .. } | CallError::Unauthorized { .. } => {
                self.tell(StreamEvent::Refused(why)).await?;
                // A game that is shut stays shut; events are needed for as long as the token is good.
                return (!self.is_urgent).then(|| self.refusals.next(&mut self.rng));
            }
            CallError::RateLimited { after, .. } => {
                let now = self.begin.elapsed().into();
                self.openings.note(now);
                let urgent = urgent_pause(self.tries, Some(after), self.flag.borrow().left());
                let pause = own.max(if self.is_urgent { urgent } else { after });
                let pause = pause.max(self.openings.wait(now));
                (why.waiting(pause), pause)
            }
            CallError::Transient { .. } => (why, own),
        };
        self.tries = self.tries.saturating_add(1);
        let tries = self.tries;
        self.tell(StreamEvent::Unopened { why, tries }).await?;
        Some(pause)
    }

    async fn tell(&self, news: StreamEvent<T>) -> Option<()> {
        self.tell.send(news).await.ok()
    }
}

#[cfg(test)]
mod tests;

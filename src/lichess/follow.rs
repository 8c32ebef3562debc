//! A stream that is reopened whenever it is lost: one task that reads eagerly, so that the server's short queue
//! never overflows while somebody thinks.

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use super::{
    BadLine, CallError, Client, Lines, Lost,
    retry::{Backoff, Openings, urgent_pause},
    stream::Line,
};
use crate::{
    lichess::model::{Event, GameEvent, GameId},
    units::Millis,
};

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
/// It has twice as long at each further try, in case it is only slow, and no longer than this.
const LONGEST_URGENT_PATIENCE: Millis = Millis::from_secs(10);
/// How much may wait for the reader of a stream. More than the server keeps.
const QUEUE: usize = 256;

/// What a followed stream has to tell.
#[derive(Debug)]
pub enum News<T> {
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
        why: Lost,
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
    /// The server will not open the stream, now or later. Nothing more comes.
    Refused(CallError),
}

/// The reading end of a stream that is followed by its own task. Dropping it closes the stream.
pub struct Follower<T> {
    news: mpsc::Receiver<News<T>>,
    reopen: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl<T> Follower<T> {
    /// The next news; `None` after [`News::Refused`]. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<News<T>> {
        self.news.recv().await
    }

    /// Closes the stream and opens it again at once, to hear what the server knows now. The next [`News::Opened`]
    /// tells that it has.
    pub fn reopen(&self) {
        self.reopen.notify_one();
    }
}

impl Follower<Event> {
    /// Follows the event stream, opening it no more often than lichess allows. The seed decides the jitter.
    #[must_use]
    pub fn events(client: &Client, seed: u64) -> Self {
        let client = client.clone();
        let open = move || {
            let client = client.clone();
            async move { client.events().await }.boxed()
        };
        Self::start(open, Openings::of_event_stream(), false, seed)
    }
}

impl Follower<GameEvent> {
    /// Follows the stream of a game. The seed decides the jitter.
    #[must_use]
    pub fn game(client: &Client, game: &GameId, seed: u64) -> Self {
        let (client, game) = (client.clone(), game.clone());
        let open = move || {
            let (client, game) = (client.clone(), game.clone());
            async move { client.game(&game).await }.boxed()
        };
        // lichess sets no limit to these; ours only keeps a broken server from being hammered.
        Self::start(open, Openings::new(60, Millis::from_secs(60)), true, seed)
    }
}

impl<T: Line> Follower<T> {
    /// Follows whatever stream this opens, as the event stream is followed.
    #[cfg(test)]
    pub(crate) fn pretended(open: impl Open<T>, seed: u64) -> Self {
        Self::start(open, Openings::of_event_stream(), false, seed)
    }

    /// The same as a stream of a game is followed.
    #[cfg(test)]
    fn pretended_urgently(open: impl Open<T>, seed: u64) -> Self {
        Self::start(open, Openings::new(60, Millis::from_secs(60)), true, seed)
    }

    fn start(open: impl Open<T>, openings: Openings, is_urgent: bool, seed: u64) -> Self {
        let (tell, news) = mpsc::channel(QUEUE);
        let reopen = Arc::new(Notify::new());
        let mut follow = Follow {
            tell,
            reopen: Arc::clone(&reopen),
            openings,
            is_urgent,
            backoff: if is_urgent {
                Backoff::new(FIRST_URGENT_RETRY, LONGEST_URGENT_RETRY)
            } else {
                Backoff::new(FIRST_RETRY, LONGEST_RETRY)
            },
            rng: ChaCha8Rng::seed_from_u64(seed),
            begin: Instant::now(),
        };
        let task = tokio::spawn(async move { while follow.once(&open).await.is_some() {} }.in_current_span());
        Self {
            news,
            reopen,
            _task: AbortOnDropHandle::new(task),
        }
    }
}

/// Opens the stream anew.
pub(crate) trait Open<T>:
    Fn() -> BoxFuture<'static, Result<Lines<T>, CallError>> + Send + Sync + 'static
{
}

impl<T, F: Fn() -> BoxFuture<'static, Result<Lines<T>, CallError>> + Send + Sync + 'static> Open<T> for F {}

/// The following task. `None` from a step means that nobody listens any more, or that there is nothing left to
/// hope for.
struct Follow<T> {
    tell: mpsc::Sender<News<T>>,
    reopen: Arc<Notify>,
    openings: Openings,
    /// A clock may be running: no wish for silence is followed for longer than a minute.
    is_urgent: bool,
    backoff: Backoff,
    rng: ChaCha8Rng,
    begin: Instant,
}

impl<T: Line> Follow<T> {
    /// Opens the stream, reads it to its end and waits before the next opening.
    async fn once(&mut self, open: &impl Open<T>) -> Option<()> {
        sleep(self.openings.wait(self.begin.elapsed().into()).into()).await;
        // Whoever asked for a fresh stream until now gets it with this one.
        let _ = self.reopen.notified().now_or_never();
        let opened = match self.patience() {
            None => open().await,
            Some(patience) => timeout(patience.into(), open()).await.unwrap_or_else(|_| {
                Err(CallError::Transient {
                    call: "stream",
                    why: format!("no answer within {patience}"),
                })
            }),
        };
        let pause = match opened {
            Ok(lines) => {
                self.openings.note(self.begin.elapsed().into());
                self.tell(News::Opened).await?;
                self.read(lines).await?
            }
            Err(why) => self.unopened(why).await?,
        };
        sleep(pause.into()).await;
        Some(())
    }

    /// How long an answer, and then the first line, may take; no limit of its own where no clock waits.
    fn patience(&self) -> Option<Millis> {
        let doubled = FIRST_URGENT_PATIENCE.0 << self.backoff.failures().min(8);
        self.is_urgent
            .then(|| Millis(doubled).min(LONGEST_URGENT_PATIENCE))
    }

    /// Reads the stream to its end and returns the wait before it is opened again.
    async fn read(&mut self, mut lines: Lines<T>) -> Option<Millis> {
        let opened = Instant::now();
        let mut first = self.patience();
        let why = loop {
            let next = async {
                match first {
                    None => lines.next().await,
                    Some(patience) => timeout(patience.into(), lines.next())
                        .await
                        .unwrap_or(Err(Lost::Silent(patience))),
                }
            };
            let line = tokio::select! {
                line = next => line,
                () = self.reopen.notified() => return Some(Millis::ZERO),
            };
            if line.is_ok() {
                first = None;
            }
            match line {
                Ok(Ok(event)) => {
                    let heard = lines.heard();
                    self.tell(News::Event { event, heard }).await?;
                }
                Ok(Err(bad)) => self.tell(News::Garbled(bad)).await?,
                Err(why) => break why,
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
        self.tell(News::Lost { why, lived }).await?;
        Some(self.backoff.next(&mut self.rng))
    }

    async fn unopened(&mut self, why: CallError) -> Option<Millis> {
        let tries = self.backoff.failures();
        let own = self.backoff.next(&mut self.rng);
        let pause = match &why {
            CallError::Rejected { .. } | CallError::Unauthorized { .. } => {
                self.tell(News::Refused(why)).await;
                return None;
            }
            CallError::RateLimited { after, .. } => {
                self.openings.note(self.begin.elapsed().into());
                let urgent = urgent_pause(tries, Some(*after), None);
                own.max(if self.is_urgent { urgent } else { *after })
            }
            CallError::Transient { .. } => own,
        };
        self.tell(News::Unopened {
            why,
            tries: tries + 1,
        })
        .await?;
        Some(pause)
    }

    async fn tell(&self, news: News<T>) -> Option<()> {
        self.tell.send(news).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    };

    use futures::{StreamExt as _, future, stream};
    use tokio_util::bytes::Bytes;

    use super::*;

    fn refused() -> CallError {
        CallError::Transient {
            call: "event stream",
            why: "connection refused".to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn f5_an_outage_is_met_with_few_tries_and_ended_soon_after_it_is_over() {
        for outage in [60, 600, 8 * 3600] {
            let begin = Instant::now();
            let tries = Arc::new(AtomicU32::new(0));
            let count = Arc::clone(&tries);
            let mut follower = Follower::<Event>::pretended(
                move || {
                    count.fetch_add(1, Ordering::Relaxed);
                    async move {
                        if begin.elapsed().as_secs() < outage {
                            return Err(refused());
                        }
                        Ok(Lines::new(stream::pending().boxed(), Millis::from_secs(15)))
                    }
                    .boxed()
                },
                1,
            );
            let mut said = 0;
            while !matches!(follower.next().await, Some(News::Opened)) {
                said += 1;
            }
            let late = begin.elapsed().as_secs() - outage;
            assert!(late <= 10, "{late} s after an outage of {outage} s");
            let tries = tries.load(Ordering::Relaxed);
            assert!(u64::from(tries) <= 8 + outage / 5, "{tries} tries in {outage} s");
            assert_eq!(tries, said + 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn f3_a_stream_of_a_game_that_opens_to_silence_is_opened_again_before_it_costs_much_of_a_clock() {
        let tries = AtomicU32::new(0);
        let begin = Instant::now();
        let mut follower = Follower::<GameEvent>::pretended_urgently(
            move || {
                let tries = tries.fetch_add(1, Ordering::Relaxed);
                async move {
                    let line = r#"{"type":"opponentGone","gone":false}"#;
                    let lines = match tries {
                        // No answer at all; one without a line; and how the game stands.
                        0 => future::pending().await,
                        1 => stream::pending().boxed(),
                        _ => stream::iter([Ok(Bytes::from(format!("{line}\n")))])
                            .chain(stream::pending())
                            .boxed(),
                    };
                    Ok(Lines::new(lines, Millis::from_secs(10)))
                }
                .boxed()
            },
            1,
        );
        while !matches!(follower.next().await, Some(News::Event { .. })) {}
        let took = begin.elapsed().as_secs_f64();
        assert!((6.0..7.0).contains(&took), "2 s, then 4 s: {took}");
        // A stream that was heard may be silent for as long as ever.
        assert!(matches!(follower.next().await, Some(News::Lost { .. })));
        let silence = begin.elapsed().as_secs_f64() - took;
        assert!((9.9..10.1).contains(&silence), "{silence}");
    }

    #[tokio::test(start_paused = true)]
    async fn f6_a_server_that_closes_at_once_is_not_opened_more_often_than_it_allows() {
        let opened = Arc::new(Mutex::new(Vec::new()));
        let begin = Instant::now();
        let note = Arc::clone(&opened);
        let mut follower = Follower::<Event>::pretended(
            move || {
                note.lock().unwrap().push(begin.elapsed().as_secs());
                async { Ok(Lines::new(stream::empty().boxed(), Millis::from_secs(15))) }.boxed()
            },
            1,
        );
        while begin.elapsed().as_secs() < 3600 {
            follower.next().await.unwrap();
        }
        let opened = opened.lock().unwrap();
        let busiest = opened.iter().map(|at| {
            opened
                .iter()
                .filter(|other| (*at..at + 600).contains(*other))
                .count()
        });
        let busiest = busiest.max().unwrap();
        assert!(
            (10..=25).contains(&busiest),
            "{busiest} openings within ten minutes"
        );
    }
}

//! Open connections: listed, closed to make room, or silenced by tests.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Waker},
    time::Duration,
};

use serde::Serialize;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// How long a new connection over the limit waits for another one to end.
const ROOM_WITHIN: Duration = Duration::from_millis(250);
/// Youngest age, since opening or the last response, at which a connection may be evicted: its request may still be unread.
const GRACE: Duration = Duration::from_millis(50);
/// Interval of looking for a connection to evict.
const LOOK: Duration = Duration::from_millis(10);
/// A connection whose response has been stuck this long may be evicted.
const STUCK: Duration = Duration::from_secs(1);

/// Limits of connections: their number, and time-outs.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Most connections at once. One more evicts one that is not being answered.
    pub most: usize,
    /// Time limit for a request, head and body, from the opening of the connection or the start of the request.
    pub request: Duration,
    /// Keep-alive: how long an idle connection is kept.
    pub idle: Duration,
    /// Write time-out.
    pub write: Duration,
}

/// All open connections of a server.
#[derive(Debug)]
pub struct Connections {
    limits: ConnectionLimits,
    open: Mutex<BTreeMap<u64, Arc<Connection>>>,
    /// The number given last.
    numbers: AtomicU64,
    silent: AtomicBool,
    /// Whether the last new connection had to wait for one to end.
    crowded: AtomicBool,
    /// Signals that a connection has ended.
    ended: Notify,
}

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// No request has come yet.
    New,
    /// A part of a request has come.
    Asking,
    /// All requests are answered.
    Idle,
    /// A request is being answered.
    Answering,
}

/// One connection, as its socket and its requests see it.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    peer: Option<SocketAddr>,
    cut: AtomicBool,
    /// Whether it is cut as a crash would.
    reset: AtomicBool,
    now: Mutex<Now>,
    /// The tasks that read and write it, to be woken when it is cut or speaks again.
    tasks: Mutex<Vec<Waker>>,
    server: Arc<Connections>,
}

#[derive(Debug)]
struct Now {
    phase: Phase,
    since: Instant,
    /// Since when writing is blocked by the client.
    stuck: Option<Instant>,
    last_request: String,
}

/// Counters and state of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionInfo {
    /// Its number, in order of arrival.
    pub number: u64,
    /// Where it comes from; none through a Unix socket.
    pub peer: Option<SocketAddr>,
    /// The last request on it, as in `GET /api/account`.
    pub last_request: String,
}

/// The connection that a request came on.
#[derive(Debug, Clone)]
pub struct Handle(pub(super) Arc<Connection>);

impl Connections {
    /// None yet.
    #[must_use]
    pub fn new(limits: ConnectionLimits) -> Self {
        Self {
            limits,
            open: Mutex::default(),
            numbers: AtomicU64::new(0),
            silent: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
            ended: Notify::new(),
        }
    }

    /// Every open connection.
    #[must_use]
    pub fn list(&self) -> Vec<ConnectionInfo> {
        let open = lock(&self.open);
        open.values()
            .map(|connection| ConnectionInfo {
                number: connection.number,
                peer: connection.peer,
                last_request: lock(&connection.now).last_request.clone(),
            })
            .collect()
    }

    /// Resets every connection. Returns how many there were.
    pub fn drop_all(&self) -> usize {
        let open: Vec<Arc<Connection>> = lock(&self.open).values().cloned().collect();
        for connection in &open {
            connection.reset.store(true, Ordering::Release);
            connection.cut();
        }
        open.len()
    }

    /// Keeps every connection open but sends nothing, or resumes: a network that drops packets.
    pub fn set_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Release);
        for connection in lock(&self.open).values() {
            // A silence of ours counts against no client.
            connection.forgive();
            connection.wake();
        }
    }

    /// Whether nothing may be sent.
    pub(super) fn is_silent(&self) -> bool {
        self.silent.load(Ordering::Acquire)
    }

    /// Whether one more would be too many.
    fn is_full(&self) -> bool {
        lock(&self.open).len() >= self.limits.most
    }

    /// Whether new connections wait for one to end.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_full() || self.crowded.load(Ordering::Relaxed)
    }

    /// Waits for a free slot, evicting a connection that is not being answered. With `exchange` one must end first, however few there
    /// are. Returns whether there is a slot.
    pub(super) async fn make_room(&self, mut exchange: bool) -> bool {
        let limit = Instant::now() + ROOM_WITHIN;
        self.crowded.store(exchange || self.is_full(), Ordering::Relaxed);
        let mut is_ending = false;
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            if !exchange && !self.is_full() {
                return true;
            }
            is_ending = is_ending || self.end_one();
            let now = Instant::now();
            if timeout_at((now + LOOK).min(limit), ended).await.is_ok() {
                (exchange, is_ending) = (false, false);
            } else if now >= limit {
                return false;
            }
        }
    }

    /// Evicts one connection: the oldest that never sent a whole request, else the one that has been idle longest, else one whose
    /// client has stopped reading. Returns whether there was one.
    pub(super) fn end_one(&self) -> bool {
        let open = lock(&self.open);
        let now = Instant::now();
        let least = open
            .values()
            .filter(|connection| !connection.is_cut())
            .filter_map(|connection| Some((connection.need(now)?, connection)))
            .min_by_key(|(need, _)| *need);
        if let Some((_, connection)) = least {
            connection.cut();
        }
        least.is_some()
    }

    /// A connection was accepted.
    pub(super) fn open(self: &Arc<Self>, peer: Option<SocketAddr>) -> Arc<Connection> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let connection = Arc::new(Connection {
            number,
            peer,
            cut: AtomicBool::new(false),
            reset: AtomicBool::new(false),
            now: Mutex::new(Now {
                phase: Phase::New,
                since: Instant::now(),
                stuck: None,
                last_request: String::new(),
            }),
            tasks: Mutex::default(),
            server: Arc::clone(self),
        });
        lock(&self.open).insert(number, Arc::clone(&connection));
        connection
    }
}

impl Connection {
    /// The server that it belongs to.
    pub(super) fn server(&self) -> &Connections {
        &self.server
    }

    /// Whether it must end at once.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Acquire)
    }

    /// Whether it must end by a reset.
    pub(super) fn is_reset(&self) -> bool {
        self.reset.load(Ordering::Acquire)
    }

    /// The socket's task will be woken when something changes.
    pub(super) fn remember(&self, context: &Context<'_>) {
        let mut tasks = lock(&self.tasks);
        if !tasks.iter().any(|task| task.will_wake(context.waker())) {
            tasks.push(context.waker().clone());
        }
    }

    /// Bytes arrived: unless a response is under way, of the next request.
    pub(super) fn on_bytes_received(&self) {
        let mut now = lock(&self.now);
        if now.phase == Phase::Idle {
            now.turn(Phase::Asking);
        }
    }

    /// A request head was read; `has_body` if its body is still to come.
    pub(super) fn on_request(&self, request: String, has_body: bool) {
        let mut now = lock(&self.now);
        now.last_request = request;
        now.turn(if has_body { Phase::Asking } else { Phase::Answering });
    }

    /// The whole request was read, or its response begins.
    pub(super) fn on_response_started(&self) {
        lock(&self.now).turn(Phase::Answering);
    }

    /// The last part of a response was handed over.
    pub(super) fn on_response_finished(&self) {
        lock(&self.now).turn(Phase::Idle);
    }

    /// Writing is blocked by the client, or no longer.
    pub(super) fn is_stuck(&self, is_stuck: bool) {
        let stuck = &mut lock(&self.now).stuck;
        *stuck = is_stuck.then(|| stuck.unwrap_or_else(Instant::now));
    }

    /// When its current time limit ends.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let limits = &self.server.limits;
        let now = lock(&self.now);
        let wait = match now.phase {
            Phase::New | Phase::Asking => Some(limits.request),
            Phase::Idle => Some(limits.idle),
            Phase::Answering => None,
        };
        let asked = wait.map(|wait| now.since + wait);
        let read = now.stuck.map(|since| since + limits.write);
        asked.into_iter().chain(read).min()
    }

    /// It is over.
    pub(super) fn ended(&self) {
        lock(&self.server.open).remove(&self.number);
        self.server.ended.notify_waiters();
    }

    /// How much it is needed, the less the sooner it may end; none while it is being answered.
    fn need(&self, at: Instant) -> Option<(Phase, Instant)> {
        let now = lock(&self.now);
        match now.stuck {
            Some(since) => (at >= since + STUCK).then_some((Phase::Answering, since)),
            None => {
                (now.phase != Phase::Answering && at >= now.since + GRACE).then_some((now.phase, now.since))
            }
        }
    }

    fn forgive(&self) {
        let mut now = lock(&self.now);
        (now.since, now.stuck) = (Instant::now(), None);
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        for task in lock(&self.tasks).drain(..) {
            task.wake();
        }
    }
}

impl Now {
    fn turn(&mut self, phase: Phase) {
        // Of the first request, head and body count from the beginning.
        let begins = self.phase != phase && (self.phase, phase) != (Phase::New, Phase::Asking);
        if begins {
            self.since = Instant::now();
        }
        self.phase = phase;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(most: usize) -> Arc<Connections> {
        let second = Duration::from_secs(1);
        Arc::new(Connections::new(ConnectionLimits {
            most,
            request: 10 * second,
            idle: 60 * second,
            write: 30 * second,
        }))
    }

    /// The number of the connection that makes room.
    fn ends(server: &Arc<Connections>) -> Option<u64> {
        server.end_one();
        let cut = lock(&server.open)
            .values()
            .find(|connection| connection.is_cut())
            .cloned()?;
        cut.ended();
        Some(cut.number)
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_needed_least_makes_room_first() {
        let server = server(10);
        let moment = || tokio::time::advance(Duration::from_millis(10));
        let (stuck, answered, idle, longest, asking, new) = (
            server.open(None),
            server.open(None),
            server.open(None),
            server.open(None),
            server.open(None),
            server.open(None),
        );
        for connection in [&stuck, &answered, &longest, &idle, &asking] {
            moment().await;
            connection.on_request("GET /".to_owned(), false);
        }
        stuck.is_stuck(true);
        longest.on_response_finished();
        tokio::time::advance(GRACE).await;
        for connection in [&idle, &asking] {
            moment().await;
            connection.on_response_finished();
        }
        asking.on_bytes_received();
        assert_eq!(ends(&server), Some(new.number));
        assert_eq!(
            ends(&server),
            Some(longest.number),
            "the others have only just been heard of"
        );
        tokio::time::advance(GRACE).await;
        let order = [&asking, &idle].map(|connection| Some(connection.number));
        assert_eq!(order.map(|_| ends(&server)), order);
        assert_eq!(ends(&server), None, "answers are not cut short");
        tokio::time::advance(STUCK).await;
        assert_eq!(ends(&server), Some(stuck.number), "but of who does not read");
        assert_eq!(server.list().len(), 1);
        assert_eq!(answered.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn one_makes_room_for_one() {
        let server = server(2);
        let (first, second) = (server.open(None), server.open(None));
        let ended = async {
            while !first.is_cut() {
                tokio::time::sleep(LOOK).await;
            }
            first.ended();
        };
        let (has_room, ()) = tokio::join!(server.make_room(false), ended);
        assert!(has_room && !second.is_cut());
        server.open(None).on_response_started();
        second.on_response_started();
        let begun = Instant::now();
        assert!(!server.make_room(false).await, "both are being answered");
        assert!(begun.elapsed() < 2 * ROOM_WITHIN);
    }
}

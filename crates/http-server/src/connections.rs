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

/// A connection that comes when there is no room waits so long for another one to end.
const ROOM_WITHIN: Duration = Duration::from_millis(250);
/// Nobody makes room sooner after he came, or after his last answer: what he has sent may not have been read yet.
const GRACE: Duration = Duration::from_millis(50);
/// Who makes room is looked for so often.
const LOOK: Duration = Duration::from_millis(10);
/// Whose answer has been stuck for so long makes room for others.
const STUCK: Duration = Duration::from_secs(1);

/// How many connections a server keeps, and how long it waits for whom.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// So many at once. One more makes one end of which no request is being answered.
    pub most: usize,
    /// A request is there by then, head and body, counted from when the connection opened or the request began.
    pub request: Duration,
    /// Later on a connection is kept for the next request so long.
    pub idle: Duration,
    /// A client takes what was sent within this time.
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
    /// Whether the last one that came had to wait for room.
    crowded: AtomicBool,
    /// Tells that one has ended.
    ended: Notify,
}

/// What a connection is used for at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// No request has come yet.
    New,
    /// A part of a request has come.
    Asking,
    /// Everything asked for was answered.
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
    /// Since when the client has not taken what was sent.
    stuck: Option<Instant>,
    last_request: String,
}

/// What is known of a connection.
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

    /// Cuts every connection at once, without goodbye. Says how many there were.
    pub fn drop_all(&self) -> usize {
        let open: Vec<Arc<Connection>> = lock(&self.open).values().cloned().collect();
        for connection in &open {
            connection.reset.store(true, Ordering::Release);
            connection.cut();
        }
        open.len()
    }

    /// Keeps every connection open but sends nothing on any of them, or speaks again. What a network does that
    /// loses packets without telling.
    pub fn set_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Release);
        for connection in lock(&self.open).values() {
            // Nobody can be blamed for a silence that we keep.
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

    /// Whether others wait for room.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_full() || self.crowded.load(Ordering::Relaxed)
    }

    /// Waits a moment for room for one more, which somebody who is not being answered makes. Where an `exchange` is due,
    /// one has to end first, however few there are. Says whether there is room.
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

    /// Ends the connection that is needed least, if one is not needed: the oldest that never sent a whole request, else
    /// the one that has been idle longest, else one whose client has stopped reading.
    /// Says whether there was one.
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

    /// Whether it must end without goodbye.
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

    /// Bytes have come: where nothing is being answered, of the next request.
    pub(super) fn heard(&self) {
        let mut now = lock(&self.now);
        if now.phase == Phase::Idle {
            now.turn(Phase::Asking);
        }
    }

    /// The head of a request is there, and its body unless that is still to come.
    pub(super) fn asked(&self, request: String, has_body: bool) {
        let mut now = lock(&self.now);
        now.last_request = request;
        now.turn(if has_body { Phase::Asking } else { Phase::Answering });
    }

    /// The whole request is there, or its answer begins.
    pub(super) fn answers(&self) {
        lock(&self.now).turn(Phase::Answering);
    }

    /// The last part of an answer was handed over.
    pub(super) fn answered(&self) {
        lock(&self.now).turn(Phase::Idle);
    }

    /// The client does not take what is to be sent, or has taken it.
    pub(super) fn is_stuck(&self, is_stuck: bool) {
        let stuck = &mut lock(&self.now).stuck;
        *stuck = is_stuck.then(|| stuck.unwrap_or_else(Instant::now));
    }

    /// When patience with it ends.
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
            connection.asked("GET /".to_owned(), false);
        }
        stuck.is_stuck(true);
        longest.answered();
        tokio::time::advance(GRACE).await;
        for connection in [&idle, &asking] {
            moment().await;
            connection.answered();
        }
        asking.heard();
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
        server.open(None).answers();
        second.answers();
        let begun = Instant::now();
        assert!(!server.make_room(false).await, "both are being answered");
        assert!(begun.elapsed() < 2 * ROOM_WITHIN);
    }
}

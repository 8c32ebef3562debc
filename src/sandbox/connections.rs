//! Who is connected: a list that can be read, and from which connections are cut or silenced on purpose.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Waker},
};

use serde::Serialize;

/// All open connections of a sandbox.
#[derive(Debug, Default)]
pub struct Connections {
    open: Mutex<BTreeMap<u64, Arc<Line>>>,
    /// The number given last.
    numbers: AtomicU64,
    silent: AtomicBool,
}

/// One connection, seen from outside.
#[derive(Debug)]
pub(super) struct Line {
    peer: SocketAddr,
    cut: AtomicBool,
    /// Whether a whole request has come on it.
    asked: AtomicBool,
    last_request: Mutex<String>,
    /// The tasks that read and write it, to be woken when it is cut or speaks again.
    tasks: Mutex<Vec<Waker>>,
}

/// What is known of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionInfo {
    /// Its number, in order of arrival.
    pub number: u64,
    /// Where it comes from.
    pub peer: SocketAddr,
    /// The last request on it, as in `GET /api/account`.
    pub last_request: String,
}

/// Which connection a request came on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionNumber(pub u64);

impl Connections {
    /// Every open connection.
    #[must_use]
    pub fn list(&self) -> Vec<ConnectionInfo> {
        self.lock()
            .iter()
            .map(|(number, line)| ConnectionInfo {
                number: *number,
                peer: line.peer,
                last_request: lock(&line.last_request).clone(),
            })
            .collect()
    }

    /// Cuts every connection at once, without goodbye. Says how many there were.
    pub fn drop_all(&self) -> usize {
        let open: Vec<Arc<Line>> = self.lock().values().cloned().collect();
        for line in &open {
            line.cut.store(true, Ordering::Release);
            line.wake();
        }
        open.len()
    }

    /// Keeps every connection open but sends nothing on any of them, or speaks again. What a network does that
    /// loses packets without telling.
    pub fn set_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Release);
        for line in self.lock().values() {
            line.wake();
        }
    }

    /// Remembers what a connection was last used for.
    pub fn note_request(&self, number: ConnectionNumber, request: String) {
        if let Some(line) = self.lock().get(&number.0) {
            *lock(&line.last_request) = request;
            line.asked.store(true, Ordering::Release);
        }
    }

    /// A connection was accepted: its number and what its socket must look at.
    pub(super) fn open(&self, peer: SocketAddr) -> (ConnectionNumber, Arc<Line>) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let line = Arc::new(Line {
            peer,
            cut: AtomicBool::new(false),
            asked: AtomicBool::new(false),
            last_request: Mutex::new(String::new()),
            tasks: Mutex::new(Vec::new()),
        });
        self.lock().insert(number, line.clone());
        (ConnectionNumber(number), line)
    }

    /// A connection closed.
    pub(super) fn closed(&self, number: ConnectionNumber) {
        self.lock().remove(&number.0);
    }

    /// Whether nothing may be sent.
    pub(super) fn is_silent(&self) -> bool {
        self.silent.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Line>>> {
        lock(&self.open)
    }
}

impl Line {
    fn wake(&self) {
        for task in lock(&self.tasks).drain(..) {
            task.wake();
        }
    }

    /// Whether it was cut.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Acquire)
    }

    /// Whether a request has come on it.
    pub(super) fn has_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    /// The socket's task will be woken when something changes.
    pub(super) fn remember(&self, context: &Context<'_>) {
        let mut tasks = lock(&self.tasks);
        if !tasks.iter().any(|task| task.will_wake(context.waker())) {
            tasks.push(context.waker().clone());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The thread that writes to the archive, and the handle that gives it work and never waits for it.

use std::{
    collections::VecDeque,
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use tokio::sync::oneshot;
use tracing::{debug, info, warn};

use super::{
    archive::{Archive, StoreError},
    record::{Asked, ChallengeRecord, Favour, GameRecord, MoveRecord, Rest},
};
use crate::{
    lichess::model::{GameId, UserId},
    units::Millis,
};

/// So many rows wait while the disk is full or slow; beyond that they are lost and counted.
const WAITING: usize = 1000;
/// A write that failed is tried again after this time.
const AGAIN: Duration = Duration::from_secs(5);

/// Gives the archive work. Clones write to the same one; without an archive everything is forgotten.
#[derive(Debug, Clone, Default)]
pub struct Store {
    orders: Option<SyncSender<Order>>,
    lost: Arc<AtomicU64>,
    is_failing: Arc<AtomicBool>,
}

/// Opens an archive, as often as it is asked to. It lives as long as the archive is written, with what it holds, as a lock.
pub type Opener = Box<dyn FnMut() -> Result<Archive, StoreError> + Send>;

#[derive(Debug)]
enum Order {
    Game(Box<GameRecord>),
    Forgotten(GameId, Millis),
    Move(GameId, Box<MoveRecord>),
    Challenge(Box<ChallengeRecord>),
    Limit(String, Millis),
    Favour(GameId, Favour),
    Rest(Rest),
    Wish(UserId, Asked, Millis),
    /// Answered when everything before it is written, or waits for the disk.
    Flush(oneshot::Sender<()>),
    /// Answered from what is written by then.
    Ask(Question),
}

/// Reads the archive, and tells whoever asked.
struct Question(Box<dyn FnOnce(&Archive) + Send>);

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

impl Store {
    /// Starts the thread of an archive.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(archive: Archive) -> io::Result<Self> {
        Self::start_with(Keeper::new(Some(archive), None))
    }

    /// Starts the thread of an archive that cannot be opened yet, as on a full disk: rows wait as they do where a write fails,
    /// and whoever asks is told that there is none, until the opener has it.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start_shut(opener: Opener) -> io::Result<Self> {
        Self::start_with(Keeper::new(None, Some(opener)))
    }

    fn start_with(keeper: Keeper) -> io::Result<Self> {
        let (orders, inbox) = sync_channel(WAITING);
        let store = Self {
            orders: Some(orders),
            lost: Arc::clone(&keeper.lost),
            is_failing: Arc::clone(&keeper.is_failing),
        };
        thread::Builder::new()
            .name("archive".to_owned())
            .spawn(move || keeper.run(&inbox))?;
        Ok(store)
    }

    /// Writes a game down, again if need be.
    pub fn game(&self, record: GameRecord) {
        self.order(Order::Game(Box::new(record)));
    }

    /// Writes down that nobody can tell any more how a game went on, found out at this time since 1970.
    pub fn forgotten(&self, game: GameId, at: Millis) {
        self.order(Order::Forgotten(game, at));
    }

    /// Writes a half move down.
    pub fn a_move(&self, game: GameId, record: MoveRecord) {
        self.order(Order::Move(game, Box::new(record)));
    }

    /// Writes down what became of a challenge.
    pub fn challenge(&self, record: ChallengeRecord) {
        self.order(Order::Challenge(Box::new(record)));
    }

    /// Writes down until when a limit holds, in milliseconds since 1970.
    pub fn limit(&self, key: &str, until: Millis) {
        self.order(Order::Limit(key.to_owned(), until));
    }

    /// Writes down what was granted in a game so far.
    pub fn favour(&self, game: GameId, favour: Favour) {
        self.order(Order::Favour(game, favour));
    }

    /// Writes down who is not challenged for a while, until a time since 1970.
    pub fn rest(&self, rest: Rest) {
        self.order(Order::Rest(rest));
    }

    /// Writes down at a time since 1970 what the next casual game with an opponent is to be.
    pub fn wish(&self, opponent: UserId, asked: Asked, at: Millis) {
        self.order(Order::Wish(opponent, asked, at));
    }

    /// Waits until everything ordered so far is written, or cannot be.
    pub async fn flush(&self) {
        let (done, wait) = oneshot::channel();
        self.order(Order::Flush(done));
        // Nobody to wait for: then there is nothing to write either.
        let _ = wait.await;
    }

    /// Reads what was ordered so far and could be written. `None` without an archive, or when it has too much to do. What is
    /// ordered after this call is not read, whenever the answer is awaited.
    ///
    /// Everything that is to be written waits meanwhile, so a question should be a short one.
    pub fn ask<T: Send + 'static, F>(
        &self,
        question: F,
    ) -> impl Future<Output = Option<Result<T, StoreError>>> + Send + use<T, F>
    where
        F: FnOnce(&Archive) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let question = Question(Box::new(move |archive| {
            let _ = reply.send(question(archive)); // whoever asked may have given up
        }));
        let orders = self.orders.as_ref();
        let is_asked = orders.is_some_and(|orders| orders.try_send(Order::Ask(question)).is_ok());
        async move { if is_asked { answer.await.ok() } else { None } }
    }

    /// How many rows were lost because nobody could write them in time.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether the archive could not be opened or written when that was last tried, so that rows wait.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders
            && orders.try_send(order).is_err()
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

struct Keeper {
    /// None as long as it could not be opened.
    archive: Option<Archive>,
    /// How to come by it, where it was not open from the start.
    opener: Option<Opener>,
    waiting: VecDeque<Order>,
    is_failing: Arc<AtomicBool>,
    lost: Arc<AtomicU64>,
}

impl Keeper {
    fn new(archive: Option<Archive>, opener: Option<Opener>) -> Self {
        Self {
            is_failing: Arc::new(archive.is_none().into()),
            archive,
            opener,
            waiting: VecDeque::new(),
            lost: Arc::default(),
        }
    }

    fn run(mut self, inbox: &Receiver<Order>) {
        loop {
            let order = if self.is_behind() {
                inbox.recv_timeout(AGAIN)
            } else {
                inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match order {
                Ok(order) => self.take(order),
                Err(RecvTimeoutError::Timeout) => self.catch_up(),
                Err(RecvTimeoutError::Disconnected) => return self.catch_up(),
            }
        }
    }

    /// Whether there is something to try again.
    fn is_behind(&self) -> bool {
        !self.waiting.is_empty() || self.archive.is_none()
    }

    fn take(&mut self, order: Order) {
        if self.is_behind() {
            self.catch_up();
        }
        let order = match order {
            Order::Flush(done) => {
                let _ = done.send(()); // whoever waited may have given up
                return;
            }
            Order::Ask(Question(answer)) => {
                // A question that is dropped tells whoever asked that there is no archive.
                if let Some(archive) = &self.archive {
                    answer(archive);
                }
                return;
            }
            order => order,
        };
        if !self.waiting.is_empty() || !self.write(&order) {
            if self.waiting.len() == WAITING {
                self.waiting.pop_front();
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
            self.waiting.push_back(order);
        }
    }

    /// Writes what waits, in order, until something fails again.
    fn catch_up(&mut self) {
        self.open();
        while let Some(order) = self.waiting.pop_front() {
            if !self.write(&order) {
                self.waiting.push_front(order);
                return;
            }
        }
    }

    /// Opens the archive, where that could not be done so far. Why not was said when it was tried first.
    fn open(&mut self) {
        let (None, Some(opener)) = (&self.archive, &mut self.opener) else {
            return;
        };
        match opener() {
            Ok(archive) => {
                self.archive = Some(archive);
                self.tell(&Ok(()));
            }
            Err(why) => debug!("{why}, it is still shut: {}", cause(&why)),
        }
    }

    fn write(&mut self, order: &Order) -> bool {
        let Some(archive) = &self.archive else {
            return false;
        };
        let written = match order {
            Order::Game(record) => archive.put_game(record),
            Order::Forgotten(game, at) => archive.put_forgotten(game, *at),
            Order::Move(game, record) => archive.put_move(game, record),
            Order::Challenge(record) => archive.put_challenge(record),
            Order::Limit(key, until) => archive.put_limit(key, *until),
            Order::Favour(game, favour) => archive.put_favour(game, favour),
            Order::Rest(rest) => archive.put_rest(rest),
            Order::Wish(opponent, asked, at) => archive.put_wish(opponent, asked, *at),
            Order::Flush(_) | Order::Ask(_) => Ok(()),
        };
        self.tell(&written);
        written.is_ok()
    }

    /// Says once that writing fails, and once that it works again.
    fn tell(&self, written: &Result<(), StoreError>) {
        let was_failing = self.is_failing.swap(written.is_err(), Ordering::Relaxed);
        match written {
            Err(why) if !was_failing => warn!("{why}, rows wait: {}", cause(why)),
            Ok(()) if was_failing => info!("the archive is written again"),
            _ => {}
        }
    }
}

fn cause(why: &StoreError) -> String {
    let cause = std::error::Error::source(why).map(ToString::to_string);
    cause.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Filter, MoveRecord};

    fn record(ply: u32) -> MoveRecord {
        MoveRecord {
            ply,
            uci: "e2e4".to_owned(),
            clock: None,
            thought: None,
        }
    }

    #[tokio::test]
    async fn what_was_ordered_is_there_after_a_flush() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let store = Store::start(Archive::open(&path).unwrap()).unwrap();
        let id: GameId = "abcd1234".parse().unwrap();
        for ply in 1..=50 {
            store.a_move(id.clone(), record(ply));
        }
        store.flush().await;
        let archive = Archive::read(&path).unwrap();
        assert_eq!(archive.moves(&id).unwrap().len(), 50);
        let asked = store.ask(move |archive| archive.moves(&id)).await;
        assert_eq!(asked.unwrap().unwrap().len(), 50);
        assert!(archive.games(&Filter::default()).unwrap().is_empty());
        assert_eq!(store.lost(), 0);
    }

    #[test]
    fn rows_wait_while_the_disk_refuses_and_are_written_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let archive = Archive::open(&path).unwrap();
        let lock = rusqlite::Connection::open(&path).unwrap();
        // Stands for a full disk: every write fails until the table is back.
        lock.execute_batch("ALTER TABLE moves RENAME TO gone").unwrap();
        let mut keeper = Keeper::new(Some(archive), None);
        let id: GameId = "abcd1234".parse().unwrap();
        for ply in 1..=(WAITING as u32 + 5) {
            keeper.take(Order::Move(id.clone(), Box::new(record(ply))));
        }
        assert_eq!(keeper.waiting.len(), WAITING);
        assert_eq!(
            keeper.lost.load(Ordering::Relaxed),
            5,
            "the oldest are let go and counted"
        );
        lock.execute_batch("ALTER TABLE gone RENAME TO moves").unwrap();
        keeper.catch_up();
        let written = Archive::read(&path).unwrap().moves(&id).unwrap();
        assert_eq!(written.len(), WAITING);
    }

    #[tokio::test]
    async fn rows_wait_for_an_archive_that_cannot_be_opened_yet_and_the_bound_is_the_same() {
        let at = tempfile::tempdir().unwrap();
        let folder = at.path().join("state");
        let path = folder.join("archive.db");
        let opener = {
            let path = path.clone();
            move || Archive::open(&path)
        };
        let store = Store::start_shut(Box::new(opener)).unwrap();
        assert!(store.is_failing());
        let id: GameId = "abcd1234".parse().unwrap();
        for ply in 1..=(WAITING as u32 + 5) {
            store.a_move(id.clone(), record(ply));
            // One at a time, so that none is lost on the way to the thread.
            store.flush().await;
        }
        assert_eq!((store.lost(), store.is_failing()), (5, true));
        let asked = store.ask(|archive| archive.games(&Filter::default())).await;
        assert!(asked.is_none(), "there is no archive yet");
        std::fs::create_dir(&folder).unwrap();
        store.flush().await;
        assert!(!store.is_failing());
        let written = store.ask(move |archive| archive.moves(&id)).await.unwrap();
        assert_eq!(written.unwrap().len(), WAITING);
    }

    #[tokio::test]
    async fn without_an_archive_nothing_is_kept_and_nobody_waits() {
        let store = Store::default();
        store.limit("x", Millis(1));
        store.flush().await;
        assert_eq!(store.lost(), 0);
    }
}

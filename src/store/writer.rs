//! Archive writer: a handle that never blocks, and the thread behind it.

mod writer_thread;

use std::{
    fmt, io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use tokio::sync::oneshot;

use super::{
    archive::{Archive, StoreError},
    home::ArchivePath,
    record::{ChallengeCooldown, ChallengeRecord, GameFlags, GameRecord, MoveRecord, RequestedPersona},
};
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};
use writer_thread::Writer;

/// So many rows wait while the disk is full or slow; beyond that they are lost and counted.
const WAITING: usize = 1000;

/// Gives the archive work. Clones write to the same one; without an archive everything is forgotten.
#[derive(Debug, Clone, Default)]
pub struct ArchiveWriter {
    orders: Option<SyncSender<WriteOrder>>,
    lost: Arc<AtomicU64>,
    is_failing: Arc<AtomicBool>,
    aside: Arc<AtomicU64>,
    unwritten: Arc<Mutex<String>>,
}

#[derive(Debug)]
enum WriteOrder {
    Game(Box<GameRecord>),
    Forgotten(GameId, Millis),
    Move(GameId, Box<MoveRecord>),
    Challenge(Box<ChallengeRecord>),
    Limit(String, Millis),
    Favour(GameId, GameFlags),
    Rest(ChallengeCooldown),
    Wish(UserId, RequestedPersona, Millis),
    /// Answered when everything before it is written, or waits for the disk.
    Flush(oneshot::Sender<()>),
    /// Answered from what is written by then.
    Ask(Question),
}

/// Reads the archive, and tells whoever asked.
struct Question(Box<dyn FnOnce(&Archive) -> Answered + Send>);

/// What the archive made of a question: an error only where the file is damaged.
type Answered = Result<(), StoreError>;

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

impl ArchiveWriter {
    /// Starts the thread of an archive in memory, or of one that lies nowhere else.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(archive: Archive) -> io::Result<Self> {
        Self::start_with(Writer::new(Some(archive), None))
    }

    /// Starts the thread of an archive that has a place. One that cannot be opened yet, as on a full disk, is none: rows wait as they
    /// do where a write fails, and whoever asks is told that there is none, until it can be.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn keep(archive: Option<Archive>, home: ArchivePath) -> io::Result<Self> {
        Self::start_with(Writer::new(archive, Some(home)))
    }

    fn start_with(writer: Writer) -> io::Result<Self> {
        let (orders, inbox) = sync_channel(WAITING);
        let store = Self {
            orders: Some(orders),
            ..writer.state.clone()
        };
        thread::Builder::new()
            .name("archive".to_owned())
            .spawn(move || writer.run(&inbox))?;
        Ok(store)
    }

    /// Writes a game down, again if need be.
    pub fn game(&self, record: GameRecord) {
        self.order(WriteOrder::Game(Box::new(record)));
    }

    /// Writes down that nobody can tell any more how a game went on, found out at this time since 1970.
    pub fn forgotten(&self, game: GameId, at: Millis) {
        self.order(WriteOrder::Forgotten(game, at));
    }

    /// Writes a half move down.
    pub fn a_move(&self, game: GameId, record: MoveRecord) {
        self.order(WriteOrder::Move(game, Box::new(record)));
    }

    /// Writes down what became of a challenge.
    pub fn challenge(&self, record: ChallengeRecord) {
        self.order(WriteOrder::Challenge(Box::new(record)));
    }

    /// Writes down until when a limit holds, in milliseconds since 1970.
    pub fn limit(&self, key: &str, until: Millis) {
        self.order(WriteOrder::Limit(key.to_owned(), until));
    }

    /// Writes down what was granted in a game so far.
    pub fn favour(&self, game: GameId, favour: GameFlags) {
        self.order(WriteOrder::Favour(game, favour));
    }

    /// Writes down who is not challenged for a while, until a time since 1970.
    pub fn rest(&self, rest: ChallengeCooldown) {
        self.order(WriteOrder::Rest(rest));
    }

    /// Writes down at a time since 1970 what the next casual game with an opponent is to be.
    pub fn wish(&self, opponent: UserId, asked: RequestedPersona, at: Millis) {
        self.order(WriteOrder::Wish(opponent, asked, at));
    }

    /// Waits until everything ordered so far is written, or cannot be.
    pub async fn flush(&self) {
        let (done, wait) = oneshot::channel();
        self.order(WriteOrder::Flush(done));
        // Nobody to wait for: then there is nothing to write either.
        let _ = wait.await;
    }

    /// Reads what was ordered so far and could be written. `None` without an archive, when it has too much to do, or when it turns
    /// out to be damaged. What is
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
            let (answer, answered) = match question(archive) {
                Err(why) if why.is_damage() => (None, Err(why)),
                answer => (Some(answer), Ok(())),
            };
            if let Some(answer) = answer {
                let _ = reply.send(answer); // whoever asked may have given up
            }
            answered
        }));
        let orders = self.orders.as_ref();
        let is_asked = orders.is_some_and(|orders| orders.try_send(WriteOrder::Ask(question)).is_ok());
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

    /// How many files were found damaged and set aside in this run.
    #[must_use]
    pub fn set_aside(&self) -> u64 {
        self.aside.load(Ordering::Relaxed)
    }

    /// What waits to be written, in words, as it was when the archive was flushed last; none where nothing does.
    #[must_use]
    pub fn unwritten(&self) -> Option<String> {
        let told = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        (!told.is_empty()).then(|| told.clone())
    }

    fn order(&self, order: WriteOrder) {
        if let Some(orders) = &self.orders
            && orders.try_send(order).is_err()
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;

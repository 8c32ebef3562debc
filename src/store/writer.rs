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

/// Capacity of the queue of rows while the disk is full or slow. Further rows are dropped and counted.
const QUEUE: usize = 1000;

/// A handle to the thread that writes the archive. Clones share it. The default handle has no archive and drops everything.
#[derive(Debug, Clone, Default)]
pub struct ArchiveWriter {
    requests: Option<SyncSender<WriteRequest>>,
    lost: Arc<AtomicU64>,
    is_failing: Arc<AtomicBool>,
    aside: Arc<AtomicU64>,
    unwritten: Arc<Mutex<String>>,
}

#[derive(Debug)]
enum WriteRequest {
    Game(Box<GameRecord>),
    Forgotten(GameId, Millis),
    Move(GameId, Box<MoveRecord>),
    Challenge(Box<ChallengeRecord>),
    Limit(String, Millis),
    GameFlags(GameId, GameFlags),
    Cooldown(ChallengeCooldown),
    RequestedPersona(UserId, RequestedPersona, Millis),
    /// Answered when all earlier requests are written, or queued for the disk.
    Flush(oneshot::Sender<()>),
    /// Answered from the rows written so far.
    Read(ReadRequest),
}

/// A closure that reads the archive and sends the answer.
struct ReadRequest(Box<dyn FnOnce(&Archive) -> ReadOutcome + Send>);

/// The result of a read: an error only where the file is damaged.
type ReadOutcome = Result<(), StoreError>;

impl fmt::Debug for ReadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

impl ArchiveWriter {
    /// Starts the thread of an archive without a path, as one in memory.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(archive: Archive) -> io::Result<Self> {
        Self::start_with(Writer::new(Some(archive), None))
    }

    /// Starts the thread of an archive at a path. `archive` is none if it cannot be opened yet, as on a full disk: until it can, rows
    /// are queued, and reads answer none.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn keep(archive: Option<Archive>, home: ArchivePath) -> io::Result<Self> {
        Self::start_with(Writer::new(archive, Some(home)))
    }

    fn start_with(writer: Writer) -> io::Result<Self> {
        let (orders, inbox) = sync_channel(QUEUE);
        let store = Self {
            requests: Some(orders),
            ..writer.state.clone()
        };
        thread::Builder::new()
            .name("archive".to_owned())
            .spawn(move || writer.run(&inbox))?;
        Ok(store)
    }

    /// Writes a game, or updates it.
    pub fn game(&self, record: GameRecord) {
        self.send(WriteRequest::Game(Box::new(record)));
    }

    /// Ends a game as aborted that the server no longer knows. `at` is the time since 1970.
    pub fn forgotten(&self, game: GameId, at: Millis) {
        self.send(WriteRequest::Forgotten(game, at));
    }

    /// Writes a half move.
    pub fn record_move(&self, game: GameId, record: MoveRecord) {
        self.send(WriteRequest::Move(game, Box::new(record)));
    }

    /// Writes a challenge and how it was decided.
    pub fn challenge(&self, record: ChallengeRecord) {
        self.send(WriteRequest::Challenge(Box::new(record)));
    }

    /// Writes the end of a rate limit, in milliseconds since 1970.
    pub fn limit(&self, key: &str, until: Millis) {
        self.send(WriteRequest::Limit(key.to_owned(), until));
    }

    /// Writes the flags of a game.
    pub fn game_flags(&self, game: GameId, favour: GameFlags) {
        self.send(WriteRequest::GameFlags(game, favour));
    }

    /// Writes until when an opponent is not challenged.
    pub fn cooldown(&self, rest: ChallengeCooldown) {
        self.send(WriteRequest::Cooldown(rest));
    }

    /// Writes the persona that an opponent asked for, for their next casual game. `at` is the time since 1970.
    pub fn requested_persona(&self, opponent: UserId, asked: RequestedPersona, at: Millis) {
        self.send(WriteRequest::RequestedPersona(opponent, asked, at));
    }

    /// Waits until all earlier requests are written, or cannot be.
    pub async fn flush(&self) {
        let (done, wait) = oneshot::channel();
        self.send(WriteRequest::Flush(done));
        // Nobody to wait for: then there is nothing to write either.
        let _ = wait.await;
    }

    /// Reads the archive on its thread, after all earlier requests and before later ones. None without an archive, with a full queue,
    /// and when the file turns out to be damaged.
    ///
    /// Writes wait meanwhile, so the query should be short.
    pub fn ask<T: Send + 'static, F>(
        &self,
        question: F,
    ) -> impl Future<Output = Option<Result<T, StoreError>>> + Send + use<T, F>
    where
        F: FnOnce(&Archive) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let question = ReadRequest(Box::new(move |archive| {
            let (answer, answered) = match question(archive) {
                Err(why) if why.is_damage() => (None, Err(why)),
                answer => (Some(answer), Ok(())),
            };
            if let Some(answer) = answer {
                let _ = reply.send(answer); // the receiver may be gone
            }
            answered
        }));
        let orders = self.requests.as_ref();
        let is_asked = orders.is_some_and(|orders| orders.try_send(WriteRequest::Read(question)).is_ok());
        async move { if is_asked { answer.await.ok() } else { None } }
    }

    /// The number of rows lost because they could not be written in time.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether the last attempt to open or write the archive failed, so that rows are queued.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// The number of damaged files moved aside in this run.
    #[must_use]
    pub fn set_aside(&self) -> u64 {
        self.aside.load(Ordering::Relaxed)
    }

    /// The rows that were still queued at the last flush, in words; none without any.
    #[must_use]
    pub fn unwritten(&self) -> Option<String> {
        let told = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        (!told.is_empty()).then(|| told.clone())
    }

    fn send(&self, request: WriteRequest) {
        if let Some(orders) = &self.requests
            && orders.try_send(request).is_err()
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;

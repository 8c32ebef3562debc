//! The thread that writes the archive: queue, retries, and replacement of a damaged file.

use std::{
    collections::VecDeque,
    sync::{
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use tracing::{debug, info, warn};

use super::{Archive, ArchivePath, ArchiveWriter, PoisonError, QUEUE, ReadRequest, StoreError, WriteRequest};
use crate::store::damage::{FileChange, FileMark, Remedy};

/// Backoff after a failed write: doubles from the first to the longest.
const FIRST_BACKOFF: Duration = Duration::from_secs(5);
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How many of the last rows are written again to a new file.
const RECENT: usize = 300;
/// How often a replaced file is reopened. On a file system without stable inode numbers every look finds another file.
const MAX_REOPENED: u32 = 5;
/// How many games a message names.
const NAMED: usize = 5;

pub(super) struct Writer {
    /// None until it can be opened.
    pub(super) archive: Option<Archive>,
    /// Its path; none for an archive in memory.
    home: Option<ArchivePath>,
    /// The file's metadata at the last look.
    mark: Option<FileMark>,
    pub(super) waiting: VecDeque<WriteRequest>,
    /// How often another file was found at the path.
    followed: u32,
    /// The rows written last.
    recent: VecDeque<WriteRequest>,
    /// Consecutive failures, and the time of the next attempt.
    failures: u32,
    retry_at: Instant,
    /// Whether reopening the file may help.
    is_stale: bool,
    /// The state shared with the handles.
    pub(super) state: ArchiveWriter,
    /// `lost` when the current failure began.
    lost_before: u64,
}

impl Writer {
    pub(super) fn new(archive: Option<Archive>, home: Option<ArchivePath>) -> Self {
        let state = ArchiveWriter::default();
        state.is_failing.store(archive.is_none(), Ordering::Relaxed);
        let state = ArchiveWriter {
            aside: home.as_ref().map(ArchivePath::aside).unwrap_or_default(),
            ..state
        };
        let mut writer = Self {
            archive,
            home,
            mark: None,
            followed: 0,
            waiting: VecDeque::new(),
            recent: VecDeque::new(),
            failures: 0,
            retry_at: Instant::now() + FIRST_BACKOFF,
            is_stale: false,
            state,
            lost_before: 0,
        };
        writer.record_file_mark();
        writer
    }

    pub(super) fn run(mut self, inbox: &Receiver<WriteRequest>) {
        loop {
            let request = if self.is_behind() {
                inbox.recv_timeout(self.retry_at.saturating_duration_since(Instant::now()))
            } else {
                inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match request {
                Ok(request) => self.on_request(request),
                Err(RecvTimeoutError::Timeout) => self.catch_up(),
                Err(RecvTimeoutError::Disconnected) => return self.catch_up(),
            }
        }
    }

    /// Whether rows are queued, or the archive is not open.
    fn is_behind(&self) -> bool {
        !self.waiting.is_empty() || self.archive.is_none()
    }

    pub(super) fn on_request(&mut self, request: WriteRequest) {
        if self.is_behind() && (matches!(request, WriteRequest::Flush(_)) || Instant::now() >= self.retry_at)
        {
            self.catch_up();
        }
        match request {
            WriteRequest::Flush(done) => {
                let _ = done.send(()); // the receiver may be gone
            }
            WriteRequest::Read(ReadRequest(answer)) => {
                // Without an archive the request is dropped, and its receiver gets none.
                if let Some(archive) = &self.archive
                    && let Err(why) = answer(archive)
                {
                    self.replace(&why);
                }
            }
            request if self.is_behind() => self.queue(request),
            request => {
                if let Some(request) = self.write(request) {
                    self.queue(request);
                }
            }
        }
    }

    /// Queues a row. A full queue drops its oldest move, or else its oldest row: the end of a game holds all moves anyway.
    fn queue(&mut self, request: WriteRequest) {
        if self.waiting.len() >= QUEUE {
            let oldest = self
                .waiting
                .iter()
                .position(|request| matches!(request, WriteRequest::Move(..)));
            self.waiting.remove(oldest.unwrap_or_default());
            if self.lost() == self.lost_before {
                warn!(
                    "more than {QUEUE} rows are queued for the archive: from now on the oldest are dropped, moves first"
                );
            }
            self.state.lost.fetch_add(1, Ordering::Relaxed);
        }
        self.waiting.push_back(request);
        self.update_unwritten();
    }

    fn lost(&self) -> u64 {
        self.state.lost.load(Ordering::Relaxed)
    }

    /// Writes queued rows in order until a write fails.
    pub(super) fn catch_up(&mut self) {
        self.open();
        while let Some(request) = self.waiting.pop_front() {
            if let Some(request) = self.write(request) {
                self.waiting.push_front(request);
                break;
            }
        }
        self.update_unwritten();
    }

    /// Opens the archive if it is not open, or stale. The first failure was reported; later ones are only debug messages.
    fn open(&mut self) {
        if self.archive.is_some() && !self.is_stale {
            return;
        }
        let Some(home) = &mut self.home else { return };
        match home.open() {
            Ok(archive) => {
                let had_none = self.archive.is_none();
                self.archive = Some(archive);
                self.record_file_mark();
                if had_none && self.waiting.is_empty() {
                    self.report(Ok(()));
                }
            }
            Err(why) => {
                self.back_off();
                debug!("the archive still cannot be opened: {}", why.with_cause());
            }
        }
    }

    fn back_off(&mut self) {
        self.failures = self.failures.saturating_add(1);
        let wait = FIRST_BACKOFF
            .saturating_mul(1 << (self.failures - 1).min(8))
            .min(MAX_BACKOFF);
        self.retry_at = Instant::now() + wait;
    }

    /// Writes a row. Returns it where it must be queued.
    fn write(&mut self, request: WriteRequest) -> Option<WriteRequest> {
        self.check_file();
        loop {
            let Some(archive) = &self.archive else {
                return Some(request);
            };
            let Err(why) = put(archive, &request) else {
                self.report(Ok(()));
                self.keep_recent(request);
                return None;
            };
            match self.remedy(&why) {
                // The number of files moved aside has a limit.
                Remedy::Replace if self.replace(&why) => {}
                Remedy::Replace => return Some(request),
                Remedy::Skip => {
                    warn!("the archive rejects a row, which is lost: {}", why.with_cause());
                    self.state.lost.fetch_add(1, Ordering::Relaxed);
                    return None;
                }
                Remedy::Wait | Remedy::CheckTables => {
                    self.report(Err(&why));
                    return Some(request);
                }
            }
        }
    }

    /// The remedy for an error. Checks the tables where they may be the cause.
    fn remedy(&self, why: &StoreError) -> Remedy {
        match (why.remedy(), &self.archive, &self.home) {
            // An archive without a path cannot be replaced.
            (Remedy::Replace | Remedy::CheckTables, _, None) => Remedy::Wait,
            (Remedy::CheckTables, Some(archive), _) => match archive.check_tables() {
                Ok(()) => Remedy::Skip,
                Err(why) => why.remedy(),
            },
            (remedy, ..) => remedy,
        }
    }

    fn keep_recent(&mut self, request: WriteRequest) {
        if self.home.is_some() {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(request);
        }
    }

    /// Checks whether the path still holds the file that was opened, since SQLite keeps writing to a deleted or overwritten one.
    fn check_file(&mut self) {
        let (Some(home), Some(mark), Some(archive)) = (&self.home, &self.mark, &self.archive) else {
            return;
        };
        match mark.change(home.path()) {
            FileChange::None => {}
            FileChange::Cut(length) if archive.stated_length().is_ok_and(|stated| stated > length) => {
                self.replace(&StoreError::Damaged("it is shorter than it was"));
            }
            FileChange::Cut(_) | FileChange::Written => match Archive::probe(home.path()) {
                Err(why) if self.remedy(&why) == Remedy::Replace => {
                    self.replace(&why);
                }
                _ => self.record_file_mark(),
            },
            FileChange::Replaced if self.followed >= MAX_REOPENED => self.record_file_mark(),
            change @ (FileChange::Gone | FileChange::Replaced) => {
                let has_old_log = mark.has_same_log(home.path());
                let is_replaced = change == FileChange::Replaced;
                self.followed += u32::from(is_replaced);
                if is_replaced && self.followed == MAX_REOPENED {
                    warn!(
                        "the archive's file id changes again and again: from now on the changes are ignored"
                    );
                }
                self.follow(has_old_log);
            }
        }
    }

    fn record_file_mark(&mut self) {
        self.mark = self
            .home
            .as_ref()
            .filter(|_| self.archive.is_some())
            .and_then(|home| FileMark::of(home.path()));
    }

    /// Replaces a damaged archive by a new one. False if that fails.
    fn replace(&mut self, why: &StoreError) -> bool {
        let Some(home) = &mut self.home else {
            return false;
        };
        if let Some(archive) = self.archive.take() {
            archive.close_without_checkpoint();
        }
        let opened = home.replace(why);
        self.use_reopened(opened)
    }

    /// Reopens the path, which no longer holds the file that was opened.
    fn follow(&mut self, has_old_log: bool) {
        if let (Some(home), Some(archive)) = (&mut self.home, self.archive.take()) {
            let opened = home.follow(archive, has_old_log);
            self.use_reopened(opened);
        }
    }

    /// Goes on with the reopened archive, and writes the last rows again: in a damaged file the newest rows are the least readable.
    fn use_reopened(&mut self, opened: Result<Archive, StoreError>) -> bool {
        self.report(opened.as_ref().map(drop));
        self.archive = opened.ok();
        self.record_file_mark();
        let Some(archive) = &self.archive else {
            return false;
        };
        let mut left_out = 0;
        for (at, request) in self.recent.iter().enumerate() {
            let Err(why) = put(archive, request) else { continue };
            if self.remedy(&why) != Remedy::Skip {
                // The others would fail as well, each after a timeout.
                left_out += self.recent.len() - at;
                break;
            }
            left_out += 1;
        }
        if left_out > 0 {
            warn!("the new archive rejects {left_out} of the rows that were written last");
        }
        true
    }

    /// Logs once when writes fail, and once when they succeed again.
    fn report(&mut self, written: Result<(), &StoreError>) {
        let was_failing = self.state.is_failing.swap(written.is_err(), Ordering::Relaxed);
        match written {
            Err(why) => {
                self.back_off();
                self.is_stale = why.may_need_opening();
                if !was_failing {
                    self.lost_before = self.lost();
                    warn!(
                        "{}; games go on, and the rows are queued until the archive can be written",
                        why.with_cause()
                    );
                }
            }
            Ok(()) => {
                (self.failures, self.is_stale) = (0, false);
                if was_failing {
                    match self.lost() - self.lost_before {
                        0 => info!("the archive can be written again"),
                        lost => info!("the archive can be written again; {lost} rows were lost meanwhile"),
                    }
                }
            }
        }
    }

    /// Describes the queue in words: what would be lost if the program ended now.
    pub(super) fn update_unwritten(&self) {
        let (mut moves, mut others, mut games) = (0_u32, 0_u32, Vec::new());
        for request in &self.waiting {
            match request {
                WriteRequest::Move(..) => moves += 1,
                WriteRequest::Game(record) if record.end.is_some() => games.push(record.id.as_str()),
                _ => others += 1,
            }
        }
        let words = if self.waiting.is_empty() {
            String::new()
        } else {
            let named = games.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = if games.len() > NAMED { ", ..." } else { "" };
            let ends = if games.is_empty() {
                String::new()
            } else {
                format!(" ({named}{more})")
            };
            format!(
                "the ends of {} games{ends}, {moves} moves, {others} other rows",
                games.len()
            )
        };
        *self
            .state
            .unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = words;
    }
}

/// Writes a row. Flushes and reads are no rows.
fn put(archive: &Archive, request: &WriteRequest) -> Result<(), StoreError> {
    match request {
        WriteRequest::Game(record) => archive.put_game(record),
        WriteRequest::Forgotten(game, at) => archive.put_forgotten(game, *at),
        WriteRequest::Move(game, record) => archive.put_move(game, record),
        WriteRequest::Challenge(record) => archive.put_challenge(record),
        WriteRequest::Limit(key, until) => archive.put_limit(key, *until),
        WriteRequest::GameFlags(game, favour) => archive.put_game_flags(game, favour),
        WriteRequest::Cooldown(rest) => archive.put_cooldown(rest),
        WriteRequest::RequestedPersona(opponent, asked, at) => {
            archive.put_requested_persona(opponent, asked, *at)
        }
        WriteRequest::Flush(_) | WriteRequest::Read(_) => Ok(()),
    }
}

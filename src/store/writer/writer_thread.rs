//! The writer's thread: retries, and replacement of a damaged file.

use std::{
    collections::VecDeque,
    sync::{
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use tracing::{debug, info, warn};

use super::{Archive, ArchivePath, ArchiveWriter, PoisonError, Question, StoreError, WAITING, WriteOrder};
use crate::store::damage::{FileChange, FileMark, Remedy};

/// A write that failed is tried again after this time, later after twice as long each time, up to the longest.
const AGAIN: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);
/// So many rows are written once more where a new file takes the place of another.
const RECENT: usize = 300;
/// On a file system without steady numbers every file looks like another one: it is opened anew so often, and then no more.
const MOST_FOLLOWED: u32 = 5;
/// More games are not named.
const NAMED: usize = 5;

pub(super) struct Writer {
    /// None as long as it could not be opened.
    pub(super) archive: Option<Archive>,
    /// Where it lies; none for an archive in memory.
    home: Option<ArchivePath>,
    /// What the file system said of it last.
    mark: Option<FileMark>,
    pub(super) waiting: VecDeque<WriteOrder>,
    /// How often another file was found in its place.
    followed: u32,
    /// What was written last.
    recent: VecDeque<WriteOrder>,
    /// How often writing failed in a row, and when it is tried again.
    failures: u32,
    again: Instant,
    /// Whether another file may be written where this one is not.
    is_stale: bool,
    /// What the handles know.
    pub(super) state: ArchiveWriter,
    /// Rows that were lost when writing failed first.
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
            again: Instant::now() + AGAIN,
            is_stale: false,
            state,
            lost_before: 0,
        };
        writer.note_file();
        writer
    }

    pub(super) fn run(mut self, inbox: &Receiver<WriteOrder>) {
        loop {
            let order = if self.is_behind() {
                inbox.recv_timeout(self.again.saturating_duration_since(Instant::now()))
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

    pub(super) fn take(&mut self, order: WriteOrder) {
        if self.is_behind() && (matches!(order, WriteOrder::Flush(_)) || Instant::now() >= self.again) {
            self.catch_up();
        }
        match order {
            WriteOrder::Flush(done) => {
                let _ = done.send(()); // whoever waited may have given up
            }
            WriteOrder::Ask(Question(answer)) => {
                // A question that is dropped tells whoever asked that there is no archive.
                if let Some(archive) = &self.archive
                    && let Err(why) = answer(archive)
                {
                    self.replace(&why);
                }
            }
            order if self.is_behind() => self.wait_with(order),
            order => {
                if let Some(order) = self.write(order) {
                    self.wait_with(order);
                }
            }
        }
    }

    /// Lets a row wait. Where too many do the oldest move is lost, else the oldest row: an end of a game has its moves.
    fn wait_with(&mut self, order: WriteOrder) {
        if self.waiting.len() >= WAITING {
            let oldest = self
                .waiting
                .iter()
                .position(|order| matches!(order, WriteOrder::Move(..)));
            self.waiting.remove(oldest.unwrap_or_default());
            if self.lost() == self.lost_before {
                warn!(
                    "more than {WAITING} rows wait for the archive: from now on the oldest are lost, moves first"
                );
            }
            self.state.lost.fetch_add(1, Ordering::Relaxed);
        }
        self.waiting.push_back(order);
        self.tell_what_waits();
    }

    fn lost(&self) -> u64 {
        self.state.lost.load(Ordering::Relaxed)
    }

    /// Writes what waits, in order, until something fails again.
    pub(super) fn catch_up(&mut self) {
        self.open();
        while let Some(order) = self.waiting.pop_front() {
            if let Some(order) = self.write(order) {
                self.waiting.push_front(order);
                break;
            }
        }
        self.tell_what_waits();
    }

    /// Opens the archive, where that could not be done so far. Why not was said when it was tried first.
    fn open(&mut self) {
        if self.archive.is_some() && !self.is_stale {
            return;
        }
        let Some(home) = &mut self.home else { return };
        match home.open() {
            Ok(archive) => {
                let had_none = self.archive.is_none();
                self.archive = Some(archive);
                self.note_file();
                if had_none && self.waiting.is_empty() {
                    self.tell(Ok(()));
                }
            }
            Err(why) => {
                self.put_off();
                debug!("it is still shut: {}", why.told());
            }
        }
    }

    fn put_off(&mut self) {
        self.failures = self.failures.saturating_add(1);
        let wait = AGAIN.saturating_mul(1 << (self.failures - 1).min(8)).min(LONGEST);
        self.again = Instant::now() + wait;
    }

    /// Writes a row, and gives it back where it has to wait.
    fn write(&mut self, order: WriteOrder) -> Option<WriteOrder> {
        self.look();
        loop {
            let Some(archive) = &self.archive else {
                return Some(order);
            };
            let Err(why) = put(archive, &order) else {
                self.tell(Ok(()));
                self.remember(order);
                return None;
            };
            match self.remedy(&why) {
                // How many files may make way has a limit.
                Remedy::Replace if self.replace(&why) => {}
                Remedy::Replace => return Some(order),
                Remedy::Skip => {
                    warn!("the archive does not take a row, which is lost: {}", why.told());
                    self.state.lost.fetch_add(1, Ordering::Relaxed);
                    return None;
                }
                Remedy::Wait | Remedy::Look => {
                    self.tell(Err(&why));
                    return Some(order);
                }
            }
        }
    }

    /// What to do about an error, after a look at the tables where they may be at fault.
    fn remedy(&self, why: &StoreError) -> Remedy {
        match (why.remedy(), &self.archive, &self.home) {
            // In memory, or on loan: there is nothing to put in its place.
            (Remedy::Replace | Remedy::Look, _, None) => Remedy::Wait,
            (Remedy::Look, Some(archive), _) => match archive.know_tables() {
                Ok(()) => Remedy::Skip,
                Err(why) => why.remedy(),
            },
            (remedy, ..) => remedy,
        }
    }

    fn remember(&mut self, order: WriteOrder) {
        if self.home.is_some() {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(order);
        }
    }

    /// Looks whether the file is still the one that was opened: SQLite itself writes on to one that is gone, or whose header
    /// somebody has overwritten.
    fn look(&mut self) {
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
                _ => self.note_file(),
            },
            FileChange::Replaced if self.followed >= MOST_FOLLOWED => self.note_file(),
            change @ (FileChange::Gone | FileChange::Replaced) => {
                let has_old_log = mark.has_log_still(home.path());
                let is_replaced = change == FileChange::Replaced;
                self.followed += u32::from(is_replaced);
                if is_replaced && self.followed == MOST_FOLLOWED {
                    warn!(
                        "the file system tells of another archive again and again: from now on it is taken for the same one"
                    );
                }
                self.follow(has_old_log);
            }
        }
    }

    fn note_file(&mut self) {
        self.mark = self
            .home
            .as_ref()
            .filter(|_| self.archive.is_some())
            .and_then(|home| FileMark::of(home.path()));
    }

    /// Begins a new archive, for this reason; whether there is one.
    fn replace(&mut self, why: &StoreError) -> bool {
        let Some(home) = &mut self.home else {
            return false;
        };
        if let Some(archive) = self.archive.take() {
            archive.leave();
        }
        let opened = home.replace(why);
        self.go_on_with(opened)
    }

    /// Goes on with what lies in the archive's place now, for it is not what was opened.
    fn follow(&mut self, has_old_log: bool) {
        if let (Some(home), Some(archive)) = (&mut self.home, self.archive.take()) {
            let opened = home.follow(archive, has_old_log);
            self.go_on_with(opened);
        }
    }

    /// A new file has what was written last once more: of the end of the old one least can be read.
    fn go_on_with(&mut self, opened: Result<Archive, StoreError>) -> bool {
        self.tell(opened.as_ref().map(drop));
        self.archive = opened.ok();
        self.note_file();
        let Some(archive) = &self.archive else {
            return false;
        };
        let mut left_out = 0;
        for (at, order) in self.recent.iter().enumerate() {
            let Err(why) = put(archive, order) else { continue };
            if self.remedy(&why) != Remedy::Skip {
                // The others would fail as well, each after a while.
                left_out += self.recent.len() - at;
                break;
            }
            left_out += 1;
        }
        if left_out > 0 {
            warn!(
                "{left_out} of the rows that were written last are not in the new archive, which does not take them"
            );
        }
        true
    }

    /// Says once that writing fails, and once that it works again.
    fn tell(&mut self, written: Result<(), &StoreError>) {
        let was_failing = self.state.is_failing.swap(written.is_err(), Ordering::Relaxed);
        match written {
            Err(why) => {
                self.put_off();
                self.is_stale = why.may_need_opening();
                if !was_failing {
                    self.lost_before = self.lost();
                    warn!(
                        "{}, rows wait: games go on, and writing is tried again",
                        why.told()
                    );
                }
            }
            Ok(()) => {
                (self.failures, self.is_stale) = (0, false);
                if was_failing {
                    match self.lost() - self.lost_before {
                        0 => info!("the archive is written again"),
                        lost => info!("the archive is written again; {lost} rows were lost meanwhile"),
                    }
                }
            }
        }
    }

    /// What would be lost if the program ended now.
    pub(super) fn tell_what_waits(&self) {
        let (mut moves, mut others, mut games) = (0_u32, 0_u32, Vec::new());
        for order in &self.waiting {
            match order {
                WriteOrder::Move(..) => moves += 1,
                WriteOrder::Game(record) if record.end.is_some() => games.push(record.id.as_str()),
                _ => others += 1,
            }
        }
        let told = if self.waiting.is_empty() {
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
            .unwrap_or_else(PoisonError::into_inner) = told;
    }
}

/// Writes a row. What asks for an answer is none.
fn put(archive: &Archive, order: &WriteOrder) -> Result<(), StoreError> {
    match order {
        WriteOrder::Game(record) => archive.put_game(record),
        WriteOrder::Forgotten(game, at) => archive.put_forgotten(game, *at),
        WriteOrder::Move(game, record) => archive.put_move(game, record),
        WriteOrder::Challenge(record) => archive.put_challenge(record),
        WriteOrder::Limit(key, until) => archive.put_limit(key, *until),
        WriteOrder::Favour(game, favour) => archive.put_favour(game, favour),
        WriteOrder::Rest(rest) => archive.put_rest(rest),
        WriteOrder::Wish(opponent, asked, at) => archive.put_wish(opponent, asked, *at),
        WriteOrder::Flush(_) | WriteOrder::Ask(_) => Ok(()),
    }
}

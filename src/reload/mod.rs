//! Hot reload of books and personalities. A file with mistakes leaves its last good version in use.
//!
//! A task polls the files' sizes, times and inodes, which works on every file system. Each version is published as a whole behind an
//! `Arc`.

mod book_file;
mod book_folder;
mod debounce;
mod last_good;
mod reload_log;

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio::{sync::watch, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

pub use book_file::{COMPILED, compiled_book, compiled_books};
pub use book_folder::{missing_includes, neighbours, read_limited};
pub use debounce::{Debouncer, FileStamp, Snapshot};
pub use last_good::{LastGood, ReloadOutcome, list, snapshot};
pub use reload_log::{ReloadEvent, ReloadLog};

use crate::config::Paths;
use sparring_book::{LearnedWeights, Library};
use sparring_chess::units::{Millis, Stopwatch, TimeSource as _};
use sparring_diagnostics::Diagnostics;
use sparring_personality::Personalities;

/// Interval between polls of the folders.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long a file must stay unchanged before it is read, since an editor may still be writing it.
const DEBOUNCE: Millis = Millis(900);

/// The last good books and personalities. Clones share them.
#[derive(Debug, Clone)]
pub struct Assets {
    /// All books.
    pub library: watch::Receiver<Arc<Library>>,
    /// All personalities.
    pub personalities: watch::Receiver<Arc<Personalities>>,
    /// Takes the learned weights of books by name; used from the next poll on.
    pub learned_weights: watch::Sender<BTreeMap<String, Arc<LearnedWeights>>>,
    /// The latest reloads.
    pub reload_log: watch::Receiver<ReloadLog>,
}

/// Reads the folders once. Returns their contents, the watcher that reloads them, and the findings of files that cannot be used.
///
/// Spawn [`FileWatcher::run`]; without it nothing is reloaded.
#[must_use]
pub fn open(paths: &Paths) -> (Assets, FileWatcher, Vec<Diagnostics>) {
    let mut last_good = LastGood::default();
    let seen = snapshot(paths);
    let mut findings: Vec<Diagnostics> = last_good
        .reload(&seen.keys().cloned().collect::<Vec<_>>())
        .into_iter()
        .filter_map(|outcome| match outcome {
            ReloadOutcome::Refused { findings, .. } => Some(findings),
            ReloadOutcome::Read { .. } | ReloadOutcome::Gone { .. } => None,
        })
        .collect();
    findings.extend(last_good.missing_includes());
    findings.extend(compiled_books(&paths.books));
    let (library, library_rx) = watch::channel(Arc::new(last_good.library()));
    let (personalities, personalities_rx) = watch::channel(Arc::new(last_good.personalities()));
    let (learned_weights, learned_weights_rx) = watch::channel(BTreeMap::new());
    let (reload_log, reload_log_rx) = watch::channel(ReloadLog::default());
    let watcher = FileWatcher {
        paths: paths.clone(),
        debouncer: Debouncer::new(seen, DEBOUNCE),
        last_good,
        library,
        personalities,
        learned_weights: learned_weights_rx,
        reload_log,
    };
    let assets = Assets {
        library: library_rx,
        personalities: personalities_rx,
        learned_weights,
        reload_log: reload_log_rx,
    };
    (assets, watcher, findings)
}

/// The task that polls the folders and publishes changes.
#[derive(Debug)]
pub struct FileWatcher {
    paths: Paths,
    debouncer: Debouncer,
    last_good: LastGood,
    library: watch::Sender<Arc<Library>>,
    personalities: watch::Sender<Arc<Personalities>>,
    learned_weights: watch::Receiver<BTreeMap<String, Arc<LearnedWeights>>>,
    reload_log: watch::Sender<ReloadLog>,
}

impl FileWatcher {
    /// Polls every second until `cancel`.
    pub async fn run(mut self, cancel: CancellationToken) {
        let clock = Stopwatch::start();
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = cancel.cancelled() => return,
                _ = ticks.tick() => {}
            }
            // Reading a large book takes a while, and must not block the runtime.
            let polled = tokio::task::spawn_blocking(move || {
                self.poll(clock.elapsed());
                self
            });
            match polled.await {
                Ok(watcher) => self = watcher,
                Err(error) => {
                    warn!("books and personalities are no longer watched: {error}");
                    return;
                }
            }
        }
    }

    /// Polls the folders once: reads, reports and publishes the files that have changed and settled.
    pub fn poll(&mut self, now: Millis) {
        if self.learned_weights.has_changed().unwrap_or(false) {
            self.last_good
                .set_learned_weights(self.learned_weights.borrow_and_update().clone());
            self.library.send_replace(Arc::new(self.last_good.library()));
        }
        let changed = self.debouncer.poll(now, &snapshot(&self.paths));
        if changed.is_empty() {
            return;
        }
        let outcomes = self.last_good.reload(&changed);
        for outcome in &outcomes {
            self.report(outcome);
        }
        if outcomes.iter().any(ReloadOutcome::is_about_books) {
            for findings in self.last_good.missing_includes() {
                warn!("{findings}");
                self.record(false, &findings.to_string());
            }
            self.library.send_replace(Arc::new(self.last_good.library()));
        }
        if outcomes.iter().any(|outcome| !outcome.is_about_books()) {
            self.personalities
                .send_replace(Arc::new(self.last_good.personalities()));
        }
    }
}

impl FileWatcher {
    /// Writes a reload to the log and to the reload log of the pages.
    fn report(&self, outcome: &ReloadOutcome) {
        match outcome {
            ReloadOutcome::Refused { findings, .. } => {
                warn!("{outcome}\n{findings}");
                self.record(false, &format!("{outcome}\n{findings}"));
            }
            ReloadOutcome::Read { .. } | ReloadOutcome::Gone { .. } => {
                info!("{outcome}");
                self.record(true, &outcome.to_string());
            }
        }
    }

    fn record(&self, good: bool, text: &str) {
        let now = Millis::since_1970(SystemTime::now());
        self.reload_log
            .send_modify(|reload_log| reload_log.add(now, good, text));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Folder {
        at: tempfile::TempDir,
        assets: Assets,
        watcher: FileWatcher,
        now: Millis,
    }

    impl Folder {
        fn new() -> Self {
            let at = tempfile::tempdir().unwrap();
            let paths = Paths {
                books: at.path().join("books"),
                personalities: at.path().join("personalities"),
                syzygy: Vec::new(),
            };
            fs::create_dir(&paths.books).unwrap();
            fs::create_dir(&paths.personalities).unwrap();
            fs::write(paths.books.join("mine.book"), "1. e4 e5\n").unwrap();
            fs::write(paths.personalities.join("tim.toml"), "books = [\"mine\"]\n").unwrap();
            let (assets, watcher, findings) = open(&paths);
            assert_eq!(findings, []);
            Self {
                at,
                assets,
                watcher,
                now: Millis::ZERO,
            }
        }

        fn write(&self, file: &str, text: &str) {
            fs::write(self.at.path().join(file), text).unwrap();
        }

        /// Polls until every change has settled.
        fn settle(&mut self) {
            for _ in 0..3 {
                self.now += Millis(1000);
                self.watcher.poll(self.now);
            }
        }

        fn rows(&self) -> Option<usize> {
            let library = self.assets.library.borrow().clone();
            library.book("mine").map(|book| book.rows())
        }

        fn noise(&self) -> Option<i32> {
            let personalities = self.assets.personalities.borrow().clone();
            personalities
                .get("tim")
                .and_then(|tim| tim.noise)
                .map(|noise| noise.0)
        }
    }

    #[test]
    fn a_file_that_keeps_its_size_and_time_is_seen_to_change() {
        for is_replaced in [true, false] {
            let mut folder = Folder::new();
            let path = folder.at.path().join("personalities/tim.toml");
            folder.write("personalities/tim.toml", "noise = 5\n");
            folder.settle();
            assert_eq!(folder.noise(), Some(5));
            let before = fs::metadata(&path).unwrap();
            // As `rsync -t` leaves it, and as `cp -p` does.
            let written = if is_replaced {
                "personalities/new"
            } else {
                "personalities/tim.toml"
            };
            folder.write(written, "noise = 7\n");
            let written = folder.at.path().join(written);
            let file = fs::File::options().write(true).open(&written).unwrap();
            file.set_modified(before.modified().unwrap()).unwrap();
            if is_replaced {
                fs::rename(written, &path).unwrap();
            }
            let after = fs::metadata(&path).unwrap();
            assert_eq!(
                (before.len(), before.modified().unwrap()),
                (after.len(), after.modified().unwrap())
            );
            folder.settle();
            assert_eq!(folder.noise(), Some(7));
        }
    }

    #[test]
    fn a_saved_book_is_used_and_a_broken_one_is_not() {
        let mut folder = Folder::new();
        assert_eq!(folder.rows(), Some(1));
        folder.write("books/mine.book", "1. e4 e5\n1. d4 d5\n");
        folder.settle();
        assert_eq!(folder.rows(), Some(2));
        folder.write("books/mine.book", "1. e4 e5\n1. d4 d9\n1. c4\n");
        folder.settle();
        assert_eq!(folder.rows(), Some(2), "the last good one stays");
        folder.write("books/mine.book", "1. e4 e5\n1. d4 d5\n1. c4\n");
        folder.settle();
        assert_eq!(folder.rows(), Some(3));
        fs::remove_file(folder.at.path().join("books/mine.book")).unwrap();
        folder.settle();
        assert_eq!(folder.rows(), None);
    }

    #[test]
    fn a_file_that_is_cut_to_nothing_leaves_the_last_good_one_in_force() {
        let mut folder = Folder::new();
        folder.write("personalities/tim.toml", "noise = 40\n");
        folder.settle();
        folder.write("books/mine.book", "");
        folder.write("personalities/tim.toml", "\n");
        folder.settle();
        assert_eq!((folder.rows(), folder.noise()), (Some(1), Some(40)));
        folder.write("books/mine.book", "# nothing for now\n");
        folder.write("personalities/tim.toml", "# plain\n");
        folder.settle();
        assert_eq!(
            (folder.rows(), folder.noise()),
            (Some(0), None),
            "as somebody wrote it"
        );
        folder.write("books/mine.book", "");
        folder.settle();
        assert_eq!(folder.rows(), Some(0));
    }

    #[test]
    fn leans_count_with_the_next_look_and_outlast_a_reload() {
        let mut folder = Folder::new();
        folder.write("books/mine.book", "1. e4 50 | d4 50\n");
        folder.settle();
        let chance = |folder: &Folder| {
            let library = folder.assets.library.borrow().clone();
            let start = sparring_chess::GameHistory::new(sparring_chess::Variant::Standard);
            let choices = library.choices(&["mine".to_owned()], &start);
            let e4 = choices
                .iter()
                .find(|choice| choice.mv.to() == sparring_chess::Square::E4);
            e4.map(|choice| (choice.chance * 100.0).round())
        };
        assert_eq!(chance(&folder), Some(50.0));
        let start = sparring_chess::GameHistory::new(sparring_chess::Variant::Standard);
        let factor = sparring_book::WeightFactor {
            key: start.keys()[0],
            uci: "e2e4".to_owned(),
            games: 9,
            points: 0.0,
            expected: 4.5,
            permille: 500,
        };
        let weights = Arc::new(std::iter::once(factor).collect::<LearnedWeights>());
        folder
            .assets
            .learned_weights
            .send_replace(BTreeMap::from([("mine".to_owned(), weights)]));
        folder.settle();
        assert_eq!(chance(&folder), Some(33.0));
        folder.write("books/mine.book", "1. e4 75 | d4 25\n");
        folder.settle();
        assert_eq!(chance(&folder), Some(60.0));
        folder.assets.learned_weights.send_replace(BTreeMap::new());
        folder.settle();
        assert_eq!(chance(&folder), Some(75.0));
    }

    #[test]
    fn what_became_of_a_file_is_told_to_the_pages() {
        let mut folder = Folder::new();
        folder.write("books/mine.book", "1. e4 e5\n1. d4 d5\n");
        folder.settle();
        folder.write("books/mine.book", "1. e4 e9\n");
        folder.settle();
        let reload_log = folder.assets.reload_log.borrow().clone();
        let events: Vec<(bool, &str)> = reload_log
            .recent()
            .map(|event| (event.good, event.text.as_str()))
            .collect();
        let path = folder.at.path().join("books/mine.book").display().to_string();
        assert_eq!(events.len(), 2, "{events:?}");
        assert!(
            !events[0].0 && events[0].1.contains(&format!("{path}:1:7: error: ")),
            "{events:?}"
        );
        assert_eq!(
            events[1],
            (true, format!("book reloaded, 2 lines: {path}").as_str())
        );
    }

    #[test]
    fn a_file_that_still_grows_is_not_read() {
        let mut folder = Folder::new();
        let mut text = "1. e4 e5\n".to_owned();
        for _ in 0..5 {
            text.push_str("1. d4 d5 2. c4\n");
            folder.write("books/mine.book", &text);
            folder.now += Millis(1000);
            folder.watcher.poll(folder.now);
            assert_eq!(folder.rows(), Some(1));
        }
        folder.settle();
        assert_eq!(folder.rows(), Some(6));
    }

    #[test]
    fn personalities_travel_the_same_way() {
        let mut folder = Folder::new();
        assert_eq!(folder.noise(), None);
        folder.write("personalities/tim.toml", "noise = 40\n");
        folder.settle();
        assert_eq!(folder.noise(), Some(40));
        folder.write("personalities/tim.toml", "noise = \"loud\"\n");
        folder.settle();
        assert_eq!(folder.noise(), Some(40));
        fs::remove_file(folder.at.path().join("personalities/tim.toml")).unwrap();
        folder.settle();
        assert_eq!(folder.noise(), None, "nobody can ask for it");
        let personalities = folder.assets.personalities.borrow().clone();
        let seated = personalities.get_or_default("tim").noise.map(|noise| noise.0);
        assert_eq!(seated, Some(40), "whom the settings still name plays as before");
    }

    #[test]
    fn a_personality_waits_for_its_book() {
        let mut folder = Folder::new();
        folder.write("personalities/tim.toml", "noise = 9\nbooks = [\"other\"]\n");
        folder.settle();
        assert_eq!(folder.noise(), None, "there is no such book yet");
        folder.write("books/other.book", "1. c4\n");
        folder.settle();
        assert_eq!(folder.noise(), Some(9));
    }

    #[tokio::test]
    async fn the_task_ends_when_it_is_cancelled() {
        let folder = Folder::new();
        let cancel = CancellationToken::new();
        cancel.cancel();
        folder.watcher.run(cancel).await;
    }
}

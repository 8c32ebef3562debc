//! Debounce of changed files: a file counts as finished once it has been the same for a while.

use std::{collections::BTreeMap, fs::Metadata, path::PathBuf, time::SystemTime};

use crate::platform::file_version;
use sparring_chess::units::Millis;

/// Metadata that tells two versions of a file apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// The size in bytes.
    size: u64,
    /// The mtime, if the file system has one.
    modified: Option<SystemTime>,
    /// Tells versions of the same size and mtime apart.
    version: (u64, u64),
}

impl FileStamp {
    /// The stamp of a file. Another file of the same size and mtime, as `cp -p` and `rsync -t` leave it, has another stamp.
    #[must_use]
    pub fn of(file: &Metadata) -> Self {
        Self {
            size: file.len(),
            modified: file.modified().ok(),
            version: file_version(file),
        }
    }
}

/// The stamps of all files at a poll.
pub type Snapshot = BTreeMap<PathBuf, FileStamp>;

/// Compares snapshots and returns changes that have settled, each file for itself. Time is an argument.
#[derive(Debug)]
pub struct Debouncer {
    /// The snapshot as reported so far.
    reported: Snapshot,
    /// Files that differ from `reported`: how, and since when.
    settling: BTreeMap<PathBuf, Settling>,
    debounce: Millis,
}

/// A changed file. Without a stamp it was deleted.
#[derive(Debug, PartialEq, Eq)]
struct Settling {
    stamp: Option<FileStamp>,
    since: Millis,
}

impl Debouncer {
    /// Starts from a known snapshot. A change is reported once it has stayed the same for `debounce`.
    #[must_use]
    pub fn new(reported: Snapshot, debounce: Millis) -> Self {
        Self {
            reported,
            settling: BTreeMap::new(),
            debounce,
        }
    }

    /// The files that are new, changed or deleted, and have settled. A file that keeps changing does not delay the others.
    pub fn poll(&mut self, now: Millis, seen: &Snapshot) -> Vec<PathBuf> {
        self.settling
            .retain(|path, _| self.reported.get(path) != seen.get(path));
        let known = self.reported.keys();
        let changed: Vec<PathBuf> = known
            .chain(seen.keys().filter(|path| !self.reported.contains_key(*path)))
            .filter(|path| self.reported.get(*path) != seen.get(*path))
            .cloned()
            .collect();
        changed
            .into_iter()
            .filter(|path| self.is_settled(now, path, seen.get(path).copied()))
            .collect()
    }

    /// Whether a changed file has settled. Records it as reported then.
    fn is_settled(&mut self, now: Millis, path: &PathBuf, stamp: Option<FileStamp>) -> bool {
        let fresh = Settling { stamp, since: now };
        let settling = self.settling.entry(path.clone()).or_insert(fresh);
        if settling.stamp != stamp {
            *settling = Settling { stamp, since: now };
        }
        if now - settling.since < self.debounce {
            return false;
        }
        self.settling.remove(path);
        match stamp {
            Some(stamp) => self.reported.insert(path.clone(), stamp),
            None => self.reported.remove(path),
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(files: &[(&str, u64)]) -> Snapshot {
        let stamp = |size| FileStamp {
            size,
            ..FileStamp::default()
        };
        files
            .iter()
            .map(|(path, size)| (PathBuf::from(path), stamp(*size)))
            .collect()
    }

    fn looks(debouncer: &mut Debouncer, at: u64, files: &[(&str, u64)]) -> Vec<String> {
        let changed = debouncer.poll(Millis(at), &glance(files));
        changed.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_change_is_told_once_and_only_after_its_rest() {
        let mut debouncer = Debouncer::new(glance(&[("a", 1), ("b", 1)]), Millis(900));
        assert!(looks(&mut debouncer, 1000, &[("a", 1), ("b", 1)]).is_empty());
        assert!(looks(&mut debouncer, 2000, &[("a", 2), ("b", 1)]).is_empty());
        assert!(
            looks(&mut debouncer, 3000, &[("a", 3), ("b", 1)]).is_empty(),
            "it still grows"
        );
        assert_eq!(looks(&mut debouncer, 4000, &[("a", 3), ("b", 1)]), ["a"]);
        assert!(looks(&mut debouncer, 5000, &[("a", 3), ("b", 1)]).is_empty());
    }

    #[test]
    fn new_and_vanished_files_are_changes() {
        let mut debouncer = Debouncer::new(glance(&[("a", 1)]), Millis(900));
        looks(&mut debouncer, 1000, &[("b", 1)]);
        assert_eq!(looks(&mut debouncer, 2000, &[("b", 1)]), ["a", "b"]);
    }

    #[test]
    fn a_file_that_is_gone_for_a_moment_is_no_news() {
        let mut debouncer = Debouncer::new(glance(&[("a", 1)]), Millis(900));
        assert!(looks(&mut debouncer, 1000, &[]).is_empty());
        assert!(looks(&mut debouncer, 2000, &[("a", 1)]).is_empty());
        assert!(looks(&mut debouncer, 3000, &[("a", 1)]).is_empty());
    }

    #[test]
    fn a_restless_file_does_not_hold_up_another() {
        let mut debouncer = Debouncer::new(glance(&[("a", 1), ("b", 1)]), Millis(900));
        for second in 1..=5 {
            let size = if second < 3 { 1 } else { 2 };
            let told = looks(&mut debouncer, second * 1000, &[("a", second + 1), ("b", size)]);
            let expected: &[&str] = if second == 4 { &["b"] } else { &[] };
            assert_eq!(told, expected, "second {second}");
        }
    }
}

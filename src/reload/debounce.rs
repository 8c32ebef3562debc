//! Debounce of changed files: a file counts as finished once it has been the same for a while.

use std::{collections::BTreeMap, fs::Metadata, path::PathBuf, time::SystemTime};

use sparring_chess::units::Millis;

/// How a file looks from outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// Its size in bytes.
    size: u64,
    /// When it was last written, if the file system says so.
    modified: Option<SystemTime>,
    /// Which file it is, and when anything about it was last changed.
    identity: (u64, u64),
}

impl FileStamp {
    /// The look of a file. Another file of the same size and time, as `cp -p` and `rsync -t` leave it, looks otherwise.
    #[must_use]
    pub fn of(file: &Metadata) -> Self {
        Self {
            size: file.len(),
            modified: file.modified().ok(),
            identity: identity(file),
        }
    }
}

/// The number of a file, and the moment of its last change, in nanoseconds. That one cannot be set by anybody, unlike the time
/// of the last writing.
#[cfg(unix)]
pub(super) fn identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    let changed = file
        .ctime()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(file.ctime_nsec());
    (file.ino(), changed.cast_unsigned())
}

#[cfg(not(unix))]
pub(super) fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// All files of a look, each with how it looks.
pub type Snapshot = BTreeMap<PathBuf, FileStamp>;

/// Compares looks at files and tells of changes that have come to rest, each file for itself. Time is passed in.
#[derive(Debug)]
pub struct Debouncer {
    /// What has been told of.
    told: Snapshot,
    /// Files that look otherwise than was told: how, and since when.
    moving: BTreeMap<PathBuf, Settling>,
    rest: Millis,
}

/// A file on its way to another look; without a stamp it is not there.
#[derive(Debug, PartialEq, Eq)]
struct Settling {
    stamp: Option<FileStamp>,
    since: Millis,
}

impl Debouncer {
    /// Starts from a look that needs no telling. Changes must rest for so long.
    #[must_use]
    pub fn new(told: Snapshot, rest: Millis) -> Self {
        Self {
            told,
            moving: BTreeMap::new(),
            rest,
        }
    }

    /// Takes a look at a time, and gives the files that are new, changed or gone, and rest. One that is written again and
    /// again does not hold up the others.
    pub fn look(&mut self, now: Millis, seen: &Snapshot) -> Vec<PathBuf> {
        self.moving
            .retain(|path, _| self.told.get(path) != seen.get(path));
        let known = self.told.keys();
        let changed: Vec<PathBuf> = known
            .chain(seen.keys().filter(|path| !self.told.contains_key(*path)))
            .filter(|path| self.told.get(*path) != seen.get(*path))
            .cloned()
            .collect();
        changed
            .into_iter()
            .filter(|path| self.is_settled(now, path, seen.get(path).copied()))
            .collect()
    }

    /// Whether a changed file has looked so for long enough. It is then told of.
    fn is_settled(&mut self, now: Millis, path: &PathBuf, stamp: Option<FileStamp>) -> bool {
        let fresh = Settling { stamp, since: now };
        let moving = self.moving.entry(path.clone()).or_insert(fresh);
        if moving.stamp != stamp {
            *moving = Settling { stamp, since: now };
        }
        if now - moving.since < self.rest {
            return false;
        }
        self.moving.remove(path);
        match stamp {
            Some(stamp) => self.told.insert(path.clone(), stamp),
            None => self.told.remove(path),
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
        let changed = debouncer.look(Millis(at), &glance(files));
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

//! When is a changed file finished? Once it has looked the same for a while.

use std::{collections::BTreeMap, path::PathBuf, time::SystemTime};

use crate::units::Millis;

/// How a file looks from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, if the file system says so.
    pub modified: Option<SystemTime>,
}

/// All files of a look, each with how it looks.
pub type Glance = BTreeMap<PathBuf, Stamp>;

/// Compares looks at files and tells of changes that have come to rest. Time is passed in.
#[derive(Debug)]
pub struct Quiet {
    /// What has been told of.
    told: Glance,
    /// The latest look, and since when it has been the same.
    seen: Glance,
    since: Millis,
    rest: Millis,
}

impl Quiet {
    /// Starts from a look that needs no telling. Changes must rest for so long.
    #[must_use]
    pub fn new(told: Glance, rest: Millis) -> Self {
        Self {
            seen: told.clone(),
            told,
            since: Millis::ZERO,
            rest,
        }
    }

    /// Takes a look at a time, and gives the files that are new, changed or gone, once all of them rest.
    pub fn look(&mut self, now: Millis, seen: Glance) -> Vec<PathBuf> {
        if seen != self.seen {
            self.seen = seen;
            self.since = now;
        }
        if self.seen == self.told || now - self.since < self.rest {
            return Vec::new();
        }
        let changed = self
            .told
            .keys()
            .chain(self.seen.keys().filter(|path| !self.told.contains_key(*path)))
            .filter(|path| self.told.get(*path) != self.seen.get(*path))
            .cloned()
            .collect();
        self.told.clone_from(&self.seen);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(files: &[(&str, u64)]) -> Glance {
        let stamp = |size| Stamp { size, modified: None };
        files
            .iter()
            .map(|(path, size)| (PathBuf::from(path), stamp(*size)))
            .collect()
    }

    fn looks(quiet: &mut Quiet, at: u64, files: &[(&str, u64)]) -> Vec<String> {
        let changed = quiet.look(Millis(at), glance(files));
        changed.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_change_is_told_once_and_only_after_its_rest() {
        let mut quiet = Quiet::new(glance(&[("a", 1), ("b", 1)]), Millis(900));
        assert!(looks(&mut quiet, 1000, &[("a", 1), ("b", 1)]).is_empty());
        assert!(looks(&mut quiet, 2000, &[("a", 2), ("b", 1)]).is_empty());
        assert!(
            looks(&mut quiet, 3000, &[("a", 3), ("b", 1)]).is_empty(),
            "it still grows"
        );
        assert_eq!(looks(&mut quiet, 4000, &[("a", 3), ("b", 1)]), ["a"]);
        assert!(looks(&mut quiet, 5000, &[("a", 3), ("b", 1)]).is_empty());
    }

    #[test]
    fn new_and_vanished_files_are_changes() {
        let mut quiet = Quiet::new(glance(&[("a", 1)]), Millis(900));
        looks(&mut quiet, 1000, &[("b", 1)]);
        assert_eq!(looks(&mut quiet, 2000, &[("b", 1)]), ["a", "b"]);
    }

    #[test]
    fn a_file_that_is_gone_for_a_moment_is_no_news() {
        let mut quiet = Quiet::new(glance(&[("a", 1)]), Millis(900));
        assert!(looks(&mut quiet, 1000, &[]).is_empty());
        assert!(looks(&mut quiet, 2000, &[("a", 1)]).is_empty());
        assert!(looks(&mut quiet, 3000, &[("a", 1)]).is_empty());
    }
}

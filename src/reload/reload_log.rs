//! Log of recent reloads, for the pages.

use std::{collections::VecDeque, sync::Arc};

use sparring_chess::units::Millis;

/// How many events are kept.
const CAPACITY: usize = 20;
/// Longest text of an event in characters: a file that is no book has many mistakes.
const MAX_TEXT: usize = 600;

/// The outcome of reloading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadEvent {
    /// Counts from 1 since the program started, so that a page knows what it has shown.
    pub number: u64,
    /// The time since 1970.
    pub at: Millis,
    /// Whether the new version is in use.
    pub good: bool,
    /// The text of the log: `book reloaded, 412 lines: books/main.book`, or mistakes with line and column.
    pub text: String,
}

/// The latest reloads, newest last. Clones are cheap.
#[derive(Debug, Clone, Default)]
pub struct ReloadLog(Arc<VecDeque<ReloadEvent>>);

impl ReloadLog {
    /// The events, newest first.
    pub fn recent(&self) -> impl Iterator<Item = &ReloadEvent> {
        self.0.iter().rev()
    }

    /// Adds an event at a time since 1970.
    pub(super) fn add(&mut self, at: Millis, good: bool, text: &str) {
        let number = self.0.back().map_or(0, |last| last.number) + 1;
        let kept = Arc::make_mut(&mut self.0);
        if kept.len() >= CAPACITY {
            kept.pop_front();
        }
        kept.push_back(ReloadEvent {
            number,
            at,
            good,
            text: text.chars().take(MAX_TEXT).collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_kept_and_numbered_through() {
        let mut reload_log = ReloadLog::default();
        for number in 0..25 {
            reload_log.add(Millis(number), true, &"x".repeat(1000));
        }
        let numbers: Vec<u64> = reload_log.recent().map(|event| event.number).collect();
        assert_eq!(numbers, (6..=25).rev().collect::<Vec<_>>());
        assert!(reload_log.recent().all(|event| event.text.len() == MAX_TEXT));
    }
}

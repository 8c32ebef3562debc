//! Latency statistics.

use std::{collections::BTreeMap, fmt};

use crate::harness::Played;
use sparring_lichess::model::Status;

/// Answer times, in microseconds.
#[derive(Debug, Default)]
pub(super) struct Latency(Vec<u64>);

impl Latency {
    pub(super) fn add(&mut self, waits: &[u64]) {
        self.0.extend(waits);
    }

    /// The time that this share of answers did not exceed, in milliseconds.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let at = (share * last as f64).round() as usize;
        sorted.get(at).map_or(0.0, |micros| *micros as f64 / 1000.0)
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, p99, most] = [0.5, 0.99, 1.0].map(|share| self.quantile(share));
        write!(
            f,
            "p50 {median:.2} ms, p99 {p99:.2} ms, max {most:.2} ms of {} answers",
            self.0.len()
        )
    }
}

/// How games ended.
#[derive(Debug, Default)]
pub(super) struct Tally {
    endings: BTreeMap<String, usize>,
    /// Games with an end.
    pub finished: usize,
    /// Games that the bot lost by its clock.
    pub lost_on_time: usize,
    /// Games that the bot won.
    pub won: usize,
    /// Games that took too long.
    pub stuck: usize,
}

impl Tally {
    pub(super) fn add(&mut self, game: &Played) {
        self.finished += 1;
        *self.endings.entry(game.status.name().to_owned()).or_default() += 1;
        self.won += usize::from(game.winner == Some(game.bot));
        if game.bot_lost() && game.status == Status::OutOfTime {
            self.lost_on_time += 1;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (ending, count) in &other.endings {
            *self.endings.entry(ending.clone()).or_default() += count;
        }
        self.finished += other.finished;
        self.lost_on_time += other.lost_on_time;
        self.won += other.won;
        self.stuck += other.stuck;
    }

    pub(super) fn endings(&self) -> String {
        let words: Vec<String> = self
            .endings
            .iter()
            .map(|(ending, count)| format!("{count} {ending}"))
            .collect();
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_times() {
        let mut latency = Latency::default();
        latency.add(&(1..=101).rev().map(|ms| ms * 1000).collect::<Vec<u64>>());
        assert_eq!(
            latency.to_string(),
            "p50 51.00 ms, p99 100.00 ms, max 101.00 ms of 101 answers"
        );
        assert_eq!(
            Latency::default().to_string(),
            "p50 0.00 ms, p99 0.00 ms, max 0.00 ms of 0 answers"
        );
    }
}

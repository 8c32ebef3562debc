//! Metrics in OpenMetrics format. No label names a user or a game.

use std::sync::Arc;

use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Registry, Unit},
};

use crate::bot::status::Status;
use crate::store::ArchiveWriter;
use sparring_chess::units::Millis;
use sparring_lichess::retry::EndpointClass;

/// Bounds of the histogram of round trips, in seconds: from the same machine to a bad day.
const TRIPS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

/// Labels and their values, all known at compile time.
type Labels = Vec<(&'static str, &'static str)>;

/// Counters of a daemon. Clones count together.
#[derive(Debug, Clone)]
pub struct Metrics(Arc<Counted>);

#[derive(Debug)]
struct Counted {
    registry: Registry,
    games: Gauge,
    asleep: Gauge,
    waiting: Gauge,
    listening: Gauge,
    refused: Gauge,
    memory: Gauge,
    begun: Counter,
    ended: Family<Labels, Counter>,
    challenges: Family<Labels, Counter>,
    trips: Histogram,
    lost_streams: Family<Labels, Counter>,
    contested: Family<Labels, Counter>,
    skipped: Family<Labels, Counter>,
    limited: Family<Labels, Counter>,
    external_failures: Family<Labels, Counter>,
    pondered: Family<Labels, Counter>,
    online_requests: Family<Labels, Counter>,
    lost_rows: Gauge,
    set_aside: Gauge,
    failing: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut counted = Counted {
            registry: Registry::with_prefix("sparring"),
            games: Gauge::default(),
            asleep: Gauge::default(),
            waiting: Gauge::default(),
            listening: Gauge::default(),
            refused: Gauge::default(),
            memory: Gauge::default(),
            begun: Counter::default(),
            ended: Family::default(),
            challenges: Family::default(),
            trips: Histogram::new(TRIPS),
            lost_streams: Family::default(),
            contested: Family::default(),
            skipped: Family::default(),
            limited: Family::default(),
            external_failures: Family::default(),
            pondered: Family::default(),
            online_requests: Family::default(),
            lost_rows: Gauge::default(),
            set_aside: Gauge::default(),
            failing: Gauge::default(),
        };
        counted.register();
        Self(Arc::new(counted))
    }
}

impl Counted {
    fn register(&mut self) {
        let registry = &mut self.registry;
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of the program, as the label version", build);
        registry.register("games", "Running games", self.games.clone());
        registry.register(
            "games_asleep",
            "Correspondence games that wait for the opponent without a stream",
            self.asleep.clone(),
        );
        registry.register(
            "challenges_waiting",
            "Challenges in the queue",
            self.waiting.clone(),
        );
        registry.register(
            "listening",
            "1 while the event stream is open",
            self.listening.clone(),
        );
        registry.register(
            "settings_refused",
            "1 while bot.toml cannot be used: earlier settings are in force, or only games of the last run are played",
            self.refused.clone(),
        );
        registry.register_with_unit(
            "resident_memory",
            "Resident memory of the process",
            Unit::Bytes,
            self.memory.clone(),
        );
        registry.register("games_begun", "Games begun or resumed", self.begun.clone());
        registry.register(
            "games_ended",
            "Games ended, by result: won, lost, drawn or void",
            self.ended.clone(),
        );
        registry.register(
            "challenges",
            "Challenges by others, by verdict: accepted, declined, or lapsed (taken back or gone before they could be accepted)",
            self.challenges.clone(),
        );
        registry.register_with_unit(
            "move_round_trip",
            "Histogram of the time from sending a move to the answer of the server",
            Unit::Seconds,
            self.trips.clone(),
        );
        registry.register(
            "streams_lost",
            "Streams that ended early, by stream: event or game",
            self.lost_streams.clone(),
        );
        registry.register(
            "streams_contested",
            "Series of streams that ended as if another program used the token, by stream: event or game",
            self.contested.clone(),
        );
        registry.register(
            "lines_skipped",
            "Stream lines that could not be read, by stream: event or game",
            self.skipped.clone(),
        );
        registry.register(
            "rate_limited",
            "Answers 429 (too many requests), by class of endpoint",
            self.limited.clone(),
        );
        registry.register(
            "external_engine_failures",
            "Failures of external engines, by kind: start, option, ended, garbage, timeout or illegal",
            self.external_failures.clone(),
        );
        registry.register(
            "replies_pondered",
            "Replies that an engine had thought about on the opponent's time, by result: hit or miss",
            self.pondered.clone(),
        );
        registry.register(
            "online_source_requests",
            "Questions to online sources of moves, by source and result: cached, answered, unknown, timeout, rate-limited, unauthorized, status, network, garbage or illegal",
            self.online_requests.clone(),
        );
        registry.register(
            "archive_rows_lost",
            "Archive rows lost because they could not be written",
            self.lost_rows.clone(),
        );
        registry.register(
            "archive_failing",
            "1 while the archive cannot be written and rows wait",
            self.failing.clone(),
        );
        registry.register(
            "archives_set_aside",
            "Damaged archives set aside in this run",
            self.set_aside.clone(),
        );
    }
}

impl Metrics {
    /// A game was begun or resumed.
    pub(in crate::bot) fn game_begun(&self) {
        self.0.begun.inc();
    }

    /// A game ended so: `won`, `lost`, `drawn` or `void`.
    pub(in crate::bot) fn game_ended(&self, result: &'static str) {
        self.0.ended.get_or_create(&vec![("result", result)]).inc();
    }

    /// Something came of a challenge of somebody else: `accepted`, `declined`, or `lapsed` when it was gone before.
    pub(in crate::bot) fn challenge(&self, verdict: &'static str) {
        self.0.challenges.get_or_create(&vec![("verdict", verdict)]).inc();
    }

    /// A move was answered after so long.
    pub(in crate::bot) fn moved(&self, trip: Millis) {
        self.0.trips.observe(trip.as_secs_f64());
    }

    /// A stream ended early: `event` or `game`.
    pub(in crate::bot) fn stream_lost(&self, kind: &'static str) {
        self.0.lost_streams.get_or_create(&vec![("stream", kind)]).inc();
    }

    /// Streams ended again and again as if somebody else took them over: `event` or `game`.
    pub(in crate::bot) fn stream_contested(&self, kind: &'static str) {
        self.0.contested.get_or_create(&vec![("stream", kind)]).inc();
    }

    /// A line of a stream made no sense: `event` or `game`.
    pub(in crate::bot) fn line_skipped(&self, kind: &'static str) {
        self.0.skipped.get_or_create(&vec![("stream", kind)]).inc();
    }

    /// The server refused a class of calls for a while.
    pub(in crate::bot) fn limited(&self, class: EndpointClass) {
        self.0.limited.get_or_create(&vec![("class", class.name())]).inc();
    }

    /// An external engine failed: `start`, `option`, `ended`, `garbage`, `timeout` or `illegal`.
    pub(in crate::bot) fn external_engine_failed(&self, kind: &'static str) {
        self.0
            .external_failures
            .get_or_create(&vec![("kind", kind)])
            .inc();
    }

    /// An engine pondered, and the opponent has replied: as expected or not.
    pub(in crate::bot) fn pondered(&self, is_hit: bool) {
        let result = if is_hit { "hit" } else { "miss" };
        self.0.pondered.get_or_create(&vec![("result", result)]).inc();
    }

    /// An online source of this kind was asked, with this result: `cached`, `answered`, `unknown`, or how it failed.
    pub(in crate::bot) fn online_source_asked(&self, source: &'static str, result: &'static str) {
        self.0
            .online_requests
            .get_or_create(&vec![("source", source), ("result", result)])
            .inc();
    }

    /// Whether the settings were refused: earlier ones are in force, or only games of the last run are played.
    pub fn settings_refused(&self, are: bool) {
        self.0.refused.set(i64::from(are));
    }

    /// Every metric as OpenMetrics text, each label counted once: what the table in docs/operate.md is made from. A family that
    /// has counted nothing has no lines.
    #[must_use]
    pub fn reference() -> String {
        let metrics = Self::default();
        metrics.game_ended("won");
        metrics.challenge("accepted");
        metrics.stream_lost("event");
        metrics.stream_contested("event");
        metrics.line_skipped("event");
        metrics.limited(EndpointClass::Challenge);
        metrics.external_engine_failed("ended");
        metrics.pondered(true);
        metrics.online_source_asked("explorer-masters", "answered");
        metrics.page(&Status::default(), &ArchiveWriter::default(), None)
    }

    /// Everything as OpenMetrics text. `memory` is what the process uses, in bytes, where that is known.
    #[must_use]
    pub fn page(&self, status: &Status, store: &ArchiveWriter, memory: Option<u64>) -> String {
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.0.games.set(signed(status.games as u64));
        self.0.asleep.set(signed(status.parked as u64));
        self.0.waiting.set(signed(status.waiting as u64));
        self.0.listening.set(i64::from(status.is_listening));
        self.0.lost_rows.set(signed(store.lost()));
        self.0.failing.set(i64::from(store.is_failing()));
        self.0.set_aside.set(signed(store.set_aside()));
        self.0.memory.set(signed(memory.unwrap_or_default()));
        let mut page = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut page, &self.0.registry);
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_counted_is_on_the_page() {
        let meters = Metrics::default();
        meters.game_begun();
        meters.game_ended("won");
        meters.challenge("declined");
        meters.moved(Millis(30));
        meters.stream_lost("event");
        meters.stream_contested("event");
        meters.line_skipped("game");
        meters.limited(EndpointClass::Challenge);
        meters.settings_refused(true);
        let status = Status {
            games: 3,
            waiting: 2,
            is_listening: true,
            ..Status::default()
        };
        let page = meters.page(&status, &ArchiveWriter::default(), Some(1024));
        for line in [
            "sparring_games 3",
            "sparring_challenges_waiting 2",
            "sparring_listening 1",
            "sparring_settings_refused 1",
            "sparring_resident_memory_bytes 1024",
            "sparring_games_begun_total 1",
            "sparring_games_ended_total{result=\"won\"} 1",
            "sparring_challenges_total{verdict=\"declined\"} 1",
            "sparring_move_round_trip_seconds_bucket{le=\"0.025\"} 0",
            "sparring_move_round_trip_seconds_bucket{le=\"0.05\"} 1",
            "sparring_streams_lost_total{stream=\"event\"} 1",
            "sparring_streams_contested_total{stream=\"event\"} 1",
            "sparring_lines_skipped_total{stream=\"game\"} 1",
            "sparring_rate_limited_total{class=\"challenge\"} 1",
            "# EOF",
        ] {
            assert!(
                page.lines().any(|found| found == line),
                "{line} is not on\n{page}"
            );
        }
    }

    #[test]
    fn the_reference_has_every_metric() {
        let registered = include_str!("metrics.rs")
            .lines()
            .filter(|line| line.trim_start().starts_with("registry.register"))
            .count();
        let listed = Metrics::reference().matches("# TYPE ").count();
        assert_eq!(listed, registered, "a family is missing from `reference`");
    }
}

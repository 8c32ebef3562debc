//! Bench: the engine's signature, its node count over fixed positions at a fixed depth.
//!
//! A change that must not change play keeps this number; one that means to shows a new one.

use thiserror::Error;

use super::{Engine, Limits, SearchControl, SearchRequest, SearchResult, Stop};
use sparring_chess::{
    GameHistory, Variant,
    units::{Depth, Millis, Nodes, Stopwatch, TimeSource},
};

/// The default depth of [`run`].
pub const DEPTH: Depth = Depth(11);

/// One position of each of forty self-play games from random openings, later and later in the game.
const POSITIONS: [&str; 40] = [
    "rn1qkbnr/pbpppp2/8/1p1P2pp/2P3P1/8/PP2PP1P/RNBQKBNR w KQkq - 0 5",
    "rnbqkb1r/1ppp2pp/7n/1P2pp2/8/7P/1BPPPPP1/RN1QKBNR b KQkq - 0 6",
    "rn1q1rk1/ppp1bppp/5n2/3Pp3/2P3b1/7N/PP1P1PPP/RNB1KB1R w KQ - 1 8",
    "r1bqk2r/1pp1bpp1/p1n2n2/4p2p/3p3P/2NPPN2/PPP1BPP1/R1BQ1RK1 b kq - 1 9",
    "r1b1k2r/p1p1bpp1/1pn2n2/4P2p/7P/4P1N1/PP2NPP1/R1BqKB1R w KQkq - 0 11",
    "rn1k1b1r/pp3ppp/2p2n2/3p3P/PP1P3P/2P2P1R/5P2/RNBQK3 b Q - 0 12",
    "1rbqkbnr/p2n1p2/2p5/4p2p/Q3p1p1/2P1P2N/1B1P1PPP/1R2KB1R w Kk - 0 14",
    "r1bq1rk1/1pp2p2/6p1/p6p/3b2PP/P1NQ2K1/1PP3P1/1RB2BNR b - - 0 15",
    "r4rk1/5pp1/b1p1pq1p/p3b3/1pP4P/1P2BP1N/P1N1P3/R2QKB1R w - - 0 17",
    "r1q1kb1r/ppp2pp1/7p/4P3/4N3/1P6/PP2BPPP/n1BR3K b kq - 3 17",
    "1r2qr1k/p1p3pp/2n1Pb2/3p4/3P1P2/2P1N1P1/1P2B2P/R1BQ1R1K w - - 1 20",
    "4k2r/3pBppp/q3n3/3n4/8/1Q5P/1P3PP1/1N2R1K1 b k - 0 21",
    "rnb1kb1r/pp4p1/2p2n2/1P1pp3/8/2N1P3/P1P1QP1q/R1B1K3 w kq - 2 14",
    "1n4kr/1p1bPpp1/5n2/1N5p/2B1p3/8/2PP1PPP/BN1Q1RK1 w - - 1 18",
    "r1b1kb1N/1p4p1/p1p2pQ1/B2p4/P3P2P/8/1PP2PP1/R3KB1R b - - 0 19",
    "2r4k/pp2b3/4bp1p/2p1Np1B/3p4/3P4/PPP1Q1PP/R1B2R1K b - - 0 20",
    "r1b1kb1r/pp4pp/3p4/2pq3n/8/8/PP1P1PnP/R1BK3R w kq - 0 16",
    "r2r2k1/pp2p1bp/2b3P1/8/1n2p3/4P1R1/1P4PK/2Qq4 b - - 2 24",
    "4qrk1/pp2b1pp/8/2p1NP2/5P2/1P6/PBQr1P1P/R4KR1 w - - 5 22",
    "r3kb2/pppnp1pr/6pp/8/2P4P/1P4n1/P7/2B1KB1q b q - 2 20",
    "k2r3r/ppp4p/3b4/3Ppp2/P1B3n1/1Q1P1N2/4KPP1/B6R w - - 0 19",
    "3r3N/1pk5/3pb3/p1p2p2/2P5/2bPPBRP/PP2K3/R1BQ4 b - - 0 25",
    "r7/5kp1/1p3n1p/3p3p/P2q4/1b5P/4BPP1/R5K1 w - - 0 29",
    "5rk1/1p2bppp/r1n5/8/2p1p2P/1p2P1P1/3q1P1N/3R2K1 b - - 1 23",
    "2k2r1r/pp2b2R/P1n1p3/2p5/2P1Q3/8/1P3PP1/R1B1KB2 w Q - 1 25",
    "r4rk1/p2b2pp/1p1pp3/8/5P1b/4q3/3RB1PP/2R2K2 w - - 0 25",
    "r1bqkb1r/1p3pp1/p1P1pn2/2p4p/B7/P1N5/1PP2PKP/R1BQ1R2 b q - 0 13",
    "r2q1r1k/4b2p/1pp2n2/5Q2/8/1PB1P3/P3BP2/R3K2b w Q - 1 24",
    "r6r/p2p2kp/6p1/q4p2/3p3P/2P1b1PB/PP3P2/1K4N1 w - - 0 25",
    "r3k3/pp1b2b1/3p2p1/3Pp3/2PP2p1/4P3/Pq3N1p/R2K1R2 b q - 1 24",
    "r2q1r2/ppp1bkp1/4p3/7p/2Bp1PnP/2NKn1P1/PP6/2B4R w - - 0 23",
    "r3kn1Q/4pp2/b1p3p1/p2pP1Pp/P2P3P/2P5/2P2KP1/R5NR w q - 0 19",
    "R2q1rk1/1pp1p1bp/1n3np1/4p3/7P/1PPPp3/3NPPP1/4KB1R b K - 0 14",
    "r3r1k1/pppn1pp1/3pnq1p/8/2P5/2PBB2P/P4P1P/R2QR1K1 b - - 8 17",
    "r3k1r1/pp2pp1p/5n2/q2p4/2pn1P2/PPbK4/5PPP/1RBB3R w q - 0 17",
    "rn6/2rk2p1/1p4p1/p2b4/4PB1P/6P1/PP3PB1/R2K4 w - - 2 27",
    "rnbqkbnr/ppp1p1p1/8/7p/5p2/2NPpPK1/PPP1P1PP/R2Q1BNR w kq - 0 7",
    "rnb1k1r1/2ppq2p/1p6/pPbnB3/8/P1N2pP1/2P4P/R3KB1R b KQq - 3 15",
    "r1bq1rk1/p2nppbp/1p3P2/1Pp5/N7/P2BP3/1BPP1PP1/R2QK1NR b KQ - 0 11",
    "2r3k1/p1r3pp/4p1p1/8/1b1P4/4KP1P/1B2B1P1/7R w - - 0 23",
];

/// Depth of a fingerprint: deep enough to differ after nearly every change of play, and quick.
const FINGERPRINT: Depth = Depth(5);

/// A fingerprint of this engine's play, for files that cache what an engine found.
#[must_use]
pub fn fingerprint() -> Nodes {
    run(&mut Engine::new(1), FINGERPRINT, &Stopwatch::start()).nodes
}

/// Version and fingerprint of this engine in words, that of variants counted in, for journals of what it did.
#[must_use]
pub fn build_id() -> String {
    let (mut engine, mut nodes) = (Engine::new(1), fingerprint());
    let control = SearchControl {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    let limits = Limits {
        depth: Some(FINGERPRINT),
        ..Limits::default()
    };
    for variant in Variant::ALL {
        engine.clear();
        let request = SearchRequest::new(GameHistory::new(variant), limits);
        nodes.0 += engine.search(&request, &control, &mut |_| ()).nodes.0;
    }
    format!(
        "sparring {} with fingerprint {}",
        env!("CARGO_PKG_VERSION"),
        nodes.0
    )
}

/// The result of [`run`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// Nodes over all positions: equal on every machine and in every build.
    pub nodes: Nodes,
    /// The time it took.
    pub elapsed: Millis,
}

impl Signature {
    /// Nodes a second.
    #[must_use]
    pub fn speed(&self) -> u64 {
        self.nodes.0.saturating_mul(1000) / self.elapsed.0.max(1)
    }
}

/// A bench that was stopped. Its count until then is no signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("bench was stopped after {done} of {all} positions")]
pub struct Stopped {
    /// Positions that were searched to the end.
    pub done: usize,
    /// All positions.
    pub all: usize,
}

/// Searches every position with a cleared engine to a depth.
pub fn run(engine: &mut Engine, depth: Depth, clock: &dyn TimeSource) -> Signature {
    let stop = Stop::new();
    let control = SearchControl { stop: &stop, clock };
    match run_until(engine, depth, &control) {
        Ok(signature) => signature,
        Err(_) => unreachable!("only this function has the stop flag"),
    }
}

/// Searches as [`run`] does, until it is stopped.
///
/// # Errors [`Stopped`] when it was; there is no count then.
pub fn run_until(
    engine: &mut Engine,
    depth: Depth,
    control: &SearchControl<'_>,
) -> Result<Signature, Stopped> {
    let started = control.clock.elapsed();
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut nodes = Nodes(0);
    for (done, line) in lines().enumerate() {
        engine.clear();
        let report = engine.search(&SearchRequest::new(line, limits), control, &mut |_| ());
        if control.stop.is_set() {
            let all = POSITIONS.len();
            return Err(Stopped { done, all });
        }
        nodes.0 += report.nodes.0;
    }
    Ok(Signature {
        nodes,
        elapsed: control.clock.elapsed() - started,
    })
}

/// The positions, each without a game before it.
pub fn lines() -> impl Iterator<Item = GameHistory> {
    POSITIONS
        .iter()
        .filter_map(|fen| GameHistory::replay(Variant::Standard, fen, "").ok())
}

/// The same searches by one thread and by several.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// The number of threads.
    pub threads: usize,
    /// One thread alone.
    pub alone: Signature,
    /// All of them; their nodes differ from run to run.
    pub together: Signature,
    /// The speedup of each position.
    pub each: Vec<f64>,
}

/// The speedup on a typical position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Typical {
    /// The geometric mean over positions: unlike a sum of times, no single long search decides it.
    pub times: f64,
    /// The factor by which to multiply and divide it for the 95 % interval.
    pub within: f64,
}

impl Scaling {
    /// The speedup to the depth: time of one thread by time of all.
    #[must_use]
    pub fn speed_up(&self) -> f64 {
        self.alone.elapsed.0.max(1) as f64 / self.together.elapsed.0.max(1) as f64
    }

    /// The speedup on a typical position; none before any was searched.
    #[must_use]
    pub fn typical(&self) -> Option<Typical> {
        let logs = || self.each.iter().map(|times| times.ln());
        let count = self.each.len() as f64;
        let mean = logs().sum::<f64>() / count;
        let squares: f64 = logs().map(|log| (log - mean).powi(2)).sum();
        let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
        (count > 0.0).then(|| Typical {
            times: mean.exp(),
            within: (1.96 * error).exp(),
        })
    }

    /// The ratio of nodes a second: what the machine's cores give.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        self.together.speed() as f64 / self.alone.speed().max(1) as f64
    }

    /// The speedup at equal nodes a second: what sharing the table gives, whatever the machine.
    #[must_use]
    pub fn teamwork(&self) -> f64 {
        self.threads as f64 * self.alone.nodes.0 as f64 / self.together.nodes.0.max(1) as f64
    }
}

/// Searches every position to a depth with one thread and with several, each time with a cleared engine: in turns, so
/// that changes of the machine's speed affect both.
pub fn scaling(
    lines: &[GameHistory],
    hash_mib: usize,
    threads: usize,
    depth: Depth,
    clock: &dyn TimeSource,
) -> Scaling {
    let (mut alone, mut together) = (Engine::ready(hash_mib), Engine::ready(hash_mib));
    together.set_threads(threads);
    let (stop, none) = (
        Stop::new(),
        Signature {
            nodes: Nodes(0),
            elapsed: Millis::ZERO,
        },
    );
    let control = SearchControl { stop: &stop, clock };
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut scaling = Scaling {
        threads: together.threads(),
        alone: none,
        together: none,
        each: Vec::new(),
    };
    for line in lines {
        let search = SearchRequest::new(line.clone(), limits);
        let [alone, together] = [
            (&mut alone, &mut scaling.alone),
            (&mut together, &mut scaling.together),
        ]
        .map(|(engine, sum)| {
            engine.clear();
            let report = engine.search(&search, &control, &mut |_| ());
            sum.nodes.0 += report.nodes.0;
            sum.elapsed += report.elapsed;
            report.elapsed.0.max(1) as f64
        });
        scaling.each.push(alone / together);
    }
    scaling
}

/// The mean time of short searches, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShortSearch {
    /// The node limit.
    pub nodes: Nodes,
    /// With the tables kept from search to search.
    pub kept: f64,
    /// With [`Engine::clear`] before each, as weak levels search; clearing counts.
    pub cleared: f64,
}

/// Times searches of a few nodes, as weak levels make them: the first, of one node, is all fixed cost.
///
/// Over every position `rounds` times, from 1; those of more than a hundred nodes as much less often as they are longer, but
/// once at least.
pub fn short_searches(engine: &mut Engine, rounds: u32, clock: &dyn TimeSource) -> Vec<ShortSearch> {
    let lines: Vec<GameHistory> = lines().collect();
    let stop = Stop::new();
    let control = SearchControl { stop: &stop, clock };
    let mut report = SearchResult::default();
    let mut timed = |nodes: Nodes, clears: bool| {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let searches: Vec<SearchRequest> = lines
            .iter()
            .map(|line| SearchRequest {
                classical_only: true,
                ..SearchRequest::new(line.clone(), limits)
            })
            .collect();
        let rounds = (u64::from(rounds) * 100 / nodes.0.max(100)).max(1);
        let started = clock.elapsed();
        for search in (0..rounds).flat_map(|_| &searches) {
            if clears {
                engine.clear();
            }
            engine.search_into(search, &control, &mut |_| (), &mut report);
        }
        let count = (rounds * searches.len() as u64) as f64;
        (clock.elapsed() - started).0 as f64 * 1000.0 / count
    };
    [1, 100, 1000, 10_000]
        .map(Nodes)
        .into_iter()
        .map(|nodes| ShortSearch {
            nodes,
            kept: timed(nodes, false),
            cleared: timed(nodes, true),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use sparring_chess::units::{Millis, Stopwatch};

    #[test]
    fn every_position_can_be_searched() {
        for fen in POSITIONS {
            GameHistory::replay(Variant::Standard, fen, "").unwrap();
        }
    }

    #[test]
    fn the_signature_is_the_same_every_time() {
        let count = || run(&mut Engine::new(1), Depth(4), &Stopwatch::start()).nodes;
        assert_eq!(count(), count());
    }

    #[test]
    fn threads_that_share_their_work_come_sooner_than_their_nodes_say() {
        let count = |nodes, elapsed| Signature {
            nodes: Nodes(nodes),
            elapsed: Millis(elapsed),
        };
        let scaling = Scaling {
            threads: 2,
            alone: count(1000, 100),
            together: count(1250, 80),
            // Speedups of 2 and 0.5: none on a typical position, with a wide interval.
            each: vec![2.0, 0.5],
        };
        let typical = scaling.typical().unwrap();
        assert!((typical.times - 1.0).abs() < 1e-9 && (typical.within - 2.0_f64.powf(1.96)).abs() < 1e-9);
        assert!((scaling.speed_up() - 1.25).abs() < 1e-9);
        assert!((scaling.teamwork() - 1.6).abs() < 1e-9);
        assert!((scaling.throughput() - 15_625.0 / 10_000.0).abs() < 1e-9);
    }

    #[test]
    fn one_thread_counts_the_same_beside_several() {
        let lines: Vec<GameHistory> = lines().collect();
        let scaling = scaling(&lines, 1, 2, Depth(3), &Stopwatch::start());
        assert_eq!(scaling.threads, 2);
        assert_eq!(
            scaling.alone.nodes,
            run(&mut Engine::new(1), Depth(3), &Stopwatch::start()).nodes
        );
        assert!(scaling.together.nodes.0 > 0);
    }

    /// A clock that stops a search when it has been read this many times.
    struct Fuse<'a> {
        left: Cell<u32>,
        stop: &'a Stop,
    }

    impl TimeSource for Fuse<'_> {
        fn elapsed(&self) -> Millis {
            match self.left.get().checked_sub(1) {
                Some(left) => self.left.set(left),
                None => self.stop.set(),
            }
            Millis::ZERO
        }
    }

    #[test]
    fn a_stopped_bench_reports_its_progress_and_no_count() {
        let (mut engine, mut reached) = (Engine::new(1), Vec::new());
        for looks in [0, 50, 150] {
            let stop = Stop::new();
            let clock = Fuse {
                left: Cell::new(looks),
                stop: &stop,
            };
            let control = SearchControl {
                stop: &stop,
                clock: &clock,
            };
            let stopped = run_until(&mut engine, Depth(3), &control).unwrap_err();
            assert_eq!(stopped.all, POSITIONS.len());
            reached.push(stopped.done);
        }
        assert!(reached.is_sorted_by(|one, next| one < next), "{reached:?}");
        assert_eq!(reached[0], 0);
        assert!(
            run_until(
                &mut engine,
                Depth(1),
                &SearchControl {
                    stop: &Stop::new(),
                    clock: &Stopwatch::start(),
                }
            )
            .is_ok()
        );
    }
}

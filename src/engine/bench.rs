//! The engine's signature: how many nodes it takes to search fixed positions to a fixed depth.
//!
//! A change that means to keep play as it is must keep this number; one that means to change it shows a new one.

use super::{Engine, Limits, Search, Stop, Surroundings};
use crate::{
    chess::{GameLine, Variant},
    units::{Clock, Depth, Millis, Nodes},
};

/// The depth that [`run`] is meant for.
pub const DEPTH: Depth = Depth(11);

/// Openings, middle games, endgames, tactics, near-draws and positions close to mate.
const POSITIONS: [&str; 40] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 11",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r2q1rk1/pp1bppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/2KR1B1R w - - 7 10",
    "r1b2rk1/2q1bppp/p2ppn2/1p6/3BPP2/2N2B2/PPP3PP/R2Q1R1K w - - 0 14",
    "r4rk1/1bqnbppp/p2ppn2/1p6/3NPP2/2N1B3/PPPQB1PP/R4RK1 w - - 4 13",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "r1bq1r1k/b1p1npp1/p2p3p/1p6/3PP3/1B2NN2/PP3PPP/R2Q1RK1 w - - 1 16",
    "3r1rk1/p5pp/bpp1pp2/8/q1PP1P2/b3P3/P2NQRPP/1R2B1K1 b - - 6 22",
    "r1q2rk1/2p1bppp/2Pp4/p6b/Q1PNp3/4B3/PP1R1PPP/2K4R w - - 2 18",
    "4k2r/1pb2ppp/1p2p3/1R1p4/3P4/2r1PN2/P4PPP/1R4K1 b - - 3 22",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "r2qr1k1/pb1nbppp/1pn1p3/2ppP3/3P4/2PB1NN1/PP3PPP/R1BQR1K1 w - - 4 12",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "rq3rk1/ppp2ppp/1bnpN3/3N2B1/4P3/7P/PPPQ1PP1/2KR3R b - - 0 14",
    "r3r1k1/1pp1q1pp/p3bp2/3n4/3P4/P1PB1N2/2Q2PPP/R3R1K1 w - - 0 19",
    "1r3k2/4q3/2Pp3b/3Bp3/2Q2p2/1p1P2P1/1P2KP2/3N4 w - - 0 1",
    "2r3k1/1p2q1pp/2b1pr2/p1pp4/6Q1/1P1PP1R1/P1PN2PP/5RK1 w - - 0 1",
    "6k1/p3q2p/1nr3pB/8/3Q1P2/6P1/PP5P/3R2K1 b - - 0 1",
    "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "8/8/1p1kp1p1/p1pr1n1p/P6P/1R4P1/1P3PK1/1R6 b - - 15 45",
    "8/1p3pp1/7p/5P1P/2k3P1/8/2K2P2/8 w - - 0 1",
    "8/pp2r1k1/2p1p3/3pP2p/1P1P1P1P/P5KR/8/8 w - - 0 1",
    "8/3p4/p1bk3p/Pp6/1Kp1PpPp/2P2P1P/2P5/5B2 b - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "6k1/6p1/P6p/r1N5/5p2/7P/1b3PP1/4R1K1 w - - 0 1",
    "1r3k2/4R3/8/8/1p3P2/1P4PK/8/8 b - - 0 1",
    "8/8/8/5N2/8/p7/8/2NK3k w - - 0 1",
    "8/3k4/8/8/8/4B3/4KB2/2B5 w - - 0 1",
    "8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 1",
    "7k/3p2pp/4q3/8/4Q3/5Kp1/P6b/8 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "2K5/p7/7P/5pR1/8/5k2/r7/8 w - - 0 1",
];

/// What [`run`] counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// Nodes over all positions: the same on every machine and in every build.
    pub nodes: Nodes,
    /// How long it took.
    pub elapsed: Millis,
}

impl Signature {
    /// Nodes a second.
    #[must_use]
    pub fn speed(&self) -> u64 {
        self.nodes.0.saturating_mul(1000) / self.elapsed.0.max(1)
    }
}

/// Searches every position with a cleared engine to a depth.
pub fn run(engine: &mut Engine, depth: Depth, clock: &dyn Clock) -> Signature {
    let started = clock.elapsed();
    let stop = Stop::new();
    let around = Surroundings { stop: &stop, clock };
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let nodes = POSITIONS
        .iter()
        .filter_map(|fen| GameLine::replay(Variant::Standard, fen, "").ok())
        .map(|line| {
            engine.clear();
            engine
                .search(&Search::new(line, limits), &around, &mut |_| ())
                .nodes
                .0
        })
        .sum();
    Signature {
        nodes: Nodes(nodes),
        elapsed: clock.elapsed() - started,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Stopwatch;

    #[test]
    fn every_position_can_be_searched() {
        for fen in POSITIONS {
            GameLine::replay(Variant::Standard, fen, "").unwrap();
        }
    }

    #[test]
    fn the_signature_is_the_same_every_time() {
        let count = || run(&mut Engine::new(1), Depth(4), &Stopwatch::start()).nodes;
        assert_eq!(count(), count());
    }
}

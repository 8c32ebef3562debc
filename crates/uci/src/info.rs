//! UCI info lines.

use std::fmt;

use super::wdl::chances;
use sparring_chess::{
    Move, Variant,
    units::{Depth, Stopwatch, TimeSource as _},
    write_uci,
};
use sparring_engine::{BoundKind, Line, SearchResult};

/// The format of all lines of one search.
#[derive(Clone, Copy)]
pub(super) struct InfoFormat<'a> {
    pub variant: Variant,
    /// Adds chances of win, draw and loss (`UCI_ShowWDL`).
    pub wdl: bool,
    /// Wall-clock time, which runs while the search ponders.
    pub wall: &'a Stopwatch,
}

/// A line of a report as an `info` line.
pub(super) struct Info<'a> {
    pub format: InfoFormat<'a>,
    pub report: &'a SearchResult,
    pub line: &'a Line,
    /// Its place among the lines, from 0.
    pub index: usize,
}

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            report, line, format, ..
        } = self;
        let millis = format.wall.elapsed().0;
        let nodes = report.nodes.0;
        write!(
            f,
            "info depth {} seldepth {} multipv {} score {}",
            line.depth.0,
            report.seldepth.0,
            self.index + 1,
            line.score,
        )?;
        match line.bound {
            BoundKind::Exact => {}
            BoundKind::AtLeast => write!(f, " lowerbound")?,
            BoundKind::AtMost => write!(f, " upperbound")?,
        }
        if format.wdl {
            let [win, draw, loss] = chances(line.score);
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        write!(
            f,
            " nodes {nodes} nps {} hashfull {}",
            nodes.saturating_mul(1000) / millis.max(1),
            report.hashfull,
        )?;
        if report.table_hits > 0 {
            write!(f, " tbhits {}", report.table_hits)?;
        }
        write!(f, " time {millis} pv")?;
        line.pv
            .iter()
            .try_for_each(|mv| write!(f, " {}", write_uci(*mv, format.variant)))
    }
}

/// The move of the root that a long search is about.
pub(super) struct CurrentMove {
    pub mv: Move,
    /// Its place among the moves, from 1.
    pub number: usize,
    pub depth: Depth,
    pub variant: Variant,
}

impl fmt::Display for CurrentMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mv = write_uci(self.mv, self.variant);
        write!(
            f,
            "info depth {} currmove {mv} currmovenumber {}",
            self.depth.0, self.number
        )
    }
}

/// The score of a position without a legal move: mate, or a draw.
pub(super) struct NoMoveResult {
    pub mated: bool,
}

impl fmt::Display for NoMoveResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = if self.mated { "mate 0" } else { "cp 0" };
        write!(f, "info depth 0 score {score}")
    }
}

/// The end of a search as a `bestmove` line: the first move of a line, and the reply to ponder on.
pub(super) struct BestMove<'a>(pub &'a [Move], pub Variant);

impl fmt::Display for BestMove<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(line, variant) = self;
        match line {
            // The convention of other engines: most programs take 0000 for a null move.
            [] => write!(f, "bestmove (none)"),
            [best, rest @ ..] => {
                write!(f, "bestmove {}", write_uci(*best, *variant))?;
                match rest.first() {
                    Some(reply) => write!(f, " ponder {}", write_uci(*reply, *variant)),
                    None => Ok(()),
                }
            }
        }
    }
}

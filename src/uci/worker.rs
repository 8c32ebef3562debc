//! The thread that owns the engine: it does one job after the other and tells of it.

use std::{fmt, io::Write, sync::Mutex};

use super::gate::Gate;
use crate::{
    chess::{GameLine, Variant, write_uci},
    engine::{
        Engine, Line, Params, Report, Search, Surroundings,
        bench::{self, Signature},
        perft::divide,
    },
    units::{Clock as _, Depth, Stopwatch},
};

/// Something for the engine to do.
pub(super) enum Job {
    Search(Box<Search>),
    NewGame,
    Resize(usize),
    Params(Params),
    Perft(Box<GameLine>, u32),
    Bench(Depth),
    /// Say that everything asked before is done.
    Ready,
}

/// The way out, shared by both threads, a line at a time.
pub(super) struct Voice<W>(Mutex<W>);

impl<W: Write> Voice<W> {
    /// A voice that writes to this.
    pub fn new(writer: W) -> Self {
        Self(Mutex::new(writer))
    }

    /// Says a line, at once.
    pub fn say(&self, line: impl fmt::Display) {
        if let Ok(mut writer) = self.0.lock() {
            // Whoever listened has gone when this fails; the end of input will tell.
            let _ = writeln!(writer, "{line}").and_then(|()| writer.flush());
        }
    }

    /// Says what is wrong, or of interest, in the way of the protocol.
    pub fn remark(&self, text: impl fmt::Display) {
        self.say(format_args!("info string {text}"));
    }
}

/// The engine and its surroundings.
pub(super) struct Worker<'a, W> {
    pub engine: Engine,
    pub gate: &'a Gate,
    pub voice: &'a Voice<W>,
}

impl<W: Write> Worker<'_, W> {
    /// Does a job.
    pub fn work(&mut self, job: Job) {
        match job {
            Job::Search(search) => self.search(&search),
            Job::NewGame => self.engine.clear(),
            Job::Resize(mib) => self.resize(mib),
            Job::Params(params) => self.engine.set_params(params),
            Job::Perft(line, depth) => self.perft(&line, depth),
            Job::Bench(depth) => self.voice.say(bench(depth)),
            Job::Ready => self.voice.say("readyok"),
        }
    }

    fn search(&mut self, search: &Search) {
        let variant = search.line.variant();
        let wall = Stopwatch::start();
        let around = Surroundings {
            stop: &self.gate.stop,
            clock: self.gate,
        };
        let voice = self.voice;
        let report = self.engine.search(search, &around, &mut |report| {
            for (index, line) in report.lines.iter().enumerate() {
                voice.say(Info {
                    report,
                    line,
                    index,
                    variant,
                    wall: &wall,
                });
            }
        });
        self.gate.wait_for_release();
        self.gate.end();
        self.voice.say(Answer(&report, variant));
    }

    fn resize(&mut self, mib: usize) {
        self.engine.resize(mib);
        let got = self.engine.hash_mib();
        if got < mib {
            self.voice.remark(format_args!(
                "{mib} MB of hash do not fit into memory, {got} MB are used"
            ));
        }
    }

    fn perft(&self, line: &GameLine, depth: u32) {
        let wall = Stopwatch::start();
        let mut total = 0;
        for (mv, count) in divide(line.position(), depth) {
            total += count;
            self.voice
                .say(format_args!("{}: {count}", write_uci(mv, line.variant())));
        }
        if depth == 0 {
            total = 1;
        }
        let millis = wall.elapsed().0.max(1);
        self.voice.say(format_args!(
            "{total} nodes {} nps",
            total.saturating_mul(1000) / millis
        ));
    }
}

/// The engine's signature, in the form that test rigs look for.
pub fn bench(depth: Depth) -> impl fmt::Display {
    let signature = bench::run(&mut Engine::new(16), depth, &Stopwatch::start());
    let Signature { nodes, .. } = signature;
    format!("{} nodes {} nps", nodes.0, signature.speed())
}

/// A line of a report as an `info` line.
struct Info<'a> {
    report: &'a Report,
    line: &'a Line,
    index: usize,
    variant: Variant,
    /// Time as it passes outside, which goes on while the search ponders.
    wall: &'a Stopwatch,
}

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, line, .. } = self;
        let millis = self.wall.elapsed().0;
        let nodes = report.nodes.0;
        write!(
            f,
            "info depth {} seldepth {} multipv {} score {} nodes {nodes} nps {} hashfull {} time {millis} pv",
            report.depth.0,
            report.seldepth.0,
            self.index + 1,
            line.score,
            nodes.saturating_mul(1000) / millis.max(1),
            report.hashfull,
        )?;
        line.pv
            .iter()
            .try_for_each(|mv| write!(f, " {}", write_uci(*mv, self.variant)))
    }
}

/// The end of a search as a `bestmove` line.
struct Answer<'a>(&'a Report, Variant);

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(report, variant) = self;
        let pv = report
            .lines
            .first()
            .map_or([].as_slice(), |line| line.pv.as_slice());
        match pv {
            [] => write!(f, "bestmove 0000"),
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

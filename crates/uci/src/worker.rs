//! Worker thread that owns the engine and runs one job after the other.

use std::{fmt, io::Write};

use super::{
    divide::perft_until,
    info::{BestMove, CurrentMove, Info, InfoFormat, NoMoveResult},
    output::UciWriter,
    resources::{Task, run_task, search_of, subtract_elapsed},
    search_sync::{SearchId, SearchSync},
};
use sparring_book::BookMove;
use sparring_chess::{
    GameHistory, Move, MoveList, Rules as _,
    units::{Centipawns, Depth, Millis, Nodes, Stopwatch, TimeSource as _},
    write_uci,
};
use sparring_engine::{
    Engine, Limits, Params, SearchControl, SearchEvent, SearchRequest, SearchResult,
    bench::{self, Signature},
};

/// A job for the engine.
pub(super) enum Job {
    Search(SearchId, Box<SearchJob>),
    NewGame,
    Resize(usize),
    Threads(usize),
    Params(Box<Params>),
    Perft(SearchId, Box<GameHistory>, u32),
    Bench(SearchId, Depth),
    /// Answer `readyok`: all jobs before are done.
    Ready,
}

/// A search, and the form of its answer.
pub(super) struct SearchJob {
    pub task: Task,
    /// The number of lines to report.
    pub lines: usize,
    pub wdl: bool,
    /// Book moves, of which one is played instead of a search, in the order in which they were drawn.
    pub book: Vec<BookMove>,
    /// The least time before the answer, unless the search is stopped.
    pub delay: Millis,
    /// A book move is played only if a short search scores it no more than this below the best.
    pub verify: Option<Centipawns>,
}

/// Nodes of each of the two searches that verify a book move.
const VERIFY_NODES: Nodes = Nodes(20_000);

/// The default of how much worse than the best a book move may score.
pub(super) const TOLERANCE: Centipawns = Centipawns(60);

/// The share of the hard limit after which no further book move is verified.
const VERIFYING: f64 = 0.25;

/// The hash table of a bench in mebibytes, whatever the option says: another size counts other nodes.
const BENCH_HASH: usize = 16;

/// The hash table of the thread comparison in mebibytes: large enough not to fill up, or sharing it would cost what it
/// gains.
const SCALING_HASH: usize = 64;

/// The engine with its input and output.
pub(super) struct Worker<'a, W> {
    pub engine: Engine,
    pub sync: &'a SearchSync,
    pub writer: &'a UciWriter<W>,
}

impl<W: Write> Worker<'_, W> {
    /// Runs a job.
    pub fn work(&mut self, job: Job) {
        match job {
            Job::Search(search_id, job) => self.search(search_id, *job),
            Job::NewGame => self.engine.clear(),
            Job::Resize(mib) => self.resize(mib),
            Job::Threads(threads) => self.engine.set_threads(threads),
            Job::Params(params) => self.engine.set_params(*params),
            Job::Perft(search_id, line, depth) => self.perft(search_id, &line, depth),
            Job::Bench(search_id, depth) => self.bench(search_id, depth),
            Job::Ready => self.writer.write_line("readyok"),
        }
    }

    fn search(&mut self, search_id: SearchId, mut job: SearchJob) {
        self.sync.begin(search_id);
        if let Some(mv) = self.book_move(&job) {
            self.sync.wait_until(job.delay);
            self.sync.finish();
            self.writer
                .write_line(BestMove(&[mv], search_of(&job.task).line.variant()));
            return;
        }
        // The time since `go`: a table was cleared, book moves were verified.
        subtract_elapsed(&mut job.task, self.sync.elapsed());
        let report = self.search_and_report(&job);
        self.sync.wait_for_release(search_id);
        self.sync.wait_until(job.delay);
        self.sync.finish();
        let best = report.lines.first();
        self.writer.write_line(BestMove(
            best.map_or(&[], |line| line.pv.as_slice()),
            search_of(&job.task).line.variant(),
        ));
    }

    /// Searches and reports; at the end reports the played line and the nodes, unless reported before.
    fn search_and_report(&mut self, job: &SearchJob) -> SearchResult {
        let (writer, variant) = (self.writer, search_of(&job.task).line.variant());
        let wall = Stopwatch::start();
        let format = InfoFormat {
            variant,
            wdl: job.wdl,
            wall: &wall,
        };
        let control = SearchControl {
            stop: &self.sync.stop,
            clock: self.sync,
        };
        let write_lines = |report: &SearchResult| {
            for (index, line) in report.lines.iter().enumerate().take(job.lines) {
                writer.write_line(Info {
                    format,
                    report,
                    line,
                    index,
                });
            }
        };
        let mut reported = (Nodes(0), Vec::new());
        let sync = self.sync;
        let mut on_event = |event: SearchEvent<'_>| {
            match event {
                SearchEvent::Iteration(report) => {
                    write_lines(report);
                    reported.0 = report.nodes;
                    reported.1.clone_from(&report.lines);
                }
                SearchEvent::Bound(report) => write_lines(report),
                SearchEvent::Move { mv, number, depth } => writer.write_line(CurrentMove {
                    mv,
                    number,
                    depth,
                    variant,
                }),
            }
            if writer.is_closed() {
                sync.stop();
            }
        };
        let mut report = SearchResult::default();
        run_task(&mut self.engine, &job.task, &control, &mut on_event, &mut report);
        self.sync.record_stall(report.stall);
        if report.lines.is_empty() {
            let mated = search_of(&job.task).line.position().is_check();
            writer.write_line(NoMoveResult { mated });
        } else if (report.nodes, &report.lines) != (reported.0, &reported.1) {
            write_lines(&report);
        }
        report
    }

    /// The book move to play: the one drawn first, or with verification the first that passes, while there is time.
    fn book_move(&mut self, job: &SearchJob) -> Option<Move> {
        let search = search_of(&job.task);
        let variant = search.line.variant();
        let Some(margin) = job.verify else {
            let found = job.book.first()?;
            self.writer.info_string(format_args!(
                "book move {}: {}",
                write_uci(found.mv, variant),
                origin(found)
            ));
            return Some(found.mv);
        };
        let most = search.limits.hard.map(|hard| hard.scaled(VERIFYING));
        let mut best = None;
        for found in &job.book {
            let best = best.get_or_insert_with(|| self.quick_search(search, None, None, most));
            let own = self.quick_search(search, Some(found.mv), Some(best.depth), most);
            let in_time = most.is_none_or(|most| self.sync.elapsed() < most);
            // A search that was cut short has no valid score.
            let Some((best, own)) = best.common_depth_scores(&own).filter(|_| in_time) else {
                self.writer.info_string("there is no time to look at book moves");
                return None;
            };
            let accepted = own.scaled() + margin.0 >= best.scaled();
            let verdict = if accepted { "verified" } else { "refused" };
            self.writer.info_string(format_args!(
                "book move {} {verdict}: {}; it looks like {own}, the best like {best}",
                write_uci(found.mv, variant),
                origin(found)
            ));
            if accepted {
                return Some(found.mv);
            }
        }
        None
    }

    /// The result of a short search of this root move, or of all. `until` is the time on the search's clock at which it
    /// is aborted.
    fn quick_search(
        &mut self,
        of: &SearchRequest,
        only: Option<Move>,
        depth: Option<Depth>,
        until: Option<Millis>,
    ) -> SearchResult {
        let limits = Limits {
            depth,
            nodes: Some(VERIFY_NODES),
            hard: until,
            ..Limits::default()
        };
        let search = SearchRequest {
            search_moves: only.into_iter().collect(),
            ..book_check(of, limits.after(self.sync.elapsed()))
        };
        let control = SearchControl {
            stop: &self.sync.stop,
            clock: self.sync,
        };
        self.engine.search(&search, &control, &mut |_| {})
    }

    fn resize(&mut self, mib: usize) {
        self.engine.resize(mib);
        let got = self.engine.hash_mib();
        if got < mib {
            self.writer.info_string(format_args!(
                "{mib} MB of hash do not fit into memory, {got} MB are used"
            ));
        }
    }

    fn perft(&self, search_id: SearchId, line: &GameHistory, depth: u32) {
        self.sync.begin(search_id);
        let wall = Stopwatch::start();
        let mut total = 0;
        let moves = if depth == 0 {
            MoveList::new()
        } else {
            line.position().legal_moves()
        };
        for mv in moves {
            let mut child = line.position().clone();
            child.play_unchecked(mv);
            let Some(count) = perft_until(&child, depth - 1, &self.sync.stop) else {
                self.sync.finish();
                return self.writer.info_string("perft was stopped");
            };
            total += count;
            self.writer
                .write_line(format_args!("{}: {count}", write_uci(mv, line.variant())));
            if self.writer.is_closed() {
                self.sync.stop();
            }
        }
        if depth == 0 {
            total = 1;
        }
        let millis = wall.elapsed().0.max(1);
        self.sync.finish();
        self.writer.write_line(format_args!(
            "{total} nodes {} nps",
            total.saturating_mul(1000) / millis
        ));
    }

    /// The signature, by an engine of its own so that this one keeps its tables; only a remark when it was stopped.
    fn bench(&self, search_id: SearchId, depth: Depth) {
        self.sync.begin(search_id);
        let control = SearchControl {
            stop: &self.sync.stop,
            clock: self.sync,
        };
        let outcome = bench::run_until(&mut Engine::ready(BENCH_HASH), depth, &control);
        self.sync.finish();
        match outcome {
            Ok(signature) => self.writer.write_line(signature_line(&signature)),
            Err(stopped) => self.writer.info_string(stopped),
        }
    }
}

/// The file and line of a book move, its chance, and the opening's name.
fn origin(found: &BookMove) -> String {
    let note = found
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!(", {note}"));
    format!("{}, {:.0}%{note}", found.at, found.chance * 100.0)
}

/// The engine's signature, in the form that test rigs look for.
pub fn bench(depth: Depth) -> impl fmt::Display {
    signature_line(&bench::run(
        &mut Engine::ready(BENCH_HASH),
        depth,
        &Stopwatch::start(),
    ))
}

fn signature_line(signature: &Signature) -> String {
    format!("{} nodes {} nps", signature.nodes.0, signature.speed())
}

/// How much sooner several threads reach a depth of these positions than one, with the hash size that engines are tested
/// with.
pub fn scaling(lines: &[GameHistory], threads: usize, depth: Depth) -> impl fmt::Display + use<> {
    let scaling = bench::scaling(lines, SCALING_HASH, threads, depth, &Stopwatch::start());
    let row = |threads: usize, signature: &Signature| {
        format!(
            "{threads} thread{}: {}, {:.1} s",
            if threads == 1 { "" } else { "s" },
            signature_line(signature),
            signature.elapsed.0 as f64 / 1000.0
        )
    };
    let typical = scaling.typical().map_or_else(String::new, |typical| {
        format!(
            "\na typical position: {:.2} times as soon (95 %: {:.2} to {:.2})",
            typical.times,
            typical.times / typical.within,
            typical.times * typical.within
        )
    });
    format!(
        "{}\n{}\ndepth {}: {:.2} times as soon; {:.2} times the nodes a second; at equal speed {:.2} times as soon{typical}",
        row(1, &scaling.alone),
        row(scaling.threads, &scaling.together),
        depth.0,
        scaling.speed_up(),
        scaling.throughput(),
        scaling.teamwork()
    )
}

/// The time of searches of few nodes with a table of 1 MB, a line for each limit.
pub fn fixed_cost() -> impl fmt::Display {
    let timed = bench::short_searches(&mut Engine::new(1), 100, &Stopwatch::start());
    let line = |one: &bench::ShortSearch| {
        format!(
            "{} nodes: {:.1} microseconds a search, {:.1} when all is forgotten first",
            one.nodes.0, one.kept, one.cleared
        )
    };
    timed.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The search that verifies a book move before another search. It has the same evaluation, so that neither clears what it
/// has learned, but no handicap.
fn book_check(before: &SearchRequest, limits: Limits) -> SearchRequest {
    SearchRequest {
        classical_only: before.classical_only || before.handicap.is_active(),
        ..SearchRequest::new(before.line.clone(), limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;
    use sparring_engine::Handicap;

    #[test]
    fn book_moves_are_verified_with_the_evaluation_of_the_search_and_without_handicap() {
        let plain = SearchRequest::new(GameHistory::new(Variant::Standard), Limits::default());
        let erring = SearchRequest {
            handicap: Handicap {
                noise: Centipawns(30),
                ..Handicap::default()
            },
            ..plain.clone()
        };
        let classical_only = SearchRequest {
            classical_only: true,
            ..plain.clone()
        };
        for (search, terms_alone) in [(&plain, false), (&erring, true), (&classical_only, true)] {
            let look = book_check(search, Limits::default());
            assert_eq!(look.classical_only, terms_alone, "{search:?}");
            assert!(!look.handicap.is_active(), "{search:?}");
        }
    }
}

//! UCI front of the engine: commands in, lines out.
//!
//! [`run`] reads commands from any reader and answers on any writer. The engine runs on a worker thread, so that `stop`
//! and `isready` are answered at any time. A command that cannot be executed gets one `info string` and changes nothing.

mod display;
mod divide;
mod genfens;
mod go;
mod info;
mod limits;
mod move_overhead;
mod option_error;
mod options;
mod output;
mod parse;
mod parse_error;
mod position;
mod resources;
mod search_sync;
mod set_option;
mod settings;
mod wdl;
mod worker;

use std::{
    hash::{BuildHasher as _, RandomState},
    io::{self, BufRead, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, SyncSender},
    },
    thread,
};

pub use divide::{PerftError, perft, perft_speed};
pub use genfens::{GenfensError, genfens};
pub use resources::UciResources;
pub use worker::{bench, fixed_cost, scaling};

use display::{Diagram, Pockets};
use go::Go;
use limits::{clock_of, limits, may_never_end};
use move_overhead::{ClockReading, MoveOverhead};
use output::UciWriter;
use parse::Command;
use resources::{StrengthSetting, open_book, speed};
use search_sync::{Hold, SearchSync};
use set_option::set_option;
use settings::{Change, Settings};
use worker::{Job, SearchJob, TOLERANCE, Worker};

use sparring_book::{BookMove, BookQuery, Library};
use sparring_chess::{
    GameHistory, Move, Rules as _, Variant, key, parse_uci,
    units::{Depth, Millis},
    write_fen,
};
use sparring_engine::{Engine, Limits, Params, SearchRequest, Tablebase, bench as signature, prepare, trace};
use sparring_files::lines::{LONGEST, Line, Lines};

/// At most this many jobs wait for the worker. A sender beyond that waits too, so that its lines stay in the pipe.
const QUEUED_JOBS: usize = 256;

/// Speaks UCI until `quit` or the end of input. After the end of input, searches with a limit still finish.
///
/// # Errors Read errors. A writer that fails is not an error.
pub fn run(reader: impl BufRead, writer: impl Write + Send) -> io::Result<()> {
    run_in(&UciResources::default(), reader, writer)
}

/// Speaks UCI as [`run`] does, with books and personalities to choose from.
///
/// # Errors
/// See [`run`].
pub fn run_in(resources: &UciResources, reader: impl BufRead, writer: impl Write + Send) -> io::Result<()> {
    let sync = SearchSync::new();
    let writer = UciWriter::new(writer);
    let settings = Settings::default();
    let engine = Engine::ready(settings.hash);
    thread::scope(|scope| {
        let (jobs, queue) = mpsc::sync_channel(QUEUED_JOBS);
        let (sync, writer) = (&sync, &writer);
        scope.spawn(move || {
            let mut worker = Worker { engine, sync, writer };
            prepare();
            for job in queue {
                worker.work(job);
            }
        });
        let mut front = Front {
            sync,
            writer,
            jobs,
            settings,
            resources,
            book: None,
            tablebase: None,
            entropy: RandomState::new().hash_one("games"),
            games: 0,
            initial: None,
            move_overhead: MoveOverhead::default(),
            line: GameHistory::new(Variant::Standard),
        };
        let read = front.read_commands(reader);
        sync.input_closed();
        read
    })
}

/// Every UCI option as the cells of a table row: name, default, range, meaning.
#[must_use]
pub fn option_reference() -> Vec<[String; 4]> {
    options::reference()
}

/// The search parameters as OpenBench's SPSA tuner reads them, one a line.
#[must_use]
pub fn tunables() -> String {
    let lines: Vec<String> = options::tuning_listing(&Params::default()).collect();
    lines.join("\n")
}

/// The reading half: it holds the position and the settings, and sends jobs to the worker.
struct Front<'a, W> {
    sync: &'a SearchSync,
    writer: &'a UciWriter<W>,
    jobs: SyncSender<Job>,
    settings: Settings,
    resources: &'a UciResources,
    /// The book of the option `BookFile`.
    book: Option<Library>,
    /// The tablebases of the option `SyzygyPath`.
    tablebase: Option<Arc<Tablebase>>,
    /// A random number for each run, so that an engine started for each game does not repeat it.
    entropy: u64,
    /// Games begun.
    games: u64,
    /// The remaining time at the start of the game, if it was seen.
    initial: Option<Millis>,
    /// The time that moves lose between engine and GUI.
    move_overhead: MoveOverhead,
    line: GameHistory,
}

impl<W: Write> Front<'_, W> {
    fn read_commands(&mut self, reader: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(reader);
        loop {
            let line = match lines.next_line()? {
                None => return Ok(()),
                Some(Line::Whole(bytes)) => String::from_utf8_lossy(bytes),
                Some(Line::TooLong) => {
                    let text = format_args!("a line of more than {LONGEST} bytes is skipped");
                    self.writer.info_string(text);
                    continue;
                }
            };
            self.writer.log_input(&line);
            match parse::parse(&line) {
                Ok(Command::Quit) => {
                    self.sync.stop();
                    return Ok(());
                }
                Ok(command) => self.execute(command),
                Err(error) => self.writer.info_string(error),
            }
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Uci => self.identify(),
            Command::IsReady if self.sync.is_searching() => self.writer.write_line("readyok"),
            Command::IsReady => self.send(Job::Ready),
            Command::NewGame => {
                if !self.is_refused("ucinewgame") {
                    self.games += 1;
                    self.send(Job::NewGame);
                }
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position { fen, moves } => self.set_position(&fen, &moves),
            Command::Go(go) => self.go(&go),
            Command::Stop => self.sync.stop(),
            Command::PonderHit => self.sync.ponder_hit(),
            Command::Display => self.display(),
            Command::Eval => self.evaluate(),
            Command::Params => self.list_params(),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench(_) if self.is_refused("bench") => {}
            Command::Bench(depth) => {
                let depth = depth.map_or(signature::DEPTH, Depth);
                self.send(Job::Bench(self.sync.submit(None, false), depth));
            }
            Command::Quit | Command::Nothing => {}
        }
    }

    fn identify(&self) {
        self.writer
            .write_line(format_args!("id name Sparring {}", env!("CARGO_PKG_VERSION")));
        self.writer.write_line("id author the Sparring authors");
        for line in options::listing(self.resources) {
            self.writer.write_line(line);
        }
        self.writer.write_line("uciok");
    }

    fn perft(&self, depth: u32) {
        if let Err(error) = divide::bounded(depth) {
            self.writer.info_string(error);
        } else if !self.is_refused("perft") {
            let line = Box::new(self.line.clone());
            self.send(Job::Perft(self.sync.submit(None, false), line, depth));
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if self.sync.is_held() {
            self.writer
                .info_string(format_args!("option \"{name}\" cannot be set during a search"));
            return;
        }
        let before = self.settings.clone();
        match set_option(&mut self.settings, self.resources, name, value) {
            Ok(Change::None) if !before.own_book && self.settings.own_book && !self.has_book() => self
                .writer
                .info_string("there is no book to play from until \"BookFile\" opens one"),
            Ok(Change::None) => {}
            Ok(Change::Hash(mib)) => self.send(Job::Resize(mib)),
            Ok(Change::Threads(threads)) => self.send(Job::Threads(threads)),
            Ok(Change::Clear) => self.send(Job::NewGame),
            Ok(Change::Variant) => {
                self.line = GameHistory::new(self.variant());
                // Positions of other rules have the same keys.
                self.send(Job::NewGame);
            }
            Ok(Change::Params(params)) => self.send(Job::Params(params)),
            Ok(Change::Book(path)) => self.open_book(path.as_deref()),
            Ok(Change::Tablebase(folders)) => self.open_tablebase(&folders),
            Ok(Change::Log) if self.open_log() => {}
            Ok(Change::Log) => self.settings = before,
            Err(error) => self.writer.info_string(error),
        }
    }

    fn has_book(&self) -> bool {
        self.book.is_some() || self.resources.library.names().next().is_some()
    }

    fn open_book(&mut self, path: Option<&Path>) {
        match path.map(open_book).transpose() {
            Ok(opened) => {
                let (book, remark) = opened.unzip();
                self.book = book;
                if let Some(remark) = remark.flatten() {
                    self.writer.info_string(remark);
                }
            }
            Err(error) => self
                .writer
                .info_string(format_args!("option \"BookFile\" stays as it was: {error}")),
        }
    }

    fn open_tablebase(&mut self, folders: &[PathBuf]) {
        if folders.is_empty() {
            self.tablebase = None;
            return;
        }
        match Tablebase::open(folders) {
            Ok(tablebase) => {
                self.writer.info_string(tablebase.summary());
                self.tablebase = Some(Arc::new(tablebase));
            }
            Err(error) => self
                .writer
                .info_string(format_args!("option \"SyzygyPath\" stays as it was: {error}")),
        }
    }

    /// Begins, moves or ends the log. False when its file cannot be opened.
    fn open_log(&self) -> bool {
        let path = &self.settings.log_file;
        if !self.settings.log {
            self.writer.close_log();
        } else if let Err(error) = self.writer.open_log(path) {
            self.writer
                .info_string(format_args!("the log {}: {error}", path.display()));
            return false;
        }
        true
    }

    fn variant(&self) -> Variant {
        match self.settings.variant {
            Variant::Standard if self.settings.chess960 => Variant::Chess960,
            variant => variant,
        }
    }

    fn set_position(&mut self, fen: &str, moves: &[String]) {
        match position::read(self.variant(), fen, moves) {
            Ok(line) => self.line = line,
            Err(error) => self.writer.info_string(error),
        }
    }

    /// Each `go` gets exactly one `bestmove`.
    fn go(&mut self, go: &Go) {
        let (go, only) = &self.sanitize(go);
        let (clock, remark) = clock_of(go, self.line.turn());
        if let Some(remark) = remark {
            self.writer.info_string(remark);
        }
        if self.line.ply() < 2 || self.initial.is_none() {
            self.initial = clock.remaining;
        }
        let reading = clock.remaining.map(|remaining| ClockReading {
            ply: self.line.ply(),
            remaining,
            increment: clock.increment.unwrap_or_default(),
            to_go: go.movestogo,
        });
        self.move_overhead.record(reading, self.sync.last_duration());
        let remaining = clock.remaining.unwrap_or_default();
        let overhead = self.move_overhead.overhead(self.settings.overhead, remaining);
        let strength = self.settings.strength();
        let params = self.resources.params(&strength, &self.settings.params);
        let ponders = self.settings.ponder;
        let limits = limits(go, clock, ponders, params, (overhead, self.sync.stall_reserve()));
        let unlimited = go.infinite || limits == Limits::default();
        let held = if go.ponder {
            let soft = limits.soft;
            Some(Hold::Ponder { soft, unlimited })
        } else {
            unlimited.then_some(Hold::Infinite)
        };
        let seed = self.seed();
        let search = SearchRequest {
            multi_pv: self.settings.multi_pv,
            search_moves: only.clone(),
            handicap: self.settings.handicap(seed),
            tablebase: self.tablebase.clone(),
            ..SearchRequest::new(self.line.clone(), limits)
        };
        // A delay must not cost the game, nor exceed the time for the move.
        let delay = limits
            .soft
            .or(limits.hard)
            .map_or(self.settings.delay, |most| most.min(self.settings.delay));
        let book = self.book_moves(held, &search, &strength, clock.increment);
        let verify = self
            .resources
            .book_margin(&strength)
            .or(self.settings.verify_book.then_some(TOLERANCE));
        let search_id = self.sync.submit(held, may_never_end(&limits));
        let job = SearchJob {
            task: self.resources.apply_strength(search, &strength, seed),
            lines: self.settings.multi_pv,
            book,
            delay,
            verify,
            // The chances are those of standard chess.
            wdl: self.settings.show_wdl && self.line.variant().traits().standard_eval,
        };
        self.send(Job::Search(search_id, Box::new(job)));
    }

    /// The limits and the `searchmoves` without what is invalid, which is reported. A search without any other limit left
    /// then gets depth 1: an infinite one was not requested.
    fn sanitize(&self, go: &Go) -> (Go, Vec<Move>) {
        let (mut only, mut illegal) = (Vec::new(), Vec::new());
        for text in &go.searchmoves {
            match parse_uci(self.line.position(), text) {
                Ok(mv) => only.push(mv),
                Err(error) => illegal.push(error.to_string()),
            }
        }
        let mut wrong: Vec<String> = go.skipped.iter().map(ToString::to_string).collect();
        let is_hollow = !wrong.is_empty() || only.is_empty() && !illegal.is_empty();
        if !illegal.is_empty() {
            wrong.push(format!("searchmoves: {}", illegal.join("; ")));
        }
        let depth = (is_hollow && !go.has_end()).then_some(1);
        if !wrong.is_empty() {
            let instead = if depth.is_some() {
                ", and nothing else says when to end: depth 1 is searched"
            } else {
                ""
            };
            self.writer
                .info_string(format_args!("{}: skipped{instead}", wrong.join("; ")));
        }
        let depth = go.depth.or(depth);
        (Go { depth, ..go.clone() }, only)
    }

    /// The book moves, in the order drawn: none for analysis, and none while an answer must be held.
    fn book_moves(
        &self,
        held: Option<Hold>,
        search: &SearchRequest,
        strength: &StrengthSetting,
        increment: Option<Millis>,
    ) -> Vec<BookMove> {
        let settings = &self.settings;
        if !settings.own_book || settings.analyse || held.is_some() || !search.search_moves.is_empty() {
            return Vec::new();
        }
        let query = BookQuery {
            speed: self
                .initial
                .and_then(|initial| speed(initial, increment.unwrap_or_default())),
            ..BookQuery::new(&[], &self.line, self.seed())
        };
        self.resources.book_moves(self.book.as_ref(), strength, query)
    }

    /// Names the game to whatever is left to chance.
    fn seed(&self) -> u64 {
        let first = match self.settings.seed {
            0 => self.entropy,
            seed => seed,
        };
        first.wrapping_add(self.games)
    }

    /// Prints the evaluation by term, as the next search evaluates.
    fn evaluate(&self) {
        let (strength, seed) = (self.settings.strength(), self.seed());
        let search = SearchRequest {
            handicap: self.settings.handicap(seed),
            ..SearchRequest::new(self.line.clone(), Limits::default())
        };
        let task = self.resources.apply_strength(search, &strength, seed);
        self.writer
            .write_line(trace(resources::search_of(&task), &self.settings.params));
    }

    /// Lists the numbers that the next search has.
    fn list_params(&self) {
        let strength = self.settings.strength();
        let params = self.resources.params(&strength, &self.settings.params);
        options::tuning_listing(params).for_each(|line| self.writer.write_line(line));
    }

    fn display(&self) {
        let pos = self.line.position();
        self.writer.write_line(Diagram(pos.board()));
        self.writer.write_line(format_args!("fen {}", write_fen(pos)));
        if let Some(pockets) = pos.pockets() {
            self.writer.write_line(Pockets(pockets));
        }
        if let Some(left) = pos.remaining_checks() {
            self.writer.write_line(format_args!(
                "checks left: White {}, Black {}",
                u32::from(left.white),
                u32::from(left.black)
            ));
        }
        self.writer.write_line(format_args!("key {:016x}", key(pos)));
        self.writer
            .write_line(format_args!("moves {}", self.line.uci_moves()));
        self.writer
            .write_line(format_args!("repetitions {}", self.line.repetitions()));
    }

    /// Refuses a command during a search that only `stop` or `ponderhit` can end: it would wait for ever. During any
    /// other search it is queued.
    fn is_refused(&self, name: &str) -> bool {
        let is_held = self.sync.is_held();
        if is_held {
            self.writer
                .info_string(format_args!("\"{name}\" is ignored while a search runs"));
        }
        is_held
    }

    fn send(&self, job: Job) {
        // The worker outlives the front, so the send cannot fail.
        let _ = self.jobs.send(job);
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

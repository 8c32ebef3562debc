//! The engine behind the Universal Chess Interface: commands in, lines out.
//!
//! [`run`] reads commands from any reader and answers on any writer. The searching happens on a thread of its own, so
//! that `stop` and `isready` are heard at any time. What cannot be done is told in one `info string` and changes nothing.

mod gate;
mod options;
mod parse;
mod perft_table;
mod worker;

use std::{
    io::{self, BufRead, Write},
    sync::mpsc::{self, Sender},
    thread,
};

pub use perft_table::perft;
pub use worker::bench;

use gate::{Gate, Held};
use options::{Change, Settings};
use parse::{Command, Go};
use worker::{Job, Voice, Worker};

use crate::{
    chess::{GameLine, Variant, key, parse_uci, write_fen},
    engine::{
        Engine, Limits, Search, bench as signature,
        time::{GameClock, budget},
        trace,
    },
    units::{Depth, Millis, Nodes},
};

/// Perft deeper than this would outlast any patience, and could not be stopped.
const MAX_PERFT: u32 = 10;

/// Speaks UCI until `quit` or the end of input. After the end of input, searches with a limit still finish.
///
/// # Errors
/// Whatever reading fails with. That nobody reads the answers is no error.
pub fn run(reader: impl BufRead, writer: impl Write + Send) -> io::Result<()> {
    let gate = Gate::new();
    let voice = Voice::new(writer);
    let settings = Settings::default();
    let engine = Engine::new(settings.hash);
    thread::scope(|scope| {
        let (jobs, queue) = mpsc::channel();
        let (gate, voice) = (&gate, &voice);
        scope.spawn(move || {
            let mut worker = Worker { engine, gate, voice };
            for job in queue {
                worker.work(job);
            }
        });
        let mut front = Front {
            gate,
            voice,
            jobs,
            settings,
            line: GameLine::new(Variant::Standard),
        };
        let read = front.listen(reader);
        gate.abandon();
        read
    })
}

/// The half that listens: it holds the position and the settings, and sends jobs to the worker.
struct Front<'a, W> {
    gate: &'a Gate,
    voice: &'a Voice<W>,
    jobs: Sender<Job>,
    settings: Settings,
    line: GameLine,
}

impl<W: Write> Front<'_, W> {
    fn listen(&mut self, mut reader: impl BufRead) -> io::Result<()> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(());
            }
            match parse::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(Command::Quit) => {
                    self.gate.stop();
                    return Ok(());
                }
                Ok(command) => self.obey(command),
                Err(error) => self.voice.remark(error),
            }
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady if self.gate.is_searching() => self.voice.say("readyok"),
            Command::IsReady => self.send(Job::Ready),
            Command::NewGame => self.when_idle("ucinewgame", Job::NewGame),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position { fen, moves } => self.set_position(&fen, &moves),
            Command::Go(go) => self.go(&go),
            Command::Stop => self.gate.stop(),
            Command::PonderHit => self.gate.ponder_hit(),
            Command::Display => self.display(),
            Command::Eval => self.voice.say(trace(self.line.position(), self.line.variant())),
            Command::Params => {
                options::tuning_listing(&self.settings.params).for_each(|line| self.voice.say(line))
            }
            Command::Perft(depth) if depth > MAX_PERFT => {
                self.voice.remark(format_args!(
                    "perft {depth} would take too long, the most is {MAX_PERFT}"
                ));
            }
            Command::Perft(depth) => self.when_idle("perft", Job::Perft(Box::new(self.line.clone()), depth)),
            Command::Bench(depth) => {
                let depth = depth.map_or(signature::DEPTH, Depth);
                self.when_idle("bench", Job::Bench(depth));
            }
            Command::Quit | Command::Nothing => {}
        }
    }

    fn introduce(&self) {
        self.voice
            .say(format_args!("id name Sparring {}", env!("CARGO_PKG_VERSION")));
        self.voice.say("id author the Sparring authors");
        options::listing().for_each(|line| self.voice.say(line));
        self.voice.say("uciok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if self.gate.is_searching() {
            self.voice
                .remark(format_args!("option \"{name}\" cannot be set during a search"));
            return;
        }
        match self.settings.set(name, value) {
            Ok(Change::None) => {}
            Ok(Change::Hash(mib)) => self.send(Job::Resize(mib)),
            Ok(Change::Clear) => self.send(Job::NewGame),
            Ok(Change::Params(params)) => self.send(Job::Params(params)),
            Err(error) => self.voice.remark(error),
        }
    }

    fn variant(&self) -> Variant {
        if self.settings.chess960 {
            Variant::Chess960
        } else {
            Variant::Standard
        }
    }

    fn set_position(&mut self, fen: &str, moves: &[String]) {
        match GameLine::replay(self.variant(), fen, &moves.join(" ")) {
            Ok(line) => self.line = line,
            Err(error) => self.voice.remark(error),
        }
    }

    fn go(&self, go: &Go) {
        if self.gate.is_searching() {
            self.voice.remark("\"go\" is ignored while a search runs");
            return;
        }
        let mut only = Vec::new();
        for text in &go.searchmoves {
            match parse_uci(self.line.position(), text) {
                Ok(mv) => only.push(mv),
                Err(error) => {
                    self.voice.remark(format_args!("searchmoves: {error}"));
                    return;
                }
            }
        }
        let limits = limits(go, self.line.turn().is_white(), self.settings.overhead);
        let held = if go.ponder {
            Some(Held::Ponder)
        } else {
            (go.infinite || limits == Limits::default()).then_some(Held::Infinite)
        };
        self.gate.begin(held);
        self.send(Job::Search(Box::new(Search {
            multi_pv: self.settings.multi_pv,
            only,
            ..Search::new(self.line.clone(), limits)
        })));
    }

    fn display(&self) {
        let pos = self.line.position();
        self.voice.say(format_args!("fen {}", write_fen(pos)));
        self.voice.say(format_args!("key {:016x}", key(pos)));
        self.voice.say(format_args!("moves {}", self.line.uci_moves()));
        self.voice
            .say(format_args!("repetitions {}", self.line.repetitions()));
    }

    fn when_idle(&self, name: &str, job: Job) {
        if self.gate.is_searching() {
            self.voice
                .remark(format_args!("\"{name}\" is ignored while a search runs"));
        } else {
            self.send(job);
        }
    }

    fn send(&self, job: Job) {
        // The worker outlives the front, so somebody takes the job.
        let _ = self.jobs.send(job);
    }
}

/// The limits of a search, for the side whose turn it is.
fn limits(go: &Go, white: bool, overhead: Millis) -> Limits {
    let mut limits = Limits {
        depth: go.depth.map(Depth),
        nodes: go.nodes.map(Nodes),
        mate: go.mate,
        soft: None,
        hard: None,
    };
    if go.infinite {
        return limits;
    }
    let (remaining, increment) = if white {
        (go.wtime, go.winc)
    } else {
        (go.btime, go.binc)
    };
    if let Some(remaining) = remaining {
        let budget = budget(&GameClock {
            remaining,
            increment: increment.unwrap_or_default(),
            moves_to_go: go.movestogo.filter(|moves| *moves > 0),
            overhead,
        });
        limits.soft = Some(budget.soft);
        limits.hard = Some(budget.hard);
    }
    if let Some(movetime) = go.movetime {
        let movetime = (movetime - overhead).max(Millis(1));
        limits.hard = Some(limits.hard.map_or(movetime, |hard| hard.min(movetime)));
    }
    limits
}

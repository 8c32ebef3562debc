//! One UCI engine as a child process, with a timeout for every answer.

use std::{
    io::{BufReader, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
};

use thiserror::Error;

use super::{go_limits::GoLimits, go_result::GoResult, uci_option::UciOption};
use sparring_chess::{
    GameHistory, Variant,
    units::{Millis, Stopwatch, TimeSource as _},
    write_fen,
};
use sparring_diagnostics::did_you_mean;
use sparring_files::lines::{LONGEST, Line, Lines};
use stderr_tail::StderrTail;

/// How to start an engine and how to set it up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineSpec {
    /// What messages call it.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its working directory; none for ours.
    pub directory: Option<PathBuf>,
    /// UCI options, set before the first game; an engine that lacks one, or does not take its value, is refused.
    pub options: Vec<(String, String)>,
    /// The same, but of engines that offer them only.
    pub if_offered: Vec<(String, String)>,
}

/// What an engine did wrong.
#[derive(Debug, Error)]
pub enum UciError {
    /// It cannot be started.
    #[error("cannot start \"{command}\"")]
    Start {
        /// The command line.
        command: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// It lacks an option that has to be set.
    #[error("{name} has no option \"{option}\"{hint}")]
    Option {
        /// The engine.
        name: String,
        /// The option.
        option: String,
        /// A suggestion, as the end of the sentence; empty where nothing comes near.
        hint: String,
    },
    /// It does not accept the value of an option, and would go on with the one it had.
    #[error("{name} takes for \"{option}\" {takes}, not \"{value}\"{hint}")]
    Value {
        /// The engine.
        name: String,
        /// The option.
        option: String,
        /// The value.
        value: String,
        /// What it accepts, in words.
        takes: String,
        /// A suggestion, as the end of the sentence; empty where nothing comes near.
        hint: String,
    },
    /// It ended or closed its pipes.
    #[error("{name} has ended{said}")]
    Ended {
        /// The engine.
        name: String,
        /// Its last lines on stderr, as the end of the sentence; empty where it printed nothing.
        said: String,
    },
    /// It prints without line ends.
    #[error("{name} printed a line of more than {} MiB", LONGEST >> 20)]
    LongLine {
        /// The engine.
        name: String,
    },
    /// It did not answer in time.
    #[error("{name} did not answer \"{command}\" within {limit}")]
    Timeout {
        /// The engine.
        name: String,
        /// What was sent.
        command: &'static str,
        /// The timeout.
        limit: Millis,
    },
}

/// How long to wait for a move.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// When to send `stop`; none for never.
    pub stop_after: Option<Millis>,
    /// When to give up, counted from `go`.
    pub limit: Millis,
    /// Whether the move is no longer needed. Then `stop` is sent, and the engine has [`STOP_TIMEOUT`] to answer.
    pub is_abandoned: &'a dyn Fn() -> bool,
}

impl Patience<'_> {
    /// To wait so long for a move, without a `stop`.
    #[must_use]
    pub fn of(limit: Millis) -> Self {
        Self {
            stop_after: None,
            limit,
            is_abandoned: &|| false,
        }
    }
}

/// A running engine. Dropping it sends `quit`, and kills the process if it does not end.
#[derive(Debug)]
pub struct UciProcess {
    name: String,
    title: Option<String>,
    options: Vec<UciOption>,
    child: Child,
    input: ChildStdin,
    /// Its output lines; `None` for a line that was too long, which is the last.
    lines: Receiver<Option<String>>,
    stderr: StderrTail,
    /// What it has printed since `go ponder`; none while it does not ponder.
    pondering: Option<GoResult>,
}

/// Lines queued for reading. An engine that prints without end then blocks, instead of filling our memory: together they
/// have at most 64 MiB.
const QUEUED_LINES: usize = 64;

/// The most that is kept of an engine's option lines, in bytes.
const MOST_OFFERED: usize = 1 << 20;

/// How long an engine may take to start or to get ready.
const READY_TIMEOUT: Millis = Millis(20_000);

/// How long an engine may take to answer `stop`.
pub const STOP_TIMEOUT: Millis = Millis(1_000);

/// Between two looks at whether a search is to stop.
const STOP_CHECK: Millis = Millis(20);

/// How long an engine may take to end, and to write its logs and what it has learnt.
const QUIT_TIMEOUT: Millis = Millis(1_000);

/// Removed from the environment: an external program must not see the token.
const TOKEN_VARIABLE: &str = "LICHESS_TOKEN";

impl UciProcess {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// [`UciError`] when it cannot be started, does not speak UCI, or does not offer one of the options or take its
    /// value.
    pub fn start(spec: &EngineSpec) -> Result<Self, UciError> {
        let command = spec.command.join(" ");
        let failed = |source| UciError::Start {
            command: command.clone(),
            source,
        };
        let program = spec
            .command
            .first()
            .ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?;
        let mut command_line = Command::new(program);
        if let Some(directory) = &spec.directory {
            command_line.current_dir(directory);
        }
        let mut child = command_line
            .args(&spec.command[1..])
            .env_remove(TOKEN_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        let (tx, lines) = sync_channel(QUEUED_LINES);
        thread::spawn(move || {
            let mut lines = Lines::new(BufReader::new(output));
            while let Ok(Some(line)) = lines.next_line() {
                let line = match line {
                    // An author's name may be written in any code.
                    Line::Whole(line) => Some(String::from_utf8_lossy(line).trim_end().to_owned()),
                    Line::TooLong => None,
                };
                let is_last = line.is_none();
                if tx.send(line).is_err() || is_last {
                    break;
                }
            }
        });
        let mut process = Self {
            name: spec.name.clone(),
            title: None,
            options: Vec::new(),
            child,
            input,
            lines,
            stderr: StderrTail::of(errors),
            pondering: None,
        };
        process.send("uci")?;
        let (mut title, mut options, mut offered) = (None, Vec::new(), 0);
        process.read_until("uci", READY_TIMEOUT, |line| {
            title = title
                .take()
                .or_else(|| line.strip_prefix("id name ").map(str::to_owned));
            let option = UciOption::read(line).filter(|_| offered < MOST_OFFERED);
            offered += option.as_ref().map_or(0, |_| line.len());
            options.extend(option);
            line == "uciok"
        })?;
        process.title = title;
        process.options = options;
        for (name, value) in &spec.options {
            if !process.set_if_offered(name, value)? {
                return Err(UciError::Option {
                    name: process.name.clone(),
                    option: name.clone(),
                    hint: did_you_mean(name, process.options.iter().map(|option| option.name.as_str())),
                });
            }
        }
        for (name, value) in &spec.if_offered {
            process.set_if_offered(name, value)?;
        }
        process.ready()?;
        Ok(process)
    }

    /// Sets an option, in any spelling of case. Returns whether the engine offers it.
    ///
    /// # Errors [`UciError`] when the engine does not take this value, or has ended.
    pub fn set_if_offered(&mut self, name: &str, value: &str) -> Result<bool, UciError> {
        let Some(option) = self.option(name) else {
            return Ok(false);
        };
        let Some(value) = option.spell(value) else {
            return Err(UciError::Value {
                name: self.name.clone(),
                option: option.name.clone(),
                value: value.to_owned(),
                takes: option.to_string(),
                hint: did_you_mean(value, option.words()),
            });
        };
        // A button takes no value.
        let line = match value {
            "" => format!("setoption name {}", option.name),
            _ => format!("setoption name {} value {value}", option.name),
        };
        self.send(&line)?;
        Ok(true)
    }

    /// An option that it offers, in any spelling of case.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&UciOption> {
        self.options
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Prepares it for games of a variant. Returns whether it can play them, as far as its options say.
    ///
    /// # Errors [`UciError`] when it has ended.
    pub fn set_variant(&mut self, variant: Variant) -> Result<bool, UciError> {
        let onto_rook = variant.castles_onto_rook();
        let castles = self.set_if_offered("UCI_Chess960", &onto_rook.to_string())? || !onto_rook;
        let name = variant.uci_name();
        let knows = |option: &UciOption| option.spell(name).is_some();
        let is_known = self.option("UCI_Variant").is_some_and(knows);
        if is_known {
            self.set_if_offered("UCI_Variant", name)?;
        }
        Ok(castles && (is_known || variant.traits().orthodox_rules))
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its own name (`id name`), mostly with a version; none where it gives none.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Sends `ucinewgame` and waits until it is ready.
    ///
    /// # Errors [`UciError`] when it has ended or does not answer.
    pub fn new_game(&mut self) -> Result<(), UciError> {
        self.send("ucinewgame")?;
        self.ready()
    }

    /// Searches the game's last position and waits for the move.
    ///
    /// # Errors [`UciError`] when it has ended or does not answer in time.
    pub fn search(
        &mut self,
        line: &GameHistory,
        limits: &GoLimits,
        patience: Patience<'_>,
    ) -> Result<GoResult, UciError> {
        self.stop_pondering()?;
        self.send_position(line)?;
        let watch = Stopwatch::start();
        self.send(&limits.command(line))?;
        self.wait_for_move(GoResult::default(), watch, patience)
    }

    /// Sends a game's last position.
    fn send_position(&mut self, line: &GameHistory) -> Result<(), UciError> {
        let mut position = format!("position fen {}", write_fen(line.start()));
        if line.ply() > 0 {
            position = format!("{position} moves {}", line.uci_moves());
        }
        self.send(&position)
    }

    /// Waits for the `bestmove`, with what was read before as a start.
    fn wait_for_move(
        &mut self,
        mut answer: GoResult,
        watch: Stopwatch,
        patience: Patience<'_>,
    ) -> Result<GoResult, UciError> {
        let mut limit = patience.limit;
        let mut is_stopped = false;
        loop {
            let elapsed = watch.elapsed();
            let is_late = patience.stop_after.is_some_and(|stop| elapsed >= stop);
            if !is_stopped && (is_late || (patience.is_abandoned)()) {
                is_stopped = true;
                limit = limit.min(elapsed + STOP_TIMEOUT);
                self.send("stop")?;
            }
            let wait = (limit - elapsed).min(if is_stopped { STOP_TIMEOUT } else { STOP_CHECK });
            let text = match self.next_line("go", wait, limit) {
                Ok(text) => text,
                Err(UciError::Timeout { .. }) if watch.elapsed() < limit => continue,
                Err(error) => return Err(error),
            };
            if answer.parse_line(&text) {
                answer.spent = watch.elapsed();
                return Ok(answer);
            }
        }
    }

    fn ready(&mut self) -> Result<(), UciError> {
        self.send("isready")?;
        self.wait_for("isready", "readyok", READY_TIMEOUT)
    }

    fn send(&mut self, text: &str) -> Result<(), UciError> {
        writeln!(self.input, "{text}")
            .and_then(|()| self.input.flush())
            .map_err(|_| self.ended())
    }

    fn ended(&self) -> UciError {
        UciError::Ended {
            name: self.name.clone(),
            said: self.stderr.told(),
        }
    }

    fn long_line(&self) -> UciError {
        UciError::LongLine {
            name: self.name.clone(),
        }
    }

    fn wait_for(&mut self, command: &'static str, word: &str, limit: Millis) -> Result<(), UciError> {
        self.read_until(command, limit, |line| line == word)
    }

    /// Waits for a line that is the last one of an answer.
    fn read_until(
        &mut self,
        command: &'static str,
        limit: Millis,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<(), UciError> {
        let watch = Stopwatch::start();
        loop {
            let line = self.next_line(command, limit - watch.elapsed(), limit)?;
            if is_last(line.trim()) {
                return Ok(());
            }
        }
    }

    fn next_line(&self, command: &'static str, wait: Millis, limit: Millis) -> Result<String, UciError> {
        // An engine that prints without end has not answered either.
        let received = if wait == Millis::ZERO {
            Err(RecvTimeoutError::Timeout)
        } else {
            self.lines.recv_timeout(wait.into())
        };
        match received {
            Ok(Some(line)) => Ok(line),
            Ok(None) => Err(self.long_line()),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => Err(UciError::Timeout {
                name: self.name.clone(),
                command,
                limit,
            }),
        }
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        // The engine may have ended already, so errors are ignored. Nothing is left running but what a shell script has
        // started without `exec` and does not end by itself.
        let _ = self.send("quit");
        let watch = Stopwatch::start();
        while !matches!(self.child.try_wait(), Ok(Some(_))) {
            if watch.elapsed() > QUIT_TIMEOUT {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Millis(5).into());
        }
    }
}

mod pondering;
mod stderr_tail;
#[cfg(test)]
mod tests;

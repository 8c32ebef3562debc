//! One UCI engine as a child process, with a timeout for every answer.

use std::{
    io::{BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
};

use thiserror::Error;

use super::{go_result::GoResult, time_control::TimeControl, uci_option::UciOption};
use sparring_chess::{
    Color, GameHistory, Move,
    units::{Depth, Millis, Stopwatch, TimeSource as _},
    write_fen, write_uci,
};
use sparring_diagnostics::did_you_mean;
use sparring_files::lines::{LONGEST, Line, Lines};

/// How to start an engine and how to set it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineSpec {
    /// What the match calls it.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// UCI options, set before the first game; an engine that lacks one, or does not take its value, is refused.
    pub options: Vec<(String, String)>,
    /// The same, but of engines that offer them only.
    pub if_offered: Vec<(String, String)>,
}

/// What an engine did wrong. Each forfeits the game.
#[derive(Debug, Error)]
pub enum PlayerError {
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
    #[error("{name} has ended")]
    Ended {
        /// The engine.
        name: String,
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

/// Both clocks before a move.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    /// White's and Black's time.
    pub left: [Millis; 2],
    /// Their increments.
    pub increments: [Millis; 2],
    /// Moves until they get more time, this one included; none for never.
    pub to_go: [Option<u32>; 2],
}

impl Clocks {
    /// The clocks as arguments of `go`, for the side to move.
    fn words(&self, turn: Color) -> String {
        let ([white, black], [winc, binc]) = (self.left, self.increments);
        let to_go = self.to_go[turn.fold_wb(0, 1)].map(|moves| format!(" movestogo {moves}"));
        format!(
            "wtime {} btime {} winc {} binc {}{}",
            white.0,
            black.0,
            winc.0,
            binc.0,
            to_go.unwrap_or_default()
        )
    }
}

/// A running engine. Dropping it sends `quit`, and kills the process if it does not end.
#[derive(Debug)]
pub struct UciProcess {
    name: String,
    title: Option<String>,
    child: Child,
    input: ChildStdin,
    /// Its output lines; `None` for a line that was too long, which is the last.
    lines: Receiver<Option<String>>,
}

/// Lines queued for reading. An engine that prints without end then blocks, instead of filling our memory: together they
/// have at most 64 MiB.
const QUEUED_LINES: usize = 64;

/// The most that is kept of an engine's option lines, in bytes.
const MOST_OFFERED: usize = 1 << 20;

/// The most characters kept of a `bestmove`; a move has 5.
const MOST_OF_A_MOVE: usize = 40;

/// How long an engine may take to start or to get ready.
const READY_TIMEOUT: Millis = Millis(20_000);

/// How long an engine may take to end, and to write its logs and what it has learnt.
const QUIT_TIMEOUT: Millis = Millis(1_000);

/// Removed from the environment: an external program must not see the token.
const TOKEN_VARIABLE: &str = "LICHESS_TOKEN";

impl UciProcess {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// [`PlayerError`] when it cannot be started, does not speak UCI, or does not offer one of the options or take its
    /// value.
    pub fn start(spec: &EngineSpec) -> Result<Self, PlayerError> {
        let command = spec.command.join(" ");
        let failed = |source| PlayerError::Start {
            command: command.clone(),
            source,
        };
        let program = spec
            .command
            .first()
            .ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?;
        let mut child = Command::new(program)
            .args(&spec.command[1..])
            .env_remove(TOKEN_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
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
            child,
            input,
            lines,
        };
        process.send("uci")?;
        let (mut title, mut options, mut offered) = (None, Vec::new(), 0);
        process.read_until("uci", "uciok", READY_TIMEOUT, |line| {
            title = title
                .take()
                .or_else(|| line.strip_prefix("id name ").map(str::to_owned));
            let option = UciOption::read(line).filter(|_| offered < MOST_OFFERED);
            offered += option.as_ref().map_or(0, |_| line.len());
            options.extend(option);
        })?;
        process.title = title;
        let find = |name: &str| {
            let mut options = options.iter();
            options.find(|option| option.name.eq_ignore_ascii_case(name))
        };
        for (name, value) in &spec.options {
            let Some(option) = find(name) else {
                return Err(PlayerError::Option {
                    name: process.name.clone(),
                    option: name.clone(),
                    hint: did_you_mean(name, options.iter().map(|option| option.name.as_str())),
                });
            };
            process.set(option, value)?;
        }
        for (name, value) in &spec.if_offered {
            find(name).map_or(Ok(()), |option| process.set(option, value))?;
        }
        process.ready()?;
        Ok(process)
    }

    fn set(&mut self, option: &UciOption, value: &str) -> Result<(), PlayerError> {
        let Some(value) = option.spell(value) else {
            return Err(PlayerError::Value {
                name: self.name.clone(),
                option: option.name.clone(),
                value: value.to_owned(),
                takes: option.to_string(),
                hint: did_you_mean(value, option.words()),
            });
        };
        self.send(&format!("setoption name {} value {value}", option.name))
    }

    /// Its name in the match.
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
    /// # Errors [`PlayerError`] when it has ended or does not answer.
    pub fn new_game(&mut self) -> Result<(), PlayerError> {
        self.send("ucinewgame")?;
        self.ready()
    }

    /// Sends `go` and waits at most `limit` for the move.
    pub(super) fn go(
        &mut self,
        line: &GameHistory,
        control: TimeControl,
        clocks: Clocks,
        limit: Millis,
    ) -> Result<GoResult, PlayerError> {
        let limits = match control {
            TimeControl::Clock { .. } => clocks.words(line.turn()),
            TimeControl::MoveTime(time) => format!("movetime {}", time.0),
            TimeControl::Nodes(nodes) => format!("nodes {}", nodes.0),
            TimeControl::Depth(depth) => format!("depth {}", depth.0),
        };
        self.search(line, &format!("go {limits}"), limit)
    }

    /// Searches the game's last position, or one move there, to `depth`; waits at most `limit`.
    ///
    /// # Errors [`PlayerError`] when it has ended or does not answer.
    pub fn analyse(
        &mut self,
        line: &GameHistory,
        only: Option<Move>,
        depth: Depth,
        limit: Millis,
    ) -> Result<GoResult, PlayerError> {
        // The moves come last: UCI has no other end for their list.
        let only = only.map_or_else(String::new, |mv| {
            format!(" searchmoves {}", write_uci(mv, line.variant()))
        });
        self.search(line, &format!("go depth {}{only}", depth.0), limit)
    }

    fn search(&mut self, line: &GameHistory, go: &str, limit: Millis) -> Result<GoResult, PlayerError> {
        let mut position = format!("position fen {}", write_fen(line.start()));
        if line.ply() > 0 {
            position = format!("{position} moves {}", line.uci_moves());
        }
        self.send(&position)?;
        let watch = Stopwatch::start();
        self.send(go)?;
        let mut answer = GoResult::default();
        loop {
            let text = self.next_line("go", limit - watch.elapsed(), limit)?;
            if let Some(best) = text.strip_prefix("bestmove") {
                let word = best.split_ascii_whitespace().next().unwrap_or("");
                answer.best = word.chars().take(MOST_OF_A_MOVE).collect();
                answer.spent = watch.elapsed();
                return Ok(answer);
            }
            answer.parse_info(&text);
        }
    }

    fn ready(&mut self) -> Result<(), PlayerError> {
        self.send("isready")?;
        self.wait_for("isready", "readyok", READY_TIMEOUT)
    }

    fn send(&mut self, text: &str) -> Result<(), PlayerError> {
        writeln!(self.input, "{text}")
            .and_then(|()| self.input.flush())
            .map_err(|_| PlayerError::Ended {
                name: self.name.clone(),
            })
    }

    fn wait_for(&mut self, command: &'static str, word: &str, limit: Millis) -> Result<(), PlayerError> {
        self.read_until(command, word, limit, |_| {})
    }

    /// Waits for a line that is this word, and passes the lines before it to `on_line`.
    fn read_until(
        &mut self,
        command: &'static str,
        word: &str,
        limit: Millis,
        mut on_line: impl FnMut(&str),
    ) -> Result<(), PlayerError> {
        let watch = Stopwatch::start();
        loop {
            let line = self.next_line(command, limit - watch.elapsed(), limit)?;
            if line.trim() == word {
                return Ok(());
            }
            on_line(line.trim());
        }
    }

    fn next_line(&self, command: &'static str, wait: Millis, limit: Millis) -> Result<String, PlayerError> {
        // An engine that prints without end has not answered either.
        let received = if wait == Millis::ZERO {
            Err(RecvTimeoutError::Timeout)
        } else {
            self.lines.recv_timeout(wait.into())
        };
        let name = || self.name.clone();
        match received {
            Ok(Some(line)) => Ok(line),
            Ok(None) => Err(PlayerError::LongLine { name: name() }),
            Err(RecvTimeoutError::Disconnected) => Err(PlayerError::Ended { name: name() }),
            Err(RecvTimeoutError::Timeout) => Err(PlayerError::Timeout {
                name: name(),
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

#[cfg(test)]
mod tests;

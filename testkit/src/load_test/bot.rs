//! The program under measurement, read through its log.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;

use super::stats::Latency;
use crate::harness::{Folder, Program, SandboxServer, settings};

/// Log text of a move that the server rejected.
const REFUSAL: &str = "refused with 400";

/// Log field of the time from our turn to sending the move, in microseconds.
const LEAVES: (&str, &str) = (" leaves ", " us after the turn came");

/// Log text of a move by the engine that the settings call `rogue`.
const EXTERNAL: &str = " engine rogue ";

/// Log texts of its failures: the first in a row, and further ones.
const FAILED: (&str, &str) = (
    ": the embedded engine moves until it is started again",
    ": it is started again in ",
);

/// Log text of a reloaded book.
const RELOADED: &str = "book reloaded, ";

/// A running `sparring run`.
pub(super) struct Bot {
    program: Program,
    log: Arc<Mutex<Log>>,
    folder: Folder,
}

/// Metrics of the bot.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Moves that the server did not take.
    pub refusals: usize,
    /// From the bytes of our turn coming in to the move going out.
    pub own: Latency,
    /// The same without each game's first move, in which an engine starts.
    pub own_later: Latency,
    /// The games that have moved.
    moved: HashSet<String>,
    /// Books that were read again.
    pub reloads: usize,
    /// Moves of an external engine.
    pub external: usize,
    /// Moves of the embedded engine.
    pub embedded: usize,
    /// Failures of the external engine.
    pub failures: usize,
}

impl Log {
    fn read(&mut self, line: &str) {
        self.refusals += usize::from(line.contains(REFUSAL));
        self.reloads += usize::from(line.contains(RELOADED));
        self.external += usize::from(line.contains(EXTERNAL));
        self.embedded +=
            usize::from(line.contains(" engine ") && line.contains(" nodes ") && !line.contains(EXTERNAL));
        self.failures += usize::from(line.contains(FAILED.0) || line.contains(FAILED.1));
        let micros = line
            .strip_suffix(LEAVES.1)
            .and_then(|line| line.rsplit_once(LEAVES.0))
            .and_then(|(_, micros)| micros.parse().ok());
        if let Some(micros) = micros {
            self.own.add(&[micros]);
            let game = line.split_once("game{id=").map_or("", |(_, rest)| rest);
            let id = game.split('}').next().unwrap_or_default();
            if !self.moved.insert(id.to_owned()) {
                self.own_later.add(&[micros]);
            }
        }
    }
}

impl Bot {
    /// Starts the program with one personality and one book, and waits until it listens.
    pub(super) async fn start(
        sandbox_server: &SandboxServer,
        personality: &str,
        book: &str,
        max_games: usize,
    ) -> anyhow::Result<Self> {
        let folder = Folder::new()?;
        folder.write(&settings(max_games, "50ms"), personality, book)?;
        Self::start_in(sandbox_server, folder).await
    }

    /// Starts the program with the files of a folder, and waits until it listens.
    pub(super) async fn start_in(sandbox_server: &SandboxServer, folder: Folder) -> anyhow::Result<Self> {
        let log = Arc::new(Mutex::new(Log::default()));
        let heard = Arc::clone(&log);
        let on_line = move |line: &str| heard.lock().unwrap_or_else(PoisonError::into_inner).read(line);
        let flags = ["--verbose"];
        let mut program = Program::start(
            &folder,
            &sandbox_server.address(),
            &sandbox_server.token,
            &flags,
            on_line,
        )?;
        sandbox_server.until_it_listens(&mut program).await?;
        Ok(Self { program, log, folder })
    }

    /// The book that it reads.
    pub(super) fn book(&self) -> PathBuf {
        self.folder.book()
    }

    /// Memory in use now, in bytes.
    pub(super) fn resident(&self) -> anyhow::Result<u64> {
        self.program.resident().context("the program has ended")
    }

    /// Log lines since the last call.
    pub(super) fn heard(&self) -> Log {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *log)
    }

    /// Ends the bot and returns its log.
    pub(super) async fn end(self) -> anyhow::Result<Log> {
        self.program.kill().await?;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *log))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_read_for_what_it_says() {
        let mut log = Log::default();
        log.read("2026-11-21 DEBUG game{id=abcd1234}: sparring::bot::actor::turn: e7e5 leaves 412 us after the turn came");
        log.read("2026-11-21 DEBUG game{id=abcd1234}: move: refused with 400, \"Not your turn\"");
        log.read("2026-11-21 INFO chat leaves x us after the turn came");
        log.read("2026-11-21 INFO book reloaded, 50000 lines: /tmp/books/large.book");
        assert_eq!((log.refusals, log.reloads), (1, 1));
        assert_eq!(
            log.own.to_string(),
            "p50 0.41 ms, p99 0.41 ms, max 0.41 ms of 1 answers"
        );
    }
}

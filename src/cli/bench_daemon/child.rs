//! The program under measurement, as a process of its own.

use std::{fs, path::PathBuf, process::Stdio, time::Duration};

use anyhow::Context as _;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

use super::tally::Latency;

/// What the log says of a move that the server did not take.
const REFUSAL: &str = "refused with 400";

/// What the log says behind the time from our turn to the move's leaving, in microseconds.
const LEAVES: (&str, &str) = (" leaves ", " us after the turn came");

/// What the log says of a book that was saved and is in use.
const RELOADED: &str = "book reloaded, ";

/// A running `sparring run`.
pub(super) struct Bot {
    child: Child,
    /// Reads the log until it ends.
    log: JoinHandle<Log>,
    folder: TempDir,
}

/// What the program says of itself.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Moves that the server did not take.
    pub refusals: usize,
    /// From the bytes of our turn coming in to the move going out.
    pub own: Latency,
    /// Books that were read again.
    pub reloads: usize,
}

impl Log {
    fn read(&mut self, line: &str) {
        self.refusals += usize::from(line.contains(REFUSAL));
        self.reloads += usize::from(line.contains(RELOADED));
        let micros = line
            .strip_suffix(LEAVES.1)
            .and_then(|line| line.rsplit_once(LEAVES.0))
            .and_then(|(_, micros)| micros.parse().ok());
        if let Some(micros) = micros {
            self.own.add(&[micros]);
        }
    }
}

impl Bot {
    /// Starts the program with one personality and one book.
    pub(super) fn start(
        address: &str,
        token: &str,
        personality: &str,
        (book, text): (&str, &str),
        max_games: usize,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("personalities"))?;
        fs::create_dir(at("books"))?;
        fs::write(at("personalities/measured.toml"), personality)?;
        fs::write(at(&format!("books/{book}.book")), text)?;
        fs::write(
            at("bot.toml"),
            format!(
                "[games]\nmax = {max_games}\nper-opponent = 4\n[play]\npersonality = \"measured\"\n\
                 move-overhead = \"50ms\"\n[engine]\nhash = 1\n[[rule]]\nthen = \"queue\"\n"
            ),
        )?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["run", "--config"])
            .arg(at("bot.toml"))
            .args(["--url", address, "--verbose"])
            .env(crate::cli::token::VARIABLE, token)
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start the program")?;
        let stderr = child.stderr.take().context("the program has no stderr")?;
        let log = tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            let mut log = Log::default();
            while let Ok(Some(line)) = lines.next_line().await {
                log.read(&line);
            }
            log
        });
        Ok(Self { child, log, folder })
    }

    /// The folder that it reads books from.
    pub(super) fn books(&self) -> PathBuf {
        self.folder.path().join("books")
    }

    /// Memory in use now, in bytes.
    pub(super) fn resident(&self) -> anyhow::Result<u64> {
        let pid = self.child.id().context("the program has ended")?;
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .context("no VmRSS")?;
        let kib: u64 = line
            .split_ascii_whitespace()
            .nth(1)
            .context("no figure")?
            .parse()?;
        Ok(kib * 1024)
    }

    /// Ends the program and says what its log said.
    pub(super) async fn end(mut self) -> anyhow::Result<Log> {
        self.child.start_kill()?;
        tokio::time::timeout(Duration::from_secs(10), self.child.wait())
            .await
            .context("the program stays")??;
        Ok(self.log.await?)
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

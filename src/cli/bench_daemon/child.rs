//! The program under measurement, as a process of its own.

use std::{fs, process::Stdio, time::Duration};

use anyhow::Context as _;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

/// What the log says of a move that the server did not take.
const REFUSAL: &str = "refused with 400";

/// A running `sparring run`.
pub(super) struct Bot {
    child: Child,
    /// Counts refused moves in the log until it ends.
    log: JoinHandle<usize>,
    _folder: TempDir,
}

impl Bot {
    /// Starts the program with one personality and the books around it.
    pub(super) fn start(
        address: &str,
        token: &str,
        personality: &str,
        max_games: usize,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("personalities"))?;
        fs::create_dir(at("books"))?;
        fs::write(at("personalities/measured.toml"), personality)?;
        fs::write(at("books/starter.book"), "e4 e5 Nf3 Nc6 Bb5\nd4 d5 c4 e6 Nc3\n")?;
        fs::write(
            at("bot.toml"),
            format!(
                "[games]\nmax = {max_games}\nper-opponent = 4\n[play]\npersonality = \"measured\"\n\
                 move-overhead = \"50ms\"\n[engine]\nhash = 1\n[challenge]\nunlimited = true\n"
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
            let mut refusals = 0;
            while let Ok(Some(line)) = lines.next_line().await {
                refusals += usize::from(line.contains(REFUSAL));
            }
            refusals
        });
        Ok(Self {
            child,
            log,
            _folder: folder,
        })
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

    /// Ends the program and says how many moves the server refused.
    pub(super) async fn end(mut self) -> anyhow::Result<usize> {
        self.child.start_kill()?;
        tokio::time::timeout(Duration::from_secs(10), self.child.wait())
            .await
            .context("the program stays")??;
        Ok(self.log.await?)
    }
}

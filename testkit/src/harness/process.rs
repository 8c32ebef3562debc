//! The program under test as a process: set up, started, watched, killed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::Context as _;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

/// The name of the one personality and of the one book that a folder has.
const NAME: &str = "starter";
/// Starts the program with the signal for files that grow too large ignored, which it inherits: then a write beyond the
/// limit fails with an error, as it does on a full disk, instead of ending it.
const SPARED: &str = "trap '' XFSZ; exec \"$0\" \"$@\"";

/// The folder of a program: settings, one personality, one book. Removed with its owner.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let folder = Self(tempfile::tempdir()?);
        for name in ["personalities", "books"] {
            fs::create_dir(folder.at(name))?;
        }
        Ok(folder)
    }

    /// A path in it.
    pub(crate) fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// The file of its book.
    pub(crate) fn book(&self) -> PathBuf {
        self.at(format!("books/{NAME}.book"))
    }

    /// Writes all its files.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn write(&self, settings: &str, personality: &str, book: &str) -> anyhow::Result<()> {
        fs::write(self.at(format!("personalities/{NAME}.toml")), personality)?;
        fs::write(self.book(), book)?;
        fs::write(self.at("bot.toml"), settings)?;
        Ok(())
    }
}

/// Settings for so many games at once, with so much kept off the clock for a move's way.
pub(crate) fn settings(games: usize, overhead: &str) -> String {
    format!(
        "[games]\nmax = {games}\nper-opponent = 4\nreserved-for-humans = 0\n[play]\npersonality = \"{NAME}\"\n\
         move-overhead = \"{overhead}\"\n[engine]\nhash = 1\n[[rule]]\nthen = \"queue\"\n"
    )
}

/// The program to test: it lies beside this one, as cargo builds both.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name("sparring");
    anyhow::ensure!(
        program.is_file(),
        "{} is not there: build it with `cargo build --bin sparring` in the same profile",
        program.display()
    );
    Ok(program)
}

/// A running `sparring run`. Dropping it kills it.
pub(crate) struct Program {
    child: Child,
    /// Reads the log until it ends.
    log: JoinHandle<()>,
}

impl Program {
    /// Starts the program with the files of a folder. `on_line` gets each line of its log.
    ///
    /// # Errors
    /// When no process can be started.
    pub(crate) fn start(
        folder: &Folder,
        address: &str,
        token: &str,
        flags: &[&str],
        mut on_line: impl FnMut(&str) + Send + 'static,
    ) -> anyhow::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", SPARED])
            .arg(program()?)
            .args(["run", "--config"])
            .arg(folder.at("bot.toml"))
            .args(["--url", address])
            .args(flags)
            .env(sparring::cli::token::VARIABLE, token)
            .env_remove("NOTIFY_SOCKET")
            .env_remove("STATE_DIRECTORY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start the program")?;
        let stderr = child.stderr.take().context("the program has no stderr")?;
        let log = tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                on_line(&line);
            }
        });
        Ok(Self { child, log })
    }

    /// Its process, while it runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Memory in use now, in bytes.
    pub(crate) fn resident(&self) -> Option<u64> {
        let pid = self.pid()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    }

    /// Its exit status, if it has exited.
    ///
    /// # Errors
    /// When the system does not report it.
    pub(crate) fn has_ended(&mut self) -> anyhow::Result<Option<String>> {
        Ok(self.child.try_wait()?.map(|status| status.to_string()))
    }

    /// Kills it (SIGKILL) and reads its log to the end.
    ///
    /// # Errors
    /// When it stays all the same.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        self.child.start_kill()?;
        tokio::time::timeout(Duration::from_secs(10), self.child.wait())
            .await
            .context("the program stays")??;
        Ok(self.log.await?)
    }
}

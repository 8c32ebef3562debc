//! The daemon under test: the real program, killed without warning and started again, its files spoiled under it.

use std::{
    fs,
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

/// Words of the log that tell of a part of the program that fell over.
const PANICS: [&str; 2] = ["panicked at", "fell over"];
/// So many of the lines that matter are kept for whoever asks why.
const KEPT: usize = 200;
/// A bot that thinks as long as its clock allows.
const THINKER: &str = "about = \"Uses its clock.\"\ndelay = \"off\"\nbooks = [\"starter\"]\ntakebacks = 0\n";
const BOOK: &str = "e4 e5 Nf3 Nc6 Bb5\nd4 d5 c4 e6 Nc3\n";

/// What the log has said over all lives.
#[derive(Debug, Default, Clone)]
pub(super) struct Said {
    /// Parts of the program that fell over.
    pub panics: usize,
    /// The lines that tell of it.
    pub lines: Vec<String>,
}

/// The program, its folder, and what it has said.
pub(super) struct Victim {
    address: String,
    token: String,
    folder: TempDir,
    max_games: usize,
    child: Option<Child>,
    said: Arc<Mutex<Said>>,
    /// How often it was started.
    pub lives: usize,
}

impl Victim {
    /// A program for this server and account, not started yet.
    pub(super) fn new(address: &str, token: &str, max_games: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["personalities", "books"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let victim = Self {
            address: address.to_owned(),
            token: token.to_owned(),
            folder,
            max_games,
            child: None,
            said: Arc::default(),
            lives: 0,
        };
        victim.mend()?;
        Ok(victim)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where it keeps its games.
    pub(super) fn archive(&self) -> PathBuf {
        self.at("state").join(crate::cli::state::ARCHIVE)
    }

    /// Writes all its files as they should be.
    pub(super) fn mend(&self) -> anyhow::Result<()> {
        fs::write(self.at("personalities/thinker.toml"), THINKER)?;
        fs::write(self.at("books/starter.book"), BOOK)?;
        fs::write(
            self.at("bot.toml"),
            format!(
                "[games]\nmax = {}\nper-opponent = 4\nfor-humans = 0\n[play]\npersonality = \"thinker\"\n\
                 move-overhead = \"100ms\"\n[engine]\nhash = 1\n[[rule]]\nthen = \"queue\"\n",
                self.max_games
            ),
        )?;
        Ok(())
    }

    /// Writes its files as no editor should leave them.
    pub(super) fn spoil(&self) -> anyhow::Result<()> {
        fs::write(self.at("personalities/thinker.toml"), "nodes = \"many\"")?;
        fs::write(self.at("books/starter.book"), "e4 e5 Nf9")?;
        fs::write(self.at("bot.toml"), "[games\nmax = lots")?;
        Ok(())
    }

    /// Asks it to read its settings again.
    pub(super) async fn reload(&self) -> anyhow::Result<()> {
        if let Some(pid) = self.child.as_ref().and_then(Child::id) {
            Command::new("kill")
                .args(["-HUP", &pid.to_string()])
                .status()
                .await?;
        }
        Ok(())
    }

    /// Starts it, whatever state it was left in.
    pub(super) fn start(&mut self) -> anyhow::Result<()> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["run", "--config"])
            .arg(self.at("bot.toml"))
            .args(["--url", &self.address])
            .env(crate::cli::token::VARIABLE, &self.token)
            .env_remove("NOTIFY_SOCKET")
            .env_remove("STATE_DIRECTORY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start the program")?;
        let stderr = child.stderr.take().context("the program has no stderr")?;
        let said = Arc::clone(&self.said);
        tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                hear(&said, line);
            }
        });
        self.child = Some(child);
        self.lives += 1;
        Ok(())
    }

    /// Ends it as the kernel does, without a word.
    pub(super) async fn kill(&mut self) -> anyhow::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill().await?;
        }
        Ok(())
    }

    /// Says how it ended, if it has ended of its own accord, which it never should.
    pub(super) fn has_ended(&mut self) -> anyhow::Result<Option<String>> {
        let Some(child) = &mut self.child else {
            return Ok(None);
        };
        Ok(child.try_wait()?.map(|status| status.to_string()))
    }

    /// Memory in use now, in bytes.
    pub(super) fn resident(&self) -> Option<u64> {
        let pid = self.child.as_ref()?.id()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    }

    /// What its log has said so far.
    pub(super) fn said(&self) -> Said {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn hear(said: &Mutex<Said>, line: String) {
    if PANICS.iter().any(|word| line.contains(word)) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.panics += 1;
        if said.lines.len() < KEPT {
            said.lines.push(line);
        }
    }
}

//! The daemon under test: killed, restarted, its files spoiled and its disk full.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;
use tokio::process::Command;

use crate::harness::{BOOK, Folder, Program, settings};

/// Log text of a panic.
const PANICS: [&str; 1] = ["panicked"];
/// Log text of an archive that cannot be written.
const DISK: &str = "rows are queued";
/// Number of relevant log lines kept.
const KEPT: usize = 200;
/// A bot that uses its whole time budget.
const BY_CLOCK: &str = "about = \"Uses its clock.\"\ndelay = \"off\"\nbooks = [\"starter\"]\ntakebacks = 0\n";

/// Relevant log lines over all restarts.
#[derive(Debug, Default, Clone)]
pub(super) struct Said {
    /// Lines of panics.
    pub panics: Vec<String>,
    /// How often it noticed that the archive cannot be written.
    pub full: usize,
}

impl Said {
    fn on_line(&mut self, line: &str) {
        self.full += usize::from(line.contains(DISK));
        if PANICS.iter().any(|word| line.contains(word)) && self.panics.len() < KEPT {
            self.panics.push(line.to_owned());
        }
    }
}

/// The bot process, its folder and its log.
pub(super) struct ProcessUnderTest {
    address: String,
    token: String,
    folder: Folder,
    max_games: usize,
    program: Option<Program>,
    said: Arc<Mutex<Said>>,
    log: Option<File>,
}

impl ProcessUnderTest {
    /// A program for this server and account, not started yet. All that it says in all its lives is kept in the file `log`.
    pub(super) fn new(
        address: &str,
        token: &str,
        max_games: usize,
        log: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let log = log
            .map(File::create)
            .transpose()
            .context("the log cannot be written")?;
        let daemon = Self {
            address: address.to_owned(),
            token: token.to_owned(),
            folder: Folder::new()?,
            max_games,
            program: None,
            said: Arc::default(),
            log,
        };
        daemon.mend()?;
        Ok(daemon)
    }

    /// Where it keeps its games.
    pub(super) fn archive(&self) -> PathBuf {
        self.folder.at("state").join(sparring::cli::state_dir::ARCHIVE)
    }

    /// Writes all its files as they should be.
    pub(super) fn mend(&self) -> anyhow::Result<()> {
        self.folder
            .write(&settings(self.max_games, "100ms"), BY_CLOCK, BOOK)
    }

    /// Writes its files as no editor should leave them.
    pub(super) fn spoil(&self) -> anyhow::Result<()> {
        self.folder
            .write("[games\nmax = lots", "nodes = \"many\"", "e4 e5 Nf9")
    }

    /// Makes it reload its settings.
    pub(super) async fn reload(&self) -> anyhow::Result<()> {
        if let Some(pid) = self.pid() {
            Command::new("kill")
                .args(["-HUP", &pid.to_string()])
                .status()
                .await?;
        }
        Ok(())
    }

    /// From now on none of its writes to files succeeds, or all do again: the length of files that it may write is
    /// limited to nothing.
    pub(super) async fn fill_disk(&self, full: bool) -> anyhow::Result<()> {
        if let Some(pid) = self.pid() {
            let limit = if full { "--fsize=0:" } else { "--fsize=unlimited:" };
            let set = Command::new("prlimit")
                .args(["--pid", &pid.to_string(), limit])
                .status()
                .await
                .context("prlimit, of util-linux, cannot be run")?;
            anyhow::ensure!(set.success(), "prlimit cannot limit the files of the program");
        }
        Ok(())
    }

    /// Starts it, whatever state it was left in.
    pub(super) fn start(&mut self) -> anyhow::Result<&mut Program> {
        let said = Arc::clone(&self.said);
        let mut log = self.log.as_ref().map(File::try_clone).transpose()?;
        let on_line = move |line: &str| {
            if let Some(file) = &mut log {
                // A log line that cannot be written does not stop the run.
                let _ = writeln!(file, "{line}");
            }
            said.lock().unwrap_or_else(PoisonError::into_inner).on_line(line);
        };
        let program = Program::start(&self.folder, &self.address, &self.token, &[], on_line)?;
        Ok(self.program.insert(program))
    }

    /// Ends it as the kernel does, without a word.
    pub(super) async fn kill(&mut self) -> anyhow::Result<()> {
        match self.program.take() {
            Some(program) => program.kill().await,
            None => Ok(()),
        }
    }

    /// Its exit, if it exited by itself, which it never should.
    pub(super) fn has_ended(&mut self) -> anyhow::Result<Option<String>> {
        self.program.as_mut().map_or(Ok(None), Program::has_ended)
    }

    /// Memory in use now, in bytes.
    pub(super) fn resident(&self) -> Option<u64> {
        self.program.as_ref()?.resident()
    }

    /// Its log so far.
    pub(super) fn said(&self) -> Said {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its process, while it runs.
    pub(super) fn pid(&self) -> Option<u32> {
        self.program.as_ref()?.pid()
    }
}

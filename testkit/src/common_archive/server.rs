//! A PostgreSQL server of our own in a folder that goes with it: Debian's programs, on a socket and nowhere else unless asked.
//!
//! The superuser asks by `psql`, so that this is no witness of our own client.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context as _, ensure};
use tempfile::TempDir;

/// Where Debian keeps the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Who may do everything, without a password.
pub const SUPERUSER: &str = "postgres";
/// Who logs in by [`PASSWORD`].
pub const USER: &str = "sparring";
/// The password of [`USER`].
pub const PASSWORD: &str = "correct horse";
/// Separate columns and rows of [`PostgresServer::rows`]: no text of a test has them.
pub const COLUMN: char = '\u{1f}';
const ROW: u8 = 0x1e;

/// A running server. Dropping it stops it and deletes its files.
pub struct PostgresServer {
    programs: PathBuf,
    folder: TempDir,
    /// Whose processes these are: the server refuses to run as root.
    owner: (u32, u32),
}

impl PostgresServer {
    /// The folder with Debian's programs, of the newest version; none where PostgreSQL is not installed.
    #[must_use]
    pub fn programs() -> Option<PathBuf> {
        let versions = fs::read_dir(VERSIONS).ok()?;
        let folders = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
        folders
            .filter(|folder| folder.join("initdb").is_file())
            .max_by_key(|folder| {
                let version = folder.parent()?.file_name()?.to_str()?;
                version.parse::<u32>().ok()
            })
    }

    /// Starts a server with these settings, each as `name=value`, and makes the role [`USER`].
    ///
    /// # Errors
    /// When PostgreSQL is not installed or does not start.
    pub fn start(settings: &[&str]) -> anyhow::Result<Self> {
        let programs = Self::programs().context("PostgreSQL is not installed: make postgresql")?;
        let folder = tempfile::tempdir()?;
        let mut owner = (folder.path().metadata()?.uid(), folder.path().metadata()?.gid());
        if owner.0 == 0 {
            owner = (id("-u")?, id("-g")?);
            chown(folder.path(), Some(owner.0), Some(owner.1))?;
        }
        let server = Self {
            programs,
            folder,
            owner,
        };
        let data = server.data();
        server.run(
            "initdb",
            &[
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--auth=trust",
                "--username",
                SUPERUSER,
                "-D",
                &data,
            ],
        )?;
        let access = format!(
            "local all {SUPERUSER} trust\nlocal all all scram-sha-256\nhost all all 127.0.0.0/8 scram-sha-256\n"
        );
        fs::write(server.folder.path().join("data/pg_hba.conf"), access)?;
        let mut options = format!(
            "-c listen_addresses= -c unix_socket_directories={}",
            server.socket().display()
        );
        for setting in settings {
            write!(options, " -c {setting}")?;
        }
        let log = server.socket().join("log");
        let log = log.to_str().context("a path in UTF-8")?;
        server.run("pg_ctl", &["start", "-w", "-D", &data, "-l", log, "-o", &options])?;
        server.query(
            "postgres",
            &format!("CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'"),
        )?;
        Ok(server)
    }

    /// Makes an empty database that [`USER`] owns.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn create_database(&self, name: &str) -> anyhow::Result<()> {
        self.query("postgres", &format!("CREATE DATABASE {name} OWNER {USER}"))
            .map(drop)
    }

    /// Lets the server have a file in its folder.
    ///
    /// # Errors
    /// When there is none.
    pub fn give(&self, name: &str) -> anyhow::Result<()> {
        chown(self.socket().join(name), Some(self.owner.0), Some(self.owner.1))
            .context("cannot give a file away")
    }

    /// The folder of its socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// The URL of a database for [`USER`], without the password.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@/{database}?host={}", self.socket().display())
    }

    /// What the superuser's SQL prints: the values of a row separated by `|`, a row a line.
    ///
    /// # Errors
    /// When the server refuses; its message.
    pub fn query(&self, database: &str, sql: &str) -> anyhow::Result<String> {
        let output = self.psql(database).args(["-c", sql]).output()?;
        ensure!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
    }

    /// Calls `on_row` with each row of a question, its values separated by [`COLUMN`]. They may be more than fit into memory.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn rows(&self, database: &str, sql: &str, mut on_row: impl FnMut(&[u8])) -> anyhow::Result<()> {
        let mut psql = self.psql(database);
        psql.args([
            "-R",
            "\u{1e}",
            "-F",
            "\u{1f}",
            "-P",
            "null=NULL",
            "-v",
            "FETCH_COUNT=20000",
            "-c",
            sql,
        ]);
        let mut psql = psql.stdout(Stdio::piped()).spawn()?;
        let mut rows = BufReader::with_capacity(1 << 20, psql.stdout.take().context("no stdout")?);
        let mut row = Vec::new();
        while rows.read_until(ROW, &mut row)? > 0 {
            if row.last() == Some(&ROW) {
                row.pop();
            } else if row.last() == Some(&b'\n') {
                // After the last row comes the end of a line.
                row.pop();
            }
            if !row.is_empty() {
                on_row(&row);
            }
            row.clear();
        }
        ensure!(psql.wait()?.success(), "{sql}");
        Ok(())
    }

    /// A session of the superuser that stays open.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn session(&self, database: &str) -> anyhow::Result<Session> {
        let mut psql = self
            .psql(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = psql.stdin.take().context("no stdin")?;
        let stdout = BufReader::new(psql.stdout.take().context("no stdout")?);
        Ok(Session { psql, stdin, stdout })
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.arg("-h").arg(self.socket());
        // Unaligned, without heads; no file of whoever runs this.
        psql.args([
            "-U",
            SUPERUSER,
            "-d",
            database,
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
        ]);
        psql
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let mut command = Command::new(self.programs.join(program));
        // The server inherits what it is started with, and would hold a pipe open.
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command.stderr(fs::File::create(self.socket().join("errors"))?);
        if self.owner.0 != fs::metadata("/proc/self").map_or(self.owner.0, |own| own.uid()) {
            command.uid(self.owner.0).gid(self.owner.1);
        }
        let status = command
            .status()
            .with_context(|| format!("cannot run {program}"))?;
        if status.success() {
            return Ok(());
        }
        let said = |name| fs::read_to_string(self.socket().join(name)).unwrap_or_default();
        anyhow::bail!("{program}: {}{}", said("errors"), said("log"));
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // A server that did not start has nothing to stop.
        let _ = self.run("pg_ctl", &["stop", "-w", "-m", "immediate", "-D", &self.data()]);
    }
}

/// The number of the user or group that Debian makes for the server.
fn id(which: &str) -> anyhow::Result<u32> {
    let output = Command::new("id").args([which, SUPERUSER]).output()?;
    let number = String::from_utf8(output.stdout)?;
    number.trim().parse().context("there is no user postgres")
}

/// A session in which a transaction can be left open.
pub struct Session {
    psql: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    /// Runs statements and waits for their end.
    ///
    /// # Errors
    /// When the session has ended, as after an error.
    pub fn run(&mut self, sql: &str) -> anyhow::Result<()> {
        writeln!(self.stdin, "{sql};\n\\echo done")?;
        let mut line = String::new();
        while line != "done\n" {
            line.clear();
            ensure!(
                self.stdout.read_line(&mut line)? > 0,
                "the session ended at {sql}"
            );
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It ends with its input all the same.
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}

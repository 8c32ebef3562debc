//! A server for all tests, a database for each, and the program that pushes to it.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use libtest_mimic::{Completion, Trial};
use tempfile::TempDir;

use crate::common_archive::{
    digest::{of_archives, of_common},
    made_games,
    server::{PASSWORD, PostgresServer, Session},
};

/// Starts with the first test that runs, and stops with the last.
pub type LazyServer = Arc<OnceLock<PostgresServer>>;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A test with its name.
pub type Test = (&'static str, fn(&Stage<'_>));

/// A test, ignored where PostgreSQL is not installed.
pub fn trial((name, test): Test, server: &LazyServer) -> Trial {
    let server = Arc::clone(server);
    Trial::ignorable_test(name, move || {
        if PostgresServer::programs().is_none() {
            return Ok(Completion::ignored_with("needs PostgreSQL: make postgresql"));
        }
        let server = server.get_or_init(|| PostgresServer::start(&["fsync=off"]).unwrap());
        // A name of a database has at most 63 bytes.
        let database = &name[..name.len().min(60)];
        server.create_database(database).unwrap();
        let folder = tempfile::tempdir().unwrap();
        test(&Stage {
            server,
            database,
            folder,
        });
        Ok(Completion::Completed)
    })
}

/// What a test has to itself.
pub struct Stage<'a> {
    pub server: &'a PostgresServer,
    /// Named as the test.
    pub database: &'a str,
    pub folder: TempDir,
}

/// How a push ended.
pub struct Ended {
    pub code: Option<i32>,
    /// The last line that it printed.
    pub said: String,
}

impl Stage<'_> {
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An archive with so many games that have ended, by seed and account.
    pub fn archive(&self, account: &str, games: u32, seed: u64) -> PathBuf {
        let path = self.path(&format!("{account}-{seed}.db"));
        made_games::write(&path, account, games, seed).unwrap();
        path
    }

    /// A push in transactions of twenty games, not waited for.
    pub fn start(&self, archive: &Path) -> Child {
        self.command(archive, &self.server.url(self.database))
            .spawn()
            .unwrap()
    }

    pub fn push(&self, archive: &Path) -> Ended {
        self.push_to(archive, &self.server.url(self.database), &[])
    }

    /// A push with other variables of the environment; those without a value are unset.
    pub fn push_to(&self, archive: &Path, url: &str, variables: &[(&str, Option<&str>)]) -> Ended {
        let mut command = self.command(archive, url);
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        ended(command.spawn().unwrap())
    }

    fn command(&self, archive: &Path, url: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
        command
            .args(["games", "push", "--batch", "20", "--to", url, "--archive"])
            .arg(archive);
        command.env("PGPASSWORD", PASSWORD);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn query(&self, sql: &str) -> String {
        self.server.query(self.database, sql).unwrap()
    }

    /// Lets a push stop before the game with this revision for as long as the session lives: the key is taken by a transaction
    /// that does not end.
    pub fn hold(&self, archive: &Path, account: &str, revision: u32) -> Session {
        let archive = rusqlite::Connection::open(archive).unwrap();
        let select = "SELECT id FROM games WHERE revision = ?";
        let id: String = archive.query_row(select, [revision], |row| row.get(0)).unwrap();
        let mut session = self.server.session(self.database).unwrap();
        let insert = format!(
            "BEGIN; INSERT INTO games (account, id, began, side, name, is_bot, rated, variant, speed, start, personality)
             VALUES ('{account}', '{id}', 0, '', '', 0, 0, '', '', '', '')"
        );
        session.run(&insert).unwrap();
        session
    }

    /// Waits until a push is held. The number of its process in the server.
    pub fn until_held(&self) -> String {
        let held = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'",
            self.database
        );
        let begun = Instant::now();
        loop {
            let pid = self.query(&held);
            if !pid.is_empty() {
                return pid;
            }
            assert!(begun.elapsed() < PATIENCE, "no push is held");
        }
    }

    /// Asserts that the common archive has all rows of these archives once, and no others.
    pub fn assert_holds(&self, archives: &[&Path]) {
        let found = of_common(self.server, self.database, archives[0]).unwrap();
        assert_eq!(found, of_archives(archives).unwrap());
    }
}

pub fn ended(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    let both = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(both).unwrap();
    Ended {
        code: output.status.code(),
        said: text.lines().last().unwrap_or_default().to_owned(),
    }
}

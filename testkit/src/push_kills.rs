//! `sparring-testkit push-kills`: a large archive is pushed to PostgreSQL by the real program, which is killed again and again.
//! Then every row has to be there once.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::{
    common_archive::{
        digest::{Digest, of_archives, of_common},
        made_games,
        server::{PASSWORD, PostgresServer},
    },
    harness::program,
};
use sparring::{
    cli::{exit::Exit, print},
    store::BATCH,
};
use sparring_chess::units::{Stopwatch, TimeSource as _};

/// Pushes a made archive to a PostgreSQL of its own, undisturbed and under kills, and compares all rows.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Games of the archive.
    #[arg(long, default_value_t = 100_000)]
    games: u32,
    /// How often the push is killed.
    #[arg(long, default_value_t = 20)]
    kills: u32,
    /// Fails where the undisturbed push has fewer games a second.
    #[arg(long, value_name = "GAMES", default_value_t = 0)]
    least: u32,
    /// Seed of the games and the moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the trial and prints its figures.
///
/// # Errors
/// When a row is lost or doubled, the push is too slow, or PostgreSQL does not start.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("archive.db");
    made_games::write(&path, "SparringBot", args.games, args.seed)?;
    let wanted = of_archives(&[&path])?;
    let [games, moves, _] = wanted.map(|digest| digest.rows);
    print(format_args!("an archive of {games} games with {moves} moves"))?;

    // The server as Debian sets it up.
    let server = PostgresServer::start(&[])?;
    server.create_database("undisturbed")?;
    let watch = Stopwatch::start();
    let output = push(&server, "undisturbed", &path, BATCH)?.wait_with_output()?;
    let took = watch.elapsed();
    ensure!(output.status.success(), "the undisturbed push: {}", said(&output));
    print(format_args!("undisturbed: {}", said(&output)))?;
    check(&wanted, &of_common(&server, "undisturbed", &path)?)?;
    let rate = games as f64 / took.as_secs_f64();
    ensure!(
        rate >= f64::from(args.least),
        "{rate:.0} games a second are too few"
    );
    server.query("postgres", "DROP DATABASE undisturbed")?;

    server.create_database("killed")?;
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    // Together they last half as long as one push, so that none comes to its end.
    let longest = took.0 / u64::from(args.kills.max(1));
    for kill in 1..=args.kills {
        // Short transactions, of which many come to their end.
        let mut child = push(&server, "killed", &path, BATCH / 8)?;
        std::thread::sleep(Duration::from_millis(rng.random_range(0..=longest)));
        let is_over = child.try_wait()?.is_some();
        child.kill()?;
        let output = child.wait_with_output()?;
        ensure!(!is_over, "the push ended before kill {kill}: {}", said(&output));
    }
    let output = push(&server, "killed", &path, BATCH)?.wait_with_output()?;
    ensure!(output.status.success(), "the last push: {}", said(&output));
    print(format_args!("after {} kills: {}", args.kills, said(&output)))?;
    check(&wanted, &of_common(&server, "killed", &path)?)?;
    print(format_args!("0 lost, 0 doubled over {} kills", args.kills))
}

pub(crate) fn push(
    server: &PostgresServer,
    database: &str,
    archive: &Path,
    batch: u32,
) -> anyhow::Result<std::process::Child> {
    Command::new(program()?)
        .args(["games", "push", "--archive"])
        .arg(archive)
        .args(["--to", &server.url(database), "--batch", &batch.to_string()])
        .env("PGPASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start the program")
}

pub(crate) fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).trim_end().to_owned()
}

fn check(wanted: &[Digest; 3], found: &[Digest; 3]) -> anyhow::Result<()> {
    for ((table, wanted), found) in ["games", "moves", "challenges"]
        .into_iter()
        .zip(wanted)
        .zip(found)
    {
        ensure!(
            wanted.rows == found.rows,
            "{table}: {} rows instead of {}",
            found.rows,
            wanted.rows
        );
        ensure!(wanted == found, "{table}: rows are not what they were");
    }
    Ok(())
}

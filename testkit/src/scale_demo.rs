//! `sparring-testkit scale-demo`: what outgrows one machine, on one machine: a fleet of bots, their common archive, and shards.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use tokio::time::{Instant, sleep};

use crate::{
    common_archive::server::PostgresServer,
    harness::{BOOK, Folder, Program, SandboxServer, program, settings},
    push_kills,
};
use sparring::{
    cli::{exit::Exit, print, threads},
    store::{Archive, Filter},
};
use sparring_chess::{
    Variant,
    units::{Millis, Stopwatch, TimeSource as _},
};
use sparring_lichess::{
    Client, Token,
    model::{ChallengeColor, ChallengeRequest, UserId},
};
use sparring_sandbox::Topic;

/// The accounts of the fleet, with the level of each.
const BOTS: [(&str, u32); 4] = [
    ("fleet-one", 1400),
    ("fleet-two", 1600),
    ("fleet-three", 1800),
    ("fleet-four", 2000),
];
/// Shards of the analysis.
const SHARDS: u32 = 8;
/// Games of all bots, and starts of all programs, take less.
const PATIENCE: Duration = Duration::from_secs(300);
/// Interval of looking at what the bots do.
const LOOK: Duration = Duration::from_millis(100);
/// Games of a transaction: the bots' archives are small.
const BATCH: u32 = 100;
/// The database of the common archive.
const DATABASE: &str = "fleet";
/// Who has what score against whom, over all bots.
const SCORES: &str = "SELECT account || ' ' || sum(CASE WHEN winner = side THEN 1.0 WHEN winner IS NULL THEN 0.5 ELSE 0.0 END) || ' of ' || count(*)
     FROM games GROUP BY account ORDER BY account";
/// Games of which the accounts of both sides tell the same.
const AGREED: &str = "SELECT count(*) FROM games AS one JOIN games AS other ON one.id = other.id AND one.account < other.account
     WHERE one.winner IS NOT DISTINCT FROM other.winner AND one.moves = other.moves AND one.side <> other.side";

/// Runs four bots against each other on the sandbox, pushes their archives to PostgreSQL, analyses games in eight shards, and pushes a
/// large archive under kills.
#[derive(Debug, clap::Args)]
#[group(id = "scale-demo")]
pub struct Args {
    /// How often each bot plays each other one, with white and black in turn.
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    #[command(flatten)]
    bulk: push_kills::Args,
}

/// Runs it all and prints the figures.
///
/// # Errors
/// When something is missing, lost or there twice.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let runtime = threads::runtime()?;
    let server = PostgresServer::start(&[])?;
    server.create_database(DATABASE)?;
    let fleet = runtime.block_on(fleet(args.rounds, &server))?;
    shards(&fleet[0].archive())?;
    drop(server);
    print("a large archive, pushed in bulk and under kills:")?;
    push_kills::run(&args.bulk)
}

/// A bot of the fleet: an account, and a folder of its own.
struct Bot {
    name: UserId,
    folder: Folder,
    client: Client,
    token: String,
}

impl Bot {
    fn new(sandbox: &SandboxServer, index: usize) -> anyhow::Result<Self> {
        let (name, level) = BOTS[index];
        let token = sandbox.sandbox.add_bot(name)?;
        let folder = Folder::new()?;
        let personality =
            format!("about = \"A bot of the fleet.\"\nlevel = {level}\ndelay = \"off\"\nbooks = []\n");
        folder.write(&settings(4, "50ms"), &personality, BOOK)?;
        Ok(Self {
            name: name.parse()?,
            folder,
            client: Client::new(&sandbox.address(), Token::parse(&token)?, index as u64)?,
            token,
        })
    }

    fn archive(&self) -> PathBuf {
        self.folder.at("state/archive.db")
    }

    /// How many games have ended; none while the archive cannot be read.
    fn ended(&self) -> usize {
        let games = Archive::read(&self.archive()).and_then(|archive| archive.results(&Filter::default()));
        games.map_or(0, |games| games.iter().filter(|game| game.end.is_some()).count())
    }
}

/// Lets the bots play each other, each a process of its own, and pushes their archives while they run.
async fn fleet(times: usize, server: &PostgresServer) -> anyhow::Result<Vec<Bot>> {
    let sandbox = SandboxServer::new(1).await?;
    let bots: Vec<Bot> = (0..BOTS.len())
        .map(|index| Bot::new(&sandbox, index))
        .collect::<anyhow::Result<_>>()?;
    let watch = Stopwatch::start();
    let running: Vec<Program> = bots
        .iter()
        .map(|bot| Program::start(&bot.folder, &sandbox.address(), &bot.token, &[], |_| {}))
        .collect::<anyhow::Result<_>>()?;
    until("the bots to open their event streams", || {
        let streams = sandbox.sandbox.streams();
        let of = |bot: &Bot| {
            streams
                .iter()
                .any(|topic| matches!(topic, Topic::Events { user, .. } if *user == bot.name))
        };
        bots.iter().all(of)
    })
    .await?;
    // Rounds in which everybody has one opponent.
    let rounds = [[(0, 1), (2, 3)], [(0, 2), (3, 1)], [(0, 3), (1, 2)]];
    let mut played = 0;
    for time in 0..times {
        for round in rounds {
            for (one, other) in round {
                let (white, black) = if time % 2 == 0 { (one, other) } else { (other, one) };
                let invitation = ChallengeRequest {
                    clock: Some((Millis::from_secs(60), Millis::from_secs(1))),
                    color: ChallengeColor::White,
                    variant: Variant::Standard,
                    fen: None,
                    rated: false,
                };
                let black = &bots[black].name;
                bots[white].client.create_challenge(black, &invitation).await?;
            }
            played += 1;
            until("the games of a round to end", || {
                bots.iter().all(|bot| bot.ended() == played)
            })
            .await?;
        }
    }
    let all = played * BOTS.len() / 2;
    print(format_args!(
        "fleet: {} bots, a process each, played {all} games in {} s",
        BOTS.len(),
        watch.elapsed().as_secs_f64().round()
    ))?;
    push_all(&bots, server)?;
    let rows = server.query(DATABASE, "SELECT count(*) FROM games")?;
    let agreed = server.query(DATABASE, AGREED)?;
    print(format_args!(
        "common archive: {rows} rows of games, {agreed} games told alike by both sides"
    ))?;
    ensure!(
        rows == (2 * all).to_string(),
        "each game is there once for each bot"
    );
    ensure!(agreed == all.to_string(), "both bots tell the same of each game");
    for line in server.query(DATABASE, SCORES)?.lines() {
        print(format_args!("  {line}"))?;
    }
    let before = server.query(DATABASE, "SELECT sum(hashtext(games::text)) FROM games")?;
    push_all(&bots, server)?;
    let after = server.query(DATABASE, "SELECT sum(hashtext(games::text)) FROM games")?;
    ensure!(before == after, "a second push changes nothing");
    for bot in running {
        bot.kill().await?;
    }
    Ok(bots)
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) -> anyhow::Result<()> {
    let limit = Instant::now() + PATIENCE;
    while !is_so() {
        ensure!(Instant::now() < limit, "waited in vain for {what}");
        sleep(LOOK).await;
    }
    Ok(())
}

/// Pushes the archives of all bots at once.
fn push_all(bots: &[Bot], server: &PostgresServer) -> anyhow::Result<()> {
    let pushes: Vec<_> = bots
        .iter()
        .map(|bot| push_kills::push(server, DATABASE, &bot.archive(), BATCH))
        .collect::<anyhow::Result<_>>()?;
    for push in pushes {
        let output = push.wait_with_output()?;
        ensure!(output.status.success(), "a push: {}", push_kills::said(&output));
    }
    Ok(())
}

/// Analyses an archive in one run, and in eight shards under GNU parallel, and compares the rows.
fn shards(archive: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name).display().to_string();
    let analyse = |cache: &str, record: &str| -> anyhow::Result<Vec<String>> {
        let words = ["games", "analyse", "--archive"].map(str::to_owned);
        let archive = archive.display().to_string();
        let rest = ["--cache", cache, "--record", record].map(str::to_owned);
        Ok([&words[..], &[archive], &rest[..]].concat())
    };
    let watch = Stopwatch::start();
    let whole = at("whole.ndjson");
    done(
        Command::new(program()?).args(analyse(&at("whole.db"), &whole)?),
        "the whole analysis",
    )?;
    let alone = watch.elapsed();
    let watch = Stopwatch::start();
    let mut parallel = Command::new("parallel");
    parallel
        .args(["--will-cite", "--halt", "now,fail=1"])
        .arg(program()?);
    // A cache of their own: nothing is known from the whole run.
    parallel.args(analyse(&at("shards.db"), &at("{}.ndjson"))?);
    parallel.args(["--shard", &format!("{{}}/{SHARDS}"), ":::"]);
    parallel.args((1..=SHARDS).map(|number| number.to_string()));
    done(&mut parallel, "GNU parallel")?;
    let divided = watch.elapsed();
    let mut merge = Command::new(program()?);
    merge.arg("merge");
    merge.args((1..=SHARDS).map(|number| at(&format!("{number}.ndjson"))));
    merge.args(["-o", &at("merged.ndjson")]);
    done(&mut merge, "merge")?;
    let sorted = |path: &str| -> anyhow::Result<Vec<String>> {
        let text = fs::read_to_string(path)?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        Ok(lines)
    };
    let (one, eight) = (sorted(&whole)?, sorted(&at("merged.ndjson"))?);
    ensure!(one == eight, "{SHARDS} shards have other rows than one run");
    print(format_args!(
        "shards: {} rows of analysed games, the same by one run ({:.1} s) and by {SHARDS} shards under GNU parallel ({:.1} s)",
        one.len() - 1,
        alone.as_secs_f64(),
        divided.as_secs_f64()
    ))?;
    Ok(())
}

/// Runs a command to its end.
fn done(command: &mut Command, what: &str) -> anyhow::Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {what}"))?;
    ensure!(output.status.success(), "{what}: {}", push_kills::said(&output));
    Ok(output)
}

//! `sparring-testkit soak`: games against the embedded server while everything goes wrong on purpose. Requests and lines fail by
//! chance, the program is killed without warning, the server restarts, connections fall silent, the disk is full, files
//! are spoiled and mended in storms. Seeded; prints a table, and fails if a game was lost, left or spoiled by anything
//! but the faults themselves.

mod chaos_schedule;
mod cpu_starvation;
mod fault_log;
mod fault_proxy;
mod game_results;
mod kept;
mod kill_near_flag;
mod moves;
mod process_under_test;
mod report;
mod table;

use std::path::{Path, PathBuf};

use self::{fault_proxy::FaultProxy, process_under_test::ProcessUnderTest};
use crate::harness::SandboxServer;
use sparring::cli::{
    exit::{Exit, Failure},
    threads,
};

/// Plays games under injected faults and prints the results.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Games to play.
    #[arg(long, default_value_t = 2000)]
    games: usize,
    /// How many at once.
    #[arg(long, default_value_t = 8)]
    at_once: usize,
    /// The opponents resign after so many half moves: games are not played for their ends.
    #[arg(long, default_value_t = 160)]
    plies: usize,
    /// The share of requests and lines that go wrong, in percent.
    #[arg(long, default_value_t = 3.0)]
    percent: f64,
    /// How many times the program is killed on its turn with three seconds left.
    #[arg(long, default_value_t = 200)]
    kills: usize,
    /// Seed of everything drawn: colours, clocks and first moves of the opponents' games, which faults come in which
    /// order and how long they last, and what goes wrong with the how-manieth request or line of which game. When faults
    /// strike is a matter of time, and so are the moves of a bot that thinks by its clock: the same command makes a run of
    /// the same kind, not the same run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the bot's log of its games to this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Runs the soak.
///
/// # Errors
/// When the program cannot be started or the sandbox not be served, and when a bar is missed.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let runtime = threads::runtime()?;
    runtime.block_on(soak(args))
}

async fn soak(args: &Args) -> anyhow::Result<Exit> {
    table::row("drawn by", args.command());
    let mut missed = game_results::games(args).await?;
    let after_kills = kill_near_flag::play(args).await?;
    missed.extend(after_kills.iter().map(|bar| format!("after kills, {bar}")));
    if missed.is_empty() {
        return Ok(Exit::Success);
    }
    // Said once more at the end, which is all that is left of a long log.
    let sentence = format!(
        "bars missed: {}; the same is drawn again, though at other moments, by: {}",
        missed.join("; "),
        args.command()
    );
    Err(Failure::error(Exit::Failed, sentence))
}

impl Args {
    /// The command that draws the same again.
    fn command(&self) -> String {
        let Self {
            games,
            at_once,
            plies,
            percent,
            kills,
            seed,
            log: _,
        } = self;
        format!(
            "sparring-testkit soak --games {games} --at-once {at_once} --plies {plies} --percent {percent} --kills {kills} --seed {seed}"
        )
    }
}

/// The sandbox server, the fault proxy before it, and the daemon.
struct SoakSetup {
    sandbox_server: SandboxServer,
    network: FaultProxy,
    daemon: ProcessUnderTest,
}

impl SoakSetup {
    async fn new(seed: u64, at_once: usize, log: Option<&Path>) -> anyhow::Result<Self> {
        let sandbox_server = SandboxServer::new(seed).await?;
        let network = FaultProxy::before(sandbox_server.server).await?;
        let daemon = ProcessUnderTest::new(network.address(), &sandbox_server.token, at_once, log)?;
        Ok(Self {
            sandbox_server,
            network,
            daemon,
        })
    }

    /// Starts the program and waits until its event stream is open.
    async fn start(&mut self) -> anyhow::Result<()> {
        let program = self.daemon.start()?;
        self.sandbox_server.until_it_listens(program).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    #[test]
    fn the_command_that_repeats_a_soak_says_everything_that_is_drawn_by() {
        let line =
            "sparring-testkit soak --games 24 --at-once 3 --plies 40 --percent 4.5 --kills 10 --seed 77";
        let words = line.split(' ').filter(|word| *word != "soak");
        assert_eq!(parsed::<Args>(words).unwrap().command(), line);
    }
}

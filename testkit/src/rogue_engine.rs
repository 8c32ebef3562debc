//! `sparring-testkit rogue-engine`: passes UCI on to another engine, and misbehaves every few moves as engines do: it ends, stops
//! dead, answers nothing, prints garbage, or plays an illegal move.

use std::{
    io::{BufRead as _, BufReader, Write as _, stdin, stdout},
    process::{Command, Stdio},
    thread,
};

use anyhow::Context as _;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use sparring::cli::exit::Exit;

/// Passes UCI on to an engine, and misbehaves every few moves.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One of so many moves goes wrong, on average; 0 for none.
    #[arg(long, default_value_t = 6)]
    every: u32,
    /// Seed of what goes wrong; each process draws its own.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The engine and its arguments.
    #[arg(required = true, trailing_var_arg = true)]
    command: Vec<String>,
}

/// What goes wrong at a move.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Exit,
    Freeze,
    Silence,
    Garbage,
    Illegal,
}

const FAULTS: [Fault; 5] = [
    Fault::Exit,
    Fault::Freeze,
    Fault::Silence,
    Fault::Garbage,
    Fault::Illegal,
];

/// Runs until the input ends, `quit` comes, or a fault ends it.
///
/// # Errors
/// When the engine cannot be started or has ended.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut draw = ChaCha8Rng::seed_from_u64(args.seed ^ u64::from(std::process::id()));
    let (program, rest) = args.command.split_first().context("no engine is named")?;
    let mut engine = Command::new(program)
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let mut input = engine.stdin.take().context("no pipe to the engine")?;
    let output = engine.stdout.take().context("no pipe from the engine")?;
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            say(&line);
        }
    });
    for line in stdin().lock().lines().map_while(Result::ok) {
        if line.starts_with("go") && args.every > 0 && draw.random_range(0..args.every) == 0 {
            match FAULTS[draw.random_range(0..FAULTS.len())] {
                Fault::Exit => break,
                Fault::Freeze => freeze()?,
                Fault::Silence => {}
                Fault::Garbage => say(&"\u{1}nonsense ".repeat(200_000)),
                Fault::Illegal => say("bestmove a1h8"),
            }
            continue;
        }
        if writeln!(input, "{line}").and_then(|()| input.flush()).is_err() || line == "quit" {
            break;
        }
    }
    drop(input);
    let _ = engine.kill(); // it may have ended
    engine.wait()?;
    Ok(Exit::Success)
}

/// A line for the bot, which may be gone.
fn say(line: &str) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Stops this process as `kill -STOP` does; only a kill ends it then.
fn freeze() -> anyhow::Result<()> {
    let own = std::process::id().to_string();
    Command::new("kill").args(["-STOP", &own]).status()?;
    Ok(())
}

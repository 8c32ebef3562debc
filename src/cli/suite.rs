//! `sparring suite`: positions with known solutions, and how many of them the engine finds.

use std::{
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::Context as _;
use serde::Serialize;

use super::exit::Exit;
use crate::{
    arena::{Attempt, Goal, Problem, read_epd, read_suite},
    chess::{GameLine, Variant, write_san},
    engine::{Engine, Limits, Report, Search, Stop, Surroundings},
    units::{Depth, Millis, Nodes, Stopwatch},
};

/// Searches the positions of test suites and counts those whose solution is found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring suite iq4.epd --movetime 1000
  sparring suite bratko-kopec.epd sts.epd --nodes 300000 --concurrency 2 --failed
  sparring suite mates.epd --movetime 1000 --up-to-mate 5 --json")]
pub struct Args {
    /// Suites, one EPD a line with bm, am, dm, `bm #n`, or points in c0.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Milliseconds for each position; 1000 when no limit is named.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Nodes for each position.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies for each position.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Size of the hash table in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Threads of each search.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Positions searched at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Leaves out mates that take more moves.
    #[arg(long, value_name = "MOVES")]
    up_to_mate: Option<u32>,
    /// Names each position that was not solved.
    #[arg(long)]
    failed: bool,
    /// Prints one JSON object a suite instead of a sentence.
    #[arg(long)]
    json: bool,
}

/// What came of one position.
#[derive(Debug, Clone, Serialize)]
struct Outcome {
    id: String,
    solved: bool,
    points: u32,
    played: String,
    /// Time and nodes after which the solution was kept.
    solved_after_ms: Option<u64>,
    solved_after_nodes: Option<u64>,
}

/// What came of a suite.
#[derive(Debug, Serialize)]
struct Total<'a> {
    suite: String,
    positions: usize,
    solved: usize,
    points: u32,
    most_points: u32,
    /// Mean over those solved.
    mean_solution_ms: u64,
    outcomes: &'a [Outcome],
}

/// Runs the suites and prints a line for each.
///
/// # Errors
/// When a file cannot be read or is no suite.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    // A mistake in the last of them is told before the first takes its minutes.
    let suites: Vec<(String, Vec<Problem>)> = args
        .files
        .iter()
        .map(|path| {
            let shown = path.display().to_string();
            let text = read_epd(path).with_context(|| format!("cannot read {shown}"))?;
            let problems = read_suite(&text).with_context(|| shown.clone())?;
            Ok((shown, problems))
        })
        .collect::<anyhow::Result<_>>()?;
    for (shown, mut problems) in suites {
        if let Some(most) = args.up_to_mate {
            problems
                .retain(|problem| !matches!(problem.goal, Goal::Mate(moves) if moves.unsigned_abs() > most));
        }
        let outcomes = solve_all(args, &problems);
        print(args, &shown, &problems, &outcomes);
    }
    Ok(Exit::Success)
}

fn solve_all(args: &Args, problems: &[Problem]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(problems.len()));
    thread::scope(|scope| {
        for _ in 0..args.concurrency.clamp(1, problems.len().max(1)) {
            scope.spawn(|| {
                let mut engine = Engine::ready(args.hash);
                engine.set_threads(args.threads);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(problem) = problems.get(index) else {
                        break;
                    };
                    let outcome = solve(args, &mut engine, problem);
                    found
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((index, outcome));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

fn solve(args: &Args, engine: &mut Engine, problem: &Problem) -> Outcome {
    let any = args.nodes.is_some() || args.depth.is_some();
    let movetime = args.movetime.or((!any).then_some(1000));
    let limits = Limits {
        depth: args.depth.map(Depth),
        nodes: args.nodes.map(Nodes),
        hard: movetime.map(Millis),
        mate: match problem.goal {
            Goal::Mate(moves) => u32::try_from(moves).ok(),
            _ => None,
        },
        soft: None,
    };
    let line = GameLine::from_position(Variant::Standard, problem.position.clone());
    let around = Surroundings {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    engine.clear();
    let mut attempt = Attempt::default();
    let mut note = |report: &Report| attempt.note(&problem.goal, report);
    let report = engine.search(&Search::new(line, limits), &around, &mut note);
    note(&report);
    let played = report
        .best()
        .map_or_else(|| "-".to_owned(), |mv| write_san(&problem.position, mv));
    Outcome {
        id: problem.id.clone(),
        solved: attempt.is_solved(),
        points: attempt.points,
        played,
        solved_after_ms: attempt.since.map(|(time, _)| time.0),
        solved_after_nodes: attempt.since.map(|(_, nodes)| nodes.0),
    }
}

#[expect(clippy::print_stdout, reason = "the result is what the command is for")]
fn print(args: &Args, suite: &str, problems: &[Problem], outcomes: &[Outcome]) {
    let solved = outcomes.iter().filter(|outcome| outcome.solved).count();
    let times = outcomes.iter().filter_map(|outcome| outcome.solved_after_ms);
    let total = Total {
        suite: suite.to_owned(),
        positions: problems.len(),
        solved,
        points: outcomes.iter().map(|outcome| outcome.points).sum(),
        most_points: problems.iter().map(|problem| problem.goal.most()).sum(),
        mean_solution_ms: times.sum::<u64>() / solved.max(1) as u64,
        outcomes,
    };
    if args.json {
        println!("{}", serde_json::to_string(&total).unwrap_or_default());
        return;
    }
    if args.failed {
        for outcome in outcomes.iter().filter(|outcome| !outcome.solved) {
            println!("{}: not solved, {} played", outcome.id, outcome.played);
        }
    }
    println!(
        "{suite}: {solved} of {} solved, {} of {} points, {} ms to a solution",
        total.positions, total.points, total.most_points, total.mean_solution_ms
    );
}

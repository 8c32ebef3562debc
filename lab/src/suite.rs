//! `sparring-lab suite`: positions with known solutions, and how many of them the engine finds.

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

use sparring::cli::{
    exit::{Exit, Failure},
    render_diagnostics::{Style, draw_up_to},
};
use sparring_chess::{
    GameHistory, Variant,
    units::{Depth, Millis, Nodes, Stopwatch},
    write_san,
};
use sparring_diagnostics::Diagnostics;
use sparring_engine::{Engine, Limits, SearchControl, SearchRequest, SearchResult, Stop};
use sparring_match_runner::{Attempt, Goal, Problem, read_epd, read_suite};

/// Searches the positions of test suites and counts those whose solution is found.
///
/// Malformed lines are reported with their place before the first search and skipped. The exit code is then 1, as the count is
/// not of the whole suite.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab suite iq4.epd --movetime 1000
  sparring-lab suite bratko-kopec.epd sts.epd --nodes 300000 --concurrency 2 --failed
  sparring-lab suite mates.epd --movetime 1000 --up-to-mate 5 --json")]
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

/// Result of a position.
#[derive(Debug, Clone, Serialize)]
struct Attempted {
    id: String,
    solved: bool,
    points: u32,
    played: String,
    /// Time and nodes after which the solution was kept.
    solved_after_ms: Option<u64>,
    solved_after_nodes: Option<u64>,
}

/// Result of a suite.
#[derive(Debug, Serialize)]
struct Total<'a> {
    suite: String,
    positions: usize,
    solved: usize,
    points: u32,
    most_points: u32,
    /// Lines that are no position with a solution.
    left_out: usize,
    /// Mean over those solved.
    mean_solution_ms: u64,
    outcomes: &'a [Attempted],
}

/// Runs the suites and prints a line for each.
///
/// # Errors
/// When a file cannot be read or holds nothing to solve.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    // All are read first, so that an error in the last is reported at once.
    let suites: Vec<(Vec<Problem>, Diagnostics)> = args
        .files
        .iter()
        .map(|path| {
            let shown = path.display().to_string();
            let text = read_epd(path).with_context(|| format!("cannot read {shown}"))?;
            Ok(read_suite(&shown, &text))
        })
        .collect::<anyhow::Result<_>>()?;
    complain(&suites);
    if let Some((_, empty)) = suites.iter().find(|(problems, _)| problems.is_empty()) {
        let sentence = format!("{}: there is nothing to solve in it", empty.name);
        return Err(Failure::error(Exit::Failed, sentence));
    }
    let is_whole = suites.iter().all(|(_, findings)| findings.list.is_empty());
    for (mut problems, findings) in suites {
        if let Some(most) = args.up_to_mate {
            problems
                .retain(|problem| !matches!(problem.goal, Goal::Mate(moves) if moves.unsigned_abs() > most));
        }
        let outcomes = solve_all(args, &problems);
        print(args, &findings, &problems, &outcomes);
    }
    Ok(if is_whole { Exit::Success } else { Exit::Failed })
}

/// Reports all skipped lines.
#[expect(clippy::print_stderr, reason = "talk about the work goes to stderr")]
fn complain(suites: &[(Vec<Problem>, Diagnostics)]) {
    const MOST: usize = 1000;
    for (_, findings) in suites {
        let found = std::slice::from_ref(findings);
        eprint!("{}", draw_up_to(found, Style::Lines, MOST));
    }
}

fn solve_all(args: &Args, problems: &[Problem]) -> Vec<Attempted> {
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

fn solve(args: &Args, engine: &mut Engine, problem: &Problem) -> Attempted {
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
    let line = GameHistory::from_position(Variant::Standard, problem.position.clone());
    let around = SearchControl {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    engine.clear();
    let mut attempt = Attempt::default();
    let mut note = |report: &SearchResult| attempt.record(&problem.goal, report);
    let report = engine.search(&SearchRequest::new(line, limits), &around, &mut note);
    note(&report);
    let played = report
        .best()
        .map_or_else(|| "-".to_owned(), |mv| write_san(&problem.position, mv));
    Attempted {
        id: problem.id.clone(),
        solved: attempt.is_solved(),
        points: attempt.points,
        played,
        solved_after_ms: attempt.since.map(|(time, _)| time.0),
        solved_after_nodes: attempt.since.map(|(_, nodes)| nodes.0),
    }
}

#[expect(clippy::print_stdout, reason = "the result is what the command is for")]
fn print(args: &Args, findings: &Diagnostics, problems: &[Problem], outcomes: &[Attempted]) {
    let (suite, left_out) = (&findings.name, findings.list.len());
    let solved = outcomes.iter().filter(|outcome| outcome.solved).count();
    let times = outcomes.iter().filter_map(|outcome| outcome.solved_after_ms);
    let total = Total {
        suite: suite.to_string(),
        positions: problems.len(),
        solved,
        points: outcomes.iter().map(|outcome| outcome.points).sum(),
        most_points: problems.iter().map(|problem| problem.goal.most()).sum(),
        left_out,
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
    let left_out = match left_out {
        0 => String::new(),
        1 => ", 1 line left out".to_owned(),
        lines => format!(", {lines} lines left out"),
    };
    println!(
        "{suite}: {solved} of {} solved, {} of {} points, {} ms to a solution{left_out}",
        total.positions, total.points, total.most_points, total.mean_solution_ms
    );
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::parsed;

    #[test]
    fn a_suite_with_wrong_lines_is_run_without_them_and_the_code_tells() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.epd").display().to_string();
        let suite = |text: &str| {
            fs::write(&path, text).unwrap();
            run(&parsed(["suite", &path, "--depth", "1", "--hash", "1"]).unwrap())
        };
        let right = "7k/5Q2/6K1/8/8/8/8/8 w - - bm Qg7#;\n";
        assert_eq!(suite(right).unwrap(), Exit::Success);
        let with_wrong = format!("{right}7k/5Q2/6K1/8/8/8/8/8 w - - bm Qz7;\n");
        assert_eq!(suite(&with_wrong).unwrap(), Exit::Failed);
        let error = suite("no position\n").unwrap_err().to_string();
        assert!(
            error.ends_with("a.epd: there is nothing to solve in it"),
            "{error}"
        );
    }
}

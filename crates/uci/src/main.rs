//! The program `sparring-uci`: UCI on standard input and output, `bench`, `perft FEN DEPTH`, and what test rigs ask for
//! otherwise: `spsa` and `genfens`.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use sparring_chess::{GameHistory, units::Depth};
use sparring_engine::bench;
use sparring_uci as uci;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => uci::run(io::stdin().lock(), io::stdout()).map_err(|error| format!("standard input: {error}")),
        ["bench"] => say(uci::bench(bench::DEPTH)),
        ["bench", "--fixed-cost"] => say(uci::fixed_cost()),
        ["bench", "--threads", threads] => number(threads).and_then(|threads| say(scaling(threads, bench::DEPTH))),
        ["bench", "--threads", threads, depth] => number(threads)
            .and_then(|threads| Ok((threads, bench_depth(depth)?)))
            .and_then(|(threads, depth)| say(scaling(threads, depth))),
        ["bench", depth] => bench_depth(depth).and_then(|depth| say(uci::bench(depth))),
        ["spsa"] => say(uci::tunables()),
        ["perft", fen, depth, "--compare"] => number(depth)
            .and_then(|depth| uci::perft_speed(fen, depth).map_err(|error| error.to_string()))
            .and_then(say),
        ["perft", fen, depth] => number(depth)
            .and_then(|depth| uci::perft(fen, depth).map_err(|error| error.to_string()))
            .and_then(say),
        // OpenBench passes the command as one word, and `quit` as the next.
        [command, rest @ ..] if command.split_whitespace().next() == Some("genfens") => {
            let words = command.split_whitespace().skip(1).chain(rest.iter().copied());
            genfens(words.collect())
        }
        _ => Err(
            "usage: sparring-uci [bench [DEPTH | --fixed-cost | --threads N [DEPTH]] | perft FEN DEPTH [--compare] | spsa | \
             genfens N seed S book None|FILE [plies P]]"
                .to_owned(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nothing can be done when even this cannot be written.
            let _ = writeln!(io::stderr(), "sparring-uci: {message}");
            ExitCode::from(2)
        }
    }
}

fn scaling(threads: u32, depth: Depth) -> impl std::fmt::Display {
    let lines: Vec<GameHistory> = bench::lines().collect();
    uci::scaling(&lines, threads as usize, depth)
}

fn genfens(mut words: Vec<&str>) -> Result<(), String> {
    if words.last() == Some(&"quit") {
        words.pop();
    }
    uci::genfens(&words, |fen| writeln!(io::stdout(), "info string genfens {fen}"))
        .map_err(|error| error.to_string())
}

fn say(line: impl std::fmt::Display) -> Result<(), String> {
    writeln!(io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}

/// How deep to search: a search of no depth at all counts nothing.
fn bench_depth(text: &str) -> Result<Depth, String> {
    match number(text)? {
        0 => Err("\"bench\" needs a depth from 1, not 0".to_owned()),
        depth => Ok(Depth(depth)),
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("\"{text}\" is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_of_no_depth_is_refused() {
        assert_eq!(bench_depth("3"), Ok(Depth(3)));
        assert!(bench_depth("0").unwrap_err().contains("from 1"));
        assert!(bench_depth("deep").unwrap_err().contains("not a number"));
    }
}

//! The table that a soak prints, and the bars that it counts.

use std::{fmt::Display, time::Duration};

use super::{
    Args, SoakSetup,
    chaos_schedule::ChaosSchedule,
    fault_proxy::{Silence, Use},
    game_results::GamesRecord,
    kept::Kept,
    moves::Moves,
    process_under_test::Said,
    report::Findings,
};
use sparring_chess::units::Millis;

/// The bar for a silent event stream to be noticed.
const NOTICED: Duration = Duration::from_secs(25);
/// So soon after an outage challenges should be heard again. No bar: the longer an outage, the rarer the tries.
const ACCEPTING: Duration = Duration::from_secs(1);
/// Number of lines shown for a missed bar.
const SHOWN: usize = 10;

/// Prints one row.
pub(super) fn row(what: &str, figure: impl Display) {
    // A closed stdout does not stop the run.
    let _ = sparring::cli::print(format_args!("{what:<64} {figure}"));
}

/// Prints the results of the games. Returns the bars that were missed.
pub(super) fn of_games(
    args: &Args,
    setup: &SoakSetup,
    schedule: &ChaosSchedule,
    record: &GamesRecord,
    findings: &Findings,
) -> Vec<String> {
    of_troubles(args, setup, schedule, record, findings);
    let said = setup.daemon.said();
    // Whatever ended it at last: an event stream that is silent for so long should have been given up before.
    let long = |silence: &&Silence| silence.used == Use::Events && silence.lasted >= NOTICED;
    let late: Vec<String> = record
        .silences
        .iter()
        .filter(long)
        .map(|silence| format!("silent for {}", Millis::from(silence.lasted)))
        .collect();
    let unfinished = args.games - record.played.len();
    [
        bar("unfinished games", unfinished).into_iter().collect(),
        bars(&[
            ("lost on time otherwise", &findings.own_losses),
            ("resigned by the bot", &findings.resigned),
            ("aborted by the bot", &findings.aborted),
            (
                "challenges not accepted in 30 s, 10 s of them calm",
                &findings.unanswered,
            ),
            ("ended of its own accord", &record.own_ends),
            ("silent event streams kept for 25 s or more", &late),
            ("opponents that left, and other ends before time", &record.broken),
        ]),
        of_moves(&record.moves),
        of_logs(&said, &record.kept),
    ]
    .concat()
}

/// Prints the results of the move requests. Returns the bars that were missed.
pub(super) fn of_moves(moves: &Moves) -> Vec<String> {
    row(
        "moves sent, met by a mishap, too late",
        format!("{}, {}, {}", moves.sent, moves.met, moves.late),
    );
    row(
        "sent again though played, after a fault of its own",
        moves.forced_repeats,
    );
    bars(&[
        ("moves that are illegal or out of turn", &moves.illegal),
        ("half moves answered twice, differently", &moves.changed),
        (
            "sent again though played, no fault of its own between",
            &moves.own_repeats,
        ),
        (
            "sent while another of its half move was under way",
            &moves.crossed,
        ),
        ("sent within 1 s of a 429 on a move of its game", &moves.hasty),
        ("half moves tried more than 8 times in one life", &moves.many),
    ])
}

/// Prints the results of log and archive. Returns the bars that were missed.
pub(super) fn of_logs(said: &Said, kept: &Kept) -> Vec<String> {
    bars(&[
        ("panics", &said.panics),
        ("games without a result in the archive", &kept.open),
        ("games that the archive does not have", &kept.missing),
        ("games of which the archive tells another end", &kept.differing),
    ])
}

/// Prints bars of 0, with the first lines behind those that are missed. Returns these, each with its first line.
pub(super) fn bars(bars: &[(&str, &[String])]) -> Vec<String> {
    let mut missed = Vec::new();
    for (what, lines) in bars {
        let bar = bar(what, lines.len());
        for line in lines.iter().take(SHOWN) {
            row("", line);
        }
        if let (Some(bar), Some(first)) = (bar, lines.first()) {
            missed.push(format!("{bar}, {first}"));
        }
    }
    missed
}

/// Prints a bar of 0. Returns it if it was missed.
pub(super) fn bar(what: &str, count: usize) -> Option<String> {
    row(&format!("{what} (bar 0)"), count);
    (count > 0).then(|| format!("{what}: {count}"))
}

/// A fault, and what it explains.
fn of_troubles(
    args: &Args,
    setup: &SoakSetup,
    schedule: &ChaosSchedule,
    record: &GamesRecord,
    findings: &Findings,
) {
    let played = record.played.len();
    row(
        "games",
        format!("{played} of {}, {} at once", args.games, args.at_once),
    );
    row("took", record.took);
    let endings = findings.endings.iter();
    let endings: Vec<String> = endings.map(|(how, count)| format!("{count} {how}")).collect();
    row("ended as", endings.join(", "));
    let [won, nobodys, lost] = findings.score;
    row(
        "the bot won, neither did, it lost",
        format!("{won}, {nobodys}, {lost}"),
    );
    row(
        "resigned by opponents, at their last half move",
        findings.guests_resigned,
    );
    row(
        "challenges not accepted in 30 s, no 10 s of them calm",
        findings.forced_unanswered,
    );
    row(
        "requests and lines that went wrong",
        setup.sandbox_server.sandbox.random_fault_count(),
    );
    row(
        "kill -9, server restarts, reload storms",
        format!("{}, {}, {}", schedule.kills, schedule.restarts, schedule.storms),
    );
    row(
        "disk full, and how often the archive said so",
        format!("{}, {}", schedule.full_disks, setup.daemon.said().full),
    );
    let slowest = |used| {
        let slowest = record.slowest(used).map(Millis::from);
        slowest.map_or_else(|| "-".to_owned(), |slowest| slowest.to_string())
    };
    row(
        "connections fell silent; event stream, games given up after",
        format!(
            "{}; {}, {} at most",
            schedule.silences,
            slowest(Use::Events),
            slowest(Use::Game)
        ),
    );
    let reopened = record.reopened.iter();
    let slow = reopened.clone().filter(|took| **took >= ACCEPTING).count();
    row(
        "event stream opened again after the server was back; over 1 s",
        format!(
            "{} times, {} at most; {slow}",
            record.reopened.len(),
            Millis::from(reopened.max().copied().unwrap_or_default())
        ),
    );
    let stalls = &schedule.faults.stalls;
    let still = stalls.iter().map(|(from, to)| *to - *from);
    row(
        "the machine let nobody run for more than 50 ms, longest",
        format!("{} times, {}", stalls.len(), still.max().unwrap_or(Millis::ZERO)),
    );
    let starved = &schedule.faults.starved;
    let longest = starved.iter().map(|(from, to)| *to - *from).max();
    row(
        "others had the processors for most of a moment, longest wait",
        format!("{} times, {}", starved.len(), longest.unwrap_or(Millis::ZERO)),
    );
    row(
        "lost on time, all of the clock taken by faults",
        findings.forced_losses,
    );
    row(
        "memory growth within a life, at most",
        format!("{:.1} MiB", record.growth as f64 / 1_048_576.0),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_that_were_missed_are_named_with_what_lies_behind_them() {
        let lines = ["abcd1234 after 3 plies".to_owned(), "efgh5678".to_owned()];
        let missed = bars(&[("panics", &[]), ("resigned by the bot", &lines)]);
        assert_eq!(missed, ["resigned by the bot: 2, abcd1234 after 3 plies"]);
        assert_eq!(bar("unfinished games", 1).as_deref(), Some("unfinished games: 1"));
        assert_eq!(bar("unfinished games", 0), None);
    }
}

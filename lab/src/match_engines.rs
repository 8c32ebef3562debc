//! `sparring-lab match`: two UCI engines against each other, with error bars.

mod openings;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::{Context as _, bail};

use crate::datagen::progress_bar;
use sparring_chess::{Variant, units::Millis};
use sparring_files as files;
use sparring_journal::{Heading, Shard, fnv64};
use sparring_match_runner::{
    Adjudication, BadTimeControl, Match, MatchJournal, Progress, Referee, Sprt, TimeControl, Verdict,
    progress,
};
use sparring_uci_client::EngineSpec;

/// Plays two UCI engines against each other in pairs of games and prints Elo with its 95 % error, and how likely it is that
/// the first is the stronger one (LOS).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab match ./new ./old --tc 8+0.08 --sprt 0,5 --openings openings.epd
  sparring-lab match ./new ./old --tc 10+0.1 --openings 8moves.pgn --plies 16
  sparring-lab match './new uci' stockfish --option 2:UCI_LimitStrength=true --option 2:UCI_Elo=2200 --games 400
  sparring-lab match ./new ./old --tc nodes=5000 --record run.ndjson    # killed and started again, it goes on
  sparring-lab match ./new ./old --tc nodes=5000 --shard 3/8 --record 3.ndjson    # a part of it; `sparring merge` puts them together
  sparring-lab match ./bot ./bot --tc 60+0 --tc 2:600+5    # the second has more time
  sparring-lab match './new uci' fairy-stockfish --variant crazyhouse --option '2:Skill Level=3'")]
pub struct Args {
    /// The first engine: a program, with its arguments after spaces. Points are counted for it.
    first: String,
    /// The second engine.
    second: String,
    /// Time for each side in seconds with increment (10+0.1), or for each so many moves (40/10+0.1), or movetime=MS, nodes=N, depth=N; of one engine alone with
    /// its number before it (2:60+0.6). May be repeated, the last one counts.
    #[arg(long, default_value = "8+0.08", value_name = "[1:|2:]TC", value_parser = parse_tc)]
    tc: Vec<Tc>,
    /// Games to play, rounded up to pairs [default: 200; as many as a test with --sprt takes, but no more than 40000, and
    /// without a clock a pair for each opening: more would repeat them, unless an engine leaves something to chance].
    #[arg(long)]
    games: Option<usize>,
    /// What is played, as lichess calls it: atomic, threeCheck. Both engines must offer it by UCI_Variant or UCI_Chess960.
    #[arg(long, default_value = "standard", value_parser = str::parse::<Variant>)]
    variant: Variant,
    /// File of openings of the variant: one EPD or FEN a line, or games in PGN. Without it games begin at the usual start.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Without a file of openings: random half moves that each pair of games begins with [default: 0; in variants 4].
    #[arg(long, conflicts_with = "openings")]
    random_plies: Option<usize>,
    /// Half moves taken of each game of a PGN [default: all of them].
    #[arg(long, requires = "openings")]
    plies: Option<usize>,
    /// Stops as soon as the test of these two differences in Elo is decided, at 5 % error: `0,5`.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Games at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// UCI option of both engines (NAME=VALUE) or of one (1:NAME=VALUE, 2:NAME=VALUE), refused where it is not offered.
    /// May be repeated.
    #[arg(long = "option", value_name = "[1:|2:]NAME=VALUE")]
    options: Vec<String>,
    /// How many milliseconds a clock may be overstepped.
    #[arg(long, default_value_t = 100)]
    margin: u64,
    /// Plays every game to its end instead of ending decided ones.
    #[arg(long)]
    no_adjudication: bool,
    /// Order of the openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keeps a line for each game here, to go on after a kill.
    #[arg(long)]
    record: Option<PathBuf>,
    /// Plays one part of the pairs: 3/8 is the third of eight. `sparring merge` makes one record of all.
    #[arg(long, value_name = "I/N", requires = "record", conflicts_with = "sprt")]
    shard: Option<Shard>,
    /// Appends all games here.
    #[arg(long)]
    pgn: Option<PathBuf>,
    /// Prints only the last line.
    #[arg(long, short)]
    quiet: bool,
}

/// Games without a number or a test.
const GAMES: usize = 200;

/// A time control of both engines or of one.
type Tc = (Option<usize>, TimeControl);

fn parse_tc(text: &str) -> Result<Tc, BadTimeControl> {
    let (only, control) = addressed(text);
    Ok((only, control.parse()?))
}

/// Which engine a text is for, none for both, and the text without its address.
fn addressed(text: &str) -> (Option<usize>, &str) {
    match text.split_once(':') {
        Some(("1", rest)) => (Some(0), rest),
        Some(("2", rest)) => (Some(1), rest),
        _ => (None, text),
    }
}

/// The time controls of the first engine and of the second.
fn controls(args: &Args) -> anyhow::Result<[TimeControl; 2]> {
    let of = |engine: usize| {
        let meant = |(only, _): &&Tc| only.is_none_or(|only| only == engine);
        let found = args.tc.iter().rev().find(meant).map(|(_, control)| *control);
        found.with_context(|| {
            format!(
                "--tc: engine {} has none; write one for each, or for both",
                engine + 1
            )
        })
    };
    Ok([of(0)?, of(1)?])
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let bounds = text
        .split_once(',')
        .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match bounds {
        Some((elo0, elo1)) if f64::is_finite(elo0) && f64::is_finite(elo1) && elo0 < elo1 => Ok(Sprt {
            elo0,
            elo1,
            error: 0.05,
        }),
        _ => Err(format!("\"{text}\" is not two numbers, the smaller first: 0,5")),
    }
}

/// Runs the match, telling of it on stderr, and prints the result as the last line of stdout.
///
/// # Errors
/// When an engine cannot be started, or a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (openings, text) = openings::read(args)?;
    let controls = controls(args)?;
    let contest = Match {
        engines: engines(args)?,
        referee: Referee {
            variant: args.variant,
            controls,
            margin: Millis(args.margin),
            adjudication: (!args.no_adjudication).then(|| Adjudication::of(args.variant)),
        },
        pairs: games(args, controls, openings.len()).div_ceil(2),
        openings,
        concurrency: args.concurrency,
        sprt: args.sprt,
    };
    let mut record = match &args.record {
        Some(path) => MatchJournal::open(path, &heading(args, controls, &text, &contest.engines))?,
        None => MatchJournal::new(),
    };
    let pgn = args
        .pgn
        .as_deref()
        .map(open_to_append)
        .transpose()?
        .map(Mutex::new);
    if contest.pairs > contest.openings.len() {
        complain(&openings::repeats(
            contest.pairs,
            contest.openings.len(),
            controls,
        ));
    }
    let names = [&contest.engines[0], &contest.engines[1]].map(|engine| engine.name.as_str());
    let games = contest.games(&record) as u64;
    let bar = progress_bar(games, "games");
    bar.set_position(record.len() as u64);
    let outcome = contest.run(&mut record, &|so_far| {
        bar.set_position(so_far.games as u64);
        bar.set_message(format!("Elo {}", so_far.pairs.elo()));
        bar.suspend(|| tell(so_far, args, games as usize));
        if let (Some(latest), Some(pgn)) = (&so_far.latest, &pgn) {
            let (mut players, mut controls) = (names, controls);
            if latest.row.game > 0 {
                players.reverse();
                controls.reverse();
            }
            let round = format!("{}.{}", latest.row.pair + 1, latest.row.game + 1);
            let text = latest.game.pgn(&round, players, controls);
            let mut file = pgn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Err(error) = file.write_all(text.as_bytes()) {
                complain(&format!("the PGN cannot be written: {error}"));
            }
        }
    });
    bar.finish_and_clear();
    // Finished games count, whatever ended the match.
    match args.shard {
        Some(shard) => say(&format!("shard {shard}: {} games", record.len())),
        None if outcome.is_ok() || !record.is_empty() => say(&summary(&progress(&record, None), args)),
        None => {}
    }
    Ok(outcome?)
}

/// How many games to play, or how many at most until a test is decided. The same games over again would decide a test
/// that nothing speaks for.
fn games(args: &Args, controls: [TimeControl; 2], openings: usize) -> usize {
    const MOST: usize = 40_000;
    args.games.unwrap_or_else(|| match args.sprt {
        None => GAMES,
        Some(_) if is_timed(controls) => MOST,
        Some(_) => MOST.min(openings * 2),
    })
}

/// Whether a clock has a part in it: no two games are alike then.
fn is_timed(controls: [TimeControl; 2]) -> bool {
    controls.iter().any(|control| control.is_timed())
}

fn open_to_append(path: &Path) -> anyhow::Result<fs::File> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Heading of a match record: games with equal headings count together.
fn heading(args: &Args, controls: [TimeControl; 2], openings: &str, engines: &[EngineSpec; 2]) -> Heading {
    let adjudication = if args.no_adjudication {
        "to the end"
    } else {
        "adjudicated"
    };
    let [first, second] = engines.each_ref().map(build);
    Heading::new("match", args.shard)
        .with("first", first)
        .with("second", second)
        .with("time", controls[0])
        .with("time of the second", controls[1])
        .with("margin", args.margin)
        .with("decided games", adjudication)
        .with("variant", args.variant.key())
        .with(
            "openings",
            format!(
                "{} ({:016x})",
                openings::described(args),
                fnv64(openings.as_bytes())
            ),
        )
        .with("half moves of openings", format!("{:?}", args.plies))
        .with("seed", args.seed)
        .with("options", args.options.join(" "))
}

/// Where a program is: at its path, or in the folders of PATH.
fn found(program: &str) -> PathBuf {
    let path = PathBuf::from(program);
    let folders = std::env::var_os("PATH").filter(|_| path.components().count() == 1);
    let programs = folders.iter().flat_map(std::env::split_paths);
    programs
        .map(|folder| folder.join(&path))
        .find(|program| program.is_file())
        .unwrap_or(path)
}

/// An engine's words, with a number for its build instead of the path.
fn build(engine: &EngineSpec) -> String {
    let mut words = engine.command.clone();
    let program = words.first_mut();
    let read = program
        .as_ref()
        .and_then(|program| files::read(&found(program), files::DATA).ok());
    let Some((program, bytes)) = program.zip(read) else {
        return words.join(" ");
    };
    *program = format!("build {:016x}", fnv64(&bytes));
    words.join(" ")
}

fn engines(args: &Args) -> anyhow::Result<[EngineSpec; 2]> {
    let mut specs = [&args.first, &args.second].map(|command| {
        let command: Vec<String> = command.split_ascii_whitespace().map(str::to_owned).collect();
        let mut name = command.clone();
        if let Some(program) = name.first_mut() {
            *program = program.rsplit('/').next().unwrap_or_default().to_owned();
        }
        EngineSpec {
            name: name.join(" "),
            command,
            ..EngineSpec::default()
        }
    });
    if specs[0].name == specs[1].name {
        specs[0].name.push_str(" (1)");
        specs[1].name.push_str(" (2)");
    }
    for option in &args.options {
        let (only, rest) = addressed(option);
        let Some((name, value)) = rest.split_once('=') else {
            bail!("--option {option:?}: write NAME=VALUE, or 1:NAME=VALUE for the first engine alone");
        };
        for (index, spec) in specs.iter_mut().enumerate() {
            if only.is_none_or(|only| only == index) {
                spec.options.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    Ok(specs)
}

fn tell(so_far: &Progress<'_>, args: &Args, games: usize) {
    if let Some(complaint) = so_far
        .latest
        .as_ref()
        .and_then(|latest| latest.game.complaint.as_ref())
    {
        complain(complaint);
    }
    if !args.quiet && (so_far.games.is_multiple_of(10) || so_far.games == games) {
        complain(&summary(so_far, args));
    }
}

fn summary(so_far: &Progress<'_>, args: &Args) -> String {
    let [wins, draws, losses] = so_far.wins_draws_losses;
    let (elo, superiority) = (so_far.pairs.elo(), 100.0 * so_far.pairs.superiority());
    let score = 100.0 * (wins as f64 + draws as f64 / 2.0) / (so_far.games.max(1) as f64);
    let mut text = format!(
        "{} games: +{wins} ={draws} -{losses}, {score:.1} %, Elo {elo}, LOS {superiority:.1} %, pairs {:?}, forfeits {} and {}",
        so_far.games, so_far.pairs.0, so_far.forfeits[0], so_far.forfeits[1]
    );
    if let Some(sprt) = &args.sprt {
        let verdict = match sprt.verdict(&so_far.pairs) {
            Verdict::Accepted => "accepted",
            Verdict::Rejected => "rejected",
            Verdict::Open => "open",
        };
        text += &format!(
            ", SPRT [{}, {}] {verdict} at LLR {:+.2} of +-{:.2}",
            sprt.elo0,
            sprt.elo1,
            sprt.llr(&so_far.pairs),
            sprt.bound()
        );
    }
    text
}

#[expect(clippy::print_stdout, reason = "the result is what the command is for")]
fn say(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "talk about the work goes to stderr")]
fn complain(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;
    use sparring_match_runner::Pentanomial;

    fn times(words: &str) -> Result<[String; 2], String> {
        let words = format!("match a b {words}");
        let args = parsed(words.split_ascii_whitespace()).map_err(|error| error.to_string())?;
        let controls = controls(&args).map_err(|error| error.to_string())?;
        Ok(controls.map(|control| control.to_string()))
    }

    fn args(words: &str) -> Args {
        let words = format!("match {words}");
        parsed(words.split_ascii_whitespace()).unwrap()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn games_of_other_rules_openings_or_builds_are_not_counted_together() {
        let folder = tempfile::tempdir().unwrap();
        let engine = folder.path().join("engine");
        fs::write(&engine, "one build").unwrap();
        let a = engine.display().to_string();
        let of = |words: &str, openings: &str| {
            let args = args(&format!("{a} other {words}"));
            heading(
                &args,
                controls(&args).unwrap(),
                openings,
                &engines(&args).unwrap(),
            )
        };
        let first = of("", START);
        assert_eq!(of("--pgn x.pgn --concurrency 2 --games 8", START), first);
        for words in [
            "--margin 5000",
            "--no-adjudication",
            "--seed 2",
            "--tc 1+0",
            "--option Hash=8",
            "--variant atomic",
            "--random-plies 2",
        ] {
            assert_ne!(of(words, START), first, "{words}");
        }
        assert_ne!(of("", "another text"), first);
        fs::write(&engine, "another build").unwrap();
        assert_ne!(of("", START), first);
    }

    #[test]
    fn engines_are_called_by_their_program_and_its_words() {
        let args = parsed(["match", "python3 toy.py /tmp/x/sparring", "/usr/bin/sparring uci"]).unwrap();
        let names = engines(&args).unwrap().map(|spec| spec.name);
        assert_eq!(names, ["python3 toy.py /tmp/x/sparring", "sparring uci"]);
    }

    #[test]
    fn a_test_is_played_until_it_is_decided() {
        for (words, expected) in [
            ("a b", 200),
            ("a b --sprt 0,5", 40_000),
            ("a b --sprt 0,5 --games 300", 300),
            ("a b --sprt -3,1 --games 300", 300),
            ("a b --sprt 0,5 --tc nodes=5000", 60),
            ("a b --sprt 0,5 --tc nodes=5000 --games 300", 300),
            ("a b --sprt 0,5 --tc nodes=5000 --tc 2:1+0", 40_000),
        ] {
            let args = args(words);
            assert_eq!(games(&args, controls(&args).unwrap(), 30), expected, "{words}");
        }
    }

    #[test]
    fn the_result_says_how_likely_it_is_that_the_first_is_the_stronger() {
        let so_far = Progress {
            games: 200,
            wins_draws_losses: [78, 60, 62],
            pairs: Pentanomial([8, 18, 38, 22, 14]),
            forfeits: [0, 1],
            latest: None,
        };
        assert_eq!(
            summary(&so_far, &args("a b")),
            "200 games: +78 =60 -62, 54.0 %, Elo +27.9 +- 38.5, LOS 92.4 %, pairs [8, 18, 38, 22, 14], forfeits 0 and 1"
        );
    }

    #[test]
    fn more_pairs_than_openings_are_told_of() {
        let controls = |text: &str| [text.parse().unwrap(); 2];
        assert_eq!(
            openings::repeats(5, 2, controls("1+0.01")),
            "5 pairs and 2 openings: each comes up 3 times"
        );
        assert!(openings::repeats(5, 2, controls("nodes=9")).contains("too small"));
    }

    #[test]
    fn time_is_for_both_engines_or_for_one() {
        for (words, expected) in [
            ("", ["8+0.08", "8+0.08"]),
            ("--tc 10+0.1", ["10+0.1", "10+0.1"]),
            ("--tc 60+0 --tc 2:600+5", ["60+0", "600+5"]),
            ("--tc 2:nodes=500 --tc 1:depth=3", ["depth=3", "nodes=500"]),
        ] {
            assert_eq!(times(words).unwrap(), expected, "{words}");
        }
        assert!(times("--tc 1:60+0").unwrap_err().contains("engine 2 has none"));
        assert!(times("--tc 3:60+0").unwrap_err().contains("is no time control"));
    }
}

//! `sparring match`: two UCI engines against each other, with error bars.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::{Context as _, bail};

use super::datagen::progress_bar;
use crate::{
    arena::{
        Adjudication, EngineSpec, Match, Progress, Record, Referee, Sprt, TimeControl, Verdict, progress,
        read_openings,
    },
    units::Millis,
};

/// Plays two UCI engines against each other in pairs of games and prints Elo with its 95 % error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring match ./new ./old --tc 8+0.08 --sprt 0,5 --openings openings.epd
  sparring match './new uci' stockfish --option 2:UCI_LimitStrength=true --option 2:UCI_Elo=2200 --games 400
  sparring match ./new ./old --tc nodes=5000 --record run.ndjson    # killed and started again, it goes on")]
pub struct Args {
    /// The first engine: a program, with its arguments after spaces. Points are counted for it.
    first: String,
    /// The second engine.
    second: String,
    /// Time for each side in seconds with increment (10+0.1), or movetime=MS, nodes=N, depth=N.
    #[arg(long, default_value = "8+0.08")]
    tc: TimeControl,
    /// Games to play, rounded up to pairs.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// File of openings, one EPD or FEN a line. Without it all games begin at the usual start.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Stops as soon as the test of these two differences in Elo is decided, at 5 % error: `0,5`.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Games at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// UCI option of both engines (NAME=VALUE) or of one (1:NAME=VALUE, 2:NAME=VALUE). May be repeated.
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
    /// Appends all games here.
    #[arg(long)]
    pgn: Option<PathBuf>,
    /// Prints only the last line.
    #[arg(long, short)]
    quiet: bool,
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let bounds = text
        .split_once(',')
        .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match bounds {
        Some((elo0, elo1)) if elo0 < elo1 => Ok(Sprt {
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
    let openings = match &args.openings {
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            read_openings(&text, args.seed).with_context(|| path.display().to_string())?
        }
        None => read_openings(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            args.seed,
        )?,
    };
    let contest = Match {
        engines: engines(args)?,
        referee: Referee {
            control: args.tc,
            margin: Millis(args.margin),
            adjudication: (!args.no_adjudication).then(Adjudication::default),
        },
        openings,
        pairs: args.games.div_ceil(2),
        concurrency: args.concurrency,
        sprt: args.sprt,
    };
    let mut record = match &args.record {
        Some(path) => Record::open(path, &heading(args))?,
        None => Record::new(),
    };
    let pgn = args
        .pgn
        .as_deref()
        .map(open_to_append)
        .transpose()?
        .map(Mutex::new);
    let names = [&contest.engines[0].name, &contest.engines[1].name];
    let bar = progress_bar((contest.pairs * 2) as u64, "games");
    bar.set_position(record.rows().count() as u64);
    contest.run(&mut record, &|so_far| {
        bar.set_position(so_far.games as u64);
        bar.set_message(format!("Elo {}", so_far.pairs.elo()));
        bar.suspend(|| tell(so_far, args, &contest));
        if let (Some(latest), Some(pgn)) = (&so_far.latest, &pgn) {
            let (white, black) = if latest.row.game == 0 {
                (names[0], names[1])
            } else {
                (names[1], names[0])
            };
            let round = format!("{}.{}", latest.row.pair + 1, latest.row.game + 1);
            let text = latest.game.pgn(&round, white, black, args.tc);
            let mut file = pgn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Err(error) = file.write_all(text.as_bytes()) {
                complain(&format!("the PGN cannot be written: {error}"));
            }
        }
    })?;
    bar.finish_and_clear();
    say(&summary(&progress(&record, None), args));
    Ok(())
}

fn open_to_append(path: &Path) -> anyhow::Result<fs::File> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// What makes this match this match: another heading, another record.
fn heading(args: &Args) -> String {
    let openings = args
        .openings
        .as_ref()
        .map_or_else(|| "start".to_owned(), |path| path.display().to_string());
    let options = args.options.join(" ");
    format!(
        "# {} against {} at {}, {openings}, seed {}, options {options}",
        args.first, args.second, args.tc, args.seed
    )
}

fn engines(args: &Args) -> anyhow::Result<[EngineSpec; 2]> {
    let mut specs = [&args.first, &args.second].map(|command| EngineSpec {
        name: command.rsplit('/').next().unwrap_or(command).to_owned(),
        command: command.split_ascii_whitespace().map(str::to_owned).collect(),
        options: Vec::new(),
    });
    if specs[0].name == specs[1].name {
        specs[0].name.push_str(" (1)");
        specs[1].name.push_str(" (2)");
    }
    for option in &args.options {
        let (only, rest) = match option.split_once(':') {
            Some(("1", rest)) => (Some(0), rest),
            Some(("2", rest)) => (Some(1), rest),
            _ => (None, option.as_str()),
        };
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

fn tell(so_far: &Progress<'_>, args: &Args, contest: &Match) {
    if let Some(complaint) = so_far
        .latest
        .as_ref()
        .and_then(|latest| latest.game.complaint.as_ref())
    {
        complain(complaint);
    }
    if !args.quiet && (so_far.games.is_multiple_of(10) || so_far.games == contest.pairs * 2) {
        complain(&summary(so_far, args));
    }
}

fn summary(so_far: &Progress<'_>, args: &Args) -> String {
    let [wins, draws, losses] = so_far.wins_draws_losses;
    let elo = so_far.pairs.elo();
    let score = 100.0 * (wins as f64 + draws as f64 / 2.0) / (so_far.games.max(1) as f64);
    let mut text = format!(
        "{} games: +{wins} ={draws} -{losses}, {score:.1} %, Elo {elo}, pairs {:?}, forfeits {} and {}",
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

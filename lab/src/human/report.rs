//! `sparring-lab human-report`: how well the models of human play do on games that nothing was fitted on.

use std::{collections::HashMap, fmt::Write as _, path::PathBuf};

use anyhow::Context as _;

use super::{
    Source,
    accuracy::{Accuracy, Losses, percent},
    clocks,
    dataset::each,
    games::{self, HumanGame, Part},
    level_self_play,
    levels::{self, LevelPlan},
    note,
    reference_engine::ReferenceEngine,
    reference_evals::{self, DEPTHS, ReferenceEvals},
    scored_moves::{BANDS, Scored, band, sample},
    search_cache::SearchCache,
    think_time_report,
};
use sparring::cli::exit::Exit;
use sparring_chess::{
    Variant,
    units::{Depth, Stopwatch, TimeSource as _},
    write_uci,
};
use sparring_files as files;
use sparring_personality::{
    human_model::{
        Model, Phase, PolicyNetwork, RootScores,
        loss_curve::{LossCurve, basis},
    },
    strength::Levels,
    think_time::SpeedModels,
};

/// Scores the models of human play on games that they were not fitted on, as Markdown tables.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// A network, ours or one of lc0's format such as Maia; without, the one built into the program.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Another loss curve than the one built into the program.
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Measures the network alone, without any search.
    #[arg(long)]
    prior: bool,
    /// Parameters of the think-time model; without, those built into the program.
    #[arg(long, value_name = "FILE", requires = "pace")]
    think_time_params: Option<PathBuf>,
    /// Decisions of each band of 200 to search and evaluate among those with Stockfish evaluations.
    #[arg(long, default_value_t = 500, value_name = "N")]
    known: usize,
    /// Decisions of each band of 200 to search and evaluate among all others.
    #[arg(long, default_value_t = 300, value_name = "N")]
    scored: usize,
    /// Uses every game of the folder, not only the part kept for reports: for games that were not there
    /// when the models were fitted.
    #[arg(long)]
    all: bool,
    /// Evaluates the think times instead of the moves.
    #[arg(long)]
    pace: bool,
    /// Lets the levels themselves move in so many decisions of each band instead, and judges them beside people.
    #[arg(long, value_name = "N", conflicts_with_all = ["pace", "clocks"])]
    levels: Option<usize>,
    /// Lets each band's level play so many games against itself instead, and judges its moves there beside those of people in
    /// their games.
    #[arg(long, value_name = "GAMES", conflicts_with_all = ["pace", "clocks", "levels"])]
    self_play: Option<usize>,
    /// How often each level moves in each of these positions.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..))]
    draws: u8,
    /// Only these bands, each named by its lowest rating.
    #[arg(long, value_name = "RATING", value_delimiter = ',')]
    bands: Vec<u32>,
    /// The reference engine, a UCI program; without, our own search.
    #[arg(long, value_name = "PROGRAM")]
    judge: Option<String>,
    /// Depth of the reference engine in plies.
    #[arg(long, value_name = "DEPTH", default_value_t = 10)]
    judge_depth: u32,
    /// Other numbers behind the levels, in the form of crates/personality/src/strength/levels.toml.
    #[arg(long, value_name = "FILE")]
    numbers: Option<PathBuf>,
    /// Takes the games that the curve was tuned on: to choose numbers by, never to report on.
    #[arg(long, conflicts_with = "all")]
    tuning: bool,
    /// Plays so many clocks of 1+0, 3+0 and 10+5 to the end with 300 ms lag instead, and counts flags.
    #[arg(long, value_name = "GAMES", conflicts_with = "pace")]
    clocks: Option<usize>,
}

/// The bands that the project's bars speak of: 1000 to 1800.
const BAR: std::ops::Range<usize> = 2..6;
/// A human move that loses this much, in points of winning chances, is a blunder.
const BLUNDER: f32 = 15.0;

/// Evaluates and prints.
///
/// # Errors
/// When games or parameters are missing or do not fit.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let watch = Stopwatch::start();
    let shipped = Model::shipped();
    let read_network;
    let network = match &args.network {
        Some(path) => {
            read_network = PolicyNetwork::open(path)?;
            &read_network
        }
        None => &shipped.network,
    };
    let read_curve;
    let curve = match &args.params {
        Some(path) => {
            let bytes = files::read(path, files::DATA).with_context(|| format!("\"{}\"", path.display()))?;
            read_curve = LossCurve::from_bytes(&bytes).with_context(|| format!("\"{}\"", path.display()))?;
            &read_curve
        }
        None => &shipped.curve,
    };
    let all = games::read(&args.source.data)?;
    let part = if args.tuning { Part::Tune } else { Part::Report };
    let games: Vec<&HumanGame> = all
        .iter()
        .filter(|game| args.all || game.part() == part)
        .collect();
    let verdicts = reference_evals::read(&args.source.data)?;
    let mut kept = SearchCache::open(args.source.keep.as_deref())?;
    let mut tell = |count: usize| {
        if count.is_multiple_of(1000) {
            note(format_args!(
                "{count} positions searched, after {}",
                watch.elapsed()
            ));
        }
    };
    if let Some(count) = args.clocks {
        return sparring::cli::print(clocks::table(&games, count)?);
    }
    if args.levels.or(args.self_play).is_some() {
        return sparring::cli::print(beside_people(args, &games, &mut kept, &mut tell)?);
    }
    if args.pace {
        let others: Vec<&HumanGame> = all
            .iter()
            .filter(|game| !args.all && game.part() == Part::Fit)
            .collect();
        let read;
        let speeds = match &args.think_time_params {
            Some(path) => {
                let bytes =
                    files::read(path, files::DATA).with_context(|| format!("\"{}\"", path.display()))?;
                read = SpeedModels::from_bytes(&bytes).with_context(|| format!("\"{}\"", path.display()))?;
                &read
            }
            None => SpeedModels::shipped(),
        };
        return sparring::cli::print(think_time_report::tables(&games, &others, shipped, speeds)?);
    }
    let alone = prior_alone(network, &games)?;
    if args.prior {
        return sparring::cli::print(alone);
    }
    let (known, unknown): (Vec<_>, Vec<_>) = games
        .iter()
        .copied()
        .partition(|game| verdicts.contains_key(&game.id));
    let mut decisions = sample(&known, args.known, network, &mut kept, &mut tell)?;
    decisions.extend(sample(&unknown, args.scored, network, &mut kept, &mut tell)?);
    let known: usize = decisions
        .iter()
        .filter(|scored| verdicts.contains_key(&scored.game))
        .count();
    note(format_args!(
        "{} searched decisions, {known} that Stockfish knows",
        decisions.len()
    ));
    let judged = Judged::new(curve, &decisions);
    sparring::cli::print(alone + &judged.tables(&decisions, &verdicts)?)
}

/// The levels beside people, in people's positions or in games of their own, by the judge and with the numbers that are
/// asked for.
fn beside_people(
    args: &Args,
    games: &[&HumanGame],
    kept: &mut SearchCache,
    tell: &mut dyn FnMut(usize),
) -> anyhow::Result<String> {
    let read;
    let levels = match &args.numbers {
        Some(path) => {
            let text =
                files::read_text(path, files::TEXT).with_context(|| format!("\"{}\"", path.display()))?;
            read = Levels::read(&text).with_context(|| path.display().to_string())?;
            &read
        }
        None => Levels::shipped(),
    };
    let bands = &args.bands[..];
    let depth = Depth(args.judge_depth);
    let mut judge = match &args.judge {
        Some(program) => ReferenceEngine::external(program, depth)?,
        None => ReferenceEngine::builtin(depth),
    };
    if let Some(games_of_levels) = args.self_play {
        let plan = level_self_play::SelfPlayPlan {
            games: games_of_levels,
            bands,
            levels,
        };
        return level_self_play::tables(games, &plan, &mut judge, kept, tell);
    }
    let plan = LevelPlan {
        most: args.levels.unwrap_or_default(),
        draws: usize::from(args.draws),
        bands,
        levels,
    };
    levels::tables(games, &plan, &mut judge, kept, tell)
}

/// The prior on every judged decision: without a search there is no need for a sample.
fn prior_alone(network: &PolicyNetwork, games: &[&HumanGame]) -> anyhow::Result<String> {
    let mut bands = [Accuracy::default(); BANDS];
    for game in games {
        each(game, |line, decision| {
            let priors = decision.priors(network, line);
            bands[band(decision.rating())].add(&priors, decision.played);
            Ok(())
        })?;
    }
    let mut text = String::from(
        "The prior alone, on every decision of held-out games from ply 10 without bullet.\n\n\
         | band | decisions | top-1 % | top-3 % | drawn % | nats |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for (index, band) in bands.iter().enumerate().filter(|(_, band)| band.count > 0) {
        writeln!(text, "| {} | {} | {band} |", 600 + 200 * index, band.count)?;
    }
    let mean = bands[BAR].iter().map(Accuracy::percent).sum::<f64>() / BAR.len() as f64;
    writeln!(text, "\nMean of the bands 1000 to 1800: {mean:.2} %.\n")?;
    Ok(text)
}

/// The chances that the model gives the moves of each decision with the search.
struct Judged(Vec<Vec<f32>>);

impl Judged {
    fn new(curve: &LossCurve, decisions: &[Scored]) -> Self {
        let chances = decisions.iter().map(|scored| {
            let basis = basis(scored.decision.rating(), scored.phase, scored.best);
            curve.chances(&scored.priors, &scored.losses, &basis)
        });
        Self(chances.collect())
    }

    fn tables(
        &self,
        decisions: &[Scored],
        verdicts: &HashMap<String, ReferenceEvals>,
    ) -> anyhow::Result<String> {
        let mut text = String::new();
        self.matches(decisions, &mut text)?;
        self.against_stockfish(decisions, verdicts, &mut text)?;
        self.losses(decisions, &mut text)?;
        Ok(text)
    }

    /// Move-match and likelihood by band.
    fn matches(&self, decisions: &[Scored], text: &mut String) -> anyhow::Result<()> {
        let mut bands = [[Accuracy::default(); 2]; BANDS];
        for (index, scored) in decisions.iter().enumerate() {
            let [prior, both] = &mut bands[band(scored.decision.rating())];
            let played = scored.decision.played;
            prior.add(&scored.priors, played);
            both.add(&self.0[index], played);
        }
        writeln!(
            text,
            "Move-match on held-out games, ply >= 10, no bullet; the search is our own, depth {}, all moves.\n\n\
             | band | decisions | prior: top-1 % | top-3 % | drawn % | nats | with search: top-1 % | top-3 % | \
             drawn % | nats |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
            RootScores::DEEP.0
        )?;
        for (index, [prior, both]) in bands.iter().enumerate().filter(|(_, band)| band[0].count > 0) {
            writeln!(
                text,
                "| {} | {} | {prior} | {both} |",
                600 + 200 * index,
                prior.count
            )?;
        }
        let mean =
            |part: usize| bands[BAR].iter().map(|band| band[part].percent()).sum::<f64>() / BAR.len() as f64;
        writeln!(
            text,
            "\nMean of the bands 1000 to 1800: prior {:.2} %, with search {:.2} %.\n",
            mean(0),
            mean(1)
        )?;
        Ok(())
    }

    /// The same decisions by Stockfish, and the blunders that it finds.
    fn against_stockfish(
        &self,
        decisions: &[Scored],
        verdicts: &HashMap<String, ReferenceEvals>,
        text: &mut String,
    ) -> anyhow::Result<()> {
        let mut bands = [Against::default(); BANDS];
        for (index, scored) in decisions.iter().enumerate() {
            let Some(verdicts) = verdicts.get(&scored.game) else {
                continue;
            };
            if let Some(best) = verdicts.best(scored.ply) {
                let chances = [&scored.priors, &self.0[index]];
                bands[band(scored.decision.rating())].add(scored, chances, best, verdicts.loss(scored.ply));
            }
        }
        writeln!(
            text,
            "The decisions of these that Stockfish 15.1 has seen; blunders are human moves that lose {BLUNDER} points by \
             its depth 8.\n\n| band | decisions | Stockfish's best depth % | prior % | with search % | ahead | blunders \
             | same move: likeliest % | drawn % |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for (index, against) in bands.iter().enumerate().filter(|(_, against)| against.count > 0) {
            writeln!(text, "| {} | {against} |", 600 + 200 * index)?;
        }
        writeln!(text)?;
        Ok(())
    }

    /// Losses by our search, of humans and of the model, by band and phase.
    fn losses(&self, decisions: &[Scored], text: &mut String) -> anyhow::Result<()> {
        let mut bands = [[[Losses::default(); 2]; 4]; BANDS];
        for (index, scored) in decisions.iter().enumerate() {
            let band = &mut bands[band(scored.decision.rating())];
            let phase = match scored.phase {
                Phase::Opening => 1,
                Phase::Middlegame => 2,
                Phase::Endgame => 3,
            };
            for column in [0, phase] {
                let [people, model] = &mut band[column];
                people.add_played(scored);
                model.add_chances(scored, &self.0[index]);
            }
        }
        writeln!(
            text,
            "Mean loss / above 15 % / above 20 %, by our search: people, then the model drawing by its chances.\n\n\
             | band | all: people | model | opening: people | model | middlegame: people | model | endgame: people | \
             model |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for (index, band) in bands.iter().enumerate().filter(|(_, band)| band[0][0].has_any()) {
            write!(text, "| {}", 600 + 200 * index)?;
            for [people, model] in band {
                write!(text, " | {people} | {model}")?;
            }
            writeln!(text, " |")?;
        }
        Ok(())
    }
}

/// Decisions that Stockfish has seen too.
#[derive(Debug, Clone, Copy, Default)]
struct Against {
    count: usize,
    stockfish: [usize; DEPTHS],
    ours: [usize; 2],
    blunders: usize,
    same_first: usize,
    same_drawn: f64,
}

impl Against {
    fn add(&mut self, scored: &Scored, chances: [&Vec<f32>; 2], best: &[String], loss: Option<f32>) {
        let played = scored.decision.played;
        let text = write_uci(scored.decision.moves[played], Variant::Standard);
        self.count += 1;
        for (count, best) in self.stockfish.iter_mut().zip(best) {
            *count += usize::from(*best == text);
        }
        let is_first = |chances: &[f32]| chances.iter().all(|other| *other <= chances[played]);
        for (count, chances) in self.ours.iter_mut().zip(chances) {
            *count += usize::from(is_first(chances));
        }
        if loss.is_some_and(|loss| loss >= BLUNDER) {
            self.blunders += 1;
            self.same_first += usize::from(is_first(chances[1]));
            self.same_drawn += f64::from(chances[1][played]);
        }
    }
}

impl std::fmt::Display for Against {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = |part: usize| percent(part as f64, self.count);
        let best = self.stockfish.iter().copied().max().unwrap_or(0);
        write!(
            f,
            "{} | {:.1} | {:.1} | {:.1} | {:+.1} | {} | {:.1} | {:.1}",
            self.count,
            share(best),
            share(self.ours[0]),
            share(self.ours[1]),
            share(self.ours[1]) - share(best),
            self.blunders,
            percent(self.same_first as f64, self.blunders),
            percent(self.same_drawn, self.blunders)
        )
    }
}

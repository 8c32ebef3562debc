//! `sparring-lab style-report`: measures the style and strength of personalities.

mod elo_cost;
mod games;
mod table;

use crate::{calibrate::limited, datagen::progress_bar};
use games::{Contest, Played};
use sparring::cli::{
    assets,
    exit::{Exit, Failure},
};
use sparring_chess::{Variant, units::Elo};
use sparring_personality::{Personalities, Personality, style::Style};

/// Plays personalities at one level against the plain player of that level, without books and clocks, and prints what
/// their games show on each axis of style, how far that is from the plain player's, and whether they are as strong.
///
/// The same arguments give the same games on any machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab style-report --games 100
  sparring-lab style-report --level 1200 --games 40 attacker solid")]
pub struct Args {
    /// The personalities; all with a style unless some are named.
    names: Vec<String>,
    /// The level that everybody plays at, from 600 to below 2800.
    #[arg(long, default_value_t = 1500, value_parser = limited())]
    level: u32,
    /// Games of each personality, half of them with each color.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Names the games to chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
}

/// Plays and prints.
///
/// # Errors
/// When a personality cannot be read.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let players = players(args)?;
    let contest = Contest {
        styles: std::iter::once(Style::default())
            .chain(players.iter().map(|profile| profile.style))
            .collect(),
        level: Elo(args.level),
        games: args.games.div_ceil(2) * 2,
        seed: args.seed,
        // From the first move on: openings are where styles show first, and chance makes each game another.
        start: Variant::Standard.start(),
    };
    let bar = progress_bar(contest.total() as u64, "games");
    let played: Vec<Played> = contest.run(args.concurrency, &|| bar.inc(1))?;
    bar.finish_and_clear();
    sparring::cli::print(table::report(&players, args.level, &played))
}

/// The requested personalities, in order.
fn players(args: &Args) -> anyhow::Result<Vec<Personality>> {
    let cast = assets::uci_resources()
        .personalities
        .unwrap_or_else(|| Personalities::new(Vec::new()));
    if args.names.is_empty() {
        let plain = Style::default();
        return Ok(cast
            .iter()
            .filter(|profile| profile.style != plain)
            .cloned()
            .collect());
    }
    args.names
        .iter()
        .map(|name| {
            cast.get(name).cloned().ok_or_else(|| {
                let hint = cast
                    .suggest(name)
                    .map_or_else(String::new, |near| format!(" Did you mean \"{near}\"?"));
                Failure::error(Exit::Usage, format!("there is no personality \"{name}\".{hint}"))
            })
        })
        .collect()
}

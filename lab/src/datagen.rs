//! `sparring-lab datagen`: games of the engine against itself, to tune its evaluation on.

use std::path::PathBuf;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};

use crate::tuning::{Generator, SelfPlay};
use sparring::cli::openings::openings_of;
use sparring_chess::{Variant, units::Nodes};
use sparring_journal::Shard;
use sparring_match_runner::OpeningOptions;

/// Plays games of the engine against itself and writes a row of JSON for each: start, result, moves, scores.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab datagen games.ndjson --games 10000 --threads 2     # stopped and started again, it goes on
  sparring-lab datagen games.ndjson --games 20000 --nodes 2000 --seed 7
  sparring-lab datagen 3.ndjson --games 20000 --shard 3/8    # a part of it; `sparring merge` puts them together
  sparring-lab datagen atomic.ndjson --variant atomic --random-plies 4")]
pub struct Args {
    /// The file of games; existing games are kept.
    file: PathBuf,
    /// What is played, as lichess calls it: atomic, threeCheck. A file holds games of one variant.
    #[arg(long, default_value = "standard", value_parser = str::parse::<Variant>)]
    variant: Variant,
    /// How many games the file shall hold in the end, or with --shard those of all shards together.
    #[arg(long, default_value_t = 5000)]
    games: u64,
    /// Plays one part of the games: 3/8 is the third of eight.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Nodes a move.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Random half moves at the beginning of each game; with 0 there have to be as many openings as games.
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// File of openings, one EPD or FEN a line or games in PGN, of which the end counts, to begin from instead of the usual start.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Another seed gives other games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Runs until the file is full, with a progress bar where there is a terminal.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let openings = match &args.openings {
        Some(path) => {
            let options = OpeningOptions {
                variant: args.variant,
                ..OpeningOptions::standard(args.seed)
            };
            let openings = openings_of(path, options)?.openings;
            openings.into_iter().map(|opening| opening.position).collect()
        }
        None => Vec::new(),
    };
    let starts = match openings.len() {
        0 => u64::from(args.variant.start_count()),
        count => count as u64,
    };
    if args.random_plies == 0 && args.games > starts {
        bail!(
            "without random half moves there are {starts} different games at most, and not {}",
            args.games
        );
    }
    let generator = Generator {
        rules: SelfPlay {
            variant: args.variant,
            nodes: Nodes(args.nodes),
            openings,
            random_plies: args.random_plies,
            seed: args.seed,
        },
        games: args.games,
        shard: args.shard,
        threads: args.threads,
    };
    let bar = progress_bar(args.games, "games");
    let mut begun = false;
    let made = generator.run(&args.file, &mut |made| {
        if !begun {
            // Existing games do not count for the speed.
            bar.set_length(made.games + made.missing);
            bar.set_position(made.games);
            bar.reset_eta();
            begun = true;
        }
        bar.set_position(made.games);
        bar.set_message(format!("{} quiet positions", made.positions));
    })?;
    bar.finish();
    say(&format!(
        "{} games in {}, {} quiet positions in this run",
        made.games,
        args.file.display(),
        made.positions
    ));
    Ok(())
}

/// A bar that counts things on stderr; nothing where that is no terminal.
pub(super) fn progress_bar(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left, {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

#[expect(clippy::print_stdout, reason = "the result is what the command is for")]
fn say(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    #[test]
    fn the_same_game_is_not_written_over_and_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt").display().to_string();
        let args: Args = parsed(["datagen", &path, "--games", "4", "--random-plies", "0"]).unwrap();
        let error = run(&args).unwrap_err().to_string();
        assert_eq!(
            error,
            "without random half moves there are 1 different games at most, and not 4"
        );
        assert!(parsed::<Args>(["datagen", &path, "--nodes", "0"]).is_err());
        let wrong = parsed::<Args>(["datagen", &path, "--variant", "threecheck"]).unwrap_err();
        assert!(
            wrong.to_string().contains("did you mean \"threeCheck\"?"),
            "{wrong}"
        );
    }
}

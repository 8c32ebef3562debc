//! Where the games of a match begin: a file, the usual start, or positions by chance.

use anyhow::bail;

use super::{Args, GAMES, is_timed};
use sparring::cli::openings::openings_of;
use sparring_chess::{Variant, write_fen};
use sparring_engine::RandomOpenings;
use sparring_engine::bench;
use sparring_match_runner::{Opening, OpeningOptions, TimeControl, read_openings};

/// No more openings are drawn by chance: a match of more pairs begins anew with the first.
const MOST_RANDOM: usize = 1000;

/// The openings, and the text that tells them from others.
///
/// # Errors
/// When the file cannot be read or holds no opening, and when chance finds none.
pub(super) fn read(args: &Args) -> anyhow::Result<(Vec<Opening>, String)> {
    if let Some(path) = &args.openings {
        let options = OpeningOptions {
            variant: args.variant,
            plies: args.plies.unwrap_or(usize::MAX),
            seed: args.seed,
        };
        let set = openings_of(path, options)?;
        return Ok((set.openings, set.text));
    }
    let plies = random_plies(args);
    if plies == 0 {
        let start = write_fen(&args.variant.start());
        return Ok((read_openings(&start, args.variant, args.seed)?, start));
    }
    let drawn = RandomOpenings {
        variant: args.variant,
        starts: Vec::new(),
        plies: plies..=plies,
        seed: args.seed,
    };
    let games = args.games.unwrap_or(GAMES);
    let lines = drawn.draw(games.div_ceil(2).min(MOST_RANDOM));
    let openings: Vec<Opening> = lines.map(|line| Opening::after(&line)).collect();
    if openings.is_empty() {
        bail!("--random-plies {plies}: no such opening leaves both sides a game");
    }
    // The seed and the number of half moves, which the heading has, say which they are.
    Ok((openings, String::new()))
}

/// How many random half moves games begin with when there is no file of openings: in variants enough to tell them apart.
fn random_plies(args: &Args) -> usize {
    let default = if args.variant == Variant::Standard { 0 } else { 4 };
    args.random_plies.unwrap_or(default)
}

/// What a heading calls them.
pub(super) fn described(args: &Args) -> String {
    match (&args.openings, random_plies(args)) {
        // What is in the file is known by its number.
        (Some(_), _) => "file".to_owned(),
        (None, 0) => "start".to_owned(),
        // The search decides which are fair.
        (None, plies) => format!("{plies} random plies by {}", bench::build_id()),
    }
}

/// What to say of more pairs than openings.
pub(super) fn repeats(pairs: usize, openings: usize, controls: [TimeControl; 2]) -> String {
    let mut text = format!(
        "{pairs} pairs and {openings} openings: each comes up {} times",
        pairs.div_ceil(openings)
    );
    if !is_timed(controls) {
        text += "; without a clock engines that leave nothing to chance play the same games again, and the error printed is too small";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    fn args(words: &str) -> Args {
        parsed(format!("match a b {words}").split_ascii_whitespace()).unwrap()
    }

    #[test]
    fn games_of_a_variant_begin_at_positions_by_chance() {
        let (drawn, _) = read(&args("--variant horde --games 12")).unwrap();
        assert_eq!(drawn.len(), 6);
        let (usual, _) = read(&args("")).unwrap();
        assert_eq!(usual.len(), 1);
        let (drawn, _) = read(&args("--random-plies 2 --games 7")).unwrap();
        assert_eq!(drawn.len(), 4);
        let wrong = parsed::<Args>("match a b --variant hord".split(' ')).unwrap_err();
        assert!(wrong.to_string().contains("did you mean \"horde\"?"), "{wrong}");
    }
}

//! Tables of how close the think times come to those of people.

use std::fmt::Write as _;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    games::HumanGame,
    pace_fit::{Thought, measure, thoughts},
};
use crate::personality::choice::Model;

const NAMES: [&str; 4] = ["bullet", "blitz", "rapid", "classical"];
/// Bands with fewer moves say nothing.
const LEAST: usize = 300;

/// Judges a model's think times on games with clocks.
///
/// # Errors
/// When a game has an illegal move.
pub fn tables(games: &[&HumanGame], model: &Model) -> anyhow::Result<String> {
    let mut all = Vec::new();
    for game in games {
        all.extend(thoughts(game, model)?);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut text = String::from(
        "Think times on held-out games. Distance: Wasserstein of ln(t + 0.5), drawn against people's, t in whole seconds.\n",
    );
    for (speed, name) in NAMES.into_iter().enumerate() {
        let thoughts: Vec<&Thought> = all.iter().filter(|thought| thought.speed == speed).collect();
        let fitness = measure(&model.pace[speed], &thoughts, || rng.random());
        writeln!(
            text,
            "\n{name}: {} moves, Spearman {:.3}\n\n| band | moves | distance | at most 1 s: people % | drawn % |\n\
             |---|--:|--:|--:|--:|",
            fitness.count, fitness.spearman
        )?;
        for (index, (count, distance, [people, drawn])) in fitness.bands.into_iter().enumerate() {
            if count >= LEAST {
                let band = 600 + 200 * index;
                writeln!(
                    text,
                    "| {band} | {count} | {distance:.3} | {people:.0} | {drawn:.0} |"
                )?;
            }
        }
    }
    Ok(text)
}

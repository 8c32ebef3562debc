//! Tables that compare think times with those of humans.

use std::fmt::Write as _;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    games::HumanGame,
    levels::lowest,
    scored_moves::band,
    think_time_fit::{Thought, distance, measure, thoughts},
};
use sparring_personality::{human_model::Model, think_time::SpeedModels};

const NAMES: [&str; 4] = ["bullet", "blitz", "rapid", "classical"];
/// Smallest number of moves of a band.
const LEAST: usize = 300;

/// Compares think times with games with clocks. `others` are games of other players at the same speeds and ratings: their
/// distance from `games` is the sampling noise.
///
/// # Errors
/// When a game has an illegal move.
pub fn tables(
    games: &[&HumanGame],
    others: &[&HumanGame],
    model: &Model,
    speeds: &SpeedModels,
) -> anyhow::Result<String> {
    let (all, others) = (all(games, model)?, all(others, model)?);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut text = String::from(
        "Think times on held-out games. Distance: Wasserstein of ln(t + 0.5), drawn against people's, t in whole seconds; \
         and of people in the games that were fitted on against these people.\n",
    );
    for (speed, name) in NAMES.into_iter().enumerate() {
        let thoughts: Vec<&Thought> = all.iter().filter(|thought| thought.speed == speed).collect();
        let fitness = measure(speeds.get(speed), &thoughts, || rng.random());
        writeln!(
            text,
            "\n{name}: {} moves, Spearman {:.3}\n\n\
             | band | moves | distance | distance of other people | at most 1 s: people % | drawn % |\n|---|--:|--:|--:|--:|--:|",
            fitness.count, fitness.spearman
        )?;
        for (index, (count, away, [people, drawn])) in fitness.bands.into_iter().enumerate() {
            if count >= LEAST {
                let of = |thoughts: &[Thought]| -> Vec<f32> {
                    let here = thoughts
                        .iter()
                        .filter(|thought| (thought.speed, band(thought.level)) == (speed, index));
                    here.map(Thought::log).collect()
                };
                let chance = match distance(&mut of(&others), &mut of(&all)) {
                    0.0 => "-".to_owned(),
                    chance => format!("{chance:.3}"),
                };
                let lowest = lowest(index);
                writeln!(
                    text,
                    "| {lowest} | {count} | {away:.3} | {chance} | {people:.0} | {drawn:.0} |"
                )?;
            }
        }
    }
    Ok(text)
}

fn all(games: &[&HumanGame], model: &Model) -> anyhow::Result<Vec<Thought>> {
    let mut all = Vec::new();
    for game in games {
        all.extend(thoughts(game, model)?);
    }
    Ok(all)
}

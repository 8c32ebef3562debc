//! Decisions with the scores of a limited search for every move.

use super::{
    dataset::{Decision, each},
    games::HumanGame,
    search_cache::SearchCache,
};
use sparring_chess::GameHistory;
use sparring_personality::human_model::{Phase, PolicyNetwork, loss_curve::Loss};

/// A decision with the loss of each move.
pub struct Scored {
    /// The decision.
    pub decision: Decision,
    /// The chance of each move by the network alone, in the order of the decision's moves.
    pub priors: Vec<f32>,
    /// The winning chances of the best move, in points from 0 to 100.
    pub best: f32,
    /// Loss of each move, in the order of the decision's moves.
    pub losses: Vec<Loss>,
    /// The phase of the game.
    pub phase: Phase,
    /// Half moves before this one.
    pub ply: usize,
    /// The game.
    pub game: String,
}

/// A sample of the games' judged decisions, scored: in each band of 200 at most `most`, spread over its games.
///
/// # Errors
/// When a game has an illegal move.
pub fn sample(
    games: &[&HumanGame],
    most: usize,
    network: &PolicyNetwork,
    kept: &mut SearchCache,
    mut progress: impl FnMut(usize),
) -> anyhow::Result<Vec<Scored>> {
    let mut sample = Vec::new();
    spread(games, most, |game, line, decision| {
        let (best, losses) = kept.losses(&game.id, line, &decision.moves)?;
        sample.push(Scored {
            priors: decision.priors(network, line),
            best,
            losses,
            phase: Phase::of(line),
            ply: line.ply(),
            game: game.id.clone(),
            decision,
        });
        progress(sample.len());
        Ok(())
    })?;
    Ok(sample)
}

/// Visits judged decisions: in each band of 200 at most `most`, spread over its games.
///
/// # Errors
/// When a game has an illegal move, and those of the visit.
pub fn spread(
    games: &[&HumanGame],
    most: usize,
    mut visit: impl FnMut(&HumanGame, &GameHistory, Decision) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut there = [0_usize; BANDS];
    for game in games {
        each(game, |_, decision| {
            there[band(decision.rating())] += 1;
            Ok(())
        })?;
    }
    let (mut passed, mut taken) = ([0_usize; BANDS], [0_usize; BANDS]);
    for game in games {
        each(game, |line, decision| {
            let band = band(decision.rating());
            passed[band] += 1;
            // As many as keep pace with this share of the band.
            if taken[band] * there[band] < passed[band] * most.min(there[band]) {
                taken[band] += 1;
                return visit(game, line, decision);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Bands of 200 points: below 800, 800, ... 2400, from 2600.
pub const BANDS: usize = 11;

/// The band of a rating.
#[must_use]
pub fn band(rating: f32) -> usize {
    ((rating / 200.0) as usize).clamp(3, BANDS + 2) - 3
}

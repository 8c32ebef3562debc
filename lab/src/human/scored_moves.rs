//! Decisions with the scores of a limited search for every move.

use super::{
    dataset::{Decision, Selection, each},
    games::HumanGame,
    search_cache::SearchCache,
};
use sparring_chess::{GameHistory, Move, units::Stopwatch};
use sparring_engine::{Engine, Limits, SearchControl, SearchRequest, SearchResult, Stop};
use sparring_personality::human_model::{
    Features,
    loss_curve::{Loss, Phase, winning_chances},
    phase,
};

/// A decision with what each of its moves loses.
pub struct Scored {
    /// The decision.
    pub decision: Decision,
    /// The winning chances of the best move, in points from 0 to 100.
    pub best: f32,
    /// What each move loses, in the order of the decision's moves.
    pub losses: Vec<Loss>,
    /// The phase of the game.
    pub phase: Phase,
    /// Half moves before this one.
    pub ply: usize,
    /// The game.
    pub game: String,
}

/// An engine for scoring.
pub struct Scorer {
    engine: Engine,
    stop: Stop,
    clock: Stopwatch,
}

impl Scorer {
    /// An engine with a table as small as these searches.
    #[must_use]
    pub fn new() -> Self {
        Self {
            engine: Engine::new(2),
            stop: Stop::new(),
            clock: Stopwatch::start(),
        }
    }

    /// What each move of a line's last position loses, behind the winning chances of the best. Equal lines, equal losses.
    pub fn losses(&mut self, line: &GameHistory, moves: &[Move]) -> (f32, Vec<Loss>) {
        let limits = Limits {
            depth: Some(Features::DEEP),
            ..Limits::default()
        };
        let search = SearchRequest {
            multi_pv: moves.len(),
            classical_only: true,
            ..SearchRequest::new(line.clone(), limits)
        };
        self.engine.clear();
        let around = SearchControl {
            stop: &self.stop,
            clock: &self.clock,
        };
        let mut shallow = None;
        let deep = self.engine.search(&search, &around, &mut |report| {
            if report.depth == Features::SHALLOW {
                shallow = Some(losses(report, moves).1);
            }
        });
        let (best, deep) = losses(&deep, moves);
        let shallow = shallow.unwrap_or_else(|| deep.clone());
        let both = deep.into_iter().zip(shallow);
        let losses = both.map(|(deep, shallow)| Loss { deep, shallow });
        (best, losses.collect())
    }
}

/// The winning chances of the best move, and what each loses against it; a move without a line as much as the worst.
fn losses(report: &SearchResult, moves: &[Move]) -> (f32, Vec<f32>) {
    let chances: Vec<Option<f32>> = moves
        .iter()
        .map(|mv| {
            let line = report.lines.iter().find(|line| line.pv.first() == Some(mv))?;
            Some(winning_chances(line.score))
        })
        .collect();
    let known = || chances.iter().flatten().copied();
    let (best, worst) = (known().fold(0.0, f32::max), known().fold(100.0, f32::min));
    let losses = chances.iter().map(|chance| best - chance.unwrap_or(worst));
    (best, losses.collect())
}

/// A sample of the games' judged decisions, scored: in each band of 200 at most `most`, spread over its games.
///
/// # Errors
/// When a game has an illegal move.
pub fn sample(
    games: &[&HumanGame],
    most: usize,
    kept: &mut SearchCache,
    mut progress: impl FnMut(usize),
) -> anyhow::Result<Vec<Scored>> {
    let mut sample = Vec::new();
    spread(games, most, |game, line, decision| {
        let (best, losses) = kept.losses(&game.id, line, &decision.seen.moves)?;
        sample.push(Scored {
            best,
            losses,
            phase: phase(line),
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
        each(game, Selection::Judged, |_, decision| {
            there[band(decision.rating)] += 1;
            Ok(())
        })?;
    }
    let (mut passed, mut taken) = ([0_usize; BANDS], [0_usize; BANDS]);
    for game in games {
        each(game, Selection::Judged, |line, decision| {
            let band = band(decision.rating);
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

//! Decisions for fitting and evaluation, encoded once and kept in memory.

use super::games::{HumanGame, Part};
use sparring_chess::GameHistory;
use sparring_personality::human_model::{
    TimePressure,
    network::{EncodedPosition, MoveContext},
};

/// An encoded position and the move played.
pub struct Decision {
    /// The position and its moves, at least two.
    pub encoded: EncodedPosition,
    /// Which of the moves was played.
    pub played: usize,
    /// The mover's rating.
    pub rating: f32,
}

/// Which decisions of a game to keep.
#[derive(Debug, Clone, Copy)]
pub enum Selection {
    /// For fitting: ratings and openings that are plentiful are thinned out.
    Thinned,
    /// For reports: from ply 10, blitz and slower. A third of the games without a recorded speed is bullet.
    Judged,
}

/// The decisions of a part of the games.
///
/// # Errors
/// When a game has an illegal move.
pub fn decisions(games: &[HumanGame], part: Part, selection: Selection) -> anyhow::Result<Vec<Decision>> {
    let mut all = Vec::new();
    for game in games.iter().filter(|game| game.part() == part) {
        each(game, selection, |_, decision| {
            all.push(decision);
            Ok(())
        })?;
    }
    Ok(all)
}

/// Visits the decisions of one game, each with the game up to it.
///
/// # Errors
/// When the game has an illegal move, and those of the visit.
pub fn each(
    game: &HumanGame,
    selection: Selection,
    mut visit: impl FnMut(&GameHistory, Decision) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let whole = game.line()?;
    let mut line = GameHistory::from_position(whole.variant(), whole.start().clone());
    for (ply, mv) in whole.moves().iter().enumerate() {
        if keeps(game, ply, selection) {
            let rating = game.mover(ply);
            let encoded = EncodedPosition::new(MoveContext::of(&line), rating, game.time_pressure());
            let played = encoded.moves.iter().position(|other| other == mv);
            if let (Some(played), 2..) = (played, encoded.moves.len()) {
                visit(
                    &line,
                    Decision {
                        encoded,
                        played,
                        rating,
                    },
                )?;
            }
        }
        line.play(*mv);
    }
    Ok(())
}

/// The games hold far more players of 800 to 1000 and 2200 to 2600 than others, and every game the same first
/// moves: a share of those says as much. Which ones follows from the game and the ply.
fn keeps(game: &HumanGame, ply: usize, selection: Selection) -> bool {
    match selection {
        Selection::Judged => ply >= 10 && game.time_pressure() == TimePressure::Calm,
        Selection::Thinned => {
            let share = match game.elo[ply % 2] {
                800..1000 => 50,
                2200.. => 40,
                _ => 100,
            };
            let share = if ply < 8 { share / 3 } else { share };
            (game.moves.len() * 7 + ply * 37) % 100 < share
        }
    }
}

//! Decisions of people that models are fitted to and judged by.

use super::games::HumanGame;
use sparring_chess::{GameHistory, Move, Rules as _};
use sparring_personality::human_model::{Context, PolicyNetwork};

/// A position's moves and the one that was played.
pub struct Decision {
    /// The legal moves, at least two.
    pub moves: Vec<Move>,
    /// Which of the moves was played.
    pub played: usize,
    /// The mover, and what is known of opponent and clocks.
    pub player: Context,
}

impl Decision {
    /// The mover's rating.
    #[must_use]
    pub fn rating(&self) -> f32 {
        f32::from(self.player.rating)
    }

    /// The chance of each move by a network alone, in the order of [`moves`](Self::moves). `line` is the game up to here.
    #[must_use]
    pub fn priors(&self, network: &PolicyNetwork, line: &GameHistory) -> Vec<f32> {
        let chances = network
            .look(line, &self.player)
            .map_or_else(Vec::new, |prediction| prediction.chances);
        let chance = |mv: &Move| chances.iter().find(|(other, _)| other == mv);
        self.moves
            .iter()
            .map(|mv| chance(mv).map_or(0.0, |(_, chance)| *chance))
            .collect()
    }
}

/// Visits the decisions of one game, each with the game up to it: from ply 10, blitz and slower. Games without a recorded speed
/// are left out, as a third of them is bullet.
///
/// # Errors
/// When the game has an illegal move, and those of the visit.
pub fn each(
    game: &HumanGame,
    mut visit: impl FnMut(&GameHistory, Decision) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    const FIRST: usize = 10;
    if !game.is_unhurried() {
        return Ok(());
    }
    let whole = game.line()?;
    let mut line = GameHistory::from_position(whole.variant(), whole.start().clone());
    for (ply, mv) in whole.moves().iter().enumerate() {
        if ply >= FIRST {
            let moves: Vec<Move> = line.position().legal_moves().into_iter().collect();
            let played = moves.iter().position(|other| other == mv);
            if let (Some(played), 2..) = (played, moves.len()) {
                let player = game.player(ply);
                visit(
                    &line,
                    Decision {
                        moves,
                        played,
                        player,
                    },
                )?;
            }
        }
        line.play(*mv);
    }
    Ok(())
}

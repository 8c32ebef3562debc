//! Phase of the game.

use sparring_chess::{GameHistory, Role, Rules as _};

/// Phase of the game, where human errors differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The first ten moves.
    Opening,
    /// Neither of the others.
    Middlegame,
    /// At most six pieces besides kings and pawns.
    Endgame,
}

impl Phase {
    /// The phase of a game's last position.
    #[must_use]
    pub fn of(line: &GameHistory) -> Self {
        let board = line.position().board();
        let pieces = board.occupied() & !board.by_role(Role::Pawn) & !board.by_role(Role::King);
        if line.ply() < 20 {
            Self::Opening
        } else if pieces.count() <= 6 {
            Self::Endgame
        } else {
            Self::Middlegame
        }
    }
}

//! Follows a game along a book: which moves one side took from it, and where it left it for good.

use crate::Book;
use sparring_chess::{Color, GameHistory, Move};

/// Where a move came from, as far as it was written down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MoveOrigin {
    /// Nobody knows: it counts for every book that has it.
    #[default]
    Unknown,
    /// From the book at hand.
    Here,
    /// From another book, or from no book.
    Elsewhere,
}

/// A move of a book in a game.
pub(super) struct BookHit {
    /// The game up to it.
    pub(super) before: GameHistory,
    /// The position before it.
    pub(super) key: u64,
    /// The move.
    pub(super) mv: Move,
}

/// The moves of a book that a side plays in a game, and the first position after them in which it moves without it.
pub(super) fn follow(
    book: &Book,
    game: &GameHistory,
    side: Color,
    drawn: &[MoveOrigin],
) -> (Vec<BookHit>, Option<GameHistory>) {
    let (mut found, mut left) = (Vec::new(), None);
    if !book.head().fits(game.variant(), None, None) {
        return (found, None);
    }
    let mut line = GameHistory::from_position(game.variant(), game.start().clone());
    for (ply, mv) in game.moves().iter().enumerate() {
        if line.turn() == side {
            let source = drawn.get(ply).copied().unwrap_or_default();
            let entries = book.entries_along(line.keys());
            let has_it = entries.iter().any(|entry| entry.mv == *mv);
            match line.keys().last() {
                Some(key) if has_it && source != MoveOrigin::Elsewhere => {
                    found.push(BookHit {
                        before: line.clone(),
                        key: *key,
                        mv: *mv,
                    });
                    left = None;
                }
                _ => {
                    left.get_or_insert_with(|| line.clone());
                    // What comes later would count by chance alone.
                    if source == MoveOrigin::Unknown {
                        break;
                    }
                }
            }
        }
        line.play(*mv);
    }
    (found, left)
}

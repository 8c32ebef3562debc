//! Finished games, so that none is counted twice: a task may see the end of its game again.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use sparring_lichess::model::GameId;

/// How many games are remembered; older ones are in the archive.
const REMEMBERED: usize = 500;

/// The games that ended last.
#[derive(Debug, Default)]
pub(in crate::bot) struct FinishedGames(Mutex<VecDeque<GameId>>);

impl FinishedGames {
    /// Records that a game has ended. False if it was recorded before.
    pub(in crate::bot) fn insert(&self, game: &GameId) -> bool {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.contains(game) {
            return false;
        }
        if counted.len() == REMEMBERED {
            counted.pop_front();
        }
        counted.push_back(game.clone());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_counts_once_and_old_games_are_forgotten() {
        let endings = FinishedGames::default();
        for number in 0..REMEMBERED + 10 {
            let game = format!("game{number:04}").parse().unwrap();
            assert!(endings.insert(&game) && !endings.insert(&game));
        }
        assert_eq!(endings.0.lock().unwrap().len(), REMEMBERED);
    }
}

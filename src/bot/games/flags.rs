//! Flags of each game that outlive its task: takebacks granted, draws offered, the persona asked for.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::store::{ArchiveWriter, GameFlags};
use sparring_lichess::model::GameId;

/// The flags of all running games.
#[derive(Debug, Default)]
pub(in crate::bot) struct GameFlagsByGame {
    known: Mutex<BTreeMap<GameId, GameFlags>>,
    store: ArchiveWriter,
}

impl GameFlagsByGame {
    /// Restores the flags of an earlier run.
    pub(in crate::bot) fn restore(past: &[(GameId, GameFlags)], store: ArchiveWriter) -> Self {
        Self {
            known: Mutex::new(past.iter().cloned().collect()),
            store,
        }
    }

    /// The flags of a game.
    pub(in crate::bot) fn of(&self, game: &GameId) -> GameFlags {
        self.with(|known| known.get(game).cloned().unwrap_or_default())
    }

    /// Replaces the flags of a game.
    pub(in crate::bot) fn update(&self, game: &GameId, flags: GameFlags) {
        self.with(|known| known.insert(game.clone(), flags.clone()));
        self.store.game_flags(game.clone(), flags);
    }

    /// Forgets the flags of a finished game.
    pub(in crate::bot) fn forget(&self, game: &GameId) {
        self.with(|known| known.remove(game));
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<GameId, GameFlags>) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

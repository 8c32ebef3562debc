//! Flags of each game that outlive its task: takebacks granted, draws offered, the persona asked for.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::store::{ArchiveWriter, GameFlags};
use sparring_lichess::model::GameId;

/// The favours of all games that run.
#[derive(Debug, Default)]
pub(in crate::bot) struct GameFlagsByGame {
    known: Mutex<BTreeMap<GameId, GameFlags>>,
    store: ArchiveWriter,
}

impl GameFlagsByGame {
    /// Those that an earlier run left behind.
    pub(in crate::bot) fn restore(past: &[(GameId, GameFlags)], store: ArchiveWriter) -> Self {
        Self {
            known: Mutex::new(past.iter().cloned().collect()),
            store,
        }
    }

    /// What was granted in a game so far.
    pub(in crate::bot) fn of(&self, game: &GameId) -> GameFlags {
        self.with(|known| known.get(game).cloned().unwrap_or_default())
    }

    /// Something was granted or asked.
    pub(in crate::bot) fn update(&self, game: &GameId, favour: GameFlags) {
        self.with(|known| known.insert(game.clone(), favour.clone()));
        self.store.game_flags(game.clone(), favour);
    }

    /// The game is over.
    pub(in crate::bot) fn forget(&self, game: &GameId) {
        self.with(|known| known.remove(game));
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<GameId, GameFlags>) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

//! One game's engine: lent to the thread that searches with it, and replaced when that thread hangs.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::{external_engine::ExternalSlot, online_sources::OnlineSlot};
use sparring_engine::Engine;

/// One game's engine with its warm transposition table; there is none until the first search. Clones share it.
#[derive(Clone, Default)]
pub struct EngineSlot(Arc<Slot>);

#[derive(Default)]
struct Slot {
    content: Mutex<Content>,
    changed: Condvar,
    external: ExternalSlot,
    online: OnlineSlot,
}

#[derive(Default)]
struct Content {
    /// Counts the engines that this slot has had; a loan of an older one is not taken back.
    generation: u64,
    engine: Option<Engine>,
    is_lent: bool,
}

/// An engine on loan. [`EngineSlot::give_back`] ends the loan.
pub(super) struct Loan {
    pub(super) engine: Engine,
    generation: u64,
}

impl EngineSlot {
    /// The game's external engine.
    pub(super) fn external(&self) -> &ExternalSlot {
        &self.0.external
    }

    /// What the game knows of its online sources.
    pub(super) fn online(&self) -> &OnlineSlot {
        &self.0.online
    }

    /// Lends the engine; waits while another search of the same game has it. A new one has a transposition table of so
    /// many mebibytes.
    pub(super) fn lend(&self, hash_mib: usize) -> Loan {
        let mut content = self.lock();
        while content.is_lent {
            content = self
                .0
                .changed
                .wait(content)
                .unwrap_or_else(PoisonError::into_inner);
        }
        content.is_lent = true;
        let (engine, generation) = (content.engine.take(), content.generation);
        drop(content);
        Loan {
            engine: engine.unwrap_or_else(|| Engine::new(hash_mib)),
            generation,
        }
    }

    /// Takes the engine back, unless another has replaced it meanwhile.
    pub(super) fn give_back(&self, loan: Loan) {
        let mut content = self.lock();
        if content.generation == loan.generation {
            content.engine = Some(loan.engine);
            content.is_lent = false;
            self.0.changed.notify_one();
        }
    }

    /// Lets the next search begin with a new engine: for one that hangs, which keeps the old one, and after a panic.
    pub(super) fn replace(&self) {
        let mut content = self.lock();
        content.generation += 1;
        content.engine = None;
        content.is_lent = false;
        self.0.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Content> {
        self.0.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for EngineSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineSlot").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_was_replaced_is_not_taken_back() {
        let slot = EngineSlot::default();
        let hung = slot.lend(1);
        slot.replace();
        let fresh = slot.lend(1);
        slot.give_back(hung);
        assert!(slot.lock().is_lent, "the new one is still on loan");
        slot.give_back(fresh);
        assert!(!slot.lock().is_lent && slot.lock().engine.is_some());
    }
}

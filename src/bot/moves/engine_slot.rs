//! One game's engine: lent to the thread that searches with it, and replaced when that thread hangs.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use sparring_engine::Engine;

/// One game's engine with its warm transposition table. Clones share it.
#[derive(Clone)]
pub struct EngineSlot(Arc<Slot>);

struct Slot {
    hash_mib: usize,
    content: Mutex<Content>,
    changed: Condvar,
}

struct Content {
    /// Counts the engines that this slot has had; a loan of an older one is not taken back.
    generation: u64,
    /// None while a search has it.
    engine: Option<Engine>,
}

/// An engine on loan. [`EngineSlot::give_back`] ends the loan.
pub(super) struct Loan {
    pub(super) engine: Engine,
    generation: u64,
}

impl EngineSlot {
    /// A new engine with a transposition table of so many mebibytes.
    #[must_use]
    pub fn new(hash_mib: usize) -> Self {
        Self(Arc::new(Slot {
            hash_mib,
            content: Mutex::new(Content {
                generation: 0,
                engine: Some(Engine::new(hash_mib)),
            }),
            changed: Condvar::new(),
        }))
    }

    /// Lends the engine; waits while another search of the same game has it.
    pub(super) fn lend(&self) -> Loan {
        let mut content = self.lock();
        loop {
            if let Some(engine) = content.engine.take() {
                return Loan {
                    engine,
                    generation: content.generation,
                };
            }
            content = self
                .0
                .changed
                .wait(content)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the engine back, unless another has replaced it meanwhile.
    pub(super) fn give_back(&self, loan: Loan) {
        let mut content = self.lock();
        if content.generation == loan.generation {
            content.engine = Some(loan.engine);
            self.0.changed.notify_one();
        }
    }

    /// Replaces the engine by a new one: for a search that hangs, which keeps the old one, and after a panic.
    pub(super) fn replace(&self) {
        let fresh = Engine::new(self.0.hash_mib);
        let mut content = self.lock();
        content.generation += 1;
        content.engine = Some(fresh);
        self.0.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Content> {
        self.0.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for EngineSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineSlot")
            .field("hash_mib", &self.0.hash_mib)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_was_replaced_is_not_taken_back() {
        let slot = EngineSlot::new(1);
        let hung = slot.lend();
        slot.replace();
        let fresh = slot.lend();
        slot.give_back(hung);
        assert!(slot.lock().engine.is_none(), "the new one is still on loan");
        slot.give_back(fresh);
        assert!(slot.lock().engine.is_some());
    }
}

//! Rate limiter by endpoint class, shared by all clones of a client.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use tokio::time::Instant;

use super::retry::{EndpointClass, EndpointLimit};
use sparring_chess::units::Millis;

/// One gate a class. The lock is held for a few instructions and never across a wait.
pub(super) struct RateLimiter {
    opened: Instant,
    inside: Mutex<Inside>,
}

struct Inside {
    gates: [EndpointLimit; EndpointClass::ALL.len()],
    rng: ChaCha8Rng,
}

impl RateLimiter {
    /// All gates open; the seed decides the jitter of waits.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            opened: Instant::now(),
            inside: Mutex::new(Inside {
                gates: [EndpointLimit::default(); EndpointClass::ALL.len()],
                rng: ChaCha8Rng::seed_from_u64(seed),
            }),
        }
    }

    /// How long the class has to stay silent.
    pub(super) fn wait(&self, class: EndpointClass) -> Option<Millis> {
        let now = self.now();
        self.with(|inside| inside.gates.get(class as usize).and_then(|gate| gate.wait(now)))
    }

    /// Closes the class after a 429 and returns for how long. Urgent classes stay open: their callers wait by the clock. What no game
    /// and nobody else waits for rests instead of them: chat, invitations, and lists of bots and arenas.
    pub(super) fn refuse(&self, class: EndpointClass, asked: Option<Millis>) -> Millis {
        let now = self.now();
        let closed = if class.is_urgent() {
            EndpointClass::Chat
        } else {
            class
        };
        let wait = self.with(|Inside { gates, rng }| {
            gates
                .get_mut(closed as usize)
                .map_or(Millis::ZERO, |gate| gate.refuse(now, asked, rng))
        });
        if class.is_urgent() {
            for idle in [EndpointClass::Invite, EndpointClass::Read] {
                self.hold(idle, wait);
            }
        }
        if class.is_urgent() {
            asked.unwrap_or_default()
        } else {
            wait
        }
    }

    /// Closes a class for so long, as an earlier run was told. Urgent classes stay open.
    pub(super) fn hold(&self, class: EndpointClass, wait: Millis) {
        let now = self.now();
        if !class.is_urgent() {
            self.with(|inside| {
                if let Some(gate) = inside.gates.get_mut(class as usize) {
                    gate.hold(now, wait);
                }
            });
        }
    }

    /// Notes that a call of the class went through.
    pub(super) fn succeed(&self, class: EndpointClass) {
        self.with(|inside| {
            if let Some(gate) = inside.gates.get_mut(class as usize) {
                gate.succeed();
            }
        });
    }

    fn now(&self) -> Millis {
        self.opened.elapsed().into()
    }

    fn with<R>(&self, act: impl FnOnce(&mut Inside) -> R) -> R {
        let mut inside: MutexGuard<'_, Inside> = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f8_classes_do_not_hold_each_other_back() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let _guard = runtime.enter();
        let gates = RateLimiter::new(1);
        gates.refuse(EndpointClass::Challenge, None);
        let closed: Vec<EndpointClass> = EndpointClass::ALL
            .into_iter()
            .filter(|class| gates.wait(*class).is_some())
            .collect();
        assert_eq!(closed, [EndpointClass::Challenge]);
        gates.refuse(EndpointClass::Move, None);
        assert!(gates.wait(EndpointClass::Move).is_none());
        assert!(gates.wait(EndpointClass::Chat).is_some());
    }

    #[tokio::test]
    async fn f10_one_move_too_many_silences_what_can_wait_and_nothing_else() {
        for urgent in [EndpointClass::Move, EndpointClass::GameStream] {
            let gates = RateLimiter::new(1);
            gates.refuse(urgent, None);
            let closed = EndpointClass::ALL
                .into_iter()
                .filter_map(|class| Some((class, gates.wait(class)?)));
            let closed: Vec<(EndpointClass, Millis)> = closed.collect();
            let classes: Vec<EndpointClass> = closed.iter().map(|(class, _)| *class).collect();
            assert_eq!(
                classes,
                [EndpointClass::Invite, EndpointClass::Chat, EndpointClass::Read]
            );
            for (class, wait) in closed {
                assert!((59..=65).contains(&(wait.0 / 1000)), "a minute: {class:?} {wait}");
            }
        }
    }

    #[test]
    fn every_class_has_its_own_gate() {
        for (index, class) in EndpointClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }
}

//! Rate limiter by endpoint class, shared by all clones of a client.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use tokio::time::Instant;

use super::retry::{EndpointClass, EndpointLimit};
use sparring_chess::units::Millis;

/// One limit per endpoint class. The lock is never held across a wait.
pub(super) struct RateLimiter {
    opened: Instant,
    state: Mutex<State>,
}

struct State {
    limits: [EndpointLimit; EndpointClass::ALL.len()],
    rng: ChaCha8Rng,
}

impl RateLimiter {
    /// No class is blocked. The seed decides the jitter of waits.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            opened: Instant::now(),
            state: Mutex::new(State {
                limits: [EndpointLimit::default(); EndpointClass::ALL.len()],
                rng: ChaCha8Rng::seed_from_u64(seed),
            }),
        }
    }

    /// How long the class is still blocked.
    pub(super) fn blocked_for(&self, class: EndpointClass) -> Option<Millis> {
        let now = self.now();
        self.with(|state| {
            state
                .limits
                .get(class as usize)
                .and_then(|limit| limit.blocked_for(now))
        })
    }

    /// Blocks the class after a 429 and returns for how long. Urgent classes are never blocked: their callers wait by the clock. In
    /// their place chat, outgoing challenges and reads are blocked, which no game waits for.
    pub(super) fn on_rate_limited(&self, class: EndpointClass, asked: Option<Millis>) -> Millis {
        let now = self.now();
        let closed = if class.is_urgent() {
            EndpointClass::Chat
        } else {
            class
        };
        let wait = self.with(|State { limits, rng }| {
            limits
                .get_mut(closed as usize)
                .map_or(Millis::ZERO, |limit| limit.on_rate_limited(now, asked, rng))
        });
        if class.is_urgent() {
            for idle in [EndpointClass::Invite, EndpointClass::Read] {
                self.block(idle, wait);
            }
        }
        if class.is_urgent() {
            asked.unwrap_or_default()
        } else {
            wait
        }
    }

    /// Blocks a class for this time, restored from an earlier run. Urgent classes are never blocked.
    pub(super) fn block(&self, class: EndpointClass, wait: Millis) {
        let now = self.now();
        if !class.is_urgent() {
            self.with(|state| {
                if let Some(limit) = state.limits.get_mut(class as usize) {
                    limit.block(now, wait);
                }
            });
        }
    }

    /// A call of the class succeeded.
    pub(super) fn on_success(&self, class: EndpointClass) {
        self.with(|state| {
            if let Some(limit) = state.limits.get_mut(class as usize) {
                limit.on_success();
            }
        });
    }

    fn now(&self) -> Millis {
        self.opened.elapsed().into()
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        let mut state: MutexGuard<'_, State> = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut state)
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
        let limiter = RateLimiter::new(1);
        limiter.on_rate_limited(EndpointClass::Challenge, None);
        let closed: Vec<EndpointClass> = EndpointClass::ALL
            .into_iter()
            .filter(|class| limiter.blocked_for(*class).is_some())
            .collect();
        assert_eq!(closed, [EndpointClass::Challenge]);
        limiter.on_rate_limited(EndpointClass::Move, None);
        assert!(limiter.blocked_for(EndpointClass::Move).is_none());
        assert!(limiter.blocked_for(EndpointClass::Chat).is_some());
    }

    #[tokio::test]
    async fn f10_one_move_too_many_silences_what_can_wait_and_nothing_else() {
        for urgent in [EndpointClass::Move, EndpointClass::GameStream] {
            let limiter = RateLimiter::new(1);
            limiter.on_rate_limited(urgent, None);
            let closed = EndpointClass::ALL
                .into_iter()
                .filter_map(|class| Some((class, limiter.blocked_for(class)?)));
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
    fn every_class_has_its_own_limit() {
        for (index, class) in EndpointClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }
}

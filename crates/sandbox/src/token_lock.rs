//! Serialises requests by token, where the limits are strict.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::options::Limits;

/// Locks by token: which tokens have a request in flight.
#[derive(Debug)]
pub struct TokenLocks {
    limits: Limits,
    busy: Mutex<BTreeSet<String>>,
}

impl TokenLocks {
    /// No token is locked.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            busy: Mutex::default(),
        }
    }

    /// Locks a token, or `None` while another request of it is served. Without strict limits it always succeeds.
    #[must_use]
    pub fn try_lock(&self, token: &str) -> Option<TokenLock<'_>> {
        let strict = self.limits == Limits::Strict;
        if strict && !self.busy().insert(token.to_owned()) {
            return None;
        }
        Some(TokenLock {
            locks: self,
            token: strict.then(|| token.to_owned()),
        })
    }

    fn busy(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lock on a token, released when dropped.
#[derive(Debug)]
pub struct TokenLock<'a> {
    locks: &'a TokenLocks,
    token: Option<String>,
}

impl Drop for TokenLock<'_> {
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            self.locks.busy().remove(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_limits_serve_a_token_once_at_a_time() {
        let strict = TokenLocks::new(Limits::Strict);
        let first = strict.try_lock("a");
        assert!(first.is_some() && strict.try_lock("b").is_some());
        assert!(strict.try_lock("a").is_none());
        drop(first);
        assert!(strict.try_lock("a").is_some());
        let lax = TokenLocks::new(Limits::Real);
        let both = (lax.try_lock("a"), lax.try_lock("a"));
        assert!(both.0.is_some() && both.1.is_some());
    }
}
